"""Readers of logs and tool dumps, on recorded texts and on hostile ones."""

from __future__ import annotations

import importlib
import random
import time
from pathlib import Path
from typing import Any

import pytest

from rocmdoctor.facts.model import Reading
from rocmdoctor.facts.vocabulary import declared

TEXTS = Path(__file__).parents[2] / "fixtures" / "texts"
READERS = ("kernel_log", "rocminfo", "ollama_log", "llama_cpp_log", "environment", "amd_smi", "rocm_smi", "sysfs_text",
           "tensile_text")
FILES = ("dmesg-strix-halo.txt", "rocminfo-rx6700xt.txt", "rocminfo-strix-halo.txt", "ollama-0.15.4.log",
         "ollama-0.5.8-journal.log", "llama-server-vulkan.log", "llama-cli-rocm.log", "amd-smi-static.json",
         "amd-smi-table.txt", "rocm-smi-table.txt", "rocm-smi-rx6700xt.json", "kfd-mi300x-cpx.txt",
         "uevent-strixpoint.txt", "rocblas-gfx906.txt")


def text_of(name: str) -> str:
    return (TEXTS / name).read_text(encoding="utf-8", errors="replace")


def readings(reader: str, text: str) -> list[Reading]:
    module: Any = importlib.import_module("rocmdoctor.texts.readers." + reader)
    return list(module.read(text)) if module.recognises(text) else []


def facts(reader: str, text: str) -> dict[tuple[str, str], Any]:
    found: dict[tuple[str, str], Any] = {}
    for reading in readings(reader, text):
        found.setdefault((reading.name, reading.item), reading.value)
    return found


EXPECTED = [
    ("kernel_log", "dmesg-strix-halo.txt", {
        ("kernel.release", ""): "6.14.0-1014-oem", ("amdgpu.version", ""): "6.14.14", ("amdgpu.dkms", ""): True,
        ("amdgpu.unknown_parameters", ""): ["gtt_size"], ("gpu.vram_bytes", "0000:c6:00.0"): 1 << 30,
        ("gpu.gtt_bytes", "0000:c6:00.0"): 122880 << 20, ("gpu.pci_id", "0000:c6:00.0"): "1002:1586",
        ("gpu.cu_count", "0000:c6:00.0"): 40, ("gpu.vbios", "0000:c6:00.0"): "113-STRXLGEN-001"}),
    ("rocminfo", "rocminfo-rx6700xt.txt", {
        ("gpu.gfx_reported", "rocminfo:1"): "gfx1030", ("gpu.pci_id", "rocminfo:1"): "1002:73df",
        ("gpu.pci_address", "rocminfo:1"): "0000:03:00.0", ("gpu.cu_count", "rocminfo:1"): 40,
        ("gpu.kfd_pool_bytes", "rocminfo:1"): 12566528 << 10, ("amdgpu.loaded", ""): True}),
    ("rocminfo", "rocminfo-strix-halo.txt", {
        ("gpu.gfx_reported", "rocminfo:1"): "gfx1151", ("gpu.pci_address", "rocminfo:1"): "0000:c5:00.0",
        ("gpu.is_apu", "rocminfo:1"): True, ("gpu.kfd_pool_bytes", "rocminfo:1"): 65504884 << 10}),
    ("ollama_log", "ollama-0.15.4.log", {
        ("ollama.version", ""): "0.15.4", ("ollama.library", ""): "rocm",
        ("gpu.gfx_reported", "0000:c5:00.0"): "gfx1151", ("gpu.is_apu", "0000:c5:00.0"): True,
        ("env.HSA_OVERRIDE_GFX_VERSION", ""): "11.5.1"}),
    ("ollama_log", "ollama-0.5.8-journal.log", {
        ("gpu.gfx_reported", "ollama:0"): "gfx803", ("gpu.pci_id", "ollama:0"): "1002:694e",
        ("amdgpu.version", ""): "5.18", ("ollama.total_bytes", ""): 4 << 30}),
    ("environment", "ollama-0.15.4.log", {
        ("env.HSA_OVERRIDE_GFX_VERSION", ""): "11.5.1", ("env.HIP_VISIBLE_DEVICES", ""): "0"}),
    ("llama_cpp_log", "llama-server-vulkan.log", {
        ("llama.build", ""): 8245, ("llama.backend", ""): "vulkan", ("vk.driver", "Vulkan0"): "radv",
        ("gpu.gfx_reported", "Vulkan0"): "gfx1151", ("gpu.pci_address", "Vulkan0"): "0000:c6:00.0"}),
    ("llama_cpp_log", "llama-cli-rocm.log", {
        ("llama.backend", ""): "rocm", ("gpu.gfx_reported", "ROCm0"): "gfx1151", ("llama.layers_total", ""): 25,
        ("llama.free_bytes", ""): 47985 << 20, ("llama.devices", ""): ["ROCm0: AMD Radeon Graphics"]}),
    ("amd_smi", "amd-smi-static.json", {
        ("gpu.gfx_reported", "amd-smi:0"): "gfx90a", ("gpu.pci_id", "amd-smi:0"): "1002:740f",
        ("gpu.vram_bytes", "amd-smi:0"): 65520 << 20, ("kernel.release", ""): "6.14.0-24-generic"}),
    ("amd_smi", "amd-smi-table.txt", {
        ("runtime.rocm_version", ""): "7.2.1", ("amdgpu.version", ""): "6.18.7-76061807",
        ("gpu.name", "0000:0c:00.0"): "AMD Radeon Graphics", ("gpu.vram_bytes", "0000:0c:00.0"): 32624 << 20}),
    ("rocm_smi", "rocm-smi-table.txt", {("gpu.pci_id", "rocm-smi:0"): "1002:7551"}),
    ("rocm_smi", "rocm-smi-rx6700xt.json", {
        ("gpu.gfx_reported", "rocm-smi:0"): "gfx1031", ("gpu.pci_address", "rocm-smi:0"): "0000:07:00.0",
        ("amdgpu.version", ""): "6.3.6"}),
    ("sysfs_text", "kfd-mi300x-cpx.txt", {
        ("gpu.gfx_target", "kfd:1"): "gfx942", ("gpu.pci_id", "kfd:1"): "1002:74a1", ("gpu.cu_count", "kfd:1"): 38,
        ("gpu.pci_address", "kfd:1"): "0000:05:00.1"}),
    ("sysfs_text", "uevent-strixpoint.txt", {
        ("gpu.pci_id", "uevent:1"): "1002:150e", ("gpu.pci_address", "uevent:1"): "0000:c1:00.0"}),
    ("tensile_text", "rocblas-gfx906.txt", {
        ("gpu.gfx_reported", "rocblas:0"): "gfx906", ("runtime.rocm_version", ""): "6.4.0"}),
]


