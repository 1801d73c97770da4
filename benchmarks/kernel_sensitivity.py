"""How sure the test kernels are: every single wrong bit must be seen, and right results must never be called wrong.

``python benchmarks/kernel_sensitivity.py [--backend vulkan|hip|torch] [--seeds 100] [--rounds 100] [--only NAME] [--library libamdhip64.so]``

Sensitivity: the work runs for real, then one random bit of one random element of the output of one repeat is turned over before the
comparison. False alarms: the same checks, with fresh inputs, as often as ``--rounds`` says.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parents[1] / "probes"
sys.path[:0] = [str(HERE / "gpu_sanity"), str(HERE)]


def flipped(outputs: list[bytes], size: int, rng) -> list[bytes]:  # noqa: ANN001
    """The outputs with one bit of the first ``size`` bytes of one of them turned over."""
    run, place, bit = int(rng.integers(len(outputs))), int(rng.integers(size)), int(rng.integers(8))
    changed = bytearray(outputs[run])
    changed[place] ^= 1 << bit
    return [bytes(changed) if number == run else output for number, output in enumerate(outputs)]


def opened(backend: str, library: str):  # noqa: ANN201
    """(device, makers for a generator of random numbers: level 1's, and those of the quick checks that Vulkan alone has at level 2)."""
    import cases

    if backend == "hip":
        from hip_device import Device
        from hip_runtime import Runtime, libraries

        device = Device(Runtime(library or libraries()[0]), 0, 30)
        device.load()
        import numpy as np

        width = device.wavefront(np.random.default_rng())
        return device, device.name, lambda rng: cases.for_level(rng, 1, (width,), bf16=True)
    import vulkan as vk
    from vulkan_device import Device as VulkanDevice

    application = vk.VkApplicationInfo(pApplicationName="t", applicationVersion=1, pEngineName="n", engineVersion=1, apiVersion=vk.VK_MAKE_VERSION(1, 3, 0))
    create = vk.VkInstanceCreateInfo(pApplicationInfo=application, enabledLayerCount=0, ppEnabledLayerNames=None, enabledExtensionCount=0,
                                     ppEnabledExtensionNames=None)
    instance = vk.vkCreateInstance(create, None)
    physical = vk.vkEnumeratePhysicalDevices(instance)[0]
    about = vk.vkGetPhysicalDeviceProperties(physical)
    device = VulkanDevice(vk, instance, physical, 30)
    shapes = device.matrix_shapes() if "coopmat" in device.features else ()

    def makers(rng):  # noqa: ANN001, ANN202
        yield from cases.for_level(rng, 1, device.subgroups, slow=about.deviceType == 4)
        yield lambda: cases.int8_blocks(rng, 4099, 16)
        yield from cases.for_matrices(rng, shapes, device.subgroups)

    return device, about.deviceName, makers


def kernels(backend: str, library: str, seeds: int, rounds: int, only: str) -> None:
    import cases
    import numpy as np

    device, name, every = opened(backend, library)

    def made(rng):  # noqa: ANN001, ANN202
        for make in every(rng):
            case = make()
            if case.name.startswith(only) and not any(need not in getattr(device, "features", case.needs) for need in case.needs):
                yield case

    print(f"{backend}: {name}")
    seen: dict[str, int] = {}
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        for case in made(rng):
            outputs, before = device.run(case, rng)
            verdict = cases.judge(case, flipped(outputs, cases.output_bytes(case, outputs[0]), rng), before).verdict
            seen[case.name] = seen.get(case.name, 0) + (verdict == "wrong")
    for check, count in seen.items():
        print(f"  {check:16} one wrong bit seen in {count} of {seeds}")
    alarms, checks, began = [], 0, time.monotonic()
    for number in range(rounds):
        rng = np.random.default_rng()
        for case in made(rng):
            found, checks = cases.judge(case, *device.run(case, rng)), checks + 1
            if found.verdict != "right":
                alarms.append(f"round {number} {case.name}: {found}")
    print(f"  false alarms: {len(alarms)} in {rounds} runs ({checks} checks, {time.monotonic() - began:.0f} s)", *alarms[:5], sep="\n    ")


def torch_kernels(seeds: int, rounds: int) -> None:
    import random

    import torch
    import torch_kernels as under_test

    card = under_test.Card(torch, 0, 60)
    print(f"torch: {torch.cuda.get_device_name(0)}, torch {torch.__version__}")
    plain = under_test.judge

    def spoilt(torch_, outputs, answer, tolerance=None):  # noqa: ANN001, ANN202
        outputs = [output.clone() for output in outputs]
        raw = under_test.bits(torch_, random.choice(outputs))
        raw[random.randrange(raw.numel())] ^= 1 << random.randrange(8 * raw.element_size() - 1)
        return plain(torch_, outputs, answer, tolerance)

    for name, count, judge in (("one wrong bit seen", seeds, spoilt), ("right", rounds, plain)):
        under_test.judge, seen, not_there = judge, {}, set()
        for _ in range(count):
            for check, work in under_test.work_of(card, 1, None, 1, False):
                if check.startswith("copy"):
                    continue  # compared by checksum
                try:
                    verdict = work()["verdict"]
                except under_test.Untestable:
                    not_there.add(check)
                    continue
                seen[check] = seen.get(check, 0) + (verdict == ("wrong" if judge is spoilt else "right"))
        for check, good in seen.items():
            print(f"  {check:24} {name} in {good} of {count}")
        print("  not testable:", ", ".join(sorted(not_there)) or "none")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", choices=("vulkan", "hip", "torch"), default="vulkan")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--only", default="", help="what the names of the checks begin with")
    parser.add_argument("--library", default="")
    given = parser.parse_args()
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    if given.backend == "torch":
        torch_kernels(given.seeds, given.rounds)
    else:
        kernels(given.backend, given.library, given.seeds, given.rounds, given.only)
    sys.stdout.flush()
    os._exit(0)  # as the programs do
