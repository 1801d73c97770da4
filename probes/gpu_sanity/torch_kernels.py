"""PyTorch's own operations with known answers, on every device that a user's torch sees. Not walked as a probe: ``rocmdoctor.live.kernel_tests`` starts it.

``PYTHON torch_kernels.py --out FILE [--level N] [--done item:check,...]`` with the interpreter that has the torch; syntax of Python 3.8,
standard library and torch only. The reference is torch on the CPU in float64. See ``docs/kernel-tests.md``.
"""

import argparse
import os
import random
import sys
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.dirname(HERE))
import torch_memory as memory  # noqa: E402
from outcome import DeviceLost, Failed, Hung, Item, Untestable, arguments, done_of, leave, wait_for  # noqa: E402
from probe_protocol import Emitter  # noqa: E402

# These folders must not hide one of the user's modules.
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") not in (HERE, os.path.dirname(HERE))]

REPEATS = 3
POISON = -12288.0  # exact in every precision, and the answer of no check: not NaN, which a broken kernel does compute
HEAD_SIZES = (64, 80, 96, 128, 256, 384, 512)
BACKENDS = ("math", "flash", "efficient", "cudnn")


def judge(torch, outputs, answer, tolerance=None):
    """Every element of every repeat (tensors on the CPU) against the answer, and the repeats against each other to the bit."""
    worst = None
    for number, output in enumerate(outputs):
        if output.is_floating_point() and bool((output == POISON).all()):
            return {"verdict": "unwritten", "detail": "nothing of the output was written", "wrong": output.numel(), "elements": output.numel()}
        if tolerance is None:
            bad = output != answer.to(output.dtype)
        else:
            bad = ~((output.double() - answer.double()).abs() <= tolerance)
        again = bits(torch, output) != bits(torch, outputs[0])
        count = int(bad.sum()) or int(again.sum())
        if not count or (worst and worst["wrong"] >= count):
            continue
        if bool(bad.any()):
            places = bad.flatten().nonzero().flatten()
            shown = ", ".join("[%d] %s for %s" % (place, output.flatten()[place].item(), answer.flatten()[place].item())
                              for place in places[:3].tolist())
            detail = "%d of %d elements in run %d, from %d to %d: %s" % (count, output.numel(), number + 1, int(places[0]), int(places[-1]), shown)
        else:
            detail = "run %d of the same work gave other bits than run 1 in %d of %d elements" % (number + 1, count, output.numel())
        worst = {"verdict": "wrong", "detail": detail, "wrong": count, "elements": output.numel()}
    return worst or {"verdict": "right", "detail": "", "wrong": 0, "elements": answer.numel()}


def bits(torch, tensor):
    """The tensor as integers: NaNs are equal to themselves."""
    kinds = {8: torch.int64, 4: torch.int32, 2: torch.int16, 1: torch.uint8}
    return tensor.contiguous().flatten().view(kinds[tensor.element_size()])


