"""What each kernel is given and what it must answer, computed on the CPU in higher precision. Not a probe itself.

Inputs are small integers, scaled by powers of two, so that every product and sum is exact in the precision of the kernel, in
any order: the answer may then be compared to the last bit. Only softmax has a tolerance, and must repeat itself to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

REPEATS = 3
SHOWN = 3
PARAMETERS = 8


@dataclass
class Case:
    """One launch. ``initial`` is what the output holds before (None: poison); ``expect`` gives the answer, from the output where
    that tells which lane computed it. ``needs`` are features of a device without which there is nothing to test."""

    name: str
    kernel: str
    inputs: list
    words: int
    parameters: list
    groups: tuple
    dtype: str
    expect: Callable
    tolerance: object = None
    initial: object = None
    needs: tuple = ()
    subgroup: int = 0
    threads: int = 256
    constants: tuple = ()


@dataclass
class Judgement:
    """Verdict of one check: right, wrong or unwritten, with what was found."""

    verdict: str
    detail: str
    wrong: int
    elements: int


def poison(rng, words):
    """Words that no kernel computes: NaNs when read as floats, fresh ones each time."""
    return np.full(words, 0xFFC00000 | int(rng.integers(1, 1 << 20)), np.uint32)


def integers(rng, shape, bits, scale=0):
    """Random integers of ``bits`` bits and a sign, times 2**scale, as float64."""
    return rng.integers(-(1 << bits), (1 << bits) + 1, shape).astype(np.float64) * 2.0**scale


def f32_bits(value):
    return int(np.float32(value).view(np.uint32))


def exactly(answer):
    return lambda _: answer


def axpy(rng, n):
    a, x, y = float(rng.integers(1 << 9, 1 << 10)), integers(rng, n, 12, -4), integers(rng, n, 22, -4)
    return Case("axpy", "axpy", [x.astype(np.float32), y.astype(np.float32)], n, [n, f32_bits(a)], (min(-(-n // 256), 1024), 1), "f4",
                exactly((a * x + y).astype(np.float32)))


def reduction(rng, n):
    x, groups = integers(rng, n, 13, -3), -(-n // 1024)
    padded = np.zeros(groups * 1024)
    padded[:n] = x
    return Case("reduction", "reduction", [x.astype(np.float32)], groups, [n], (groups, 1), "f4",
                exactly(padded.reshape(groups, 1024).sum(1).astype(np.float32)))


def pattern(rng, n):
    words, seed = rng.integers(0, 1 << 32, n, dtype=np.uint32), int(rng.integers(1 << 32))
    answer = words ^ (np.arange(n, dtype=np.uint32) * np.uint32(0x9E3779B1) + np.uint32(seed))
    return Case("pattern", "pattern", [words], n, [n, seed], (min(-(-n // 256), 1024), 1), "u4", exactly(answer))


def gemm(rng, kind, m, n, k, name=""):
    """Matrix product in f32, f16 or bf16; the entries have as many bits as keep every sum exact."""
    bits = max(1, min(11, (24 - 1 - int(np.ceil(np.log2(k)))) // 2)) if kind == "f32" else 1 if k > 64 else 2
    a, b = integers(rng, (m, k), bits), integers(rng, (k, n), bits)
    product = a @ b
    if kind == "f32":
        inputs, words, answer, dtype = [a.astype(np.float32), b.astype(np.float32)], m * n, product.astype(np.float32), "f4"
    elif kind == "f16":
        inputs, words, answer, dtype = [a.astype(np.float16), b.astype(np.float16)], -(-m * n // 2), product.astype(np.float16), "f2"
    else:
        inputs, words, answer, dtype = [as_bf16(a), as_bf16(b)], -(-m * n // 2), as_bf16(product), "u2"
    return Case(name or "gemm-" + kind, "gemm_" + kind, inputs, words, [m, n, k], (-(-m // 16), -(-n // 16)), dtype,
                exactly(answer.ravel()), needs=("fp16",) if kind == "f16" else (), threads=16)


def as_bf16(values):
    """The upper halves of float32, rounded to nearest even."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype(np.uint16)


