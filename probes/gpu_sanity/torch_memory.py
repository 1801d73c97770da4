"""Memory of a torch device: what can be had, cycles of loading, the copy rate, and a sweep. Not a probe itself; syntax of Python 3.8."""

import random
import time

from outcome import Failed, Untestable, ram_available

CHUNK = 1 << 30
FLOOR = 64 << 20
KEEP_FREE = 0.04
CYCLES = 20


def room(card, shared):
    """(bytes that may be taken, bytes reported free)."""
    free, total = card.torch.cuda.mem_get_info(card.device)
    most = free - int(total * KEEP_FREE)
    if shared:
        most = min(most, int(0.7 * ram_available()))
    return max(0, most), free


def fill(card, item, shared):
    """All that can be had, as blocks of bytes."""
    torch = card.torch
    wanted, free = room(card, shared)
    item.fact("reported_free_bytes", free)
    blocks, got, size = [], 0, CHUNK
    while wanted - got > FLOOR and size >= FLOOR:
        try:
            blocks.append(torch.empty(min(size, wanted - got) // 8, dtype=torch.int64, device=card.device))
            got += blocks[-1].numel() * 8
        except RuntimeError as error:
            if "out of memory" not in str(error).lower():
                raise
            size //= 2
    item.fact("allocated_bytes", got)
    return blocks, got, wanted


def total(card, item, shared):
    blocks, got, wanted = fill(card, item, shared)
    del blocks
    card.torch.cuda.empty_cache()
    if got < 0.9 * wanted:
        raise Failed("only %d bytes could be allocated, %d were asked for" % (got, wanted))
    return {"verdict": "right", "detail": "", "bytes": got}


def cycles(card, item, shared):
    torch = card.torch
    size = min(256 << 20, room(card, shared)[0] // 4)
    if size < 1 << 20:
        raise Untestable("too little memory is free")

    def cycle():
        made = [torch.empty(size, dtype=torch.uint8, device=card.device) for _ in range(2)]
        try:
            if not shared:
                made.append(torch.empty(torch.cuda.mem_get_info(card.device)[1] * 2, dtype=torch.uint8, device=card.device))
        except RuntimeError:
            pass
        del made
        torch.cuda.empty_cache()

    cycle()
    before = torch.cuda.mem_get_info(card.device)[0]
    for _ in range(CYCLES):
        cycle()
    leaked = max(0, before - torch.cuda.mem_get_info(card.device)[0])
    item.fact("leaked_bytes", leaked)
    if leaked > size:
        return {"verdict": "failed", "detail": "%d bytes did not come back after %d cycles of loading" % (leaked, CYCLES)}
    return {"verdict": "right", "detail": ""}


def copy_rate(card, item, shared):
    torch, size = card.torch, min(512 << 20, room(card, shared)[0] // 4)
    if size < 1 << 20:
        raise Untestable("too little memory is free")
    here, there = (torch.zeros(size, dtype=torch.uint8, device=card.device) for _ in range(2))
    best = 1e9
    for _ in range(5):
        card.wait()
        began = time.monotonic()
        for _ in range(32):
            there.copy_(here)
        card.wait()
        best = min(best, time.monotonic() - began)
    item.fact("copy_bytes_per_s", 64 * size / best)
    return {"verdict": "right", "detail": "", "bytes_per_s": 64 * size / best}


def sweep(card, item, shared):
    """Every word that can be allocated is written with three patterns and compared on the device; errors are located."""
    torch = card.torch
    blocks, got, _ = fill(card, item, shared)
    if not got:
        raise Untestable("no memory is free")
    wrong, places = 0, []
    for number, value in enumerate((0x5555555555555555, -0x5555555555555556, random.SystemRandom().randrange(1 << 62))):
        for place, block in enumerate(blocks):
            block.fill_(value ^ (place if number == 2 else 0))
        item.tell("memory-sweep, pattern %d of 3, write: %d MiB" % (number + 1, got >> 20))
        for place, block in enumerate(blocks):
            least, most = torch.aminmax(block)  # no memory for a result as large as the block
            if int(least) != int(most) or int(least) != value ^ (place if number == 2 else 0):
                wrong += 1
                places.append(place * CHUNK)
        item.tell("memory-sweep, pattern %d of 3, read: %d MiB" % (number + 1, got >> 20))
    del blocks
    torch.cuda.empty_cache()
    return {"verdict": "wrong" if wrong else "right", "wrong": wrong, "elements": got // 8 * 3, "bytes": got,
            "detail": "wrong words in the blocks that begin at bytes " + ", ".join(map(hex, places[:6])) if wrong else ""}
