"""deploy/collect.ps1 as text: it parses, uses the syntax of Windows PowerShell 5.1 alone, only reads, and asks for what the probes read."""

from __future__ import annotations

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "deploy/collect.ps1"
TEXT = SCRIPT.read_text(encoding="utf-8")
sys.path.insert(0, str(ROOT / "probes"))

import windows_apps  # noqa: E402
import windows_display  # noqa: E402
import windows_system  # noqa: E402

tree_sitter = pytest.importorskip("tree_sitter")
grammar = pytest.importorskip("tree_sitter_powershell")
# Commands that read or make things in memory.
READING = {"get-ciminstance", "get-date", "get-process", "get-winevent", "get-childitem", "get-content", "get-item", "new-object", "join-path", "split-path",
           "select-object", "sort-object", "where-object", "foreach-object", "test-path", "select-string", "set-strictmode", "convertto-json", "write-output",
           "write-verbose"}


def nodes(text):
    tree = tree_sitter.Parser(tree_sitter.Language(grammar.language())).parse(text.encode())
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


def commands(text):
    return {node.text.decode().lower() for node in nodes(text) if node.type == "command_name"}


def functions(text):
    return {node.text.decode().lower() for node in nodes(text) if node.type == "function_name"}


def test_it_parses():
    assert [node.text[:80] for node in nodes(TEXT) if node.type == "ERROR" or node.is_missing] == []


def test_a_fault_is_noticed():
    assert [node for node in nodes(TEXT.replace("param(", "param((", 1)) if node.type == "ERROR" or node.is_missing]


def test_it_only_reads():
    assert commands(TEXT) - READING - functions(TEXT) == set()
    # One call writes, and what it writes is the answer.
    assert re.findall(r"::(Write\w+|Append\w+|Delete|Create\w*|Set\w+|Copy|Move)\(", TEXT) == ["WriteAllText"]
    assert not re.search(r"\.(SetValue|DeleteValue|DeleteSubKey|CreateSubKey|Delete|Kill|Stop)\(|Invoke-|Start-|https?://", TEXT)
    assert "OpenSubKey($Path.Substring(5), $false)" in TEXT


def test_the_syntax_is_that_of_5_1():
    code = re.sub(r"(?m)#.*$", "", re.sub(r"<#.*?#>", "", TEXT, flags=re.DOTALL))
    code = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "''", code)
    assert not re.search(r"\?\?|\?\.|&&|\|\||-Parallel\b|\bclean\s*\{|-AsHashtable|-AsArray|Get-Error\b|\s\?\s[^{]+\s:\s", code)
    assert TEXT.isascii()  # 5.1 reads a file without a mark in the code page of the machine


def test_it_writes_the_schema_first_and_without_a_mark():
    assert re.search(r"\$All = \[ordered\]@\{\s+schema\s+= 'rocmdoctor\.windows/1'", TEXT)
    assert "UTF8Encoding($false)" in TEXT


@pytest.mark.parametrize("name", [
    "HwSchMode", "TdrLevel", "TdrDelay", "TdrDdiDelay", "OverlayTestMode", "HiberbootEnabled", "LongPathsEnabled", "VerifiedAndReputablePolicyState",
    "UEFISecureBootEnabled", "ActivePowerScheme", "PagingFiles", "RadeonSoftwareVersion", "ReleaseVersion", "HardwareInformation.qwMemorySize",
    "VulkanDriverName", "OpenCLDriverName", "LocationInformation", "CompatibleIDs", "ExcludeWUDriversInQualityUpdate", "ProcessorNameString", "BIOSVersion",
    "DisplayVersion"])
def test_values_that_the_probes_read_are_collected(name):
    probes = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "probes").glob("windows_*.py"))
    assert name in probes, "no probe reads it any more"
    assert f"'{name}'" in TEXT or f"({name!r})" in TEXT


def test_keys_events_and_applications_of_the_probes_are_collected():
    for key in (windows_system.BIOS, windows_system.VERSION, windows_display.BUS, *windows_apps.UNINSTALL):
        assert key in TEXT
    for number in (4101, 1001, 20001, 19, 1000):
        assert f"Id = {number};" in TEXT
    for name, _ in windows_apps.NAMES:
        assert name.split("-")[0] in TEXT.lower().replace(" ", "").replace("[-]", "") or name == "lmstudio"
