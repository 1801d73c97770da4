"""Total and free memory of each GPU as HIP gives them to an application. Opens the driver, so it runs alone."""

import ctypes
import glob
import os

import trusted
from probe_protocol import main, system_library

SAYS = "memory as HIP says it"
PROVIDES = ("gpu.hip_total_bytes", "gpu.hip_free_bytes")
LANE = "loud"
DEADLINE = 15
NEEDS = ()
PYTHON = "own"
SYSTEM = "any"

SOURCE = "hipMemGetInfo"
COMMAND = "rocminfo | grep -A12 'Pool Info'"
NAMES = ("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so", "libamdhip64.so.5")
WINDOWS = ("amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll")
NO_DEVICE = (100, 101)


def library():
    """The HIP runtime that an application would get, else one under /opt; None when there is none."""
    if os.name == "nt":
        for name in WINDOWS:
            try:
                return system_library(name)
            except OSError:
                continue
        return None
    folders = [""] + [os.path.join(root, "lib") + "/" for root in
                      [os.environ.get("ROCM_PATH", "/opt/rocm"), *sorted(glob.glob("/opt/rocm-*"), reverse=True)[:4]]]
    for folder in folders:
        for name in NAMES:
            if folder and trusted.why_not(folder + name):
                continue
            try:
                return ctypes.CDLL(folder + name)
            except OSError:
                continue
    return None


def probe(emit, tree):
    hip = library()
    if hip is None:
        for fact in PROVIDES:
            emit.absent(fact, "no HIP runtime (%s) on this machine" % ("amdhip64" if os.name == "nt" else "libamdhip64"))
        return
    count = ctypes.c_int(0)
    status = hip.hipGetDeviceCount(ctypes.byref(count))
    if status in NO_DEVICE or (status == 0 and not count.value):
        for fact in PROVIDES:
            emit.unknown(fact, "not_applicable", "HIP finds no device")
        return
    if status:
        for fact in PROVIDES:
            emit.unknown(fact, "unreadable", f"hipGetDeviceCount gave {status}", COMMAND)
        return
    for number in range(min(count.value, 64)):
        name = ctypes.create_string_buffer(64)
        free, total = ctypes.c_size_t(0), ctypes.c_size_t(0)
        if hip.hipDeviceGetPCIBusId(name, 64, number) or hip.hipSetDevice(number):
            continue
        status = hip.hipMemGetInfo(ctypes.byref(free), ctypes.byref(total))
        item = name.value.decode("ascii", "replace").lower()
        for fact, value in (("gpu.hip_total_bytes", total.value), ("gpu.hip_free_bytes", free.value)):
            if status:
                emit.unknown(fact, "unreadable", f"hipMemGetInfo gave {status}", COMMAND, item)
            else:
                emit.known(fact, value, SOURCE, item)


if __name__ == "__main__":
    main(probe)
