"""Memory of a Vulkan device: copies, limits, cycles of loading, and a sweep over all that can be had. Not a probe itself."""

from __future__ import annotations

import os
import tempfile

import numpy as np
from cases import REPEATS, judge_bytes, poison
from outcome import Failed, Untestable, ram_available
from vulkan_device import COHERENT, VISIBLE, Buffer

CHUNK = 1 << 30
FLOOR = 64 << 20
KEEP_FREE = 0.04  # of the heap: what a desktop needs to go on
SETTLED = 16 << 20
CYCLES = 20
BATCH = 16  # blocks in one submission: a driver resets a GPU that takes too long


def error_name(error):
    return type(error).__name__


def budget(device):
    """(free bytes of the largest device-local heap as the driver reports them, size of the heap, its index)."""
    vk = device.vk
    local = [n for n in range(device.memory.memoryHeapCount) if device.memory.memoryHeaps[n].flags & 1]
    if not local:
        raise Untestable("the device has no memory of its own")
    heap = max(local, key=lambda n: device.memory.memoryHeaps[n].size)
    size = int(device.memory.memoryHeaps[heap].size)
    if "VK_EXT_memory_budget" not in device.extensions:
        return size, size, heap
    said = vk.VkPhysicalDeviceMemoryBudgetPropertiesEXT()
    both = vk.VkPhysicalDeviceMemoryProperties2(pNext=said)
    vk.vkGetPhysicalDeviceMemoryProperties2(device.physical, both)
    return max(0, int(said.heapBudget[heap]) - int(said.heapUsage[heap])), size, heap


def usage(device, heap):
    """Bytes that this process uses of the heap, by the driver; None when it does not say."""
    if "VK_EXT_memory_budget" not in device.extensions:
        return None
    said = device.vk.VkPhysicalDeviceMemoryBudgetPropertiesEXT()
    both = device.vk.VkPhysicalDeviceMemoryProperties2(pNext=said)
    device.vk.vkGetPhysicalDeviceMemoryProperties2(device.physical, both)
    return int(said.heapUsage[heap])


def local_type(device, heap):
    for number in range(device.memory.memoryTypeCount):
        kind = device.memory.memoryTypes[number]
        if kind.heapIndex == heap and kind.propertyFlags & 1 and not kind.propertyFlags & 0xC0:  # not AMD's uncached kinds
            return number
    raise Untestable("no memory type for buffers in the heap")


def allocate(device, kind, size):
    """A handle, or None when the driver has no memory. Raises Failed on other errors."""
    info = device.vk.VkMemoryAllocateInfo(allocationSize=size, memoryTypeIndex=kind)
    try:
        return device.vk.vkAllocateMemory(device.handle, info, None)
    except Exception as error:  # noqa: BLE001 - the binding has an exception class for every VkResult
        if error_name(error) in ("VkErrorOutOfDeviceMemory", "VkErrorOutOfHostMemory", "VkErrorUnknown"):
            return None
        raise


def release(device, handle):
    device.vk.vkFreeMemory(device.handle, handle, None)


def may_take(device, shared):
    """Bytes of the heap that may be taken without starving the desktop or the computer."""
    free, size, heap = budget(device)
    room = free - int(size * KEEP_FREE)
    if shared:
        room = min(room, int(ram_available() * 0.7))
    return max(0, room), free, heap


def largest(device, item, shared):
    """The largest single allocation against the advertised limit."""
    room, _, heap = may_take(device, shared)
    vk = device.vk
    limits = vk.VkPhysicalDeviceMaintenance3Properties()
    asked = vk.VkPhysicalDeviceProperties2(pNext=limits)
    vk.vkGetPhysicalDeviceProperties2(device.physical, asked)
    limit = int(limits.maxMemoryAllocationSize)
    item.fact("advertised_allocation_bytes", limit)
    kind, best, low, high = local_type(device, heap), 0, 0, min(limit, room)
    size = high
    while high - low > SETTLED and size >= SETTLED:
        handle = allocate(device, kind, size)
        if handle is None:
            high = size
        else:
            release(device, handle)
            best = low = size
        size = (low + high) // 2
    item.fact("largest_allocation_bytes", best)
    if best < 0.9 * min(limit, room):
        raise Failed(f"{best} bytes in one piece, but {min(limit, room)} should be possible: limit {limit}, free {room}")
    return {"verdict": "right", "detail": "", "bytes": best}


