"""Environment variables: one finding through both doors, silence where nothing is wrong or known."""

from __future__ import annotations

import io
import pathlib
import re
import sys

import pytest
import re2

from rocmdoctor.diagnosis.checks._masks import left
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import check_words, rules, tables
from rocmdoctor.knowledge.conditions import of_table
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from answers import answers  # noqa: E402
from doors import TOP, of_files, of_machine, of_text  # noqa: E402

# What is wrong: finding, variables of the machine, the same in a text, what is told beside it.
BOTH = [
    ("variable-value-not-understood", {"HSA_OVERRIDE_GFX_VERSION": "gfx1100"}, "export HSA_OVERRIDE_GFX_VERSION=gfx1100"),
    ("variable-value-not-understood", {"HSA_OVERRIDE_GFX_VERSION": "11.0"}, "docker run -e HSA_OVERRIDE_GFX_VERSION=11.0 --device /dev/kfd ollama/ollama:rocm"),
    ("variable-value-not-understood", {"DRI_PRIME": "pci-0000:03:00.0"}, "DRI_PRIME=pci-0000:03:00.0 llama-server -m a.gguf"),
    ("variable-value-not-understood", {"MESA_VK_DEVICE_SELECT": "4098:29772x"}, "export MESA_VK_DEVICE_SELECT=4098:29772x"),
    ("variable-value-not-understood", {"GGML_VK_FORCE_MAX_ALLOCATION_SIZE": "8G"}, "GGML_VK_FORCE_MAX_ALLOCATION_SIZE=8G llama-server -m a.gguf"),
    ("variable-value-not-understood", {"OLLAMA_GPU_OVERHEAD": "2GB"}, 'Environment="OLLAMA_GPU_OVERHEAD=2GB"'),
    ("hsa-override-empty", {"HSA_OVERRIDE_GFX_VERSION": ""}, "environment:\n  - HSA_OVERRIDE_GFX_VERSION=${HSA_OVERRIDE_GFX_VERSION:-}\n"),
    ("hsa-override-value-has-quotes", {"HSA_OVERRIDE_GFX_VERSION": '"10.3.0"'}, 'environment:\n  - HSA_OVERRIDE_GFX_VERSION="10.3.0"\n'),
    ("override-runs-foreign-instruction-set", {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"},
     "Device 0: AMD Radeon RX 7900 XTX, gfx1100 (0x1100), VMM: no, Wave Size: 32\nHSA_OVERRIDE_GFX_VERSION=10.3.0 llama-server -m a.gguf"),
    ("device-mask-of-minus-one-hides-gpus", {"HIP_VISIBLE_DEVICES": "-1"}, "export HIP_VISIBLE_DEVICES=-1\nRuntimeError: No HIP GPUs are available"),
    ("device-mask-of-minus-one-hides-gpus", {"CUDA_VISIBLE_DEVICES": "NoDevFiles"}, "CUDA_VISIBLE_DEVICES=NoDevFiles\nRuntimeError: No HIP GPUs are available"),
    ("device-mask-of-minus-one-hides-gpus", {"ROCR_VISIBLE_DEVICES": ""}, "export ROCR_VISIBLE_DEVICES=\nRuntimeError: No HIP GPUs are available"),
    ("device-mask-of-minus-one-hides-gpus", {"GGML_VK_VISIBLE_DEVICES": "-1"}, "I set GGML_VK_VISIBLE_DEVICES=-1 in the unit, and it runs on the CPU."),
    ("hip-and-rocr-masks-stack", {"HIP_VISIBLE_DEVICES": "1", "ROCR_VISIBLE_DEVICES": "1"}, "HIP_VISIBLE_DEVICES=1\nROCR_VISIBLE_DEVICES=1"),
    ("hip-and-rocr-masks-stack", {"CUDA_VISIBLE_DEVICES": "1", "ROCR_VISIBLE_DEVICES": "1"},
     "ROCR_VISIBLE_DEVICES=2 CUDA_VISIBLE_DEVICES=2 python train.py\nRuntimeError: No HIP GPUs are available"),
    ("visible-device-index-out-of-range", {"HIP_VISIBLE_DEVICES": "1"}, "HIP_VISIBLE_DEVICES=1\nFound 1 AMD GPU(s):"),
    ("device-variable-misspelt", {"ROCR_VISIBLE_DEVICE": "1"}, 'Environment="ROCR_VISIBLE_DEVICE=1"'),
    ("device-variable-misspelt", {"HSA_OVERIDE_GFX_VERSION": "11.0.0"}, "HSA_OVERIDE_GFX_VERSION=11.0.0 ollama serve"),
    ("device-variable-misspelt", {"HSA_OVERRIDE_GFX": "10.3.0"}, "export HSA_OVERRIDE_GFX=10.3.0"),
    ("device-variable-misspelt", {"OLLAMA_FLASH_ATENTION": "1"}, '$env:OLLAMA_FLASH_ATENTION = "1"'),
    ("device-variable-misspelt", {"OLLAMA_NUM_GPU": "0"}, "docker run -e OLLAMA_NUM_GPU=0 ollama/ollama"),
    ("debug-switch-left-set", {"AMD_SERIALIZE_KERNEL": "3"}, "AMD_SERIALIZE_KERNEL=3 python train.py"),
    ("debug-switch-left-set", {"HSA_ENABLE_SDMA": "0"}, "export HSA_ENABLE_SDMA=0"),
    ("debug-switch-left-set", {"AMD_LOG_LEVEL": "4"}, "I start it with AMD_LOG_LEVEL=4 in the unit."),
    ("debug-switch-left-set", {"GGML_VK_DISABLE_COOPMAT": "0"}, "GGML_VK_DISABLE_COOPMAT=0 llama-server -m a.gguf"),
    ("debug-switch-left-set", {"RADV_DEBUG": "syncshaders,nocache"}, "RADV_DEBUG=syncshaders,nocache llama-server -m a.gguf"),
    ("software-renderer-forced", {"LIBGL_ALWAYS_SOFTWARE": "1"}, "LIBGL_ALWAYS_SOFTWARE=1"),
    ("software-renderer-forced", {"GALLIUM_DRIVER": "llvmpipe"}, "export GALLIUM_DRIVER=llvmpipe"),
    ("variable-harms", {"OLLAMA_LLM_LIBRARY": "cpu"}, 'msg="server config" env="map[OLLAMA_DEBUG:false OLLAMA_LLM_LIBRARY:cpu]"'),
    ("variable-harms", {"OLLAMA_GPU_OVERHEAD": "8589934592"}, "OLLAMA_GPU_OVERHEAD=8589934592 ollama serve"),
    ("variable-harms", {"GPU_MAX_HEAP_SIZE": "50"}, "setx GPU_MAX_HEAP_SIZE 50\nGPU_MAX_HEAP_SIZE=50"),
    ("variable-harms", {"GPU_ENABLE_PAL": "1"}, "Linux box 6.8.0-138-generic #138-Ubuntu SMP x86_64 GNU/Linux\nexport GPU_ENABLE_PAL=1"),
    ("variable-harms", {"RADV_FORCE_FAMILY": "navi31"}, "RADV_FORCE_FAMILY=navi31 llama-server -m a.gguf"),
    ("variable-harms", {"GGML_CUDA_DEVICES": "0,1"}, "GGML_CUDA_DEVICES=0,1 llama-server -m a.gguf"),
]


@pytest.mark.parametrize(("wanted", "environment", "text"), BOTH, ids=[f"{row[0]}-{'-'.join(row[1])}-{number}" for number, row in enumerate(BOTH)])
def test_the_same_finding_from_a_machine_and_from_a_text(tmp_path, wanted, environment, text):
    several = "mi300x-cpx" if wanted == "hip-and-rocr-masks-stack" else "rx7900xtx"
    machine, read = of_machine(tmp_path, several, environment=environment), of_text(text)
    assert wanted in machine and wanted in read
    named = next(iter(environment))
    assert named in str(machine[wanted]) and re.search(rf"{named}|HSA_OVERRIDE", str(read[wanted]))


@pytest.mark.parametrize("environment", [
    {}, {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}, {"HIP_VISIBLE_DEVICES": "0"}, {"ROCR_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": "0"}, {"HIP_VISIBLE_DEVICES": ""},
    {"AMD_LOG_LEVEL": "1"}, {"HSA_ENABLE_SDMA": "1"}, {"OLLAMA_HOST": "0.0.0.0", "OLLAMA_KV_CACHE_TYPE": "q8_0"}, {"DRI_PRIME": "1"}, {"OLLAMA_ORIGINS": "*"},
    {"HSA_OVERRIDE_GFX_VERSION_1": "11.0.0"}, {"RADV_PERFTEST": "nggc"}, {"ROCM_VISIBLE_DEVICES": "0"}])
def test_a_machine_with_right_variables_is_silent(tmp_path, environment):
    assert not of_machine(tmp_path, environment=environment).keys() & check_words.findings("environment").keys()


@pytest.mark.parametrize("text", [
    "Without HIP_VISIBLE_DEVICES=-1 it lists the card.", "HSA_OVERRIDE_GFX_VERSION is not set.", "Should I try HSA_OVERRIDE_GFX_VERSION=gfx1100?",
    "I removed HSA_OVERRIDE_GFX_VERSION=gfx1100 from the profile.", "# export HIP_VISIBLE_DEVICES=-1", "HIP_VISIBLE_DEVICES=1", "ROCR_VISIBLE_DEVICES=1",
    'msg="server config" env="map[CUDA_VISIBLE_DEVICES: HIP_VISIBLE_DEVICES: HSA_OVERRIDE_GFX_VERSION: OLLAMA_DEBUG:INFO OLLAMA_VULKAN:false]"',
    'environment:\n  HSA_OVERRIDE_GFX_VERSION: "11.0.0"', 'docker run --env HSA_OVERRIDE_GFX_VERSION="10.3.0" ollama/ollama:rocm', "cmake -B build -DGGML_CUDA_FA=ON",
    'echo "export HSA_OVERRIDE_GFX_VERSION=${HSA_OVERRIDE_GFX_VERSION}" >> activate', "OLLAMA_GPU_OVERHEAD=1073741824",
    "export ROCM_PATH=/opt/rocm\nsudo pip3 install -r requirements.txt",
    "export HIP_VISIBLE_DEVICES=0\ndocker run -d \\\n  -p 3000:8080 \\\n  ghcr.io/open-webui/open-webui:main"])
def test_what_is_not_so_or_not_known_is_silent(text):
    assert not of_text(text).keys() & check_words.findings("environment").keys()


def test_a_container_of_several_lines_that_is_to_see_a_gpu():
    found = of_text("export HSA_ENABLE_SDMA=0\ndocker run -d \\\n  --device /dev/kfd \\\n  ollama/ollama:rocm")
    assert "variable-stays-in-shell" in found
    handed = of_text("export HSA_ENABLE_SDMA=0\ndocker run -d \\\n  -e HSA_ENABLE_SDMA=0 --device /dev/kfd \\\n  ollama/ollama:rocm")
    assert "variable-stays-in-shell" not in handed


def test_masks_of_two_runs_do_not_stack():
    far = "\n".join(["HIP_VISIBLE_DEVICES=1 ./a", *["..."] * 40, "ROCR_VISIBLE_DEVICES=1 ./b"])
    assert "hip-and-rocr-masks-stack" not in of_text(far)


def test_an_override_for_the_integrated_gpu_changes_the_card_too():
    facts = {"gpu.gfx_target[0]": "gfx1036", "gpu.gfx_target[1]": "gfx1201", "os.family": "linux"}
    found = of_text("export HSA_OVERRIDE_GFX_VERSION=10.3.0", facts)
    assert "fits gfx1036 and makes gfx1201 unusable" in found["override-is-for-all-gpus"].title
    of_node = {**facts, "gpu.kfd_node[0]": 1, "gpu.kfd_node[1]": 2}
    assert "override-runs-foreign-instruction-set" not in of_text("export HSA_OVERRIDE_GFX_VERSION_1=10.3.0", of_node)


def test_an_override_beside_native_kernels_is_not_needed():
    facts = {"gpu.gfx_target[0]": "gfx1151", "runtime.rocm_targets": ["gfx1100", "gfx1151"], "os.family": "linux"}
    assert "hsa-override-not-needed" in of_text("export HSA_OVERRIDE_GFX_VERSION=11.0.0", facts)
    assert "hsa-override-not-needed" not in of_text("export HSA_OVERRIDE_GFX_VERSION=11.5.1", facts)
    assert "hsa-override-not-needed" not in of_text("export HSA_OVERRIDE_GFX_VERSION=10.3.0", {**facts, "gpu.gfx_target[0]": "gfx1031", "runtime.rocm_targets": ["gfx1030"]})


def test_an_illegal_instruction_asks_for_the_override_where_nobody_told_of_one():
    line = "Queue 0x7f aborting with error : HSA_STATUS_ERROR_INVALID_ISA: The instruction set architecture is invalid. code: 0x100f"
    open_ = of_text(line)["override-runs-foreign-instruction-set"]
    assert open_.standing == "possible" and open_.title.startswith("Is HSA_OVERRIDE_GFX_VERSION set")
    assert of_text(line + "\nHSA_OVERRIDE_GFX_VERSION=10.3.0")["override-runs-foreign-instruction-set"].standing == "cause"
    assert "override-runs-foreign-instruction-set" not in of_text(line + "\nHSA_OVERRIDE_GFX_VERSION is not set on this machine.")


def test_the_override_does_nothing_on_windows():
    found = of_text("Windows 11\nC:\\> set HSA_OVERRIDE_GFX_VERSION=10.3.0", {"os.family": "windows"})
    assert found["hsa-override-has-no-effect-on-windows"].severity == "info" and "variable-value-not-understood" not in found
    failed = "rocBLAS error: Cannot read TensileLibrary.dat: Illegal seek for GPU arch : gfx1031\nset HSA_OVERRIDE_GFX_VERSION=10.3.0"
    assert of_text(failed, {"os.family": "windows"})["hsa-override-has-no-effect-on-windows"].severity == "error"


def test_an_override_on_windows_without_its_value():
    told = of_text("Windows 11, RX 6700 XT. HSA_OVERRIDE_GFX_VERSION is set in the system variables, Ollama still runs on the CPU.")
    assert told["hsa-override-has-no-effect-on-windows"].severity == "error"
    asked = of_text("Windows 11, RX 6700 XT. Ollama runs on the CPU. Should I set HSA_OVERRIDE_GFX_VERSION=10.3.0?")
    assert asked["hsa-override-has-no-effect-on-windows"].severity == "info"
    assert "hsa-override-has-no-effect-on-windows" not in of_text("Ubuntu 24.04, RX 6700 XT. HSA_OVERRIDE_GFX_VERSION is set, Ollama still runs on the CPU.")


def test_an_override_that_is_no_version_is_replaced_by_that_of_the_gpu():
    found = answers("Radeon 780M (gfx1103), no GPU is found.\n# env | grep HSA\nHSA_OVERRIDE_GFX_VERSION=detection error\n")["variable-value-not-understood"]
    assert found.fixes[0].title.endswith("HSA_OVERRIDE_GFX_VERSION=11.0.0")


def test_a_wrong_override_names_the_right_one():
    found = of_text("RX 6700 XT (gfx1031). The script says export HSA_OVERRIDE_GFX_VERSION=11.0.0 and the program crashes.")["override-runs-foreign-instruction-set"]
    assert "10.3.0" in found.summary and "10.3.0" in found.fixes[0].title
    assert all("instruction set" not in fix.title for fix in of_text(
        "RX 7900 XTX (gfx1100). The script says export HSA_OVERRIDE_GFX_VERSION=10.3.0 and the program crashes.")["override-runs-foreign-instruction-set"].fixes)


def test_words_of_a_sentence_are_no_value():
    text = "RX 6600 on Linux. HSA_OVERRIDE_GFX_VERSION was set to {} and Ollama runs on the CPU."
    assert "variable-value-not-understood" not in of_text(text.format("several values"))
    assert "variable-value-not-understood" in of_text(text.format("gfx1030"))


def test_a_variable_of_another_program_or_backend_does_nothing():
    assert "variable-without-effect-here" in of_text("export OLLAMA_VULKAN=1", {"report.apps": ["vllm"]})
    assert "variable-without-effect-here" not in of_text("export OLLAMA_VULKAN=1", {"report.apps": ["ollama", "vllm"]})
    assert "variable-without-effect-here" in of_text("export HSA_ENABLE_SDMA=0", {"llama.backend": "vulkan"})


def test_unified_memory_needs_wrong_output():
    wrong = "GGML_CUDA_ENABLE_UNIFIED_MEMORY=1 llama-server -m a.gguf\nthe model answers with garbage"
    assert of_text(wrong)["ggml-unified-memory-corrupts-output"].standing == "cause"
    assert "ggml-unified-memory-corrupts-output" not in of_text("GGML_CUDA_ENABLE_UNIFIED_MEMORY=1 llama-server -m a.gguf")
    assert "ggml-unified-memory-corrupts-output" not in of_text("llama.cpp: the model answers with garbage.")
    assert "variable-harms" in of_text("GGML_CUDA_ENABLE_UNIFIED_MEMORY=1 llama-server -m a.gguf", {"gpu.is_apu[0]": False, "os.family": "linux"})


def test_a_server_without_the_variable_of_its_unit(tmp_path):
    log = 'msg="server config" env="map[HSA_OVERRIDE_GFX_VERSION: OLLAMA_DEBUG:false OLLAMA_VULKAN:false]"'
    for setting in ('Environment="HSA_OVERRIDE_GFX_VERSION=11.0.0"', "export HSA_OVERRIDE_GFX_VERSION=11.0.0", "$ export OLLAMA_VULKAN=1"):
        assert "service-environment-not-in-running-server" in of_text(f"{setting}\n{log}")
    assert "service-environment-not-in-running-server" not in of_text(
        'Environment="HSA_OVERRIDE_GFX_VERSION=11.0.0"\n' + log + "\n" + log.replace("VERSION:", "VERSION:11.0.0"))
    assert "service-environment-not-in-running-server" not in of_text(log)
    for name, text in (("override.conf", '[Service]\nEnvironment="HSA_OVERRIDE_GFX_VERSION=11.0.0"\n'), ("ollama.log", log)):
        (tmp_path / "files").mkdir(exist_ok=True)
        (tmp_path / "files" / name).write_text(text)
    server = {"proc/4711/comm": "ollama\n", "proc/4711/environ": "PATH=/usr/bin\0OLLAMA_HOST=0.0.0.0\0"}
    found = of_machine(tmp_path, environment={"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}, files=server)
    assert found["service-environment-not-in-running-server"].severity == "warning"
    has = {**server, "proc/4711/environ": "HSA_OVERRIDE_GFX_VERSION=11.0.0\0"}
    assert "service-environment-not-in-running-server" not in of_machine(tmp_path / "second", environment={"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}, files=has)
    assert "service-environment-not-in-running-server" in of_files(tmp_path / "files")


def test_no_secret_is_read(tmp_path):
    found = of_machine(tmp_path, environment={"OLLAMA_API_KEY": "hidden-1", "OLLAMA_AUTH_TOKEN": "hidden-2"})
    assert "hidden" not in str(found)


def test_the_table_is_of_its_form():
    table = tables.load("env_vars")
    names = [row["name"] for row in table["vars"]]
    assert len(names) == len(set(names)) > 150
    symptoms = {rule.id for rule in rules.load().rules.values() if rule.kind == "symptom"}
    for row in table["vars"]:
        for pattern in (row.get("form"), row.get("left"), *(harm.get("value") for harm in row.get("harm") or ())):
            assert pattern is None or re2.compile(str(pattern))
        assert not row.get("wrong") or row.get("form_words"), row["name"]
        for harm in row.get("harm") or ():
            of_table(str(harm.get("only") or "1 == 1"))
            assert {*(harm.get("explains") or ()), *(harm.get("needs") or ())} <= symptoms
            assert not harm.get("id") or harm["id"] in check_words.findings("environment")
    probe = (TOP / "probes/environment.py").read_text().split('NAMES = """')[1].split('"""')[0].split()
    assert {name for name in names if not name.endswith("*")} <= set(probe)


def test_masks_as_hip_reads_them():
    assert [left(*case) for case in (("GPU-0f,GPU-1f", 4), ("1", 1), ("3,0", 2), ("0,0", 2), (" 1", 2), ("0x1", 4))] == [2, 0, 0, 1, 1, 0]


def test_a_setting_that_harms_goes_before_an_unexplained_symptom_as_a_question(tmp_path):
    (tmp_path / "report.txt").write_text("Voicebox on Linux with an RX 9070 XT (gfx1201). Now and then it is very slow.\n")
    (tmp_path / "environ.txt").write_text("$ env | grep HSA\nHSA_OVERRIDE_GFX_VERSION=10.3.0\n")
    book = rules.load()
    snapshot = Snapshot("2026-11-29T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(tmp_path)], io.BytesIO()).texts, Scanner(book.patterns()))
    first = make_report(snapshot, book).findings[0]
    assert first.id == "override-runs-foreign-instruction-set" and first.standing == "possible"
    assert first.title.startswith("Does the trouble go away without this setting?")


# Values that the forms and patterns of the table are tried with; one of them must fit every form, and one must not.
VALUES = ("1", "0", "2", "10.3.0", "GPU-0f", "cpu", "nvidia", "navi31", "llvmpipe", "0,1", "true", "rocm_v6", "17179869184", "50", "all", "llvm", "syncshaders",
          "1002:744c", "1002:744c!", "pci-0000_03_00_0", "/usr/share/vulkan/icd.d/radeon_icd.json", "host:8080", "5m", "nonsense!", "gfx1100", "-1", "HYBRID", "3", "4",
          "rocm", "q8_0", "ICD", "radv", "AMDVLK", "expandable_segments:True", "noop", "8", "64", "debug", "INFO", "7", "false", "off", "on", "ERROR", "11.0.0", "force")
TOLD = {"OLLAMA_VULKAN": ("Ollama is very slow.", {"ollama.library": "rocm"}), "GGML_DISABLE_VULKAN": ("llama.cpp is slow.", {}),
        "GGML_CUDA_ENABLE_UNIFIED_MEMORY": ("The model answers with garbage.", {})}
CAN_BE_WRONG = [row for row in tables.load("env_vars")["vars"] if row.get("wrong") or row.get("harm") or row.get("left")]


def fitting(pattern, right=True):
    return next((value for value in VALUES if bool(re2.fullmatch("(?:" + str(pattern) + ")", value)) is right), None)


def machine(tmp_path, name, value, only=()):
    told, facts = TOLD.get(name, ("", {}))
    apps = {"app.name[x]": only[0]} if only else {}
    return of_machine(tmp_path, environment={name: value}, told=told, facts={**facts, **apps})


@pytest.mark.parametrize("row", CAN_BE_WRONG, ids=lambda row: row["name"])
def test_every_variable_that_can_be_wrong_is_named_with_a_wrong_value_and_not_with_a_right_one(tmp_path, row):
    """What the table calls wrong, harmful or left on, on a recorded machine with that variable; silent with a value that none of it fits."""
    name = row["name"].replace("_*", "_1")
    bad = [(fitting(row["form"], False), "variable-value-not-understood")] if row.get("wrong") else []
    bad += [(fitting(harm.get("value", ".*")), harm.get("id") or "variable-harms") for harm in (row.get("harm") or ())[:1]]
    bad += [(fitting(row["left"]), "debug-switch-left-set")] if row.get("left") else []
    for number, (value, wanted) in enumerate(bad):
        found = machine(tmp_path / f"bad{number}", name, value, row.get("read_by") or ())
        assert value is not None and wanted in found and name in str(found[wanted]), (value, wanted, list(found))
    refused = [row.get("left"), *(harm.get("value", ".*") for harm in row.get("harm") or ())]
    good = next((value for value in VALUES if (not row.get("form") or re2.fullmatch("(?:" + row["form"] + ")", value))
                 and not any(pattern and re2.fullmatch("(?:" + str(pattern) + ")", value) for pattern in refused)), None)
    if good is not None:
        found = machine(tmp_path / "good", name, good, row.get("read_by") or ())
        ours = {"variable-value-not-understood", "variable-harms", "debug-switch-left-set", "software-renderer-forced", "ggml-unified-memory-corrupts-output"}
        assert not [one for one in ours & found.keys() if name in str(found[one].title)], (good, list(found))


@pytest.mark.parametrize("row", tables.load("env_vars")["instead"], ids=lambda row: row["name"])
def test_every_name_that_nothing_reads_is_named(tmp_path, row):
    assert row["name"] in str(of_machine(tmp_path, environment={row["name"]: "1"})["device-variable-misspelt"])


def test_an_override_for_all_gpus_names_the_node_of_the_one_it_fits():
    text = "Both cards are in one machine, the one is unusable.\nexport HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
    gpus = {"gpu__gfx_target___0": "gfx1200", "gpu__kfd_node___0": 1, "gpu__gfx_target___1": "gfx1032", "gpu__kfd_node___1": 2}
    found = answers(text, **gpus)
    commands = [command for fix in found["override-is-for-all-gpus"].fixes for command in fix.commands]
    assert "gfx1032" in found["override-is-for-all-gpus"].title and "export HSA_OVERRIDE_GFX_VERSION_2=10.3.0" in commands
    assert "override-is-for-all-gpus" not in answers(text, gpu__gfx_target___0="gfx1032", gpu__gfx_target___1="gfx1031")
    own = answers(text.replace("VERSION=", "VERSION_2="), **gpus)
    assert "override-is-for-all-gpus" not in own


def test_a_negative_index_can_abort():
    said = "HIP_VISIBLE_DEVICES=-1\nimport torch\n{}\n"
    assert "negative-index-in-mask" in answers(said.format("Aborted (core dumped)"))
    assert "device-mask-of-minus-one-hides-gpus" in answers(said.format("RuntimeError: No HIP GPUs are available"))
