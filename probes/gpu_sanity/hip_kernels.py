"""Kernels with known answers on every device of one HIP runtime. Not walked as a probe: ``rocmdoctor.live.kernel_tests`` starts it, once a runtime.

``python hip_kernels.py --out FILE [--level N] [--number N] [--done item:check,...]``; see ``docs/kernel-tests.md``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from outcome import DeviceLost, Failed, Hung, Item, Untestable, arguments, done_of, leave, wait_for  # noqa: E402
from probe_protocol import Emitter  # noqa: E402

MOST_DEVICES = 16


def row(judgement):
    return {"verdict": judgement.verdict, "detail": judgement.detail, "wrong": judgement.wrong, "elements": judgement.elements}


def test(device, item, level, count, shared, go):
    """All checks of one device."""
    import cases
    import hip_memory as memory
    import numpy as np

    rng = np.random.default_rng()

    def compiling():
        device.load()
        return {"verdict": "right", "detail": ""}

    item.check("compile", compiling)
    if device.module is None:
        if "compile" not in item.done:
            return
        device.load()
    wait_for(go, "work")
    width = device.wavefront(rng)
    for make in cases.for_level(rng, level, (width,) if width else (), bf16=True):
        case = make()
        item.check(case.name, lambda case=case: row(cases.judge(case, *device.run(case, rng))))
    for kind in ("pageable", "pinned", "mapped-file")[:3 if level > 1 else 1]:
        item.check("copy-" + kind, lambda kind=kind: row(memory.copies(device, rng, kind)))
    if level == 1:
        return

    def copying():
        rate = memory.copy_rate(device, shared)
        item.fact("copy_bytes_per_s", rate)
        return {"verdict": "right", "detail": "", "bytes_per_s": rate}

    item.check("two-streams", lambda: row(memory.two_streams(device, rng)))
    item.check("peer-copy", lambda: row(memory.peer(device, rng, count)))
    item.check("copy-rate", copying)
    item.check("memory-total", lambda: memory.total(device, item, shared))
    item.check("memory-cycles", lambda: memory.cycles(device, item, shared))
    if level == 3:
        item.check("memory-sweep", lambda: memory.sweep(device, item, shared, item.tell))


def on_windows_integrated(address, rows=None):
    """The same by DXGI, whose dedicated memory of an APU is the carve-out and whose shared memory is half of the RAM."""
    import windows_calls

    for row in (windows_calls.adapters() if rows is None else rows) or ():
        if row.get("address") == address:
            return row.get("shared", 0) > row.get("dedicated", 0)
    return False


def integrated(address):
    """Whether the GPU shares the computer's memory, by the size of its own (KFD and amdgpu agree on that file)."""
    if os.name == "nt":
        return on_windows_integrated(address)
    try:
        with open(f"/sys/bus/pci/devices/{address}/mem_info_vram_total", encoding="ascii") as file:
            own = int(file.read())
        with open(f"/sys/bus/pci/devices/{address}/mem_info_gtt_total", encoding="ascii") as file:
            return int(file.read()) > own
    except (OSError, ValueError):
        return False


def may_have_gpu():
    """Whether the runtime may find a GPU; numpy is big, and of no use without one."""
    return os.name == "nt" or os.path.exists("/dev/kfd") or os.path.exists("/dev/dxg")


def devices(emit, given):
    """The runtime, then device by device; what cannot be tested is said with its reason."""
    first = f"hip-{given.first}"

    found = []

    def nothing(reason, path=""):
        item = Item(emit, first, "hip", "", "", (), "")
        item.fact("runtimes", len(found))
        if path:
            item.fact("runtime", path)
        item.cannot(reason)

    from hip_runtime import Runtime, at_hand

    found += at_hand(given.pythons.split(os.pathsep) if given.pythons else ())
    if given.number >= len(found):
        return None if given.number else nothing("no HIP runtime (" + ("amdhip64_N.dll" if os.name == "nt" else "libamdhip64") + ") is installed")
    path, compiler = found[given.number]
    try:
        runtime = Runtime(path, compiler)
        if may_have_gpu():  # while nothing else is to be done yet
            with contextlib.suppress(Exception):  # what numpy raises is said below
                import hip_memory  # noqa: F401
        wait_for(given.go, "open")
        count, refused = runtime.count()
    except (OSError, Failed, AttributeError) as error:
        return nothing(str(error), path)
    if refused:
        return nothing(f"HIP answers: {refused}", path)
    try:
        from hip_device import Device
    except Exception as error:  # noqa: BLE001 - a broken numpy raises what its libraries raise
        return nothing(f"the Python package numpy does not work: {type(error).__name__}: {error}", path)
    for number in range(min(count, MOST_DEVICES)):
        name = f"hip-{given.first + number}"
        done = done_of(given.done, name)
        if "*" in done:
            continue
        try:
            device = Device(runtime, number, given.limit)
            item = Item(emit, name, "hip", device.name, "", done, given.progress)
            item.fact("runtime", path)
            item.fact("runtimes", len(found))
            if device.address:
                item.fact("pci_address", device.address)
            shared = integrated(device.address)
            item.fact("device_type", "integrated" if shared else "discrete")
            if device.target:
                item.fact("gfx_target", device.target.split(":")[0])
            test(device, item, given.level, count, shared, given.go)
        except (Untestable, Failed) as error:
            Item(emit, name, "hip", "", "", (), "").cannot(error)
        except (Hung, DeviceLost):
            leave(3)
        else:
            item.finish()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=0, help="which of the runtimes that are found")
    parser.add_argument("--pythons", default="", help="interpreters whose wheels may bring one")
    given = arguments(parser)
    emit = Emitter(given.out)
    devices(emit, given)
    emit.end()
    leave(0)


if __name__ == "__main__":
    main()
