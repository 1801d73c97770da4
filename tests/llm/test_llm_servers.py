"""`rocmdoctor llm` against mock servers that speak the published protocols, and the kernel's view of a made-up machine."""

import json
import os
import pathlib
import time

import pytest
from click.testing import CliRunner
from llm_servers import lemonade, lmstudio, ollama, sane, serve, vllm

from rocmdoctor.cli import cli
from rocmdoctor.facts.model import snapshot_from_json
from rocmdoctor.llm import answer, observe, speed

GARBAGE = "GGGGGGGGGGGGGGGGGGGGGGGG"


@pytest.fixture(autouse=True)
def nowhere(tmp_path_factory, monkeypatch):
    """A machine without anything in /proc and /sys: the process of these tests must not be taken for a server's."""
    monkeypatch.setitem(ROOT, "root", str(tmp_path_factory.mktemp("root")))


ROOT = {"root": ""}


def run(*words):
    rooted = words if "--root" in words else (*words, "--root", ROOT["root"])
    done = CliRunner().invoke(cli, ["llm", *rooted])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def report(url, *words):
    done = run(url, "--json", "--no-redact", *words)
    return json.loads(done.stdout), done


def facts(report_):
    found = {}
    for name, fact in report_["snapshot"]["facts"].items():
        if name.startswith("llm."):
            found[name[4:].split("[")[0]] = fact.get("value") if fact["state"] == "known" else fact["state"]
    return found


def ids(report_):
    return {finding["id"]: finding["standing"] for finding in report_["findings"]}


def test_ollama_that_is_right():
    with serve(*ollama(sane)) as (url, seen):
        told, done = report(url)
    got = facts(told)
    assert (got["server"], got["version"], got["verdict"], got["right"], got["asked"]) == ("Ollama", "0.30.3", "right", 5, 5)
    assert (got["says_device"], got["generation_tokens_per_s"], got["long_recall"], got["repeat_stable"]) == ("gpu", 40.0, True, True)
    assert "right" in done.stderr and "40.0 tokens/s" in done.stderr  # said before the end
    assert all(body["options"]["temperature"] == 0 for path, body, _ in seen if body.get("options"))
    assert told["llm"][0]["generation"] == 40.0


def test_ollama_garbage_from_the_gpu_and_right_on_the_cpu():
    with serve(*ollama(lambda prompt: GARBAGE, on_cpu=sane)) as (url, seen):
        told, done = report(url)
    got = facts(told)
    assert (got["verdict"], got["garbage_kind"], got["cpu_verdict"]) == ("garbage", "loop", "right")
    assert ids(told)["server-garbage-from-gpu-backend"] == "cause" and "server-garbage-on-every-device" not in ids(told)
    assert done.exit_code == 1 and any(body.get("options", {}).get("num_gpu") == 0 for _, body, _ in seen)


def test_ollama_garbage_everywhere_is_the_model():
    with serve(*ollama(lambda prompt: GARBAGE)) as (url, _):
        told, _ = report(url)
    assert ids(told)["server-garbage-on-every-device"] == "cause" and "server-garbage-from-gpu-backend" not in ids(told)


@pytest.mark.parametrize(("vram", "device", "finding"), [(0, "cpu", "server-runs-on-cpu"), (2_000_000_000, "mixed", "server-split-over-cpu")])
def test_what_ollama_says_of_its_memory(vram, device, finding):
    with serve(*ollama(sane, size_vram=vram)) as (url, _):
        told, done = report(url)
    assert facts(told)["says_device"] == device and ids(told)[finding] == "cause" and done.exit_code == 0


def test_vllm_streams_and_says_that_others_use_it():
    with serve(*vllm(sane)) as (url, _):
        told, _ = report(url + "/v1")
    got = facts(told)
    assert (got["server"], got["version"], got["model"], got["verdict"]) == ("vLLM or SGLang", "0.30.0", "meta/llama", "right")
    assert any("2 other requests" in note for note in told["notes"])


