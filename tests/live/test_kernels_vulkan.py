"""The Vulkan test kernels on real drivers: lavapipe, RADV on an emulated AMD GPU that executes nothing, RADV without hardware."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from test_vulkan_real import ICDS, MESA, RADV, needs_lavapipe, needs_radv

from rocmdoctor.facts.model import Known, Snapshot
from rocmdoctor.live import kernel_tests

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "probes/gpu_sanity"
LAVAPIPE = next((icd for icd in ICDS if "lvp" in icd), "")
EMULATED = ("navi31", "navi21", "navi10", "gfx1150", "renoir", "raven", "raven2", "raphael_mendocino", "stoney", "polaris10", "polaris12", "vega10")


def outcome_of(monkeypatch, tmp_path, level=1, **environment):
    for name, value in {"XDG_RUNTIME_DIR": str(tmp_path), **environment}.items():
        monkeypatch.setenv(name, value)
    snapshot = Snapshot("now", "live")
    kernel_tests.run(snapshot, [], kernel_tests.Plan(level, ("vulkan",)))
    return {stored: fact.value for stored, fact in snapshot.facts.items() if isinstance(fact, Known)}, snapshot


@needs_lavapipe
def test_lavapipe_computes_right_and_is_said_to_be_a_cpu(monkeypatch, tmp_path):
    facts, snapshot = outcome_of(monkeypatch, tmp_path, VK_ICD_FILENAMES=LAVAPIPE)
    assert facts["test.verdict[vulkan-0]"] == "right", facts["test.checks[vulkan-0]"]
    assert facts["test.device_type[vulkan-0]"] == "cpu" and "llvmpipe" in facts["test.device[vulkan-0]"]
    assert facts["test.checks[vulkan-0]"][0]["check"] == "pattern"  # how many there are is a question of time
    assert {row["verdict"] for row in facts["test.checks[vulkan-0]"]} == {"right"} and [run.ended for run in snapshot.runs] == ["ok"]


@needs_lavapipe
def test_a_cpu_is_soon_left_alone(monkeypatch, tmp_path):
    """Who waits for the quick checks asks about GPUs; one that takes longer than the time for all is the last."""
    program = tmp_path / "programs" / "vulkan_kernels.py"
    program.parent.mkdir()
    program.write_text(f"import sys\nsys.path.insert(0, {str(FOLDER)!r})\nsys.path.insert(0, {str(FOLDER.parent)!r})\n"
                       f"import runpy\nown = runpy.run_path({str(FOLDER / 'vulkan_kernels.py')!r})\nown['test'].__globals__['CPU_SECONDS'] = 0\nown['main']()\n")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("VK_ICD_FILENAMES", LAVAPIPE)
    snapshot = Snapshot("now", "live")
    kernel_tests.run(snapshot, [], kernel_tests.Plan(1, ("vulkan",), folder=program.parent))
    assert [row["check"] for row in snapshot.facts["test.checks[vulkan-0]"].value] == ["pattern"]
    assert snapshot.facts["test.verdict[vulkan-0]"].value == "right"


@needs_radv
@pytest.mark.parametrize("gpu", EMULATED)
def test_a_gpu_that_executes_nothing_is_told_from_one_that_computes_wrong(monkeypatch, tmp_path, gpu):
    facts, _ = outcome_of(monkeypatch, tmp_path, **RADV, AMDGPU_GPU_ID=gpu)
    rows = {row["check"]: row["verdict"] for row in facts["test.checks[vulkan-0]"]}
    assert facts["test.verdict[vulkan-0]"] == "unwritten" and set(rows.values()) <= {"unwritten", "untestable"}
    assert {"pattern", "axpy", "gemm-f32", "atomics", "softmax", "copy-host-visible"} <= set(facts["test.unwritten_checks[vulkan-0]"])
    assert facts["test.wrong_checks[vulkan-0]"] == []


@needs_radv
@pytest.mark.parametrize(("gpu", "matrices"), [("navi31", True), ("gfx1150", True), ("navi21", False)])
def test_the_checks_of_level_2_ask_for_what_the_driver_offers(monkeypatch, tmp_path, gpu, matrices):
    """RADV compiles cooperative matrices for RDNA3, at both subgroup sizes and in both types of sums, and offers none for RDNA2."""
    facts, _ = outcome_of(monkeypatch, tmp_path, 2, **RADV, AMDGPU_GPU_ID=gpu)
    rows = {row["check"]: row for row in facts["test.checks[vulkan-0]"]}
    assert rows["int8-dot-blocks"]["verdict"] == "unwritten"
    if matrices:
        kinds = 2 * 2  # in each of them, 77 x 51 and 33 x 32 tiles of 16 x 16
        assert rows["coopmat-f16"]["verdict"] == "unwritten" and rows["coopmat-f16"]["elements"] == kinds * (77 * 51 + 528 * 512)
        assert facts["test.unwritten_checks[vulkan-0]"].count("coopmat-f16") == 1
    else:
        assert rows["coopmat-f16"]["verdict"] == "untestable" and "does not offer" in rows["coopmat-f16"]["detail"]


@needs_radv
@pytest.mark.parametrize("family", ["gfx1151", "gfx1201", "mi100"])
def test_a_driver_without_hardware_is_said_to_be_untestable(monkeypatch, tmp_path, family):
    facts, _ = outcome_of(monkeypatch, tmp_path, VK_ICD_FILENAMES=RADV["VK_ICD_FILENAMES"], LD_LIBRARY_PATH=RADV["LD_LIBRARY_PATH"],
                      RADV_FORCE_FAMILY=family)
    assert facts["test.verdict[vulkan-0]"] == "untestable" and "no memory" in facts["test.reason[vulkan-0]"]


@needs_radv
def test_out_of_device_memory_with_memory_free_is_caught(monkeypatch, tmp_path):
    """The emulated card reports 24 GiB free, and its address space ends at 4."""
    facts, _ = outcome_of(monkeypatch, tmp_path, 2, **RADV, AMDGPU_GPU_ID="navi31")
    assert facts["test.reported_free_bytes[vulkan-0]"] > 20 << 30 > facts["test.allocated_bytes[vulkan-0]"]
    assert "memory-total" in facts["test.failed_checks[vulkan-0]"] and facts["test.leaked_bytes[vulkan-0]"] == 0


def manifest(path, library):
    path.write_text(json.dumps({"file_format_version": "1.0.0", "ICD": {"library_path": library, "api_version": "1.3.0"}}))
    return str(path)


@needs_lavapipe
@pytest.mark.parametrize("bad", ["none", "not json", "no library", "other architecture", "no permission"])
def test_a_driver_that_cannot_be_loaded_is_named(monkeypatch, tmp_path, bad):
    file = tmp_path / "driver.json"
    if bad == "not json":
        file.write_text("{")
    elif bad == "no library":
        manifest(file, "libvulkan_of_nobody.so")
    elif bad == "other architecture":
        library = tmp_path / "libvulkan_arm.so"
        header = bytearray((MESA / "usr/lib/x86_64-linux-gnu/libvulkan_lvp.so").read_bytes()[:4096])
        header[18:20] = (183).to_bytes(2, "little")  # EM_AARCH64
        library.write_bytes(header)
        manifest(file, str(library))
    elif bad == "no permission":
        manifest(file, str(tmp_path))  # a folder: what nobody may read, whoever runs this
    facts, snapshot = outcome_of(monkeypatch, tmp_path, VK_ICD_FILENAMES=str(file))
    assert facts["test.verdict[vulkan-0]"] == "untestable" and "driver.json" in facts["test.reason[vulkan-0]"]
    wanted = {"none": "No such file", "not json": "broken JSON", "no library": "libvulkan_of_nobody.so", "other architecture": "libvulkan_arm.so"}
    assert wanted.get(bad, "") in facts["test.reason[vulkan-0]"]
    assert [run.ended for run in snapshot.runs] == ["ok"] and "Traceback" not in snapshot.runs[0].noise


@pytest.mark.parametrize(("error", "words"), [("KeyError('libamd_smi')", "does not work: KeyError"), ("OSError('x')", "no Vulkan loader")])
def test_a_binding_that_breaks_at_import_is_a_reason(monkeypatch, tmp_path, error, words):
    (tmp_path / "vulkan.py").write_text(f"raise {error}\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    facts, snapshot = outcome_of(monkeypatch, tmp_path)
    assert facts["test.verdict[vulkan-0]"] == "untestable" and words in facts["test.reason[vulkan-0]"]
    assert snapshot.runs[0].ended == "ok"


@pytest.mark.skipif(not shutil.which("glslangValidator"), reason="no glslangValidator (Debian: glslang-tools)")
def test_the_compiled_kernels_are_those_of_the_sources(tmp_path):
    sources = sorted(source for source in (FOLDER / "shaders").glob("*.comp") if not source.stem.startswith("coopmat"))
    assert len(sources) >= 10
    version = subprocess.run(["glslangValidator", "--version"], capture_output=True, text=True).stdout.partition("\n")[0]
    for source in sources:
        done = compiled("glslangValidator", source, tmp_path)
        assert done.returncode == 0, done.stdout
        if ":12." in version:
            assert_same_code(source, tmp_path)
    if ":12." not in version:
        pytest.skip(f"they compile, but the shipped ones were made by glslang 12, and this is {version}")


def compiled(compiler, source, folder):
    return subprocess.run([compiler, "--quiet", "-V", "--target-env", "vulkan1.1", str(source), "-o", str(folder / f"{source.stem}.spv")],
                          capture_output=True, text=True)


def assert_same_code(source, folder):
    made, kept = (folder / f"{source.stem}.spv").read_bytes(), source.with_suffix(".spv").read_bytes()
    # Words 2 and 3 of the header name the compiler's version; a newer one may still give the same code.
    assert made[:8] + made[12:] == kept[:8] + kept[12:], source.name


@pytest.mark.parametrize("sums", ["f32", "f16"])
def test_the_compiled_matrix_kernels_are_those_of_the_sources(tmp_path, sums):
    """COOPMAT_GLSLANG may name a compiler that is newer than the installed one, as for scripts/compile_shaders."""
    compiler, source = os.environ.get("COOPMAT_GLSLANG") or shutil.which("glslangValidator"), FOLDER / f"shaders/coopmat_{sums}.comp"
    assert source.with_suffix(".spv").stat().st_size > 5000
    if not compiler:
        pytest.skip("no glslangValidator (Debian: glslang-tools)")
    done = compiled(compiler, source, tmp_path)
    if "extension not supported: GL_KHR_cooperative_matrix" in done.stdout:
        pytest.skip("this glslang does not know cooperative matrices (15 does; COOPMAT_GLSLANG may name it)")
    assert done.returncode == 0, done.stdout
    assert_same_code(source, tmp_path)


@needs_lavapipe
def test_the_command_shows_the_table(monkeypatch, tmp_path):
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "test", "-v", "--level", "1", "--backend", "vulkan"], capture_output=True, text=True,
                          timeout=60, env={**os.environ, "VK_ICD_FILENAMES": LAVAPIPE, "XDG_RUNTIME_DIR": str(tmp_path)})
    assert done.returncode == 3 and "No GPU was tested" in done.stdout.splitlines()[0], done.stderr  # a CPU that computes right is no GPU
    assert "a CPU, not a GPU" in done.stdout and "gemm-f16" in done.stdout and "Traceback" not in done.stderr


IN_PROCESS = """
import os, sys
sys.path.insert(0, {folder!r})
import numpy as np, vulkan as vk
import cases, vulkan_device, vulkan_memory
application = vk.VkApplicationInfo(pApplicationName="t", applicationVersion=1, pEngineName="n", engineVersion=1, apiVersion=vk.VK_MAKE_VERSION(1, 3, 0))
create = vk.VkInstanceCreateInfo(pApplicationInfo=application, enabledLayerCount=0, ppEnabledLayerNames=None, enabledExtensionCount=0,
                                 ppEnabledExtensionNames=None)
