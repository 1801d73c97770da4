"""Options of llama.cpp and Ollama: against each other and against what the program says it did."""

from __future__ import annotations

import pathlib
import sys

import pytest

from rocmdoctor.knowledge import check_words, tables

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from doors import of_machine, of_text  # noqa: E402


@pytest.mark.parametrize(("wanted", "text"), [
    ("gpu-layers-set-to-zero", "llama-server -m a.gguf -ngl 0\nThe model runs on the CPU."),
    ("gpu-layers-set-to-zero", "FROM qwen3\nPARAMETER num_gpu 0\n\nollama run it: 100% CPU"),
    ("options-exclude-each-other", "llama-server -m a.gguf --mmap --no-mmap"),
    ("options-exclude-each-other", "llama-server -m a.gguf -fa off -ctv q8_0"),
    ("options-exclude-each-other", "llama-server -m a.gguf -b 512 -ub 2048"),
    ("options-exclude-each-other", "llama-cli --device none -ngl 99 -m a.gguf"),
    ("options-cost-speed", "llama-server -m a.gguf -ngl 99 --no-kv-offload"),
    ("context-smaller-than-asked", "llama-server -m a.gguf -c 131072\nllama_context: n_ctx         = 32768"),
    ("backend-other-than-asked", "llama-server -m a.gguf --device Vulkan0\nload_tensors: ROCm0 model buffer size = 4096.00 MiB"),
])
def test_what_was_asked_and_what_came_of_it(wanted, text):
    assert wanted in of_text(text)


@pytest.mark.parametrize("text", [
    "llama-bench -m a.gguf -ngl 0 -p 512", "llama-server -m a.gguf -ngl 99 -fa on -ctk q8_0 -ctv q8_0", "llama-server -m a.gguf -b 2048 -ub 512",
    "llama-server -m a.gguf -c 32768\nllama_context: n_ctx         = 32768", "llama-server -m a.gguf -c 65536 -np 4\nllama_context: n_ctx         = 16384",
    "llama-server -m a.gguf --device ROCm0\nload_tensors: ROCm0 model buffer size = 4096.00 MiB", "The model runs on the CPU.", "llama-server --device Vulkan0 -m a.gguf"])
def test_what_goes_together_is_silent(text):
    assert not of_text(text).keys() & check_words.findings("asked_and_got").keys()


def test_a_log_beside_a_machine_answers_alike(tmp_path):
    assert "gpu-layers-set-to-zero" in of_machine(tmp_path, told="llama-server -m a.gguf -ngl 0\nThe model runs on the CPU.")


def test_the_table_is_of_its_form():
    table = tables.load("llama_options")
    names = set(table["names"].values())
    assert set(table["values"]) <= names
    for row in table["rows"]:
        assert set(row["with"]) <= names and row["id"] in check_words.findings("asked_and_got")
