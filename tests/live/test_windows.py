"""Windows machines, replayed from exports: the registry's two writings, events, devices that are gone, and the findings of each machine."""

from __future__ import annotations

import json
import pathlib
import shutil
import sys

import pytest
from click.testing import CliRunner

from rocmdoctor.cli import cli as main
from rocmdoctor.facts.model import Absent, Known
from rocmdoctor.live.collect import collect, find_probes, system_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINES = ROOT / "fixtures/machines"
sys.path.insert(0, str(ROOT / "probes"))

import windows_machine  # noqa: E402

TAKEN = "2026-01-01T00:00:00Z"


@pytest.fixture
def copied(tmp_path):
    def copy(name):
        return pathlib.Path(shutil.copytree(MACHINES / name, tmp_path / name))
    return copy


def report(*command):
    done = CliRunner().invoke(main, [*command, "--json"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return json.loads(done.stdout)


def known(root, name):
    fact = collect(TAKEN, root=str(root))[0].facts.get(name)
    return fact.value if isinstance(fact, Known) else fact


# --- the machines ---------------------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def bad():
    return report("check", "--root", str(MACHINES / "windows-strix-halo-26.3.1"))


def test_the_driver_update_comes_first_with_the_way_back(bad):
    first = bad["findings"][0]
    assert first["id"] == "display-driver-update-regressed"
    assert first["standing"] == "cause"
    assert "32.0.23027.2005" in first["fixes"][0]["title"]
    assert "26.2.2" in first["fixes"][0]["detail"]
    assert {"runs-on-cpu", "out-of-memory", "load-failure", "crash"} <= set(first["explains"])


def test_what_the_owner_tells_joins_what_the_machine_shows(tmp_path):
    told = tmp_path / "story.txt"
    told.write_text("LM Studio on the Radeon 8060S: with the ROCm runtime the answer is an endless loop of garbage tokens.\n"
                    "The output is corrupted when the file is loaded with mmap. With --no-mmap the text is correct.\n"
                    "After every failed load the device memory is not released. After a restart of the PC the memory is free again.\n")
    first = report("check", "--root", str(MACHINES / "windows-strix-halo-26.3.1"), "--log", str(told))["findings"][0]
    assert first["id"] == "display-driver-update-regressed"
    assert {"wrong-output", "memory-leak"} <= set(first["explains"])


def test_an_ollama_variable_is_no_build_switch(bad):
    assert "ggml-gpu-build-flag-unknown" not in [finding["id"] for finding in bad["findings"]]


@pytest.mark.parametrize("cause, words", [
    ("ollama-gfx-target-not-supported", "Vulkan"), ("apu-too-little-system-ram-for-staging", "even split"),
    ("lmstudio-vulkan-engine-leaves-model-on-cpu", "GPU offload"), ("gpu-memory-leaked-by-failed-loads", "Restart")])
def test_each_trouble_of_the_strix_halo_is_found_from_the_machine_alone(bad, cause, words):
    finding = next(finding for finding in bad["findings"] if finding["id"] == cause)
    assert words in finding["fixes"][0]["title"]


@pytest.mark.parametrize("name", ["windows-strix-halo-26.2.2", "windows-rx7900xtx-with-igpu"])
def test_healthy_machines_are_silent(name):
    found = report("check", "--root", str(MACHINES / name))
    assert found["findings"] == []
    assert found["verdict"] == "healthy"


@pytest.mark.parametrize("name, first", [
    ("windows-rx6800xt-lmstudio", "lmstudio-rocm-pack-without-rdna2"), ("windows-rx9070xt-hip7", "rocm-libraries-in-system32"),
    ("windows-hybrid-laptop", "windows-vulkan-driver-crash"), ("wsl-both-sides", "torch-bundled-hsa-shadows-wsl")])
def test_first_finding_of_the_others(name, first):
    assert report("check", "--root", str(MACHINES / name))["findings"][0]["id"] == first


@pytest.mark.parametrize("name", sorted(path.name for path in MACHINES.glob("windows-*")))
def test_logs_of_programs_add_no_gpu(name):
    facts = report("check", "--root", str(MACHINES / name))["snapshot"]["facts"]
    assert len([key for key in facts if key.startswith("gpu.pci_id[")]) == facts["pci.amd_gpu_count"]["value"]
    assert len({key.partition("[")[2] for key in facts if key.startswith("gpu.") and "[" in key}) == facts["pci.amd_gpu_count"]["value"]


def test_memory_of_a_windows_machine_names_the_even_split():
    done = CliRunner().invoke(main, ["memory", "-v", "--root", str(MACHINES / "windows-strix-halo-26.3.1")])
    assert "32" in done.output and "48" in done.output
    assert "Variable Graphics Memory" in done.output
    assert "GPU 1" not in done.output


def test_both_sides_of_wsl_stand_in_one_report_with_their_place():
    facts = report("check", "--root", str(MACHINES / "wsl-both-sides"))["snapshot"]["facts"]
    assert facts["windows.driver_version"]["source"].startswith("Windows")
    assert facts["wsl.rocdxg"]["source"] == "files"
    assert facts["runtime.rocm_version"]["value"] == "7.2.1"


# --- what is run where ----------------------------------------------------------------------------------------------------------

def test_probes_of_the_other_system_are_not_run():
    runs = {name: {run.probe for run in collect(TAKEN, root=str(MACHINES / name))[0].runs} for name in ("windows-hybrid-laptop", "phoenix-780m")}
    windows, linux = runs["windows-hybrid-laptop"], runs["phoenix-780m"]
    assert windows and all(name.startswith("windows_") for name in windows)
    assert linux and not any(name.startswith("windows_") for name in linux)
    assert system_of(str(MACHINES / "wsl-both-sides")) == "linux"


def test_shared_modules_are_no_probes():
    names = {probe.path.stem for probe in find_probes([ROOT / "probes"])}
    assert "windows_display" in names and not names & {"windows_machine", "windows_calls"}


# --- the registry ---------------------------------------------------------------------------------------------------------------

EXPORTED = ('Windows Registry Editor Version 5.00\r\n\r\n[HKEY_LOCAL_MACHINE\\SOFTWARE\\Test]\r\n"Text"="C:\\\\Program \\"Files\\""\r\n'
            '"Small"=dword:80000001\r\n"Big"=hex(b):00,00,00,00,0c,00,00,00\r\n"List"=hex(7):61,00,00,00,62,00,\\\r\n  00,00,00,00\r\n'
            '"Grows"=hex(2):25,00,41,00,25,00,00,00\r\n"Raw"=hex:01,02\r\n@="default"\r\n"Gone"=-\r\n')
VALUES = {"Text": 'C:\\Program "Files"', "Small": 0x80000001, "Big": 0xC00000000, "List": ["a", "b"], "Grows": "%A%", "Raw": b"\1\2", "": "default"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_registry_as_regedit_exports_it(encoding):
    registry = windows_machine.Export(windows_machine.listing(windows_machine.decoded(EXPORTED.encode(encoding))))
    assert registry.values(r"HKLM\software\TEST") == VALUES
    assert registry.keys(r"HKLM\SOFTWARE") == ["Test"]


def test_registry_as_reg_exe_prints_it():
    said = ("\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\Test\r\n    Text    REG_SZ    C:\\Program Files\r\n"
            "    Small    REG_DWORD    0x1a\r\n"
            "    Big    REG_QWORD    0xc00000000\r\n    List    REG_MULTI_SZ    a\\0b\r\n    Raw    REG_BINARY    0102\r\n    Empty    REG_SZ    \r\n\r\n"
            "HKEY_LOCAL_MACHINE\\SOFTWARE\\Test\\Below\r\n    (Default)    REG_SZ    x\r\n")
    registry = windows_machine.Export(windows_machine.queried(said))
    assert registry.values(r"HKLM\SOFTWARE\Test") == {
        "Text": "C:\\Program Files", "Small": 26, "Big": 0xC00000000, "List": ["a", "b"], "Raw": b"\1\2", "Empty": ""}
    assert registry.keys(r"HKLM\SOFTWARE\Test") == ["Below"]


@pytest.mark.parametrize("damage", ["", "[", "[HKLM]\n\"a\"=dword:xyz\n", "\"x\"=hex(7):6\n" * 3, "\0" * 100, "[A\\B]\n@=hex(b):\n"])
def test_damaged_exports_cost_values_and_nothing_else(damage):
    windows_machine.Export(windows_machine.listing(damage)).values("HKLM\\A")


# --- devices and drivers --------------------------------------------------------------------------------------------------------

def test_a_card_that_was_taken_out_is_not_counted(copied):
    root = copied("windows-rx7900xtx-with-igpu")
    data = json.loads((root / "cim.json").read_text())
    data["Win32_VideoController"] = data["Win32_VideoController"][:1]
    (root / "cim.json").write_text(json.dumps(data))
    assert known(root, "pci.amd_gpu_count") == 1


def test_a_device_that_does_not_work_is_the_finding(copied):
    root = copied("windows-rx7900xtx-with-igpu")
    data = json.loads((root / "cim.json").read_text())
    data["Win32_VideoController"][0]["ConfigManagerErrorCode"] = 43
    (root / "cim.json").write_text(json.dumps(data))
    first = report("check", "--root", str(root))["findings"][0]
    assert first["id"] == "windows-device-manager-stopped-gpu"
    assert "43" in first["title"] and "7900" in first["title"]


def test_release_by_the_version_of_the_store_where_the_driver_does_not_say_it(copied):
    root = copied("windows-rx7900xtx-with-igpu")
    text = (root / "registry.reg").read_text()
    (root / "registry.reg").write_text("\n".join(line for line in text.splitlines() if "RadeonSoftwareVersion" not in line))
    assert report("check", "--root", str(root))["snapshot"]["facts"]["windows.adrenalin"]["value"] == "26.8.1"


def test_without_dxgi_the_size_is_that_of_the_registry(copied):
    root = copied("windows-rx7900xtx-with-igpu")
    (root / "dxgi.json").unlink()
    assert known(root, "gpu.vram_bytes[0000:03:00.0]") == 25753026560
    assert known(root, "windows.dedicated_bytes") == 25753026560


def test_trouble_before_the_driver_clears_the_driver(copied):
    root = copied("windows-strix-halo-26.3.1")
    text = (root / "events.xml").read_text()
    (root / "events.xml").write_text(text.replace("2026-03-14T20:11", "2026-03-05T20:11"))
    assert known(root, "windows.trouble_before_driver") == 2
    ids = [finding["id"] for finding in report("check", "--root", str(root))["findings"]]
    assert "display-driver-update-regressed" not in ids


def test_events_of_the_last_14_days_alone(copied):
    root = copied("windows-strix-halo-26.3.1")
    text = (root / "events.xml").read_text()
    (root / "events.xml").write_text(text.replace("2026-03-14T20:11", "2026-02-14T20:11"))
    assert known(root, "windows.display_resets") == []


def test_live_kernel_event_by_place_and_by_name():
    places = "".join(f"<Data>{word}</Data>" for word in ("", "0", "LiveKernelEvent", "Not available", "0", "1a1", "x"))
    events = windows_machine.parsed("<Event><System><Provider Name='Windows Error Reporting'/><EventID Qualifiers='0'>1001</EventID>"
                                    f"<TimeCreated SystemTime='2026-03-14T20:11:02.1Z'/></System><EventData>{places}</EventData></Event>")
    assert events[0].data["3"] == "LiveKernelEvent" and events[0].data["6"] == "1a1"


@pytest.mark.parametrize("text", [
    "<Event>", "<Event><System/></Event>", "<!DOCTYPE x [<!ENTITY a 'b'>]><Event><System>&a;</System></Event>", "\0<Event></Event>"])
def test_damaged_events_are_left_out(text):
    assert windows_machine.parsed(text) == []


# --- software -------------------------------------------------------------------------------------------------------------------

def test_which_hip_runtime_is_loaded_by_whom():
    rows = known(MACHINES / "windows-rx9070xt-hip7", "windows.hip_dlls")
    assert [(row["name"], row["for"]) for row in rows] == [
        ("amdhip64_6.dll", "any program"), ("amdhip64_7.dll", "any program"), ("amdhip64_6.dll", "what finds none before on PATH"),
        ("amdhip64_7.dll", r"C:\comfy\venv\Scripts\python.exe")]


def test_an_icd_whose_library_is_gone_is_broken(copied):
    root = copied("windows-strix-halo-26.2.2")
    files = (root / "files.tsv").read_text()
    (root / "files.tsv").write_text("\n".join(line for line in files.splitlines() if "amdvlk64" not in line))
    assert [path.rpartition("\\")[2] for path in known(root, "vulkan.broken_icds")] == ["amd-vulkan64.json"]


def test_a_variable_of_the_user_beats_the_machines(copied):
    root = copied("windows-rx9070xt-hip7")
    text = (root / "registry.reg").read_text()
    (root / "registry.reg").write_text(text + '\n[HKEY_CURRENT_USER\\Environment]\n"HIP_PATH"="D:\\\\hip\\\\"\n')
    assert known(root, "env.HIP_PATH") == "D:\\hip\\"
    assert known(root, "windows.environment")["HIP_PATH"] == {"user": "D:\\hip\\", "machine": "C:\\Program Files\\AMD\\ROCm\\6.4\\"}
    assert isinstance(known(root, "env.HSA_OVERRIDE_GFX_VERSION"), Absent)


def test_implicit_layers_with_the_variable_that_takes_them_out():
    assert known(MACHINES / "windows-hybrid-laptop", "windows.vulkan_layers")[0]["disable"] == "DISABLE_VULKAN_OBS_CAPTURE"


# --- the collector's file -------------------------------------------------------------------------------------------------------

def collected(root):
    """The exports of a machine in the one file that deploy/collect.ps1 writes."""
    contents, rows = {}, []
    for line in (root / "files.tsv").read_text().splitlines():
        rows.append(line.split("\t"))
        place = root / rows[-1][0].replace(":", "", 1).replace("\\", "/")
        if place.is_file():
            contents[rows[-1][0]] = place.read_text()
    cim = json.loads((root / "cim.json").read_text())
    return {"schema": "rocmdoctor.windows/1", "taken": cim["taken"], "registry": (root / "registry.reg").read_text().replace("\n", "\r\n"),
            "dxgi": json.loads((root / "dxgi.json").read_text()), "cim": cim, "events": (root / "events.xml").read_text(), "files": rows, "contents": contents}


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_collectors_file_gives_the_facts_of_the_machine(tmp_path, bad, mark):
    file = tmp_path / "rocmdoctor-windows.json"
    file.write_bytes(mark + json.dumps(collected(MACHINES / "windows-strix-halo-26.3.1"), indent=4).encode())
    read = report("explain", str(file))
    assert [finding["id"] for finding in read["findings"]] == [finding["id"] for finding in bad["findings"]]
    assert read["snapshot"]["facts"] == bad["snapshot"]["facts"]


def test_a_folder_of_exports_is_read_like_the_machine(bad):
    read = report("explain", str(MACHINES / "windows-strix-halo-26.3.1"))
    assert read["findings"][0]["id"] == bad["findings"][0]["id"]


def test_a_damaged_collectors_file_is_no_traceback(tmp_path):
    file = tmp_path / "rocmdoctor-windows.json"
    file.write_text('{"schema": "rocmdoctor.windows/1", "registry": 5, "dxgi": [1, {"vendor": "x"}], "cim": {"Win32_VideoController": [3]}, "events": {}, '
                    '"files": [1, ["C:\\\\a"], [null]], "contents": [1]}')
    assert [finding["id"] for finding in report("explain", str(file))["findings"]] == ["no-amd-gpu"]  # no display adapter of AMD's is in it
