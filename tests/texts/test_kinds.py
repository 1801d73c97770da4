"""Each line of a text has one kind; lines of programs are never taken for a person's words."""

import json
import pathlib
import time

import pytest
from click.testing import CliRunner

from rocmdoctor.cli import cli
from rocmdoctor.texts import kinds
from rocmdoctor.texts.kinds import parts_of

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"


def kinds_of(text):
    return [kind for _, _, kind in parts_of(text)]


def test_every_kind_and_group_is_declared():
    assert {kind for kind, _ in kinds._MARKS} <= set(kinds.KINDS)
    assert set().union(*kinds.GROUPS.values()) <= set(kinds.KINDS)
    assert not set(kinds.GROUPS) & set(kinds.KINDS)


@pytest.mark.parametrize("path", sorted((FIXTURES / "texts").glob("*")) + sorted((FIXTURES / "formats").glob("*")), ids=lambda p: p.name)
def test_parts_cover_the_text_without_gaps(path):
    text = path.read_text(errors="replace")
    parts = parts_of(text)
    assert parts[0][0] == 1 and parts[-1][1] == text.count("\n") + 1
    assert all(first[1] + 1 == second[0] for first, second in zip(parts, parts[1:], strict=False))
    assert {kind for _, _, kind in parts} <= set(kinds.KINDS)


@pytest.mark.parametrize(("name", "kind"), [
    ("texts/dmesg-strix-halo.txt", "kernel_log"), ("texts/ollama-0.15.4.log", "ollama_log"), ("texts/ollama-0.5.8-journal.log", "ollama_log"),
    ("texts/llama-cli-rocm.log", "llama_log"), ("texts/llama-server-vulkan.log", "llama_log"), ("texts/rocminfo-strix-halo.txt", "rocminfo"),
    ("texts/clinfo-rx7900xt.txt", "clinfo"), ("texts/rocm-smi-table.txt", "rocm_smi"), ("texts/amd-smi-table.txt", "amd_smi"),
    ("texts/kfd-mi300x-cpx.txt", "sysfs"), ("texts/vulkaninfo-summary-windows.txt", "vulkaninfo"), ("texts/rocm-smi-rx6700xt.json", "json"),
    ("texts/report-rx6750xt.txt", "prose"), ("formats/compose.txt", "compose"), ("formats/kubernetes.txt", "kubernetes"),
    ("formats/apt-history.txt", "package_history"), ("formats/rccl.txt", "rccl_log"), ("formats/gdb.txt", "crash"),
    ("formats/lspci-vv.txt", "lspci"), ("formats/sglang.txt", "vllm_log"), ("formats/uv-pip-list.txt", "package_list"),
])
def test_a_text_of_one_program_is_of_one_kind(name, kind):
    assert kinds_of((FIXTURES / name).read_text(errors="replace")) == [kind]


def test_a_layer_that_vulkaninfo_describes_is_of_its_output():
    text = "Layers: count = 1\n===\nVK_LAYER_A_crash (a layer that tells where a program crashes or hangs.) Vulkan version 1.3.296, layer version 1:\n"
    assert kinds.parts_of(text)[-1][2] == "vulkaninfo"


def test_a_backtrace_of_glibc_is_a_crash():
    assert kinds_of("/opt/app/bin/app(+0x1141923) [0x581f849af923]\n/usr/lib/libLLVM.so.19.1(_ZN4llvm3fooEv+0x4c5) [0x7bfb2f6223c5]\n") == ["crash"]


REPORT = """\
### What happened
Since the update my RX 7900 XTX resets whenever the model is loaded. It is fine with Vulkan.

### Environment
- OS: Ubuntu 24.04
- Kernel: 6.14.0-24-generic

Here is what the kernel says:

[  812.345678] amdgpu 0000:03:00.0: amdgpu: ring comp_1.0.0 timeout, signaled seq=5, emitted seq=7
[  812.345699] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!

And Ollama:
```
time=2026-02-02T18:45:46.385Z level=INFO source=routes.go:1631 msg="server config"
Error: it does not work on this GPU and the runner has been terminated
```
$ rocminfo | head -2
ROCk module is loaded
Traceback (most recent call last):
  File "a.py", line 2, in <module>
    import torch
ImportError: libamdhip64.so.6: cannot open shared object file

I would be glad about any idea how to get it back.
"""