@pytest.mark.parametrize(("reader", "name", "expected"), EXPECTED, ids=[f"{r}-{n}" for r, n, _ in EXPECTED])
def test_recorded(reader: str, name: str, expected: dict[tuple[str, str], Any]) -> None:
    found = facts(reader, text_of(name))
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.parametrize(("reader", "name", "expected"), EXPECTED, ids=[f"{r}-{n}" for r, n, _ in EXPECTED])
def test_lines_are_where_the_value_stands(reader: str, name: str, expected: dict[tuple[str, str], Any]) -> None:
    total = text_of(name).count("\n") + 1
    for reading in readings(reader, text_of(name)):
        assert declared(reading.name), reading
        assert 1 <= reading.line <= total, reading


@pytest.mark.parametrize(("reader", "name", "expected"), EXPECTED, ids=[f"{r}-{n}" for r, n, _ in EXPECTED])
def test_same_facts_between_other_dumps(reader: str, name: str, expected: dict[tuple[str, str], Any]) -> None:
    """CRLF, and text of a shell around it."""
    text = "user@host:~$ some-tool\r\nout of luck\r\n" + text_of(name).replace("\n", "\r\n") + "\r\n$ exit\r\n"
    found = facts(reader, text)
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.parametrize(("reader", "name"), [
    ("rocminfo", "rocminfo-rx6700xt.txt"), ("kernel_log", "dmesg-strix-halo.txt"), ("llama_cpp_log", "llama-cli-rocm.log"),
    ("environment", "ollama-0.15.4.log"), ("ollama_log", "ollama-0.15.4.log"), ("amd_smi", "amd-smi-table.txt"),
    ("amd_smi", "amd-smi-static.json"), ("rocm_smi", "rocm-smi-rx6700xt.json"), ("sysfs_text", "kfd-mi300x-cpx.txt")])
@pytest.mark.parametrize("prefix", ["name-1  | ", "Feb 12 12:12:03 host tool[57879]: "])
def test_prefixed(reader: str, name: str, prefix: str) -> None:
    plain = text_of(name)
    assert facts(reader, "\n".join(prefix + line for line in plain.split("\n"))) == facts(reader, plain)


