"""`rocmdoctor memory` as a user types it, on recorded machines and on reports; and the arithmetic behind it."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET

import jsonschema
import pytest

from rocmdoctor.cli import main
from rocmdoctor.facts import schema
from rocmdoctor.facts.model import Known
from rocmdoctor.facts.sizes import GIB, parse, words
from rocmdoctor.knowledge import tables
from rocmdoctor.memory import fit, need, shape, split
from rocmdoctor.memory.machine import Gpu, Host, fitted_size
from rocmdoctor.memory.need import Setting
from rocmdoctor.memory.picture import Asked, picture
from rocmdoctor.memory.place import Place, places, predicted_heaps
from rocmdoctor.render.figures import memory_svg, stack

gguf = pytest.importorskip("gguf", reason="the gguf package is not installed (extra rocmdoctor[gguf])")
hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is not installed (extra dev)")
given, st = hypothesis.given, hypothesis.strategies

TOP = pathlib.Path(__file__).resolve().parents[2]
MACHINES = TOP / "fixtures/machines"
ARTICLE = TOP / "fixtures/cases/apu-too-little-system-ram-for-staging/inputs"


@dataclasses.dataclass
class Done:
    """What a command left."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments, stdin="", columns="110"):
    """The program in this process: the rules are loaded once."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", ["rocmdoctor", *map(str, arguments)])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        patch.setenv("COLUMNS", columns)
        with pytest.raises(SystemExit) as ended:
            main()
    code = ended.value.code
    assert "Traceback" not in err.getvalue() and code != 70, err.getvalue()
    return Done(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def memory(*arguments, **more):
    return run("memory", *arguments, **more)


def report(*arguments, status=0):
    done = memory("--json", *arguments)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def on(machine, *arguments, status=0):
    return report("--root", MACHINES / machine, *arguments, status=status)["memory"]["gpus"][0]


def pools(gpu):
    return {pool["name"]: pool for pool in gpu["pools"]}


def fits(gpu):
    return {one["backend"]: one for one in gpu["fits"]}


# ---- stories

def test_the_article_ends_in_an_even_split():
    """48/16 on Windows, a Q6_K file of 26.8 GB, Vulkan: the file cannot be staged, 32/32 cures it."""
    found = report(ARTICLE, "--model-size", "26.8GB", status=1)
    gpu = found["memory"]["gpus"][0]
    vulkan = fits(gpu)["vulkan"]
    assert vulkan["verdict"] == "only_with"
    assert "staging" in vulkan["fails_at"]
    assert any("32/32" in change for change in vulkan["changes"])
    assert gpu["plan"]["says"].startswith("32/32") and "has to pass while it loads" in gpu["plan"]["says"]
    assert gpu["plan"]["carve_out_bytes"] == gpu["plan"]["system_bytes"] == 32 * GIB
    assert found["findings"][1]["id"] == "apu-too-little-system-ram-for-staging"


def test_the_same_split_and_model_on_linux_end_in_a_small_carve_out():
    gpu = on("strix-halo-48-16", "--model-size", "26.8GB")
    assert gpu["plan"]["carve_out_bytes"] == GIB // 2
    assert gpu["plan"]["limit_bytes"] >= 50 * GIB
    text = json.dumps(gpu["plan"]["steps"])
    assert f"ttm.pages_limit={gpu['plan']['limit_bytes'] // 4096}" in text and "amd-ttm --set" in text and "--remove-args" in text


def test_no_split_is_proposed_that_starves_the_loader():
    """16 GB in all: 3/13 stages a file of 9 GB, 8/8 would not."""
    facts = {"gpu.is_apu[0]": Known(True, "t"), "gpu.vram_bytes[0]": Known(3 * GIB, "t"), "memory.installed_bytes": Known(16 * GIB, "t"),
             "os.family": Known("windows", "t")}
    gpu = picture(facts, [Asked(shape.of_size(9 * 10**9), Setting(8192))]).gpus[0]
    assert gpu.plan.says.startswith("No split of 16 GiB") and gpu.plan.steps == []
    smaller = picture(facts, [Asked(shape.of_size(7 * 10**9), Setting(4096))]).gpus[0]
    assert smaller.plan.system_bytes - 4 * GIB >= 7 * 10**9


def test_what_applications_logged_is_part_of_the_picture(tmp_path):
    log = tmp_path / "ollama.log"
    log.write_text('time=2026-03-01T10:00:00Z level=INFO source=types.go:42 msg="inference compute" id=0 library=ROCm compute=gfx1151 name=ROCm0 '
                   'description="AMD Radeon Graphics" pci_id=0000:c5:00.0 type=iGPU total="96.0 GiB" available="26.8 GiB"\n')
    done = memory("--json", log)
    gpu = json.loads(done.stdout)["memory"]["gpus"][0]
    assert pools(gpu)["Ollama says"]["total_bytes"] == 96 * GIB and pools(gpu)["Ollama says"]["used_bytes"] > 69 * GIB
    assert json.loads(done.stdout)["findings"][0]["id"] == "uma-free-memory-read-from-host"


def test_an_old_kernel_gives_hip_half_of_what_is_left():
    gpu = on("strix-halo-old-kernel", "--model-size", "26.8GB", status=1)
    assert fits(gpu)["vulkan"]["verdict"] == "yes"
    assert fits(gpu)["hip"]["verdict"] == "only_with"
    assert "GTT" in fits(gpu)["hip"]["fails_at"]


# ---- the picture

@pytest.mark.parametrize(("machine", "wanted"), [
    ("strix-halo-96-32", {"carve-out (VRAM)": 96 * GIB, "GTT": 17050894336, "KFD bank (public)": 96 * GIB}),
    ("strix-halo-512m-gtt", {"carve-out (VRAM)": GIB // 2, "GTT": 29491200 * 4096}),
    ("strix-halo-48-16", {"carve-out (VRAM)": 48 * GIB, "GTT": 8005000 * 1024}),
    ("strix-halo-overcommit", {"carve-out (VRAM)": 8 * GIB, "GTT": 133143986176}),
    ("phoenix-780m", {"carve-out (VRAM)": GIB // 2, "GTT": 23983 << 20}),
    ("strix-point-recorded", {"GTT": 16441004032}),
    ("rx7900xtx", {"VRAM": 25753026560}),
    ("rx9070xt-with-igpu", {"VRAM": 17095983104}),
    ("mi300a-dkms", {"GTT": 527000000 * 512}),
])
def test_pools_of_recorded_machines(machine, wanted):
    status = 1 if machine == "mi300a-dkms" else 0
    found = report("--root", MACHINES / machine, status=status)
    gpu = found["memory"]["gpus"][0]
    assert {name: pools(gpu)[name]["total_bytes"] for name in wanted} == wanted
    assert all(pool["source"] for pool in gpu["pools"])
    jsonschema.validate(found, schema.generate())


def test_half_of_the_ram_is_two_thirds_and_one_third_for_vulkan():
    gpu = on("strix-point-recorded")
    local, host = (pools(gpu)[f"Vulkan heap {n}"]["total_bytes"] for n in ("0 (device-local)", "1 (host)"))
    assert abs(local - 2 * host) <= 2


def test_who_holds_memory_is_counted_once_for_each_client():
    holders = {row["name"]: row for row in on("strix-halo-48-16")["holders"]}
    assert holders["llama-server"]["vram_bytes"] == 9 * GIB and holders["llama-server"]["gtt_bytes"] == GIB // 2
    assert holders["python3"]["kfd_bytes"] == 2 * GIB


def test_holders_that_may_not_be_read_are_unknown_with_the_reason():
    facts = {"gpu.is_apu[0]": Known(True, "t"), "gpu.vram_bytes[0]": Known(GIB, "t"), "memory.hidden_processes": Known(7, "t")}
    found = picture(facts)
    assert found and found.gpus[0].holders == [] and "7 processes" in found.gpus[0].holders_unknown and "sudo" in found.gpus[0].holders_unknown


def test_what_applications_take_it_for_differs_by_version():
    gpu = on("strix-halo-512m-gtt")
    taken = {(app["app"], app["backend"], app["versions"]): app["bytes"] for app in gpu["apps"]}
    assert taken["ollama", "rocm", "before 0.13.1"] == GIB // 2
    assert taken["ollama", "rocm", "0.13.1 to 0.25"] == 29491200 * 4096
    assert taken["lmstudio", "vulkan", "all"] == (GIB // 2 + 29491200 * 4096) * 2 // 3


def test_an_installed_version_chooses_its_row():
    facts = {"gpu.is_apu[0]": Known(True, "t"), "gpu.vram_bytes[0]": Known(GIB // 2, "t"), "gpu.gtt_bytes[0]": Known(64 * GIB, "t"),
             "os.family": Known("linux", "t"), "ollama.version": Known("0.15.4", "t")}
    found = picture(facts)
    rows = [app for app in found.gpus[0].apps if app.app == "ollama" and app.backend == "rocm"]
    assert [(row.versions, row.bytes, row.installed) for row in rows] == [("0.13.1 to 0.25", 64 * GIB, True)]


@pytest.mark.parametrize(("machine", "finding"), [
    ("strix-halo-old-kernel", "kfd-pool-smaller-than-carveout"), ("mi300a-dkms", "ttm-limit-set-for-unused-module"),
    ("strix-halo-overcommit", "gtt-limit-leaves-no-ram"), ("phoenix-780m", "gtt-limit-is-half-the-ram"),
    ("strix-halo-48-16", "carveout-larger-than-system-ram"),
])
def test_contradictions_are_findings(machine, finding):
    done = memory("--json", "--root", MACHINES / machine)
    assert finding in [one["id"] for one in json.loads(done.stdout)["findings"]]


def test_only_findings_of_memory_are_shown(tmp_path):
    log = tmp_path / "a.log"
    log.write_text('msg="amdgpu is not supported" gpu_type=gfx1103\n')
    found = report(log, status=3)
    assert found["findings"] == []


# ---- ways in and out

def test_a_saved_snapshot_and_attached_files_give_the_same_picture(tmp_path):
    saved = tmp_path / "snapshot.json"
    run("check", "--no-kernels", "--root", MACHINES / "phoenix-780m", "--save", saved, "--json")
    live, kept = on("phoenix-780m"), report("--snapshot", saved)["memory"]["gpus"][0]
    assert kept == live
    assert report(saved)["memory"]["gpus"][0] == live


def test_explain_and_check_carry_the_picture(tmp_path):
    page = tmp_path / "r.html"
    done = run("explain", "--json", "--html", page, ARTICLE)
    gpu = json.loads(done.stdout)["memory"]["gpus"][0]
    assert gpu["plan"]["says"].startswith("32/32")  # the text names the model's size
    text = page.read_text()
    assert "<svg" in text and "32/32" in text


@pytest.mark.parametrize("width", ["40", "80", "160"])
def test_the_terminal_page_keeps_to_its_width(width):
    done = memory("--root", MACHINES / "strix-halo-96-32", "--model-size", "120GB", columns=width)
    prose = [line for line in done.stdout.splitlines() if "$ " not in line and "http" not in line]
    assert prose and max(map(len, prose)) <= int(width)
    assert "█" in done.stdout and "│" in done.stdout and "What to set" in done.stdout


@pytest.mark.parametrize(("arguments", "words_"), [
    (["--model-size", "lots"], "write it like 26.8GB"), (["--model-size", "27"], "give the unit"), (["--model", "/no/such.gguf"], "no such file"),
    (["--root", "/no/such"], "no such folder"), (["/no/such.log"], "no such file"), (["--image"], "--model-size"), (["--kv-type", "q9"], "q8_0"),
])
def test_wrong_usage_is_one_line_and_status_2(arguments, words_):
    done = memory(*arguments)
    assert done.returncode == 2 and words_ in done.stderr and len(done.stderr.strip().splitlines()) <= 4


def test_nothing_known_of_any_gpu_is_undecided():
    done = memory("-", stdin="nothing of interest\n")
    assert done.returncode == 3 and "Nothing is known" in done.stdout


def test_no_amd_gpu_is_no_failure():
    assert memory("--root", MACHINES / "no-amd-gpu", "--model-size", "8GB").returncode == 0


# ---- boot loaders

@pytest.mark.parametrize(("loader", "distribution", "wanted"), [
    ("grub", "fedora", "grubby"), ("grub", "ubuntu", "update-grub"), ("systemd-boot", "arch", "kernel-install"), ("refind", "arch", "refind_linux.conf"),
    ("kernelstub", "pop", "kernelstub"), ("rpm-ostree", "fedora", "rpm-ostree kargs"), ("nixos", "nixos", "nixos-rebuild boot"),
])
@pytest.mark.parametrize("module", ["ttm", "amdttm"])
def test_the_steps_are_those_of_the_boot_loader(loader, distribution, wanted, module):
    facts = {"gpu.is_apu[0]": Known(True, "t"), "gpu.vram_bytes[0]": Known(GIB, "t"), "gpu.gtt_bytes[0]": Known(31 * GIB, "t"),
             "memory.ram_bytes": Known(62 * GIB, "t"), "memory.ttm_limit_bytes": Known(31 * GIB, "t"), "memory.ttm_module": Known(module, "t"),
             "os.family": Known("linux", "t"), "boot.loader": Known(loader, "t"), "os.distribution": Known(distribution, "t"),
             "kernel.cmdline": Known("quiet amdgpu.gttsize=32768", "t"), "kernel.release": Known("6.17.1", "t")}
    plan = picture(facts).gpus[0].plan
    step = next(one for one in plan.steps if "pages_limit" in one.title)
    text = "\n".join(step.commands)
    assert wanted in text and f"{module}.pages_limit={plan.limit_bytes // 4096}" in text and "amdgpu.gttsize" in text
    assert wanted.split()[0] in step.undo and str(plan.limit_bytes) in step.verify


def test_firmware_that_lets_linux_choose_gets_the_exact_command():
    facts = {"gpu.is_apu[0]": Known(True, "t"), "gpu.vram_bytes[0]": Known(16 * GIB, "t"), "gpu.gtt_bytes[0]": Known(24 * GIB, "t"),
             "memory.ram_bytes": Known(47 * GIB, "t"), "os.family": Known("linux", "t"),
             "gpu.uma_options[0]": Known([{"index": 0, "bytes": GIB // 2}, {"index": 4, "bytes": 16 * GIB}], "t")}
    step = picture(facts).gpus[0].plan.steps[0]
    assert step.commands == ("echo 0 | sudo tee /sys/bus/pci/drivers/amdgpu/*/uma/carveout",)


# ---- arithmetic

@given(ram=st.integers(1 * GIB, 2048 * GIB), vram=st.integers(0, 512 * GIB), options=st.lists(st.sampled_from([GIB // 2, GIB, 4 * GIB]), max_size=3))
def test_the_limit_never_reaches_into_the_reserve(ram, vram, options):
    host = Host("linux", "6.17.0", ram=ram, fitted=fitted_size(ram + vram))
    gpu = Gpu("0", apu=True, vram=vram, gtt=ram // 2, uma_options=[{"index": n, "bytes": size} for n, size in enumerate(options)])
    found = split.for_linux(gpu, host)
    if found:
        assert found.limit % GIB == 0 and found.carve_out <= vram and found.carve_out + found.system == ram + vram
        assert found.system - found.limit >= split.reserve(host.fitted)


@given(fitted=st.sampled_from([8, 16, 24, 32, 48, 64, 96, 128]), needed=st.integers(0, 200 * GIB), staging=st.integers(0, 200 * GIB))
def test_a_windows_split_adds_up_and_holds_what_it_says(fitted, needed, staging):
    host = Host("windows", fitted=fitted * GIB)
    found = split.for_windows(host, needed, staging)
    plan = split.windows_plan(Gpu("0", apu=True), host, needed, staging)
    if found is None:
        assert needed and plan.says.startswith("No split") and not plan.steps
        return
    assert found.carve_out + found.system == fitted * GIB
    assert found.carve_out <= 0.75 * fitted * GIB
    if needed:
        assert found.carve_out + found.system / 2 >= needed and found.system - 4 * GIB >= staging


LAYERS = st.builds(shape.Layer, kv_heads=st.integers(0, 64), key_length=st.sampled_from([64, 128, 256]), value_length=st.sampled_from([0, 64, 128]),
                   window=st.sampled_from([0, 0, 512, 4096]))
SHAPES = st.builds(shape.Shape, name=st.just("m"), file_bytes=st.integers(1 << 20, 1 << 40), gpu_bytes=st.integers(1 << 20, 1 << 40),
                   host_bytes=st.integers(0, 1 << 30), largest_tensor=st.integers(0, 1 << 33), layers=st.lists(LAYERS, max_size=8).map(tuple),
                   embedding=st.integers(64, 16384), vocabulary=st.integers(0, 300000), query=st.integers(64, 16384), feed_forward=st.integers(64, 65536))


@given(model=SHAPES, context=st.integers(1, 1 << 20), more=st.integers(0, 1 << 20), kind=st.sampled_from(["f32", "f16", "q8_0", "q4_0"]))
def test_more_context_never_needs_less_and_fewer_bits_never_need_more(model, context, more, kind):
    less = need.on_gpu(need.parts(model, Setting(context, kind), "vulkan"))
    assert less <= need.on_gpu(need.parts(model, Setting(context + more, kind), "vulkan"))
    assert need.kv_bytes(model, Setting(context, "q4_0")) <= need.kv_bytes(model, Setting(context, "q8_0")) <= need.kv_bytes(model, Setting(context))
    assert all(part.bytes >= 0 for part in need.parts(model, Setting(context, kind), "hip"))


@given(model=SHAPES, context=st.integers(1, 1 << 18), free=st.integers(0, 1 << 41), ram=st.integers(0, 1 << 40))
def test_a_verdict_agrees_with_its_numbers(model, context, free, ram):
    place = Place("vulkan", "VRAM", free, free, ram=ram, buffer=1 << 32)
    found = fit.judge(model, Setting(context), place)
    needed = sum(part.bytes for part in found.parts if part.where == "gpu")
    assert (found.verdict == "yes") == all(wall.holds for wall in found.walls)
    if found.verdict == "yes":
        assert needed <= free
    else:
        assert found.fails_at and (found.verdict == "only_with") == bool(found.changes)


@given(size=st.integers(1 << 21, 1 << 49))
def test_sizes_read_back(size):
    assert abs(parse(f"{size / GIB:.9f}GiB") - size) <= 16
    assert words(size)


def test_a_context_that_fits_is_proposed_and_fits():
    model = shape.Shape("m", 20 * GIB, 20 * GIB, 0, 0, tuple(shape.Layer(8, 128, 128) for _ in range(64)), 5120, 150000, 8192, 25600)
    place = Place("vulkan", "VRAM", 24 * GIB, 24 * GIB, ram=32 * GIB, buffer=4294967292)
    found = fit.judge(model, Setting(131072), place)
    assert found.verdict == "only_with"
    longest = int(next(change for change in found.changes if "longest" in change).split()[1])
    assert fit.judge(model, Setting(longest), place).verdict == "yes"
    assert fit.judge(model, Setting(longest + 2048), place).verdict != "yes"


def test_a_tensor_beyond_the_drivers_buffer_is_named():
    model = shape.Shape("m", 20 * GIB, 20 * GIB, 0, 3 * GIB, (shape.Layer(8, 128, 128),), 4096, 1000, 4096, 14336)
    found = fit.judge(model, Setting(4096), Place("vulkan", "VRAM", 64 * GIB, 64 * GIB, ram=64 * GIB, buffer=2147483648))
    assert found.fails_at == "largest tensor in one buffer of the driver"


def test_a_card_on_windows_that_spills_says_so():
    host = Host("windows", ram=64 * GIB, fitted=64 * GIB)
    found = fit.judge(shape.of_size(20 * GIB), Setting(8192), places(Gpu("0", apu=False, vram=16 * GIB, shared=32 * GIB), host)[1])
    assert found.verdict == "only_with" and "shared memory" in found.changes[0]


def test_heaps_of_a_card_without_resizable_bar():
    heaps = predicted_heaps(Gpu("0", apu=False, vram=16 * GIB, visible=256 << 20, gtt=8 * GIB), Host("linux"))
    assert [local for _, local in heaps] == [True, True, False] and heaps[1][0] == 256 << 20


# ---- GGUF

def write_model(path, arch="llama", layers=4, heads=8, kv_heads=2, embedding=512, length=64, words_=1000, tied=False, keys=(), split_=False):
    writer = gguf.GGUFWriter(None if split_ else str(path), arch)
    writer.add_block_count(layers)
    writer.add_context_length(4096)
    writer.add_embedding_length(embedding)
    writer.add_feed_forward_length(2 * embedding)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_key_length(length)
    writer.add_value_length(length)
    for key, value in keys:
        writer.add_uint32(f"{arch}.{key}", value)
    writer.add_token_list([f"token{n}" for n in range(9000)])
    import numpy
    names = ["token_embd.weight"] + ([] if tied else ["output.weight"]) + [f"blk.{n}.ffn_up.weight" for n in range(layers)]
    for name in names:
        rows = words_ if name.startswith(("token", "output")) else 2 * embedding
        writer.add_tensor(name, numpy.zeros((rows, embedding), numpy.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def read_model(path):
    from rocmdoctor.memory import gguf_header
    return gguf_header.read(pathlib.Path(path))


@pytest.mark.parametrize("tied", [False, True])
def test_a_header_gives_weights_and_kv_cache(tmp_path, tied):
    model = read_model(write_model(tmp_path / "m.gguf", tied=tied))
    matrix, ffn = 1000 * 512 * 2, 4 * 1024 * 512 * 2
    assert (model.gpu_bytes, model.host_bytes) == (ffn + matrix, matrix)
    assert need.kv_bytes(model, Setting(8192)) == 4 * 2 * 2 * 64 * 8192 * 2
    assert need.kv_bytes(model, Setting(8192, "q8_0")) == 4 * 2 * 2 * 64 * 8192 * 34 // 32
    assert need.kv_bytes(model, Setting(1000)) == 4 * 2 * 2 * 64 * 1024 * 2  # cells come by 256


def test_a_sliding_window_bounds_its_layers(tmp_path):
    model = read_model(write_model(tmp_path / "m.gguf", arch="gemma3", layers=6, keys=[("attention.sliding_window", 512)]))
    assert [layer.window for layer in model.layers] == [512] * 5 + [0]
    per_cell = 2 * 2 * 64 * 2
    assert need.kv_bytes(model, Setting(32768)) == per_cell * (5 * 1024 + 32768)


def test_latent_attention_keeps_one_vector(tmp_path):
    keys = [("attention.key_length_mla", 192), ("attention.value_length_mla", 128), ("attention.kv_lora_rank", 512)]
    model = read_model(write_model(tmp_path / "m.gguf", arch="deepseek2", kv_heads=1, length=576, keys=keys))
    assert need.kv_bytes(model, Setting(4096)) == 4 * 576 * 4096 * 2


def test_recurrent_layers_keep_a_state_and_no_cache(tmp_path):
    keys = [("full_attention_interval", 4), ("ssm.inner_size", 1024), ("ssm.state_size", 64), ("ssm.conv_kernel", 4), ("ssm.group_count", 2)]
    model = read_model(write_model(tmp_path / "m.gguf", arch="qwen35", keys=keys))
    state = 4 * (3 * (1024 + 2 * 2 * 64) + 64 * 1024)
    assert need.state_bytes(model, Setting(4096, parallel=2)) == 3 * state * 2
    assert need.kv_bytes(model, Setting(4096)) == 2 * 2 * 64 * 4096 * 2


def test_split_files_are_one_model_and_a_missing_part_is_named(tmp_path):
    first = write_model(tmp_path / "m-00001-of-00002.gguf")
    write_model(tmp_path / "m-00002-of-00002.gguf", layers=6)
    assert read_model(first).file_bytes == sum(file.stat().st_size for file in tmp_path.glob("m-*.gguf"))
    (tmp_path / "m-00002-of-00002.gguf").unlink()
    done = memory("--model", first, "--root", MACHINES / "rx7900xtx")
    assert done.returncode == 2 and "m-00002-of-00002.gguf is missing" in done.stderr


def test_a_big_file_is_not_read(tmp_path):
    """A hole of 200 GB behind the header: reading any of the data would take minutes."""
    file = write_model(tmp_path / "m.gguf")
    os.truncate(file, 200 * 10**9)
    done = memory("--model", file, "--root", MACHINES / "rx7900xtx", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["memory"]["gpus"][0]["fits"][0]["verdict"] == "yes"


HEAD = b"GGUF" + struct.pack("<I", 3)


@pytest.mark.parametrize("data", [
    b"", b"GGUF", b"not a model at all", b"\x89PNG\r\n", HEAD, HEAD + struct.pack("<QQ", 1 << 62, 1), HEAD + struct.pack("<QQ", 1, 1 << 62),
    HEAD + struct.pack("<QQ", 0, 0), HEAD + struct.pack("<QQQ", 0, 1, 1 << 60),
    HEAD + struct.pack("<QQQ", 0, 1, 1) + b"a" + struct.pack("<IIQ", 9, 4, 1 << 61),
    HEAD + struct.pack("<QQQ", 0, 1, 1) + b"a" + struct.pack("<IIQ", 9, 9, 1) + struct.pack("<IQ", 9, 1) * 50,
    HEAD + struct.pack("<QQQ", 0, 1, 1) + b"a" + struct.pack("<IIQ", 9, 8, 100000) + b"\xff" * 64,
    HEAD + struct.pack("<QQ", 1, 0) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQQIQ", 2, 1 << 63, 1 << 63, 0, 0),
    HEAD + struct.pack("<QQ", 1, 0) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQ", 4000000000, 1), HEAD + os.urandom(4096),
])
def test_hostile_headers_are_one_line(tmp_path, data):
    file = tmp_path / "m.gguf"
    file.write_bytes(data)
    done = memory("--model", file, "--root", MACHINES / "rx7900xtx")
    assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1 and "m.gguf" in done.stderr


def test_values_that_make_no_sense_are_refused(tmp_path):
    for key in ("block_count", "embedding_length"):
        model = write_model(tmp_path / f"{key}.gguf")
        data = model.read_bytes()
        at = data.index(f"llama.{key}".encode()) + len(f"llama.{key}") + 4
        model.write_bytes(data[:at] + b"\xff\xff\xff\xff" + data[at + 4:])
        done = memory("--model", model, "--root", MACHINES / "rx7900xtx")
        assert done.returncode == 2, key


def test_without_the_package_it_says_what_to_install(tmp_path):
    (tmp_path / "gguf.py").write_text("raise ImportError('hidden')\n")
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "memory", "--model", "x.gguf"], capture_output=True, text=True, timeout=60, cwd=TOP,
                          env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2 and "rocmdoctor[gguf]" in done.stderr and "--model-size" in done.stderr


def test_an_image_model_has_no_kv_cache():
    gpu = on("rx7900xtx", "--model-size", "12GB", "--image")
    names = [part["name"] for part in fits(gpu)["hip"]["parts"]]
    assert "KV cache" not in names and "compute buffer" in names


# ---- pictures

def test_the_svg_is_well_formed_and_escapes_names():
    facts = {"gpu.is_apu[0]": Known(False, "t"), "gpu.vram_bytes[0]": Known(16 * GIB, "t"), "gpu.name[0]": Known('<script>"&\u202e', "t"),
             "os.family": Known("linux", "t")}
    model = shape.Shape('<b>"evil"&', 30 * GIB, 30 * GIB, 0, 0, (shape.Layer(8, 128, 128),), 4096, 1000, 4096, 14336)
    small = dataclasses.replace(model, name="small", gpu_bytes=4 * GIB)  # of several models each bar says whose it is
    found = picture(facts, [Asked(model, Setting(8192)), Asked(small, Setting(8192))])
    drawn = str(memory_svg.render(found, found.gpus[0]))
    root = ET.fromstring(drawn)
    assert root.tag == "ul" and "<script" not in drawn and '<b>"' not in drawn and "style=" not in drawn and "\u202e" not in drawn
    assert 'class="limit"' in drawn and 'class="weights"' in drawn and "&lt;b&gt;" in drawn


def bars_of(gpu, memory):
    return {bar.name: bar for bar in stack.figure(memory, gpu)}


def test_all_ram_is_one_bar_now_and_after_the_change():
    facts = {"gpu.is_apu[0]": Known(True, "t"), "gpu.gfx_target[0]": Known("gfx1151", "t"), "gpu.vram_bytes[0]": Known(96 * GIB, "t"),
             "gpu.gtt_bytes[0]": Known(16 * GIB, "t"), "memory.ram_bytes": Known(32 * GIB, "t"), "memory.available_bytes": Known(24 * GIB, "t"),
             "os.family": Known("linux", "t")}
    found = picture(facts)
    bars = bars_of(found.gpus[0], found)
    now, then = bars["now"], bars["after the change"]
    assert [(part.kind, part.bytes // GIB) for part in now.segments] == [("carve", 96), ("reach", 16), ("rest", 8), ("used", 8)]
    assert now.total == then.total == 128 * GIB and then.segments[1].bytes > now.segments[1].bytes
    facts["gpu.gtt_bytes[0]"] = Known(30 * GIB, "t")  # more than is free: it would have to come from what is in use
    over = bars_of(picture(facts).gpus[0], picture(facts))["now"]
    assert sum(part.bytes for part in over.segments) == 128 * GIB and "of it the GPU may take 6" in over.segments[-1].text


@pytest.mark.parametrize("free", [8, 12, 24, 200])
def test_the_longest_context_is_the_last_that_fits(free):
    layers = tuple(shape.Layer(8, 128, 128) for _ in range(32))
    model = shape.Shape("m", 4 * GIB, 4 * GIB, 0, 0, layers, 4096, 32000, 4096, 14336, trained_context=131072)
    facts = {"gpu.is_apu[0]": Known(False, "t"), "gpu.vram_bytes[0]": Known(free * GIB, "t"), "os.family": Known("linux", "t")}

    def fit(context):
        found = picture(facts, [Asked(model, Setting(context))])
        return {one.backend: one for one in found.gpus[0].fits}["hip"]

    longest = fit(8192).longest_context
    assert longest == fit(2048).longest_context and fit(longest).verdict == "yes"  # whatever context was asked for
    assert longest == 131072 if free >= 24 else fit(longest + 2048).verdict != "yes"
    assert f"up to {longest} tokens" in stack.model_bar(fit(8192)).note


def test_facts_of_the_wrong_type_or_size_draw_nothing_wrong():
    facts = {"gpu.vram_bytes[0]": Known("many", "t"), "gpu.gtt_bytes[0]": Known(-5, "t"), "gpu.is_apu[0]": Known(True, "t"),
             "gpu.holders[0]": Known([{"pid": "x", "name": 5, "vram_bytes": "y"}, 7], "t"), "memory.ram_bytes": Known(1 << 80, "t"),
             "gpu.kfd_pool_bytes[0]": Known(GIB, "t")}
    found = picture(facts)
    assert found and [pool.total_bytes for pool in found.gpus[0].pools] == [GIB]
    memory_svg.render(found, found.gpus[0])


def test_tables_name_only_what_the_engine_knows():
    from rocmdoctor.memory.apps import _WORDS
    for row in tables.load("memory_readings")["readings"]:
        assert row["reads"] in _WORDS and row["source"].startswith("https://") and row["os"] in ("any", "linux", "windows")


def test_in_short_the_answer_comes_first_and_steps_only_where_something_must_be_set():
    """`memory` answers in a screen; -v has the steps, their way back and every pool; GPUs that are alike are drawn once."""
    def said(machine, *arguments):
        done = subprocess.run([sys.executable, "-m", "rocmdoctor", "memory", "--root", str(MACHINES / machine), *arguments],
                              capture_output=True, text=True, timeout=120, env={**os.environ, "COLUMNS": "80"})
        return done.stdout
    fits = said("strix-halo-96-32", "--model-size", "60GB")
    assert fits.startswith("✓ A model of 60.0 GB fits") and "Nothing has to be set" in fits and "sudo" not in fits and len(fits.splitlines()) <= 30
    assert "Undo:" in said("strix-halo-96-32", "--model-size", "60GB", "-v")
    plan = said("strix-halo-96-32")
    assert "$ sudo grubby" in plan and "Undo:" not in plan
    many = said("mi300x-node")
    assert many.startswith("GPU 0, 1, 2, 3, 4, 5, 6, 7: AMD Instinct MI300X") and many.count("VRAM free") == 1
    parts = said("mi300x-cpx")
    assert parts.startswith("GPU 0, 1: ") and parts.count("a program of ROCm gets one partition of it: 24 GiB") == 1
