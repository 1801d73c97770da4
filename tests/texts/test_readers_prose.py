"""Readers of prose and of the short tool outputs: what they find, and that no text breaks them."""

from __future__ import annotations

import doctest
import importlib
import random
import time
from pathlib import Path
from typing import Any

import pytest

from rocmdoctor.facts import vocabulary

TEXTS = Path(__file__).resolve().parents[2] / "fixtures" / "texts"
NAMES = ("report_prose", "settings", "collect_env", "vulkaninfo", "clinfo", "pip_list", "windows", "system_text", "lspci")


def _module(name: str) -> str:
    return f"rocmdoctor.texts.{'prose' if name in ('report_prose', 'settings') else 'readers'}.{name}"


READERS: dict[str, Any] = {name: importlib.import_module(_module(name)) for name in NAMES}
HELPERS = ("rocmdoctor.knowledge.products", "rocmdoctor.texts.prose.story", "rocmdoctor.texts.lines")

EXPECTED: list[tuple[str, str, dict[str, Any]]] = [
    ("collect_env", "collect-env-890m.txt", {
        "torch.version": "2.9.1+rocm7.2.0.git7e1940d4", "kernel.release": "6.17.0-1012-oem", "gpu.gfx_reported": "gfx1150",
        "torch.hip": "7.2.26015-fc0010cf6a", "torch.available": True, "os.distribution": "ubuntu", "os.version": "24.04"}),
    ("collect_env", "collect-env-one-line.txt", {
        "torch.version": "2.12.0a0+rocm7.13.0a20260313", "os.family": "windows", "gpu.gfx_reported": "gfx1151",
        "gpu.name": "AMD Radeon(TM) 8050S Graphics"}),
    ("vulkaninfo", "vulkaninfo-summary-windows.txt", {
        "vk.pci_id": "1002:164e", "gpu.gfx_reported": "gfx1036", "gpu.is_apu": True, "windows.driver_version": "2.0.294",
        "windows.adrenalin": "23.40.02"}),
    ("vulkaninfo", "vulkaninfo-rx6600-cut.txt", {
        "gpu.pci_id": "1002:73ff", "gpu.gfx_reported": "gfx1032", "vk.max_allocation_bytes": 0x80000000,
        "windows.driver_version": "2.0.250", "vk.heaps": [
            {"size": 8304721920, "device_local": True}, {"size": 268435456, "device_local": True},
            {"size": 16852713472, "device_local": False}]}),
    ("clinfo", "clinfo-rx7900xt.txt", {"gpu.pci_address": "0000:67:00.0", "gpu.gfx_reported": "gfx1100", "gpu.pci_id": "1002:744c"}),
    ("pip_list", "uv-sync-gfx1201.txt", {"torch.version": "2.11.0+rocm7.13.0", "runtime.rocm_version": "7.13.0"}),
    ("windows", "dxdiag-z1-extreme.txt", {
        "windows.driver_version": "32.0.21020.1007", "gpu.pci_id": "1002:15bf", "gpu.gfx_reported": "gfx1103",
        "windows.shared_bytes": 6498 << 20, "os.version": "10.0.26220", "gpu.is_apu": True}),
    ("system_text", "shell-rx7900xtx.txt", {
        "kernel.release": "6.8.0-138-generic", "dev.kfd_mode": "0660", "amdgpu.version": "6.19.14-2377056.24.04",
        "dev.render_nodes": ["/dev/dri/renderD128"]}),
    ("lspci", "shell-rx7900xtx.txt", {"gpu.pci_id": "1002:744c", "gpu.driver": "amdgpu", "gpu.subsystem_id": "1458:240e"}),
    ("report_prose", "report-rx6750xt.txt", {
        "gpu.gfx_reported": "gfx1031", "runtime.rocm_version": "6.4.3", "os.family": "linux", "report.apps": ["ollama"]}),
    ("settings", "report-rx6750xt.txt", {"env.HSA_OVERRIDE_GFX_VERSION": "10.3.0"}),
    ("report_prose", "report-8060s-windows.txt", {
        "gpu.gfx_reported": "gfx1151", "windows.driver_version": "26.5.2", "llama.build": 9213, "os.family": "windows",
        "report.bios_vram_bytes": 96 << 30}),
    ("report_prose", "report-vega56-torch.txt", {
        "gpu.gfx_reported": "gfx900", "torch.version": "2.12.0.dev20260408+rocm7.2", "os.distribution": "linuxmint"}),
]