def test_garbage_where_the_cpu_cannot_be_asked_is_possible_until_a_second_server_decides():
    with serve(*vllm(lambda prompt: GARBAGE)) as (url, _):
        told, _ = report(url)
        assert ids(told)["server-garbage-from-gpu-backend"] == "possible"
        assert any("--cpu" in line for finding in told["findings"] for line in finding["to_decide"])
        with serve(*ollama(sane)) as (cpu, _):
            told, _ = report(url, "--cpu", cpu)
    assert ids(told)["server-garbage-from-gpu-backend"] == "cause"


def test_lmstudio_takes_the_loaded_model_and_its_own_figures():
    with serve(*lmstudio(sane)) as (url, _):
        told, _ = report(url)
    got = facts(told)
    assert (got["server"], got["model"], got["verdict"], got["generation_tokens_per_s"]) == ("LM Studio", "llama-3.1-8b", "right", 57.7)


def test_lemonade_says_device_and_backend():
    with serve(*lemonade(sane)) as (url, _):
        told, _ = report(url + "/api/v1")
    got = facts(told)
    assert (got["server"], got["version"], got["model"], got["says_device"], got["backend"]) == ("Lemonade", "9.3.3", "Qwen3-8B-GGUF", "gpu", "rocm")
    assert any("vulkan" in note for note in told["notes"])


def test_a_chat_only_server_is_asked_by_chat():
    gets, posts = vllm(sane)
    del gets["/version"], posts["/v1/completions"]
    with serve(gets, posts) as (url, _):
        told, _ = report(url)
    assert facts(told)["server"] == "OpenAI-compatible server" and facts(told)["verdict"] == "right"


def test_the_template_is_at_fault_when_only_the_chat_is_garbage():
    gets, posts = vllm(sane)
    posts["/v1/chat/completions"] = vllm(lambda prompt: "<unused12><unused12><unused7><unused12>" * 3)[1]["/v1/chat/completions"]
    with serve(gets, posts) as (url, _):
        told, _ = report(url)
    assert ids(told)["server-template-breaks-answers"] == "cause"


def test_a_model_that_is_not_there():
    with serve(*ollama(sane)) as (url, _):
        done = run(url, "--model", "phi9")
    assert done.exit_code == 3 and done.stderr.count("\n") == 1 and "has no model phi9; it has llama3:8b" in done.stderr


def test_answers_that_change_and_a_server_that_falls_silent():
    import itertools

    count = itertools.count()
    with serve(*ollama(lambda prompt: sane(prompt) if "village" not in prompt else f" go to the market {next(count)} times a day.")) as (url, _):
        told, done = report(url)
    assert facts(told)["repeat_stable"] is False and "server-answers-differ-when-repeated" in ids(told) and done.exit_code == 0
    gets, posts = ollama(lambda prompt: "")
    plain = posts["/api/generate"]
    silent = {**posts, "/api/generate": lambda body: [{**row, "eval_count": 0} for row in plain(body)]}
    with serve(gets, silent) as (url, _):
        told, done = report(url)
    assert facts(told)["verdict"] == "empty" and "server-answers-nothing" in ids(told) and done.exit_code == 1


def test_saved_shown_and_read_again(tmp_path):
    with serve(*ollama(sane)) as (url, _):
        done = run(url, "--save", str(tmp_path / "s.json"))
        page = run(url, "--html", str(tmp_path / "p.html"))
    assert "Ollama 0.30.3 at 127.0.0.1:" in done.stdout and "40 tokens/s generated" in done.stdout and page.exit_code == 0
    saved = snapshot_from_json(json.loads((tmp_path / "s.json").read_text()))
    assert any(name.startswith("llm.generation_tokens_per_s[") for name in saved.facts)
    again = CliRunner().invoke(cli, ["explain", str(tmp_path / "s.json")])
    assert "40 tokens/s generated" in again.stdout
    html = (tmp_path / "p.html").read_text()
    assert "Language model servers" in html and '<svg class="llm"' in html


def test_a_server_log_is_read_along(tmp_path):
    (tmp_path / "ollama.log").write_text('time=2026-11-28 level=INFO msg="inference compute" id=0 library=cpu compute="" driver=0.0\n'
                                         'load_tensors: offloaded 0/33 layers to GPU\n')
    with serve(*ollama(sane)) as (url, _):
        told, _ = report(url, "--log", str(tmp_path / "ollama.log"))
    assert any(hit["rule"] == "runs-on-cpu" for hit in told["snapshot"]["hits"])


