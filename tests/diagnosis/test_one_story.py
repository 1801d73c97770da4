"""A report is one story: what the first answer covers is said once, what cannot be here is not asked, and what an update broke goes back first."""

import io

import pytest

from rocmdoctor.diagnosis.outcome import outcome
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Known, Snapshot
from rocmdoctor.knowledge import rules
from rocmdoctor.render.report import markdown, terminal
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
MES = "amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE\n"


def told(folder, **files):
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(folder)], io.BytesIO()).texts, SCANNER)
    return make_report(snapshot, BOOK)


def ids(report):
    return [finding.id for finding in report.findings]


def test_a_symptom_in_the_words_of_the_cause_is_no_finding_of_its_own(tmp_path):
    words = ("Radeon RX 6750 XT (gfx1031). HSA_OVERRIDE_GFX_VERSION=10.3.0 worked for a long time. A system upgrade brought ROCm 6.4.3 (before: 6.4.1). Since then "
             "Ollama dies with SIGSEGV as soon as a prompt is submitted. Without the override there is no crash, but only the CPU is used.\n")
    report = told(tmp_path, report_txt=words)
    assert ids(report)[0] == "rocm-update-crashes-overridden-target" and "runs-on-cpu" not in ids(report)
    (tmp_path / "log").write_text("load_tensors: offloaded 0/37 layers to GPU\n")
    assert "runs-on-cpu" in ids(told(tmp_path, report_txt=words))  # a line of its own is a finding of its own


def test_a_suspend_that_was_aborted_is_no_crash_and_no_lack_of_memory(tmp_path):
    report = told(tmp_path, report_txt="RX 9070 XT. After suspend the machine comes back with a black screen and a MODE1 reset loses the VRAM. The deep (S3) suspend was "
                  "aborted by a spurious wake-up and systemd then tried s2idle at once.\n", journal_txt="amdgpu 0000:03:00.0: resume of IP block <smu> failed -62\n")
    assert not {"crash", "vram-does-not-fit-for-suspend"} & set(ids(report))


def test_a_harmless_message_is_the_answer(tmp_path):
    report = told(tmp_path, report_txt="CachyOS, RX 9070 XT, torch from a venv. Is my installation broken?\n\n"
                  "/opt/amdgpu/share/libdrm/amdgpu.ids: No such file or directory\nTrue\n")
    assert ids(report)[0] == "amdgpu-ids-file-not-found" and outcome(report).level == "info" and "trouble-told" not in ids(report)


@pytest.mark.parametrize(("system", "asked"), [("Fedora 43", False), ("Ubuntu 24.04", True)])
def test_a_driver_package_is_asked_about_where_there_is_one(tmp_path, system, asked):
    report = told(tmp_path, ticket_md=f"{system}, Strix Halo. llama-server with Vulkan hangs after some minutes.\n\n```\n{MES}```\n")
    assert ("dkms-driver-on-apu" in ids(report)) is asked
    if asked:
        assert "Is this so: the loaded module comes from amdgpu-dkms?" in outcome(report).sentence


def test_what_an_update_broke_goes_back_before_it_goes_forward(tmp_path):
    report = told(tmp_path, ticket_md=f"After updating to Fedora 43 my Strix Halo box hangs with llama-server. Worked last week.\n\n```\n{MES}```\n")
    titles = [fix.title for fix in report.findings[ids(report).index("mes-scheduler-stopped")].fixes]
    assert titles[0] == "Take back what the update changed" and titles[1].startswith("Update linux-firmware")
    shown = terminal.render(report, 80, False)
    assert shown.count("compare --since") == 1
    report = told(tmp_path, ticket_md=f"Fedora 43, my Strix Halo box hangs with llama-server.\n\n```\n{MES}amdgpu 0000:c5:00.0: amdgpu: GPU reset(2) failed\n```\n")
    titles = [fix.title for fix in report.findings[ids(report).index("mes-scheduler-stopped")].fixes]
    assert titles[0].startswith("Switch the machine off") and "Take back what the update changed" not in titles


def test_a_defect_of_windows_needs_windows(tmp_path):
    line = ('time=2025-03-01T11:37:39.549+02:00 level=WARN source={} msg="amdgpu is not supported (supported types:[gfx1010 gfx1030 gfx1100])" gpu_type=gfx1031 gpu=0 '
            "library=/app/lib/ollama\n")
    for source in ("amd_linux.go:376", "x.go:1"):
        report = told(tmp_path, ollama_log=line.format(source))
        assert not [f for f in report.findings if f.id == "hsa-override-without-effect-on-windows" and f.standing == "cause"], source
    assert report.snapshot.facts.get("os.family") is None
    assert told(tmp_path, ollama_log=line.format("amd_linux.go:376")).snapshot.facts["os.family"].value == "linux"