def test_a_report_is_cut_into_what_is_told_and_what_was_printed():
    assert kinds_of(REPORT) == ["prose", "form", "prose", "kernel_log", "form", "ollama_log", "shell", "rocminfo", "traceback", "prose"]


def test_nothing_fenced_is_prose():
    assert "prose" not in kinds_of("```\nIt does not work on my card and I do not know why.\n```\n")


def test_a_big_kernel_log_is_told_by_a_sample():
    text = "\n".join(f"[{i:5d}.000000] amdgpu 0000:03:00.0: amdgpu: line {i} of a long log" for i in range(400_000))
    begun = time.process_time()
    assert kinds_of(text) == ["kernel_log"]
    assert time.process_time() - begun < 0.5


def test_a_journal_of_many_programs_is_told_line_by_line():
    journal = "\n".join([
        "Jan 06 14:37:38 box kernel: [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout",
        "Jan 06 14:37:39 box dnsmasq[1979]: read /var/lib/default.addnhosts",
        "Jan 06 14:37:40 box ollama[12]: time=2026-01-06T14:37:40Z level=INFO msg=x"])
    assert parts_of(journal) == [(1, 1, "kernel_log"), (2, 2, "system_log"), (3, 3, "ollama_log")]


def test_a_level_where_a_journal_has_its_host_is_the_programs_own_line():
    log = "2026-03-26T19:56:32.594139Z ERROR wgpu_hal: A return array was too small\n2026-03-26T19:56:32.594139Z box gpud: started"
    assert parts_of(log) == [(1, 1, "app_log"), (2, 2, "system_log")]


@pytest.mark.parametrize(("text", "kinds"), [
    ("ollama 0.30.2-1\nmsg=\"inference compute\" id=cpu library=cpu", ["package_list", "output"]),
    ("torch==2.9.0+rocm7.1\nException Code: 0xC0000005\n#0 hipblaslt_f8::is_inf (libhipblaslt.dll)", ["package_list", "output", "crash"]),
    ("torch==2.9.0+rocm7.1\nabsl-py==2.1.0\nmypkg @ file:///tmp/mypkg\nnumpy==2.1.0", ["package_list"]),
    ("driverInfo = Mesa 25.0.7-2\nloaded mmproj-model-f16.gguf", ["vulkaninfo", "output"]),
    ("$ rocminfo\nROCk module is loaded\nHSA System Attributes\nSegmentation fault (core dumped)", ["shell", "rocminfo", "crash"]),
    ("[    4.102] [drm] Detected VRAM RAM=24560M, BAR=256M", ["kernel_log"]),
    ("[    4.102] (II) AMDGPU(0): [DRI2] Setup complete", ["xorg_log"]),
], ids=lambda value: value if isinstance(value, str) else "")
def test_what_a_program_says_below_a_list_of_another_is_not_of_that_list(text, kinds):
    assert kinds_of(text) == kinds


def test_a_word_of_a_kernel_log_is_no_trouble_that_a_person_tells_of(tmp_path):
    (tmp_path / "report.txt").write_text("How do I make gpt-oss-20b start faster on my RX 9070 XT? torch 2.10 with ROCm 7.13.0, transformers.\n")
    (tmp_path / "dmesg.txt").write_text("[    2.118812] ACPI Error: No handler for Region [VRTC] (20250807/evregion-131)\n"
                                        "[    4.221456] [drm] Initialized amdgpu 3.64.0 for 0000:03:00.0 on minor 1\n")
    quiet = CliRunner().invoke(cli, ["explain", "--json", str(tmp_path)])
    assert not json.loads(quiet.output)["findings"]
    (tmp_path / "run.log").write_text("RuntimeError: HIP error: an illegal memory access was encountered\n")
    told = CliRunner().invoke(cli, ["explain", "--json", str(tmp_path)])
    assert json.loads(told.output)["findings"][0]["id"] == "gpt-oss-fails-with-rocm-713"