def machine(root, busy, pid, port, vram_used=1 << 30, opened="/dev/dri/renderD128"):
    """A made-up /proc and /sys: one Radeon, and one process that listens on ``port``."""
    card = root / "sys/class/drm/card0/device"
    card.mkdir(parents=True)
    for name, value in {"vendor": "0x1002", "gpu_busy_percent": busy, "mem_info_vram_used": vram_used, "mem_info_gtt_used": 1 << 20}.items():
        (card / name).write_text(f"{value}\n")
    (root / "proc/net").mkdir(parents=True)
    (root / "proc/net/tcp").write_text("  sl  local_address rem_address   st\n"
                                       f"   0: 0100007F:{port:04X} 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1\n")
    for number, parent, target in ((pid, 1, "socket:[4242]"), (pid + 1, pid, opened)):
        folder = root / f"proc/{number}"
        (folder / "fd").mkdir(parents=True)
        (folder / "fdinfo").mkdir()
        os.symlink(target, folder / "fd/7")
        (folder / "stat").write_text(f"{number} (ollama runner) S {parent} 1 1 0\n")
        (folder / "cmdline").write_text("ollama\0runner\0")
        (folder / "maps").write_text("7f0 r-xp 0 0 0 /usr/lib/ollama/vulkan/libggml-vulkan.so\n")
    (root / f"proc/{pid + 1}/fdinfo/7").write_text("pos: 0\ndrm-driver: amdgpu\ndrm-client-id: 9\ndrm-memory-vram:\t4096 KiB\ndrm-memory-gtt: 8 KiB\n"
                                                   "drm-engine-compute:\t5000 ns\n")
    (root / "proc/meminfo").write_text("MemTotal: 33554432 kB\n")
    return root


def test_the_kernel_sees_the_server_and_its_child(tmp_path):
    root = machine(tmp_path, 93, 100, 11434)
    pids = observe.listeners(11434, root)
    assert pids == [100, 101] and observe.listeners(80, root) == []
    assert observe.sample(root, pids) == observe.Sample(93, 1 << 30, 1 << 20, 4096 << 10, 8 << 10, 5000)
    assert observe.holds_gpu(root, pids) is True and observe.holds_gpu(root, [100]) is False and observe.holds_gpu(root, [7]) is None
    assert observe.loaded_libraries(root, pids) == ["vulkan"]
    empty = pathlib.Path(tmp_path / "nothing")
    assert observe.sample(empty, [1]) == observe.Sample(None, None, None, None, None, None)


def test_a_program_that_only_passes_on_is_not_the_server(tmp_path):
    root = machine(tmp_path, 93, 100, 11434)
    (root / "proc/100/comm").write_text("docker-proxy\n")
    assert observe.listeners(11434, root) == [] and observe.holds_gpu(root, []) is None


@pytest.mark.parametrize(("busy", "found"), [(0, True), (88, False)])
def test_says_gpu_and_the_gpu_idles(tmp_path, busy, found):
    def slow(prompt):
        time.sleep(0.35)
        return sane(prompt)

    with serve(*ollama(slow)) as (url, _):
        root = machine(tmp_path, busy, 100, int(url.rpartition(":")[2]))
        told, done = report(url, "--root", str(root))
    assert facts(told)["gpu_busy_percent"] == busy
    assert ("server-says-gpu-but-gpu-idle" in ids(told)) is found, ids(told)


def test_ceilings_come_from_the_table_and_are_set_against_the_speed():
    size = 4_900_000_000
    gpu = speed.gpu_ceiling(size, "gfx1100", "Navi 31 [Radeon RX 7900 XTX]", False)
    assert gpu is not None and round(gpu.tokens_per_s, 1) == 195.9 and "7900 XTX" in gpu.of
    assert speed.gpu_ceiling(size, "gfx1100", "AMD Radeon RX 7900 GRE", False).tokens_per_s < 120
    assert speed.gpu_ceiling(size, "gfx9999", "", False) is None
    apu, cpu = speed.gpu_ceiling(size, "gfx1151", "", True), speed.cpu_ceiling(size, "gfx1151", True, 16)
    assert speed.verdict(30.0, size, apu, cpu)[0] == "gpu_like" and speed.verdict(12.0, size, apu, cpu)[0] == "unknown"
    assert speed.verdict(300.0, size, gpu, None)[0] == "unknown"  # above the ceiling: an assumption is wrong, nothing else is said
    assert speed.verdict(50.0, 300_000_000, gpu, None)[0] == "unknown"