def total(device, item, shared):
    """All that can be had in pieces, against what is reported free."""
    room, free, heap = may_take(device, shared)
    kind, held, got, size = local_type(device, heap), [], 0, CHUNK
    item.fact("reported_free_bytes", free)
    try:
        while got < room and size >= FLOOR:
            piece = min(size, room - got)
            handle = allocate(device, kind, piece)
            if handle is None:
                size //= 2
                continue
            held.append(handle)
            got += piece
    finally:
        for handle in held:
            release(device, handle)
    item.fact("allocated_bytes", got)
    if got < 0.9 * room:
        raise Failed(f"only {got} bytes could be allocated, {room} of {free} reported free were asked for")
    return {"verdict": "right", "detail": "", "bytes": got}


def cycles(device, item, shared):
    """Loading and unloading, with failing loads between: what does not come back is a leak."""
    room, _, heap = may_take(device, shared)
    kind, size = local_type(device, heap), min(256 << 20, room // 4)
    if size < 1 << 20:
        raise Untestable("too little memory is free")

    def cycle():
        pieces = [handle for handle in (allocate(device, kind, size) for _ in range(2)) if handle is not None]
        over = allocate(device, kind, min(int(device.memory.memoryHeaps[heap].size) * 2, 1 << 62)) if not shared else None
        for handle in [*pieces, *([over] if over is not None else [])]:
            release(device, handle)

    cycle()
    before = usage(device, heap)
    if before is None:
        raise Untestable("the driver does not say how much memory is used")
    for _ in range(CYCLES):
        cycle()
    leaked = max(0, usage(device, heap) - before)
    item.fact("leaked_bytes", leaked)
    if leaked > size:
        return {"verdict": "failed", "detail": f"{leaked} bytes did not come back after {CYCLES} cycles of loading {2 * size} bytes"}
    return {"verdict": "right", "detail": ""}


def copies(device, rng, kind, slow):
    """Host to device, within it, and back, every byte compared: from ordinary mapped staging, or from a file mapped into memory. ``slow`` (a CPU) gets
    fewer bytes."""
    size = 1 << 20 if slow else 8 << 20
    data = rng.bytes(size)
    source = np.frombuffer(data, np.uint8)
    made = []
    try:
        staging, back = device._keep(made, device.upload(size)), device._keep(made, device.download(size))
        here, there = device._keep(made, device.local(size)), device._keep(made, device.local(size))

        def record(commands):
            device.copy(commands, staging, here, size)
            device.barrier(commands)
            device.copy(commands, here, there, size)
            device.barrier(commands)
            device.copy(commands, there, back, size)
            device.barrier(commands)

        commands = device.commands(record)
        if kind == "mapped-file":
            with tempfile.TemporaryFile() as file:
                file.write(data)
                file.flush()
                source = np.memmap(file, np.uint8, "r", shape=(size,))

        def copied():
            for _ in range(REPEATS):
                staging.write(source)
                before = poison(rng, size // 4)
                back.write(before)
                device.wait(device.submit(commands))
                yield back.read(size), before

        found = judge_bytes(data, copied())
        device.vk.vkFreeCommandBuffers(device.handle, device.pool, 1, [commands])
        return found
    finally:
        for thing in reversed(made):
            thing.free()


def rate(device, size, rounds=32):
    """Bytes a second of copies within the device's memory, read and written: by the driver's copy or by a kernel, whichever is faster."""
    made = []
    try:
        here, there = device._keep(made, device.local(size)), device._keep(made, device.local(size))
        pipeline = device._keep(made, device.pipeline("copy", [here, there]))

        def by_driver(commands):
            for _ in range(rounds):
                device.copy(commands, here, there, size)
                device.barrier(commands)

        def by_kernel(commands):
            for _ in range(rounds):
                device.dispatch(commands, pipeline, [size // 4], (16384, 1))
                device.barrier(commands)

        best = min(device.timed(record) for record in (by_driver, by_kernel) for _ in range(3))
        return 2 * size * rounds / max(best, 1e-9)
    finally:
        for thing in reversed(made):
            thing.free()


def sweep(device, item, shared, told):
    """Every word that can be allocated is written with three patterns and read back on the device; errors are located."""
    room, free, _ = may_take(device, shared)
    item.fact("reported_free_bytes", free)
    blocks, got, size = [], 0, min(CHUNK, room)
    try:
        while room - got > FLOOR and size >= FLOOR:
            try:
                blocks.append(device.local(min(size, room - got) & ~0xFFF))
                got += blocks[-1].size
            except Exception as error:  # noqa: BLE001 - the binding has an exception class for every VkResult
                if "OutOf" not in error_name(error) and error_name(error) != "VkErrorUnknown":
                    raise
                size //= 2
        item.fact("allocated_bytes", got)
        if not got:
            raise Untestable("no memory is free")
        seconds, wrong, places, patterns = 0.0, 0, [], ((0, 0x55555555), (0, 0xAAAAAAAA), (1, int.from_bytes(os.urandom(4), "little")))
        for number, (kind, value) in enumerate(patterns):
            for kernel in ("sweep_write", "sweep_read"):
                for start in range(0, len(blocks), BATCH):
                    batch = blocks[start:start + BATCH]
                    words = [[block.size // 4, kind, value + start + n & 0xFFFFFFFF if kind else value] for n, block in enumerate(batch)]
                    took, logs = launch(device, kernel, batch, words)
                    seconds += took
                    for n, found in enumerate(logs):
                        wrong += int(found[0])
                        places += [(start + n) * CHUNK + int(found[1 + 2 * k]) * 4 for k in range(min(int(found[0]), 3))]
                told(f"memory-sweep, pattern {number + 1} of {len(patterns)}, {kernel[6:]}: {got >> 20} MiB")
        return {"verdict": "wrong" if wrong else "right", "elements": got // 4 * len(patterns), "wrong": wrong, "bytes": got,
                "bytes_per_s": 2 * len(patterns) * got / max(seconds, 1e-9),
                "detail": f"{wrong} words, the first at bytes {', '.join(map(hex, places[:6]))}" if wrong else ""}
    finally:
        for block in blocks:
            block.free()


def launch(device, kernel, blocks, parameters):
    """One dispatch for each block in one submission; (seconds, what the readers logged of each block: count, then index and word)."""
    made, logs = [], []
    try:
        reading = kernel == "sweep_read"
        logs = [device._keep(made, Buffer(device, 128, (VISIBLE | COHERENT,))) for _ in blocks] if reading else []
        for log in logs:
            log.write(np.zeros(32, np.uint32))
        pipelines = [device._keep(made, device.pipeline(kernel, [block, *logs[n:n + 1]])) for n, block in enumerate(blocks)]

        def record(commands):
            for pipeline, words in zip(pipelines, parameters):
                device.dispatch(commands, pipeline, words, (16384, 1))
            device.barrier(commands)

        seconds = device.timed(record)
        return seconds, [np.frombuffer(log.read(128), np.uint32).copy() for log in logs]
    finally:
        for thing in reversed(made):
            thing.free()


def two_queues(device, case, rng):
    """The case on two queues at once, each with buffers of its own; what either gives."""
    if len(device.queues) < 2:
        raise Untestable("the device has one compute queue")
    made, runs = [], []
    try:
        for _ in device.queues:
            inputs = [device._keep(made, Buffer(device, array.nbytes, (3 | 4, 2 | 4))) for array in case.inputs]
            output = device._keep(made, Buffer(device, case.words * 4, (3 | 4, 2 | 4)))
            for buffer, array in zip(inputs, case.inputs):
                buffer.write(array)
            pipeline = device._keep(made, device.pipeline(case.kernel, [*inputs, output]))

            def record(commands, pipeline=pipeline):
                device.barrier(commands)
                device.dispatch(commands, pipeline, case.parameters, case.groups)
                device.barrier(commands)
            runs.append((output, device.commands(record)))
        outputs, before = [], []
        for _ in range(3):
            for output, _ in runs:
                before.append([poison(rng, case.words)])
                output.write(before[-1][0])
            fences = [device.submit(commands, queue) for queue, (_, commands) in enumerate(runs)]
            for fence in fences:
                device.wait(fence)
            outputs += [output.read(case.words * 4) for output, _ in runs]
        return outputs, before
    finally:
        for thing in reversed(made):
            thing.free()


def copy_rate(device, shared):
    """Bytes a second within the device's memory, by copies larger than any cache, within what is free."""
    room, _, _ = may_take(device, shared)
    size = min(512 << 20, room // 4) & ~0xFFF
    if size < 1 << 20:
        raise Untestable("too little memory is free")
    return rate(device, size)