@pytest.mark.parametrize(("line", "name", "value"), [
    ("HSA_OVERRIDE_GFX_VERSION=", "HSA_OVERRIDE_GFX_VERSION", ""),
    ("export HSA_OVERRIDE_GFX_VERSION=11.0.0", "HSA_OVERRIDE_GFX_VERSION", "11.0.0"),
    ("docker run -d -e HSA_OVERRIDE_GFX_VERSION=10.3.0 ollama/ollama:rocm", "HSA_OVERRIDE_GFX_VERSION", "10.3.0"),
    ('Environment="HSA_OVERRIDE_GFX_VERSION=10.3.0"', "HSA_OVERRIDE_GFX_VERSION", "10.3.0"),
    ("      - HSA_OVERRIDE_GFX_VERSION=11.5.1", "HSA_OVERRIDE_GFX_VERSION", "11.5.1"),
    ('      HSA_OVERRIDE_GFX_VERSION: "11.5.1"', "HSA_OVERRIDE_GFX_VERSION", "11.5.1"),
    ("set HIP_VISIBLE_DEVICES=1", "HIP_VISIBLE_DEVICES", "1"),
    ('$env:OLLAMA_VULKAN = "1"', "OLLAMA_VULKAN", "1"),
    ("HIP_VISIBLE_DEVICES=1 ROCR_VISIBLE_DEVICES=0 ./llama-server -m x.gguf", "ROCR_VISIBLE_DEVICES", "0"),
])
def test_assignments(line: str, name: str, value: str) -> None:
    assert facts("environment", f"before\n{line}\nafter\n").get(("env." + name, "")) == value


@pytest.mark.parametrize("line", [
    "Setting HSA_OVERRIDE_GFX_VERSION is what the guide says", "# export HSA_OVERRIDE_GFX_VERSION=10.3.0",
    "  HSA_OVERRIDE_GFX_VERSION: ${HSA_OVERRIDE_GFX_VERSION:-}", "echo $HSA_OVERRIDE_GFX_VERSION"])
def test_not_assignments(line: str) -> None:
    assert facts("environment", line) == {}


def test_new_style_kernel_lines_without_address_wait_for_their_gpu() -> None:
    text = ("[drm] initializing kernel modesetting (VEGA20 0x1002:0x66A1 0x1002:0x0834 0x02).\n"
            "amdgpu 0000:03:00.0: amdgpu: Fetched VBIOS from ROM BAR\n"
            "[drm] initializing kernel modesetting (IP DISCOVERY 0x1002:0x744C 0x1458:0x240E 0xC8).\n"
            "amdgpu 0000:0b:00.0: amdgpu: Fetched VBIOS from VFCT\n")
    found = facts("kernel_log", text)
    assert found[("gpu.pci_id", "0000:03:00.0")] == "1002:66a1"
    assert found[("gpu.pci_id", "0000:0b:00.0")] == "1002:744c"


@pytest.mark.parametrize("reader", READERS)
def test_cut_and_scrambled_texts_raise_nothing(reader: str) -> None:
    dice = random.Random(7)
    for name in FILES:
        text = text_of(name)
        for _ in range(6):
            at = dice.randrange(len(text))
            broken = list(text[at:] + text[:at // 2])
            for _ in range(40):
                broken[dice.randrange(len(broken))] = dice.choice('\x00\x1b[{"}]=:\n\\ 9é\ud800')
            for reading in readings(reader, "".join(broken)):
                assert declared(reading.name)


HOSTILE = {
    "brackets": "[" * 200_000, "objects": '{"gpu":' * 40_000, "opened lists": '[{"gpu": 1, \n' * 20_000,
    "quotes": 'inference compute a="' * 15_000, "backslashes": 'level=INFO HSA_OVERRIDE_GFX_VERSION="' + "\\" * 300_000,
    "spaces": "HSA_X: a" + " " * 300_000 + "b", "flags": "-e HSA_X=\"" * 30_000, "devices": "Device 1: gfx " * 25_000,
    "names": "Name: " * 60_000 + "gfx1100", "taint": "Tainted: " + "A " * 150_000, "vulkan": "ggml_vulkan: 0 = (" * 20_000,
    "gpus": '"gpu" "card0" [' + '{"gpu": 1, "asic": {"market_name": "x"}},' * 8_000, "escapes": "\x1b[" * 150_000,
    "numbers": "GPU: 9\n    VRAM:\n        SIZE: " + "9" * 300_000 + " MB\nsimd_count " + "9" * 5000,
    "escaped keys": '[' + ','.join(['{"\\u0067pu": 1, "\\u0061sic": {"market\\u005fname": "x"}, "gpu": 2}'] * 6_000) + ']',
    "map": "map[" + " HSA_A:1" * 40_000, "lines": "amdgpu \n" * 40_000, "using": "using device ROCm0 ((((MiB free" * 10_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_cost_little(kind: str) -> None:
    for reader in READERS:
        for text in (HOSTILE[kind], "amdgpu ollama ggml_ \"card0\" \"gpu\" TensileLibrary AMD-SMI Name:gfx HSA_\n" + HOSTILE[kind]):
            start = time.process_time()
            list(readings(reader, text))
            assert time.process_time() - start < 3.0, reader
