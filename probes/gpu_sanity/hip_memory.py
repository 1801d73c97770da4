"""Memory of a HIP device: copies, limits, cycles of loading, peers, and a sweep over all that can be had. Not a probe itself."""

from __future__ import annotations

import ctypes
import os
import tempfile
import time

import cases
import numpy as np
from cases import REPEATS, judge_bytes, poison
from hip_device import KINDS
from outcome import Failed, Untestable, ram_available

CHUNK = 1 << 30
FLOOR = 64 << 20
KEEP_FREE = 0.04  # of all memory: what a desktop needs to go on
CYCLES = 20


def room(device, shared):
    """(bytes that may be taken without starving the desktop or the computer, bytes reported free)."""
    free, total = device.memory()
    most = free - int(total * KEEP_FREE)
    if shared:
        most = min(most, int(ram_available() * 0.7))
    return max(0, most), free


def copies(device, rng, kind):
    """Host to device and back, every byte compared: from ordinary (pageable), pinned, or file-mapped memory."""
    size = 8 << 20
    data = rng.bytes(size)
    place, pinned = device.need(size), ctypes.c_void_p()
    try:
        source = np.frombuffer(data, np.uint8)
        if kind == "pinned":
            device.call("hipHostMalloc", ctypes.byref(pinned), ctypes.c_size_t(size), 0)
            source = np.frombuffer((ctypes.c_uint8 * size).from_address(pinned.value), np.uint8)
        elif kind == "mapped-file":
            with tempfile.TemporaryFile() as file:
                file.write(data)
                file.flush()
                source = np.memmap(file, np.uint8, "r", shape=(size,))

        def copied():
            for _ in range(REPEATS):
                before = poison(rng, size // 4)
                device.put(place, before)
                if kind == "pinned":
                    source[:] = np.frombuffer(data, np.uint8)
                device.put(place, source)
                if kind == "pinned":
                    source[:] = before.view(np.uint8)
                back = source if kind == "pinned" else before.copy()
                device.get(place, back)
                yield back.tobytes(), before

        return judge_bytes(data, copied())
    finally:
        device.free(place)
        if pinned.value:
            device.call("hipHostFree", pinned)


def two_streams(device, rng):
    """The same work on two streams at once; every output of both."""
    case = cases.reduction(rng, 1 << 18)
    streams, places = [ctypes.c_void_p(), ctypes.c_void_p()], []
    try:
        for stream in streams:
            device.call("hipStreamCreate", ctypes.byref(stream))
            places.append([device.need(case.inputs[0].nbytes), device.need(case.words * 4)])
            device.put(places[-1][0], case.inputs[0])
        outputs, before = [], []
        for _ in range(3):
            for _, output in places:
                before.append([poison(rng, case.words)])
                device.put(output, before[-1][0])
            for stream, held in zip(streams, places):
                device.launch(case.kernel, held, case.parameters, case.groups, (256, 1), stream)
            for stream in streams:
                device.wait(stream)
            for (_, output), stood in zip(places, before[-2:]):
                back = stood[0].copy()
                device.get(output, back)
                outputs.append(back.tobytes())
        return cases.judge(case, outputs, before)
    finally:
        for stream in streams:
            if stream.value:
                device.call("hipStreamDestroy", stream)
        for held in places:
            for place in held:
                device.free(place)


def peer(device, rng, count):
    """Copies to the next GPU and back."""
    if count < 2:
        raise Untestable("there is one GPU")
    other, size, can = (device.number + 1) % count, 8 << 20, ctypes.c_int(0)
    device.call("hipDeviceCanAccessPeer", ctypes.byref(can), device.number, other)
    data = rng.bytes(size)
    source = np.frombuffer(data, np.uint8)
    here = device.need(size)
    device.call("hipSetDevice", other)
    there = device.need(size)
    try:
        device.call("hipSetDevice", device.number)

        def copied():
            for _ in range(REPEATS):
                before = poison(rng, size // 4)
                device.put(here, source)
                device.call("hipMemcpyPeer", there, other, here, device.number, ctypes.c_size_t(size))
                device.put(here, before)
                device.call("hipMemcpyPeer", here, device.number, there, other, ctypes.c_size_t(size))
                device.wait()
                back = before.copy()
                device.get(here, back)
                yield back.tobytes(), before

        found = judge_bytes(data, copied())
        if found.verdict == "right" and not can.value:
            found.detail = f"through the host: GPU {device.number} cannot reach GPU {other} directly"
        return found
    finally:
        device.call("hipSetDevice", device.number)
        device.free(here)
        device.free(there)


def total(device, item, shared):
    """All that can be had in pieces, against what is reported free."""
    wanted, free = room(device, shared)
    held, got, size = [], 0, CHUNK
    item.fact("reported_free_bytes", free)
    try:
        while got < wanted and size >= FLOOR:
            piece = min(size, wanted - got)
            place = device.allocate(piece)
            if place is None:
                size //= 2
                continue
            held.append(place)
            got += piece
    finally:
        for place in held:
            device.free(place)
    item.fact("allocated_bytes", got)
    if got < 0.9 * wanted:
        raise Failed(f"only {got} bytes could be allocated, {wanted} of {free} reported free were asked for")
    return {"verdict": "right", "detail": "", "bytes": got}


def cycles(device, item, shared):
    """Loading and unloading, with failing loads between: what does not come back is a leak."""
    wanted, _ = room(device, shared)
    size, over = min(256 << 20, wanted // 4), device.memory()[1] * 2
    if size < 1 << 20:
        raise Untestable("too little memory is free")

    def cycle():
        pieces = [place for place in (device.allocate(size), device.allocate(size)) if place is not None]
        if not shared:
            pieces += [place for place in [device.allocate(over)] if place is not None]
        for place in pieces:
            device.free(place)

    cycle()
    before = device.memory()[0]
    for _ in range(CYCLES):
        cycle()
    leaked = max(0, before - device.memory()[0])
    item.fact("leaked_bytes", leaked)
    if leaked > size:
        return {"verdict": "failed", "detail": f"{leaked} bytes did not come back after {CYCLES} cycles of loading {2 * size} bytes"}
    return {"verdict": "right", "detail": ""}


def copy_rate(device, shared):
    """Bytes a second within the device's memory, read and written."""
    size, rounds, best = min(512 << 20, room(device, shared)[0] // 4) & ~0xFFF, 32, 1e9
    if size < 1 << 20:
        raise Untestable("too little memory is free")
    here, there = device.need(size), device.need(size)
    try:
        for _ in range(5):
            began = time.monotonic()
            for _ in range(rounds):
                device.call("hipMemcpyAsync", there, here, ctypes.c_size_t(size), KINDS["within"], None)
            device.wait()
            best = min(best, time.monotonic() - began)
        return 2 * size * rounds / best
    finally:
        device.free(here)
        device.free(there)


def sweep(device, item, shared, told):
    """Every word that can be allocated is written with three patterns and read back on the device; errors are located."""
    wanted, free = room(device, shared)
    item.fact("reported_free_bytes", free)
    blocks, got, size, log = [], 0, CHUNK, device.need(128)
    try:
        while wanted - got > FLOOR and size >= FLOOR:
            piece = min(size, wanted - got) & ~0xFFF
            place = device.allocate(piece)
            if place is None:
                size //= 2
                continue
            blocks.append((place, piece))
            got += piece
        item.fact("allocated_bytes", got)
        if not got:
            raise Untestable("no memory is free")
        seconds, wrong, places, patterns = 0.0, 0, [], ((0, 0x55555555), (0, 0xAAAAAAAA), (1, int.from_bytes(os.urandom(4), "little")))
        found = np.zeros(32, np.uint32)
        for number, (kind, value) in enumerate(patterns):
            for kernel in ("sweep_write", "sweep_read"):
                for place, (block, length) in enumerate(blocks):
                    device.put(log, np.zeros(32, np.uint32))
                    began = time.monotonic()
                    device.launch(kernel, [block] if kernel == "sweep_write" else [block, log],
                                  [length // 4, kind, value + place if kind else value], (16384, 1), (256, 1))
                    device.wait()
                    seconds += time.monotonic() - began
                    device.get(log, found)
                    if found[0]:
                        wrong += int(found[0])
                        places += [place * CHUNK + int(found[1 + 2 * n]) * 4 for n in range(min(int(found[0]), 3))]
                told(f"memory-sweep, pattern {number + 1} of {len(patterns)}, {kernel[6:]}: {got >> 20} MiB")
        return {"verdict": "wrong" if wrong else "right", "elements": got // 4 * len(patterns), "wrong": wrong, "bytes": got,
                "bytes_per_s": 2 * len(patterns) * got / max(seconds, 1e-9),
                "detail": f"{wrong} words, the first at bytes {', '.join(map(hex, places[:6]))}" if wrong else ""}
    finally:
        for place, _ in blocks:
            device.free(place)
        device.free(log)