def test_of_commands_for_two_programs_those_of_the_program_at_hand_are_left(tmp_path):
    report = told(tmp_path, report_txt="LM Studio 0.3.7 on Ubuntu 22.04 with two Radeon VII (gfx906). Both cards work with ROCm 6.2 (rocminfo lists them). "
                  "In LM Studio the ROCm runtime is listed as incompatible, only Vulkan is offered.\n")
    first = report.findings[ids(report).index("application-rocm-list-lacks-target")].fixes[0]
    assert first.commands == ("lms runtime ls",)


def test_the_page_count_is_the_machines_or_nobodys(tmp_path):
    line = "[    3.6] amdgpu: unknown parameter 'gtt_size' ignored\n"
    head = "[    0.0] Kernel command line: BOOT_IMAGE=/boot/vmlinuz ro amdgpu.gtt_size={}\n"
    for words, size, wanted in (("Strix Halo with 128 GB, ROCm 7.0.2.", 98304, 98304 * 256), ("Strix Halo with 128 GB, ROCm 7.0.2.", 122880, 116 * 262144),
                                ("Strix Halo, ROCm 7.0.2.", 98304, 98304 * 256)):
        report = told(tmp_path, report_txt=f"{words} Only half of the RAM is offered.\n", dmesg_txt=head.format(size) + line)
        lines = " ".join(line for finding in report.findings for fix in finding.fixes for line in fix.commands)
        assert f"pages_limit={wanted}" in lines and "27262976" not in lines, (words, lines)


def test_partitions_are_no_gpus_of_their_own(tmp_path):
    known = {"gpu.pci_address[0]": "0000:05:00.0", "gpu.compute_partition[0]": "CPX", "gpu.name[0]": "AMD Instinct MI300X", "gpu.vram_bytes[0]": 192 << 30,
             "gpu.kfd_pool_bytes[0]": 24 << 30, "gpu.is_apu[0]": False, "gpu.gfx_target[0]": "gfx942", "os.family": "linux",
             **{f"gpu.pci_address[{n}]": f"0000:05:00.{n}" for n in (1, 2)}, **{f"gpu.gfx_target[{n}]": "gfx942" for n in (1, 2)},
             **{f"gpu.kfd_pool_bytes[{n}]": 24 << 30 for n in (1, 2)}, "pci.amd_gpu_count": 1}
    report = make_report(Snapshot("2026-11-28T00:00:00+00:00", "live", {name: Known(value, "x") for name, value in known.items()}), BOOK)
    assert [gpu.item for gpu in report.memory.gpus] == ["0"]
    assert {app.bytes for app in report.memory.gpus[0].apps if app.backend == "rocm" and app.reads == "what HIP says"} == {24 << 30}
    assert "AMD Instinct MI300X (gfx942, 192 GiB, partitions CPX)" in terminal.render(report, 100, False) and " x AMD" not in terminal.render(report, 100, False)


def test_a_bug_form_has_the_writers_own_words(tmp_path):
    words = "EVO-X2 with a Ryzen AI Max+ 395, Windows 11. Every model of Ollama answers at CPU speed."
    line = 'time=2026-03-02T10:01:12 level=WARN source=amd_windows.go:138 msg="amdgpu is not supported (supported types:[gfx1030])" gpu_type=gfx1151 gpu=0'
    form = markdown.render_form(told(tmp_path, report_txt=words + "\n", server_log=f"{line}\n{line}\n"), "ollama")
    problem, _, rest = form.partition("### Relevant log output")
    assert words in problem.replace("\\", "") and "rocmdoctor: Most likely cause" in problem
    log = rest.partition("### OS")[0]
    assert "server.log:1:" in log and words not in log and log.count("server.log:2:") <= 1


def test_the_verdict_stands_twice_only_where_the_first_has_scrolled_away(tmp_path):
    short = told(tmp_path, report_txt="my llama.cpp works\n")
    assert terminal.render(short, 80, False, last=True) == terminal.render(short, 80, False)
    long = told(tmp_path, ticket_md=f"Fedora 43, my Strix Halo box hangs with llama-server.\n\n```\n{MES}```\n")
    assert terminal.render(long, 80, False, last=True).splitlines()[-2].startswith("✗ 1 error. First: ")