@pytest.mark.parametrize(("kept", "found"), [(1 << 29, True), (0, False)])
def test_memory_that_stays_in_use_after_unloads(tmp_path, kept, found):
    gets, posts = ollama(sane)
    generate = posts["/api/generate"]
    with_root = {}

    def counting(body):
        used = with_root["used"]
        if "prompt" not in body:  # an unload gives all back but what is kept
            change = 4 << 30 if "keep_alive" not in body else kept - (4 << 30)
            used.write_text(f"{max(0, int(used.read_text()) + change)}\n")
        return generate(body)

    with serve(gets, {**posts, "/api/generate": counting}) as (url, _):
        root = machine(tmp_path, 90, 100, int(url.rpartition(":")[2]), vram_used=6 << 30)
        with_root["used"] = root / "sys/class/drm/card0/device/mem_info_vram_used"
        told, _ = report(url, "--root", str(root), "--loads", "2")
    assert facts(told)["leaked_bytes"] == 2 * kept and ("gpu-memory-kept-after-each-unload" in ids(told)) is found


def test_nothing_on_the_usual_ports(monkeypatch):
    from rocmdoctor.llm import examination

    monkeypatch.setattr(examination, "usual", lambda: [("http://127.0.0.1:9", "127.0.0.1", 9)])
    done = run()
    assert done.exit_code == 3 and done.stdout == "" and done.stderr.count("\n") == 1 and "11434 Ollama" in done.stderr


def test_only_this_machine_is_tried_without_an_address():
    from rocmdoctor.llm import examination

    assert {host for _, host, _ in examination.usual()} == {"127.0.0.1"}


def test_the_unit_or_container_of_the_server_tells_where_its_log_is(tmp_path):
    from rocmdoctor.llm import serverlog

    box = "ab12" * 16
    for pid, group in {5: "0::/system.slice/ollama.service\n", 6: f"0::/system.slice/docker-{box}.scope\n"}.items():
        (tmp_path / f"proc/{pid}").mkdir(parents=True)
        (tmp_path / f"proc/{pid}/cgroup").write_text(group)
    assert serverlog.commands(tmp_path, [5])[0][1][:3] == ["journalctl", "-u", "ollama"]
    assert serverlog.commands(tmp_path, [6])[0][1] == ["docker", "logs", "--tail", "2000", box[:12]]
    assert serverlog.commands(tmp_path, [7]) == [] and serverlog.commands(tmp_path, [7], "ollama")[0][0] == "journal of ollama"


def test_the_name_of_a_server_elsewhere_does_not_leave_the_machine():
    from rocmdoctor.commands._console import redacted, redactor
    from rocmdoctor.facts.model import Known, Snapshot, report_to_json
    from rocmdoctor.knowledge import rules

    place = "kestrel.example.lan:8080"
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "live", {
        f"llm.{name}[{place}]": Known(value, f"http://{place}") for name, value in {"server": "Ollama", "model": "m", "verdict": "right"}.items()})
    snapshot.notes.append(f"{place}: the question was left out")
    shared = redacted(snapshot, rules.load(()), redactor(False, ("kestrel.example.lan",)))
    assert "kestrel" not in json.dumps(report_to_json(shared)) and shared.llm[0].verdict == "right"


def test_answers_that_come_too_fast_for_a_look_accuse_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(observe, "EVERY", 60)  # no look fits in, however slow this machine answers
    with serve(*ollama(sane)) as (url, _):
        told, _ = report(url, "--root", str(machine(tmp_path, 0, 100, int(url.rpartition(":")[2]))))
    assert "server-says-gpu-but-gpu-idle" not in ids(told)


@pytest.mark.parametrize("foreign", [5, "x", {"a": 1}, [10**400, float("nan"), True, None, -0.5]])
def test_logprobs_out_of_foreign_json(foreign):
    assert answer.logprobs(foreign) == ([-0.5] if isinstance(foreign, list) else [])