def int8_dot(rng, rows, words):
    a, b = (rng.integers(-128, 128, (rows, words * 4), dtype=np.int8) for _ in range(2))
    answer = (a.astype(np.int32) * b).sum(1, dtype=np.int32)
    return Case("int8-dot", "int8_dot", [a.view(np.uint32), b.view(np.uint32)], rows, [rows, words], (-(-rows // 64), 1), "i4",
                exactly(answer), needs=("int_dot",), threads=64)


def int8_blocks(rng, rows, blocks):
    """Weights of 4 bits with an offset of 8, activations of 8, scales that are powers of two: one invocation a row."""
    scales = np.float32([0.5, 1, 2])
    nibbles, d = rng.integers(0, 16, (rows, blocks, 32), dtype=np.uint8), rng.choice(scales, (rows, blocks))
    octets, e = rng.integers(-127, 128, (blocks, 32), dtype=np.int8), rng.choice(scales, blocks)
    weights = np.concatenate([(nibbles[..., :16] | nibbles[..., 16:] << 4).view(np.uint32), d.view(np.uint32)[..., None]], 2)
    sums = (e * octets.sum(1, dtype=np.int32)).astype(np.float32)
    vector = np.concatenate([octets.view(np.uint32), e.view(np.uint32)[:, None], sums.view(np.uint32)[:, None]], 1)
    answer = np.einsum("rbk,bk->r", (nibbles - 8.0) * d[..., None], octets * e.astype(np.float64)[:, None]).astype(np.float32)
    return Case("int8-dot-blocks", "int8_blocks", [weights, vector], rows, [rows, blocks], (-(-rows // 64), 1), "f4", exactly(answer),
                needs=("int_dot",), threads=64)


def coopmat(rng, sums, shape, size, whole):
    """Matrix product by cooperative matrices of ``shape`` (M, N, K) in fp16, summed in ``sums`` (f32 or f16) by subgroups of ``size``:
    an odd product through shared memory, or (``whole``) one of whole tiles straight from the buffers and into them."""
    tall, wide, deep = shape
    m, n, k = (tall * 33, wide * 32, deep * max(1, 192 // deep)) if whole else (77, 51, 61)
    # Less than fp32 can hold: matrix units need not keep all of its bits between additions. More than fp16 can, so that sums in it show.
    bits = 6 if sums == "f32" else 1
    a, b = integers(rng, (m, k), bits), integers(rng, (k, n), bits)
    answer = (a @ b).astype(np.float32 if sums == "f32" else np.float16)
    name = f"coopmat-f16 {tall}x{wide}x{deep}, sums in {sums}, subgroups of {size}, {'whole' if whole else 'cut'} tiles"
    return Case(name, "coopmat_" + sums, [a.astype(np.float16), b.astype(np.float16)], -(-answer.nbytes // 4), [m, n, k, int(whole)],
                (-(-m // (2 * tall)), -(-n // wide)), "f4" if sums == "f32" else "f2", exactly(answer.ravel()), subgroup=size,
                constants=(*shape, 2 * size))


def subgroup(rng, n, size):
    """The lanes say themselves to which subgroup they belong; ``size`` is the one asked for."""
    values = rng.integers(0, 1 << 20, n, dtype=np.uint32)

    def expect(output):
        said = output.reshape(n, 4)[:, 3]
        place = np.arange(n) // 256 * 256 + (said >> 12 & 0xFFF) * size + (said & 0xFFF)
        answer = np.zeros((n, 4), np.uint32)
        answer[:, 3] = size << 24 | (said & 0xFFFFFF)
        if not np.array_equal(np.sort(place), np.arange(n)):
            answer[:, 3] = ~said  # lanes that two invocations claim, or nobody
            return answer.ravel()
        laid = np.empty(n, np.uint32)
        laid[place] = values
        lanes = laid.reshape(-1, size)
        for column, result in enumerate((np.broadcast_to(lanes.sum(1, dtype=np.uint32)[:, None], lanes.shape),
                                         lanes.cumsum(1, dtype=np.uint32), lanes[:, np.arange(size) ^ 1])):
            answer[:, column] = result.ravel()[place]
        return answer.ravel()

    return Case(f"subgroup-{size}", "subgroup", [values], 4 * n, [n], (n // 256, 1), "u4", expect, needs=("subgroup",), subgroup=size)


def atomics(rng, n):
    words, before = rng.integers(0, 1 << 32, n, dtype=np.uint32), poison(rng, 256)
    answer = before + np.bincount(words & 255, minlength=256).astype(np.uint32)
    return Case("atomics", "atomics", [words], 256, [n], (min(-(-n // 256), 1024), 1), "u4", exactly(answer), initial=before)


def softmax(rng, rows, columns):
    x = rng.normal(0, 4, (rows, columns)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    answer = (e / e.sum(1, keepdims=True)).ravel()
    return Case("softmax", "softmax", [x], rows * columns, [rows, columns], (rows, 1), "f4", exactly(answer), tolerance=2e-5 * answer + 1e-30)


def gemv(rng, kind, rows, k, name):
    """Matrix times vector, one invocation a row: what decoding one token does."""
    case = gemm(rng, kind, rows, 1, k, name)
    case.kernel, case.parameters, case.groups, case.threads = "gemv_" + kind, [rows, k], (-(-rows // 256), 1), 256
    return case


def for_level(rng, level, subgroups=(), bf16=False, slow=False):
    """The kernels of a level, in the order of how little they ask of a device; ``slow`` (a CPU) gets smaller ones.

    Functions that make them: inputs may be large, and are made one at a time.
    """
    yield lambda: pattern(rng, (1 << 18) + 77)
    yield lambda: axpy(rng, (1 << 18) + 13)
    yield lambda: reduction(rng, (1 << 18) - 3)
    yield lambda: gemm(rng, "f32", 67, 35, 53) if slow else gemm(rng, "f32", 131, 67, 93)
    yield lambda: gemm(rng, "f16", 37, 67, 61) if slow else gemm(rng, "f16", 77, 131, 61)
    if bf16:
        yield lambda: gemm(rng, "bf16", 77, 131, 61)
    yield lambda: int8_dot(rng, 1021, 64)
    for size in subgroups:
        yield lambda size=size: subgroup(rng, 1 << 14, size)
    yield lambda: atomics(rng, (1 << 18) + 5)
    yield lambda: softmax(rng, 61, 1003)
    if level < 2:
        return
    for kind in ("f32", "f16", "bf16") if bf16 else ("f32", "f16"):
        yield lambda kind=kind: gemv(rng, kind, 4099, 4096, f"gemv-{kind}-decode")
        yield lambda kind=kind: gemm(rng, kind, *((65, 131, 128) if slow else (513, 2055, 1024)), f"gemm-{kind}-prompt")
    yield lambda: gemv(rng, "f32", (1 << 19) + 37, 16, "gemv-f32-rows")
    if not slow:
        yield lambda: gemm(rng, "f32", (1 << 19) + 37, 24, 24, "gemm-f32-rows")


def for_matrices(rng, shapes, subgroups):
    """Makers of the cases of one check: every (sums, shape) that a device offers, at each of its subgroup sizes."""
    for sums, shape in shapes:
        for size in subgroups:
            for whole in (False, True):
                yield lambda sums=sums, shape=shape, size=size, whole=whole: coopmat(rng, sums, shape, size, whole)


def worst(found):
    """One judgement of several ((case, judgement) each): the worst of them, with the names of its cases."""
    verdict = next((v for v in ("wrong", "unwritten") if any(j.verdict == v for _, j in found)), "right")
    bad = [(case, j) for case, j in found if j.verdict == verdict]
    detail = bad[0][1].detail
    if verdict == "wrong" or len(bad) < len(found) and verdict != "right":
        detail = f"{len(bad)} of {len(found)} kinds, first {bad[0][0].name}: {detail}"
    return Judgement(verdict, detail, sum(j.wrong for _, j in found), sum(j.elements for _, j in found))


def judge(case, outputs, before):
    """Every element of every repeat against the answer, and the repeats against each other to the bit.

    ``outputs`` are the raw bytes that came back, ``before`` the words that stood there: where they still stand nothing was written.
    """
    worst = None
    size = output_bytes(case, outputs[0])
    first = np.frombuffer(outputs[0][:size], np.uint8)
    for number, raw in enumerate(outputs):
        got = np.frombuffer(raw[:size], case.dtype)
        answer = case.expect(np.frombuffer(raw, case.dtype))
        words = np.frombuffer(raw[:size // 4 * 4], np.uint32)
        untouched = np.zeros(words.size, bool)
        for held in before[number]:
            untouched |= words == held[:words.size]
        if words.size and untouched.all():
            return Judgement("unwritten", "nothing of the output was written", got.size, got.size)
        if case.tolerance is None:
            bad = got != answer
        else:
            with np.errstate(invalid="ignore"):
                bad = ~(np.abs(got.astype(np.float64) - answer) <= case.tolerance)
        differs = np.frombuffer(raw[:size], np.uint8) != first
        if bad.any():
            found = _wrong(got, answer, bad, int(untouched.sum()), number)
        elif differs.any():
            count = int(differs.reshape(got.size, -1).any(1).sum())
            found = Judgement("wrong", f"run {number + 1} of the same work gave other bits than run 1 in {count} of {got.size} elements", count, got.size)
        else:
            continue
        if worst is None or found.wrong > worst.wrong:
            worst = found
    return worst or Judgement("right", "", 0, int(got.size))


def output_bytes(case, raw):
    """Bytes of the output that count: the last word of an odd number of halves is only half written."""
    return case.expect(np.frombuffer(raw, case.dtype)).size * np.dtype(case.dtype).itemsize


def _wrong(got, answer, bad, untouched, number):
    places = np.flatnonzero(bad)
    shown = ", ".join(f"[{i}] {got[i]!s} for {answer[i]!s}" for i in places[:SHOWN])
    left = f"; {untouched} words were never written" if untouched > 8 else ""
    return Judgement("wrong", f"{places.size} of {got.size} elements in run {number + 1}, from {places[0]} to {places[-1]}: {shown}{left}",
                     int(places.size), int(got.size))


def judge_bytes(data, copies):
    """Copies, one after the other: the bytes that came back of each, and the words that stood there before. None is kept."""
    for number, (raw, before) in enumerate(copies, 1):
        if raw == data:
            continue
        if np.array_equal(np.frombuffer(raw, np.uint32), before):
            return Judgement("unwritten", "nothing of the output was written", len(data), len(data))
        places = np.flatnonzero(np.frombuffer(raw, np.uint8) != np.frombuffer(data, np.uint8))
        return Judgement("wrong", f"{places.size} of {len(data)} bytes in copy {number}, from {places[0]} to {places[-1]}", int(places.size), len(data))
    return Judgement("right", "", 0, len(data))