instance = vk.vkCreateInstance(create, None)
device = vulkan_device.Device(vk, instance, vk.vkEnumeratePhysicalDevices(instance)[0], 30)
rng = np.random.default_rng()
{work}
sys.stdout.flush()
os._exit(0)
"""


def in_process(tmp_path, work):
    done = subprocess.run([sys.executable, "-c", IN_PROCESS.format(folder=str(FOLDER), work=work)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "VK_ICD_FILENAMES": LAVAPIPE, "XDG_RUNTIME_DIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr[-800:]
    return done.stdout.split()


@needs_lavapipe
def test_one_wrong_bit_is_seen_by_every_check(tmp_path):
    """Every kernel runs for real; then one bit of one element of one of its outputs is turned over, ten times each."""
    said = in_process(tmp_path, """
shapes = device.matrix_shapes() if "coopmat" in device.features else ()
makers = [*cases.for_level(rng, 1, device.subgroups, slow=True), lambda: cases.int8_blocks(rng, 1021, 16),
          *cases.for_matrices(rng, shapes, device.subgroups)]
for make in makers:
    case = make()
    outputs, before = device.run(case, rng)
    size, seen = cases.output_bytes(case, outputs[0]), 0
    for _ in range(10):
        run, place, bit = rng.integers(3), rng.integers(size), rng.integers(8)
        changed = bytearray(outputs[run])
        changed[place] ^= 1 << int(bit)
        seen += cases.judge(case, [bytes(changed) if n == run else raw for n, raw in enumerate(outputs)], before).verdict == "wrong"
    print(f"{case.name.replace(' ', '_')}={seen}", cases.judge(case, outputs, before).verdict)
