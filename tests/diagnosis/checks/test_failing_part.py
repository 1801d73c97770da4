"""The part of the stack that stopped, by traceback and by lone lines, as `explain` tells it."""

import io
import re
import subprocess

import pytest

from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import rules, tables
from rocmdoctor.knowledge.conditions import of_table
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

FRAME = '  File "/venv/lib/python3.12/site-packages/{}", line 12, in {}\n    call()\n'
HEAD = "Traceback (most recent call last):\n"


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    book = rules.load()
    scanner = Scanner(book.patterns())

    def ask(**files):
        folder = tmp_path_factory.mktemp("case")
        for name, text in files.items():
            (folder / f"{name}.txt").write_text(text)
        snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
        interpret.fill(snapshot, attach.gather([str(folder)], io.BytesIO()).texts, scanner)
        return make_report(snapshot, book).findings
    return ask


@pytest.mark.parametrize(("frames", "error", "wanted", "words"), [
    ([("vllm/engine.py", "run"), ("triton/backends/amd/compiler.py", "make_ttgir")], "RuntimeError: PassManager::run failed", "part-fails-to-compile",
     "Triton's AMD compiler"),
    ([("sglang/srt/x.py", "go"), ("flashinfer/comm/cuda_ipc.py", "__init__")], "AssertionError: libcudart is not loaded in the current process",
     "part-is-made-for-cuda", "FlashInfer"),
    ([("torch/__init__.py", "<module>"), ("rocm_sdk/__init__.py", "find_libraries")], "KeyError: 'hipsparselt'", "part-does-not-know", "hipsparselt"),
    ([("vllm/attention/layer.py", "__init__"), ("vllm/v1/attention/backends/triton_attn.py", "__init__")],
     "NotImplementedError: Encoder self-attention is not implemented for TritonAttentionImpl", "part-does-not-implement", "vLLM"),
    ([("sglang/srt/norm.py", "forward_hip"), ("torch/nn/modules/module.py", "_call_impl")],
     "TypeError: fused_add_rms_norm() takes 4 positional arguments but 6 were given", "part-called-with-other-arguments", "SGLang"),
])
def test_a_traceback_names_the_part_that_stopped(first, frames, error, wanted, words):
    findings = first(log=HEAD + "".join(FRAME.format(*frame) for frame in frames) + error + "\n")
    assert findings[0].id == wanted and findings[0].standing == "symptom" and words in findings[0].title
    assert findings[0].fixes and all(not re.search(r"\{\w+\}", fix.title) for fix in findings[0].fixes)


def test_what_only_repeats_that_another_process_failed_is_not_the_exception(first):
    findings = first(log=HEAD + FRAME.format("aiter/ops/moe_op.py", "ck_moe_stage2_fwd") + "RuntimeError: Unsupported block_m value: 16\n"
                     + HEAD + FRAME.format("vllm/v1/engine/core.py", "init") + "RuntimeError: Engine core initialization failed. See root cause above.\n")
    assert findings[0].id == "part-refuses-value" and "block_m" in findings[0].title and "AITER" in findings[0].title


@pytest.mark.parametrize("error", ["torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB", "RuntimeError: HIP error: invalid device function",
                                   "RuntimeError: No HIP GPUs are available"])
def test_what_the_gpu_itself_says_is_left_to_its_own_rules(first, error):
    assert not any(one.id.startswith("part-") for one in first(log=HEAD + FRAME.format("vllm/worker.py", "run") + error + "\n"))


def test_a_program_that_is_in_no_table_is_not_guessed_at(first):
    assert not any(one.id.startswith("part-") for one in first(log=HEAD + FRAME.format("somebody/tool.py", "run") + "ValueError: bad input\n"))


def test_every_command_of_the_parts_is_one():
    commands = [command for row in tables.load("parts")["parts"] for name in row if name.endswith("_commands") for command in row[name]]
    assert len(commands) > 30
    assert subprocess.run(["bash", "-n"], input="\n".join(commands), text=True, capture_output=True).stderr == ""
    assert all(re.compile(row["files"]) and ("lines" not in row or re.compile(row["lines"])) for row in tables.load("parts")["parts"])


def test_every_experiment_is_about_symptoms_applications_and_conditions_that_there_are():
    book, apps = rules.load(), tables.load("applications")["applications"]
    kinds = {kind for row in apps for kind in row["kinds"]} | {"named"}
    for row in tables.load("experiments")["experiments"]:
        assert all(book.rules[symptom].kind == "symptom" for symptom in row["symptoms"]), row["id"]
        assert set(row.get("kinds") or ()) <= kinds, row["id"]
        signals = {name.removeprefix("seen.") for name in of_table(row["when"]).names if name.count(".") == 2} if "when" in row else set()
        assert signals <= set(book.signals), row["id"]


def test_an_observation_comes_with_the_experiments_of_what_it_stands_for(first):
    findings = first(told="The server crashes with vLLM on my MI300X.\n",
                     log="llama-server[311]: segfault at 10 ip 7f sp 7f error 4 in libhsa-runtime64.so.1[7f+1000]\n")
    observed = next(one for one in findings if one.id == "crash-in-module")
    assert sum(fix.title.startswith("Try: ") for fix in observed.fixes) >= 2
