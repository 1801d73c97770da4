"""HIP through ctypes: every runtime found, and kernels compiled by hiprtc; without numpy, which only work on a device needs. Not a probe itself."""

from __future__ import annotations

import ctypes
import glob
import os
import re

import trusted
from outcome import DeviceLost, Failed
from probe_protocol import ask

HERE = os.path.dirname(os.path.abspath(__file__))
LOST = (46, 999, 719, 720)  # devices unavailable, unknown, launch failure, cooperative launch: the context is gone
NAMES = {100: "no device", 101: "invalid device", 3: "not initialised", 35: "the driver is older than the runtime", 209: "no binary for this GPU",
         2: "out of memory", 999: "unknown error", 719: "launch failure", 98: "invalid kernel"}


def on_windows():
    """Every amdhip64_N.dll at hand with the hiprtc that fits it, None where there is none; nothing that another user can have laid."""
    from tree import Tree
    from windows_machine import Machine
    from windows_runtime import to_test

    kept = [(path, next((one for one in compilers if not trusted.why_not(one)), None)) for path, compilers in to_test(Machine(Tree("/")))
            if not trusted.why_not(path)]
    return kept[:8]


def at_hand(pythons=()):
    """(library, hiprtc or None) of every HIP runtime that can be tested, in the order that programs would take them."""
    return on_windows() if os.name == "nt" else [(path, None) for path in libraries(pythons)]


def libraries(pythons=()):
    """Every libamdhip64 at hand, each once: what the loader would take first, then ROCm's folders and the wheels of the interpreters."""
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    found = re.findall(r"=> (\S*libamdhip64\.so\S*)", ask(["ldconfig", "-p"], 3).text)
    roots = [os.environ.get("ROCM_PATH", "/opt/rocm"), "/opt/rocm", *sorted(glob.glob("/opt/rocm-*"), reverse=True)]
    for root in roots:
        folders += [os.path.join(root, "lib"), os.path.join(root, "lib64")]
    for python in pythons:
        site = os.path.join(os.path.dirname(os.path.dirname(python)), "lib", "python3*", "site-packages")
        folders += [f for part in ("torch/lib", "_rocm_sdk_core/lib") for f in sorted(glob.glob(os.path.join(site, part)))]
    paths = [path for folder in folders for path in sorted(glob.glob(os.path.join(folder, "libamdhip64.so*")))]
    kept = {}
    for path in paths[:1] + found + paths if os.environ.get("LD_LIBRARY_PATH") else found + paths:
        if not trusted.why_not(path):
            kept.setdefault(os.path.realpath(path), path)
    return list(kept.values())[:8]


def name_of(code):
    return f"{NAMES[code]} (hipError {code})" if code in NAMES else f"hipError {code}"


class Runtime:
    """One libamdhip64 with its hiprtc. Raises OSError when it does not load, Failed when it lacks what is needed."""

    def __init__(self, path, compiler=None):
        self.path, self.hip = path, ctypes.CDLL(path)
        self.rtc = self.hip
        if hasattr(self.hip, "hiprtcCompileProgram"):
            return
        if os.name == "nt":
            if not compiler:
                raise Failed(f"{path} comes without hiprtc, as that of the display driver does; the HIP SDK and the ROCm wheels bring one")
            self.rtc = ctypes.CDLL(compiler)
        else:
            beside = sorted(glob.glob(os.path.join(os.path.dirname(os.path.realpath(path)), "libhiprtc.so*")))
            if not beside or trusted.why_not(beside[0]):
                raise Failed(f"{path} comes without hiprtc")
            self.rtc = ctypes.CDLL(beside[0])

    def call(self, function, *arguments):
        """Raises Failed or DeviceLost when HIP answers anything but success."""
        code = getattr(self.hip, function)(*arguments)
        if code in LOST:
            raise DeviceLost(f"{function}: {name_of(code)}")
        if code:
            raise Failed(f"{function}: {name_of(code)}")

    def count(self):
        """(devices, "" or the reason of HIP's refusal)."""
        number = ctypes.c_int(0)
        code = self.hip.hipGetDeviceCount(ctypes.byref(number))
        return (0, name_of(code)) if code else (number.value, "" if number.value else "it lists no device")

    def compile(self, target):
        """A code object of all kernels; ``target`` is a gfx name or "". Raises Failed with the compiler's first error."""
        with open(os.path.join(HERE, "kernels.hip"), "rb") as file:
            source = file.read()
        program = ctypes.c_void_p()
        self._rtc("hiprtcCreateProgram", ctypes.byref(program), source, b"kernels.hip", 0, None, None)
        options = [b"-O3"] + ([b"--offload-arch=" + target.encode()] if target else [])
        given = (ctypes.c_char_p * len(options))(*options)
        code = self.rtc.hiprtcCompileProgram(program, len(options), given)
        try:
            if code:
                size = ctypes.c_size_t(0)
                self.rtc.hiprtcGetProgramLogSize(program, ctypes.byref(size))
                log = ctypes.create_string_buffer(min(size.value, 1 << 20) + 1)
                self.rtc.hiprtcGetProgramLog(program, log)
                text = log.value.decode("utf-8", "replace")
                first = next((line for line in text.splitlines() if "error" in line), text.strip().partition("\n")[0])
                raise Failed(f"hiprtc does not compile for {target or 'this GPU'} (hiprtc error {code}): {first[:200]}")
            size = ctypes.c_size_t(0)
            self._rtc("hiprtcGetCodeSize", program, ctypes.byref(size))
            binary = ctypes.create_string_buffer(size.value)
            self._rtc("hiprtcGetCode", program, binary)
            return binary
        finally:
            self.rtc.hiprtcDestroyProgram(ctypes.byref(program))

    def _rtc(self, function, *arguments):
        code = getattr(self.rtc, function)(*arguments)
        if code:
            raise Failed(f"{function}: hiprtc error {code}")