class Card:
    """One device of torch, and work on it that is waited for with a limit."""

    def __init__(self, torch, number, limit):
        self.torch, self.number, self.limit = torch, number, limit
        self.device = torch.device("cuda", number)
        self.made = torch.Generator().manual_seed(random.SystemRandom().randrange(1 << 62))
        torch.cuda.set_device(number)

    def wait(self, stream=None):
        event = self.torch.cuda.Event()
        event.record(stream or self.torch.cuda.current_stream(self.device))
        ends, pause = time.monotonic() + self.limit, 0.0001
        while not event.query():
            if time.monotonic() > ends:
                raise Hung("not done after %g s" % self.limit)
            time.sleep(pause)
            pause = min(pause * 1.5, 0.005)

    def ternary(self, *shape):
        """-1, 0 and 1, mostly 0: sums stay small enough to be exact in half precision too, in any order."""
        drawn = self.torch.rand(shape, generator=self.made)
        return (drawn < 0.2).float() - (drawn > 0.8).float()

    def whole(self, bits_, *shape):
        return self.torch.randint(-(1 << bits_), (1 << bits_) + 1, shape, generator=self.made).double()

    def normal(self, *shape):
        return self.torch.randn(shape, generator=self.made)

    def repeated(self, work, like):
        """``work()`` three times, each after memory of the size of its result was poisoned and given back; results on the CPU."""
        outputs = []
        for _ in range(REPEATS):
            spoilt = self.torch.full(like.shape, POISON, dtype=like.dtype, device=self.device)
            del spoilt
            output = work()
            self.wait()
            outputs.append(output.cpu())
            del output
        return outputs

    def gemm(self, kind, m, n, k, call="mm"):
        """Matrix product, into poisoned memory where the call takes an output."""
        torch, dtype = self.torch, {"f32": self.torch.float32, "f16": self.torch.float16, "bf16": self.torch.bfloat16}[kind]
        # Entries of 5 bits: exact even where the hardware shortens float32 to 10 bits of mantissa.
        bits_ = 5 if k <= 8192 and kind == "f32" else 0
        a, b = (self.whole(bits_, m, k), self.whole(bits_, k, n)) if bits_ else (self.ternary(m, k).double(), self.ternary(k, n).double())
        bias = self.whole(4, n) if call == "addmm" else None
        answer = a @ b if bias is None else a @ b + bias
        here, there = a.to(dtype).to(self.device), b.to(dtype).to(self.device)
        extra = None if bias is None else bias.to(dtype).to(self.device)
        outputs = []
        for _ in range(REPEATS):
            output = torch.full((m, n), POISON, dtype=dtype, device=self.device)
            if extra is None:
                torch.mm(here, there, out=output)
            else:
                torch.addmm(extra, here, there, out=output)
            self.wait()
            outputs.append(output.cpu())
        return judge(torch, outputs, answer.to(dtype))

    def softmax(self):
        x = self.normal(61, 1003) * 4
        answer = self.torch.softmax(x.double(), 1)
        here = x.to(self.device)
        return judge(self.torch, self.repeated(lambda: self.torch.softmax(here, 1), x), answer, 2e-5 * answer + 1e-30)

    def elementwise(self):
        x, y = self.whole(11, 262157).float(), self.whole(20, 262157).float()
        here, there = x.to(self.device), y.to(self.device)
        return judge(self.torch, self.repeated(lambda: here * 5.0 + there, x), x * 5.0 + y)

    def reduction(self):
        x = self.whole(10, 257, 4099)
        here = x.float().to(self.device)
        return judge(self.torch, self.repeated(lambda: here.sum(1), x.float().sum(1)), x.sum(1).float())

    def atomics(self):
        """Additions of whole numbers to bins, in any order."""
        torch = self.torch
        places = torch.randint(0, 256, (262149,), generator=self.made)
        answer = torch.bincount(places, minlength=256)
        here = places.to(self.device)

        def work():
            return torch.zeros(256, dtype=torch.int64, device=self.device).index_add_(0, here, torch.ones_like(here))
        outputs = []
        for _ in range(REPEATS):
            outputs.append(work().cpu())
        return judge(torch, outputs, answer)

    def int8_dot(self):
        torch = self.torch
        if not hasattr(torch, "_int_mm"):
            raise Untestable("this torch has no int8 matrix product")
        a, b = (torch.randint(-128, 128, shape, generator=self.made, dtype=torch.int8) for shape in ((64, 256), (256, 128)))
        answer = (a.double() @ b.double()).to(torch.int32)
        here, there = a.to(self.device), b.to(self.device)
        return judge(torch, [torch._int_mm(here, there).cpu() for _ in range(REPEATS)], answer)

    def attention(self, backend, kind, size):
        """Scaled dot product attention against softmax(q k / sqrt(d)) v in float64."""
        torch, dtype = self.torch, {"f32": self.torch.float32, "f16": self.torch.float16, "bf16": self.torch.bfloat16}[kind]
        q, k, v = (self.normal(2, 3, 131, size).to(dtype) for _ in range(3))
        weights = torch.softmax(q.double() @ k.double().transpose(-1, -2) / size ** 0.5, -1)
        answer = weights @ v.double()
        here = [part.to(self.device) for part in (q, k, v)]

        def work():
            with only(torch, backend):
                return torch.nn.functional.scaled_dot_product_attention(*here)
        try:
            outputs = self.repeated(work, q)
        except RuntimeError as error:
            if "No available kernel" in str(error) or "No viable backend" in str(error) or "not supported" in str(error) or "only supports" in str(error):
                raise Untestable("torch has no such kernel for this GPU") from None
            raise
        return judge(torch, outputs, answer, {"f32": 5e-3, "f16": 5e-3, "bf16": 4e-2}[kind])

    def convolution(self, kind, window, stride):
        """Whole numbers: an answer that is off by half of one is wrong, whatever transform was used."""
        torch, dtype = self.torch, {"f32": self.torch.float32, "f16": self.torch.float16, "bf16": self.torch.bfloat16}[kind]
        x, weight = self.ternary(2, 33, 37, 41), self.ternary(35, 33, window, window)
        answer = torch.nn.functional.conv2d(x.double(), weight.double(), stride=stride, padding=window // 2)
        here, there = x.to(dtype).to(self.device), weight.to(dtype).to(self.device)
        outputs = self.repeated(lambda: torch.nn.functional.conv2d(here, there, stride=stride, padding=window // 2), answer.to(dtype))
        return judge(torch, outputs, answer, 0.49)

    def copies(self, kind):
        """Host to device and back, with checksums: from ordinary (pageable), pinned, or file-mapped memory."""
        torch, size = self.torch, 8 << 20
        data = torch.randint(0, 256, (size,), generator=self.made, dtype=torch.uint8)
        wanted = zlib.crc32(bytes_of(data))
        with tempfile.NamedTemporaryFile() as file:
            source = data
            if kind == "pinned":
                source = data.pin_memory()
            elif kind == "mapped-file":
                file.write(bytes_of(data))
                file.flush()
                source = torch.from_file(file.name, shared=False, size=size, dtype=torch.uint8)
            for number in range(REPEATS):
                here = torch.full((size,), 0xA5, dtype=torch.uint8, device=self.device)
                here.copy_(source)
                back = here.cpu()
                if zlib.crc32(bytes_of(back)) != wanted:
                    wrong = int((back != data).sum())
                    return {"verdict": "unwritten" if bool((back == 0xA5).all()) else "wrong", "wrong": wrong, "elements": size,
                            "detail": "%d of %d bytes in copy %d" % (wrong, size, number + 1)}
        return {"verdict": "right", "detail": "", "wrong": 0, "elements": size}

    def two_streams(self):
        torch = self.torch
        a, b = self.whole(5, 513, 512), self.whole(5, 512, 257)
        answer, streams = (a @ b).float(), [torch.cuda.Stream(self.device) for _ in range(2)]
        here, there = a.float().to(self.device), b.float().to(self.device)
        self.wait()
        outputs = []
        for _ in range(REPEATS):
            made = []
            for stream in streams:
                with torch.cuda.stream(stream):
                    made.append(here @ there)
            for stream, output in zip(streams, made):
                self.wait(stream)
                outputs.append(output.cpu())
        return judge(torch, outputs, answer)

    def peer(self, count):
        if count < 2:
            raise Untestable("there is one GPU")
        torch, other = self.torch, (self.number + 1) % count
        data = torch.randint(0, 256, (8 << 20,), generator=self.made, dtype=torch.uint8)
        outputs = []
        for _ in range(REPEATS):
            there = data.to(self.device).to("cuda:%d" % other)
            torch.cuda.synchronize(other)
            outputs.append(there.to(self.device).cpu())
        found = judge(torch, outputs, data)
        if found["verdict"] == "right" and not torch.cuda.can_device_access_peer(self.number, other):
            found["detail"] = "through the host: GPU %d cannot reach GPU %d directly" % (self.number, other)
        return found


def bytes_of(tensor):
    """Bytes of a uint8 tensor on the CPU, without numpy."""
    import ctypes
    return ctypes.string_at(tensor.data_ptr(), tensor.numel())


def only(torch, backend):
    """A context in which attention has one backend. Raises Untestable when this torch does not know it."""
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel
    except ImportError:
        names = {"math": "enable_math", "flash": "enable_flash", "efficient": "enable_mem_efficient"}
        if backend not in names or not hasattr(torch.backends.cuda, "sdp_kernel"):
            raise Untestable("this torch does not know it") from None
        return torch.backends.cuda.sdp_kernel(**{name: key == backend for key, name in names.items()})
    name = {"math": "MATH", "flash": "FLASH_ATTENTION", "efficient": "EFFICIENT_ATTENTION", "cudnn": "CUDNN_ATTENTION"}[backend]
    if not hasattr(SDPBackend, name):
        raise Untestable("this torch does not know it")
    return sdpa_kernel(getattr(SDPBackend, name))


def guarded(work):
    """Errors of torch in the words of this folder."""
    def run():
        try:
            return work()
        except (Untestable, Hung, DeviceLost, Failed, MemoryError):
            raise
        except (RuntimeError, NotImplementedError) as error:  # torch's AcceleratorError and OutOfMemoryError are such
            words = str(error).strip().partition("\n")[0][:200]
            lost = ("unspecified launch failure", "illegal", "device-side", "unknown error", "device lost")
            raise (DeviceLost if any(part in words.lower() for part in lost) else Failed)(words) from None
    return run


def work_of(card, level, item, count, shared):
    """(name, function) of every check of the level."""
    yield "elementwise", card.elementwise
    yield "reduction", card.reduction
    for kind in ("f32", "f16", "bf16"):
        yield "gemm-" + kind, lambda kind=kind: card.gemm(kind, 131, 67, 93)
    yield "softmax", card.softmax
    yield "atomics", card.atomics
    yield "attention-math-f16-64", lambda: card.attention("math", "f16", 64)
    yield "attention-flash-f16-64", lambda: card.attention("flash", "f16", 64)
    yield "copy-pageable", lambda: card.copies("pageable")
    if level < 2:
        return
    for kind in ("f32", "f16", "bf16"):
        yield "gemm-%s-decode" % kind, lambda kind=kind: card.gemm(kind, 1, 4099, 4096)
        yield "gemm-%s-prompt" % kind, lambda kind=kind: card.gemm(kind, 513, 2055, 1024)
    yield "gemm-f32-rows", lambda: card.gemm("f32", 600011, 8, 16)
    yield "gemm-f32-rows-addmm", lambda: card.gemm("f32", 600011, 8, 16, "addmm")
    yield "int8-dot", card.int8_dot
    for backend in BACKENDS:
        for kind in ("f16", "bf16"):
            for size in HEAD_SIZES:
                if (backend, kind, size) not in (("math", "f16", 64), ("flash", "f16", 64)):
                    yield "attention-%s-%s-%d" % (backend, kind, size), lambda b=backend, k=kind, s=size: card.attention(b, k, s)
    for kind in ("f32", "f16", "bf16"):
        for window, stride in ((1, 1), (3, 1), (3, 2)):
            yield "convolution-%s-%dx%d%s" % (kind, window, window, "-stride" if stride > 1 else ""), (
                lambda k=kind, w=window, s=stride: card.convolution(k, w, s))
    yield "copy-pinned", lambda: card.copies("pinned")
    yield "copy-mapped-file", lambda: card.copies("mapped-file")
    yield "two-streams", card.two_streams
    yield "peer-copy", lambda: card.peer(count)
    yield "copy-rate", lambda: memory.copy_rate(card, item, shared)
    yield "memory-total", lambda: memory.total(card, item, shared)
    yield "memory-cycles", lambda: memory.cycles(card, item, shared)
    if level == 3:
        yield "memory-sweep", lambda: memory.sweep(card, item, shared)


def build_words(torch):
    """What this torch was built for, where it can use no GPU."""
    version = str(torch.__version__)
    if getattr(torch.version, "hip", None):
        return "torch %s is built for ROCm %s, and sees no GPU" % (version, torch.version.hip)
    if torch.version.cuda:
        return "torch %s is built for CUDA %s: it cannot use an AMD GPU; a wheel whose version ends in +rocm can" % (version, torch.version.cuda)
    return "torch %s is built for the CPU only; a wheel whose version ends in +rocm uses an AMD GPU" % version


def devices(emit, given):
    first = "torch-%d" % given.first

    def nothing(reason):
        item = Item(emit, first, "torch", "", "", (), "")
        item.fact("runtime", sys.executable)
        item.cannot(reason)

    try:
        import torch
    except ImportError as error:
        return nothing("no torch in this interpreter" if getattr(error, "name", "") == "torch" else "import torch: %s" % error)
    except BaseException as error:  # noqa: BLE001 - import torch raises whatever its libraries raise
        return nothing("import torch: %s: %s" % (type(error).__name__, error))
    wait_for(given.go, "open")
    if not torch.cuda.is_available():
        return nothing(build_words(torch))
    count = torch.cuda.device_count()
    for number in range(min(count, 16)):
        name = "torch-%d" % (given.first + number)
        done = done_of(given.done, name)
        if "*" in done:
            continue
        about = torch.cuda.get_device_properties(number)
        shared = bool(getattr(about, "is_integrated", False))
        item = Item(emit, name, "torch", torch.cuda.get_device_name(number), "integrated" if shared else "discrete", done, given.progress)
        item.fact("runtime", "%s, torch %s" % (sys.executable, torch.__version__))
        if getattr(torch.version, "hip", None) and getattr(about, "gcnArchName", ""):
            item.fact("gfx_target", about.gcnArchName.split(":")[0])
        if hasattr(about, "pci_bus_id"):
            item.fact("pci_address", "%04x:%02x:%02x.0" % (about.pci_domain_id, about.pci_bus_id, about.pci_device_id))
        try:
            card = guarded(lambda number=number: Card(torch, number, given.limit))()
            wait_for(given.go, "work")
            for check, work in work_of(card, given.level, item, count, shared):
                item.check(check, guarded(work))
        except (Untestable, Failed) as error:
            item.cannot(error)
        except (Hung, DeviceLost):
            leave(3)
        else:
            item.finish()
    return None


def main():
    given = arguments(argparse.ArgumentParser(description=__doc__))
    emit = Emitter(given.out)
    devices(emit, given)
    emit.end()
    leave(0)


if __name__ == "__main__":
    main()