""")
    assert len(said) >= 20 and any(entry.startswith("int8-dot-blocks=") for entry in said) and set(said[1::2]) == {"right"}
    assert {entry.partition("=")[2] for entry in said[::2]} == {"10"}, said


def test_several_runs_in_one_check_are_as_good_as_the_worst_of_them():
    """Made-up judgements: no driver here multiplies wrongly."""
    said = subprocess.run([sys.executable, "-c", f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import numpy as np
from cases import Judgement, coopmat, worst
rng = np.random.default_rng(1)
kinds = [coopmat(rng, sums, (16, 16, 16), 32, False) for sums in ("f32", "f16")]
right, wrong, nothing = Judgement("right", "", 0, 9), Judgement("wrong", "3 of 9", 3, 9), Judgement("unwritten", "nothing", 9, 9)
for one, two in ((right, right), (right, wrong), (nothing, wrong), (right, nothing), (nothing, nothing)):
    found = worst(list(zip(kinds, (one, two))))
    print(found.verdict, found.wrong, found.elements, "sums in f16" in found.detail)
"""], capture_output=True, text=True, check=True).stdout.splitlines()
    assert said == ["right 0 18 False", "wrong 3 18 True", "wrong 12 18 True", "unwritten 9 18 True", "unwritten 18 18 False"]


@needs_lavapipe
def test_the_sweep_finds_a_wrong_word_and_its_place(tmp_path):
    said = in_process(tmp_path, """
size = 1 << 20
block, patch = device.local(size), device.upload(4)
vulkan_memory.launch(device, "sweep_write", [block], [[size // 4, 1, 77]])
patch.write(np.array([123], np.uint32))
device.wait(device.submit(device.commands(lambda commands: device.copy(commands, patch, block, 4, 0, 4000))))
_, logs = vulkan_memory.launch(device, "sweep_read", [block], [[size // 4, 1, 77]])
print(*logs[0][:3])
""")
    assert said == ["1", "1000", "123"]
