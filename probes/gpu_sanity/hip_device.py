"""One HIP device through ctypes: memory, and work that is waited for with a limit. Not a probe itself."""

from __future__ import annotations

import ctypes
import re
import time

import numpy as np
from cases import PARAMETERS, REPEATS, poison
from hip_runtime import LOST, name_of
from outcome import DeviceLost, Failed, Hung

NOT_READY, OUT_OF_MEMORY = 600, 2
KINDS = {"in": 1, "out": 2, "within": 3}


class Device:
    """One HIP device. ``limit`` is how long one launch may take, in seconds."""

    def __init__(self, runtime, number, limit):
        self.runtime, self.number, self.limit = runtime, number, limit
        self.call = runtime.call
        self.call("hipSetDevice", number)
        text = ctypes.create_string_buffer(256)
        self.call("hipDeviceGetName", text, 256, number)
        self.name = text.value.decode("utf-8", "replace")
        self.address = ""
        if runtime.hip.hipDeviceGetPCIBusId(text, 256, number) == 0:
            self.address = text.value.decode("ascii", "replace").lower()
        # The struct has another layout in every major version; the target's name stands in it as text.
        raw = ctypes.create_string_buffer(8192)
        runtime.hip.hipGetDeviceProperties(raw, number)
        found = re.search(rb"gfx[0-9a-f]{3,5}(?::[a-z+:-]+)?", raw.raw)
        self.target = found.group().decode() if found else ""
        self.module = None

    def load(self):
        """Compile and load the kernels."""
        self.binary = self.runtime.compile(self.target)
        module = ctypes.c_void_p()
        self.call("hipModuleLoadData", ctypes.byref(module), self.binary)
        self.module = module

    def allocate(self, size):
        """Device memory, or None when there is no more."""
        place = ctypes.c_void_p()
        code = self.runtime.hip.hipMalloc(ctypes.byref(place), ctypes.c_size_t(size))
        if code == OUT_OF_MEMORY:
            self.runtime.hip.hipGetLastError()
            return None
        if code:
            raise Failed(f"hipMalloc: {name_of(code)}")
        return place

    def need(self, size):
        place = self.allocate(size)
        if place is None:
            raise Failed(f"hipMalloc: no memory for {size} bytes")
        return place

    def free(self, place):
        self.call("hipFree", place)

    def put(self, place, data):
        raw = np.ascontiguousarray(data)
        self.call("hipMemcpy", place, ctypes.c_void_p(raw.ctypes.data), ctypes.c_size_t(raw.nbytes), KINDS["in"])

    def get(self, place, into):
        self.call("hipMemcpy", ctypes.c_void_p(into.ctypes.data), place, ctypes.c_size_t(into.nbytes), KINDS["out"])

    def launch(self, kernel, buffers, parameters, groups, threads, stream=None):
        """Start a kernel."""
        function = ctypes.c_void_p()
        self.call("hipModuleGetFunction", ctypes.byref(function), self.module, kernel.encode())
        words = [ctypes.c_uint32(word & 0xFFFFFFFF) for word in (list(parameters) + [0] * PARAMETERS)[:PARAMETERS]]
        values = [*buffers, *words]
        given = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        self.call("hipModuleLaunchKernel", function, groups[0], groups[1], 1, threads[0], threads[1], 1, 0, stream, given, None)

    def wait(self, stream=None):
        """Until the stream is idle. Raises Hung after the limit."""
        ends, pause = time.monotonic() + self.limit, 0.00005
        while True:
            code = self.runtime.hip.hipStreamQuery(stream)
            if code == 0:
                return
            if code != NOT_READY:
                raise (DeviceLost if code in LOST else Failed)(f"hipStreamQuery: {name_of(code)}")
            if time.monotonic() > ends:
                raise Hung(f"not done after {self.limit:g} s")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.005)

    def run(self, case, rng, repeats=REPEATS, stream=None):
        """The case ``repeats`` times: (outputs as bytes, what stood there before each)."""
        threads = (16, 16) if case.threads == 16 else (case.threads, 1)
        places = []
        try:
            for array in case.inputs:
                places.append(self.need(max(4, array.nbytes)))
                self.put(places[-1], array)
            places.append(self.need(case.words * 4))
            outputs, before = [], []
            for _ in range(repeats):
                on_device = poison(rng, case.words) if case.initial is None else case.initial
                on_host = poison(rng, case.words)
                back = on_host.copy()
                self.put(places[-1], on_device)
                self.launch(case.kernel, places, case.parameters, case.groups, threads, stream)
                self.wait(stream)
                self.get(places[-1], back)
                outputs.append(back.tobytes())
                before.append((on_device, on_host))
            return outputs, before
        finally:
            for place in places:
                self.free(place)

    def wavefront(self, rng):
        """Its width as the device says it; 0 when it says none that exists."""
        place = self.need(4)
        try:
            back = poison(rng, 1)
            self.put(place, back)
            self.launch("wavefront", [place], [], (1, 1), (64, 1))
            self.wait()
            self.get(place, back)
            return int(back[0]) if back[0] in (32, 64) else 0
        finally:
            self.free(place)

    def memory(self):
        """(free, total) bytes as HIP reports them."""
        free, total = ctypes.c_size_t(0), ctypes.c_size_t(0)
        self.call("hipMemGetInfo", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value