@pytest.mark.parametrize(("reader", "file", "expected"), EXPECTED, ids=[f"{row[0]}-{row[1]}" for row in EXPECTED])
def test_reads(reader: str, file: str, expected: dict[str, Any]) -> None:
    text = (TEXTS / file).read_text(encoding="utf-8")
    assert READERS[reader].recognises(text)
    first: dict[str, Any] = {}
    for reading in READERS[reader].read(text):
        first.setdefault(reading.name, reading.value)
    assert {name: first.get(name) for name in expected} == expected


@pytest.mark.parametrize("name", [*map(_module, NAMES), *HELPERS])
def test_doctests(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_reading_is_declared_and_has_a_line(name: str) -> None:
    for path in sorted(TEXTS.iterdir()):
        text = path.read_text(encoding="utf-8")
        for reading in READERS[name].read(text):
            assert vocabulary.declared(reading.name), reading
            assert bool(reading.item) == bool(vocabulary.entity(reading.name)), reading
            assert 1 <= reading.line <= text.count("\n") + 1, reading


@pytest.mark.parametrize("name", NAMES)
def test_cut_and_shuffled_texts_never_raise(name: str) -> None:
    chance = random.Random(7)
    texts = [path.read_text(encoding="utf-8") for path in sorted(TEXTS.iterdir())]
    texts += ["", "\x00" * 50, "{" * 5000, "[{" * 3000 + '"VP_VULKANINFO_x_1_2_3": "CL_DEVICE_NAME"', "\u0130" * 300 + " RX 6700 XT"]
    for text in list(texts):
        for _ in range(12):
            start = chance.randrange(len(text) + 1)
            piece = text[start:start + chance.randrange(2000)]
            texts.append("> " + piece.replace("\n", "\r\n") + "".join(chance.sample(piece, len(piece))))
    for text in texts:
        READERS[name].recognises(text)
        list(READERS[name].read(text))


@pytest.mark.parametrize("seed", ["1.1 ", "a" * 50, " ", "\n", "RX 6700 ", "GPU0:\n", "works with ", "kernel ", "=" * 9, "[pip3] a==1.1 ", "{",
                                  "OS: ", "6.1.1-1-", "uid=0 gid=0 groups=0,", "16 GB ", "torch ", "1002:73df "])
@pytest.mark.parametrize("name", NAMES)
def test_long_hostile_texts_are_quick(name: str, seed: str) -> None:
    text = seed * (300_000 // len(seed))
    start = time.perf_counter()
    READERS[name].recognises(text)
    list(READERS[name].read(text))
    assert time.perf_counter() - start < 8


@pytest.mark.parametrize(("text", "expected"), [
    ("2x RX 7900 XTX. A colleague starts it on MI300X with the same options.", ["gfx1100", "gfx1100"]),
    ("On another machine with an RX 9070 XT it runs. Here I have a RX 6600.", ["gfx1032"]),
    ("RX 6600 and RX 9070 XT in one machine.", ["gfx1032", "gfx1201"]),
    ("I ask for a colleague with a RX 6600.", ["gfx1032"]),
])
def test_the_gpu_of_somebody_else_is_not_the_writers(text: str, expected: list[str]) -> None:
    assert sorted(reading.value for reading in READERS["report_prose"].read(text) if reading.name == "gpu.gfx_reported") == expected


def test_a_command_inside_a_sentence_ends_with_its_bracket() -> None:
    read = list(importlib.import_module(_module("container")).read("It is started fresh each time (podman run --rm), without volumes.\n"))
    assert not [reading for reading in read if reading.name == "container.image"]
