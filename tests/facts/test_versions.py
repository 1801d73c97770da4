"""Versions as systems, packages and programs print them, and the bounds that rows of tables state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmdoctor.facts import versions
from rocmdoctor.facts.versions import compare, in_range, parse

READ = [
    # text, scheme, numbers
    ("6.8.0-135-generic", "kernel", (6, 8, 0)), ("6.14.0-1018-oem", "kernel", (6, 14, 0)), ("6.18.3-arch1-1", "kernel", (6, 18, 3)),
    ("7.0.12-200.fc44.x86_64", "kernel", (7, 0, 12)), ("6.12.63+deb13-amd64", "kernel", (6, 12, 63)),
    ("6.6.87.2-microsoft-standard-WSL2", "kernel", (6, 6, 87, 2)),
    ("6.14.11-5-pve", "kernel", (6, 14, 11)), ("7.2.4-1-cachyos", "kernel", (7, 2, 4)), ("7.1.2-ogc2.1.fc43.x86_64", "kernel", (7, 1, 2)),
    ("5.14.0-503.14.1.el9_5.x86_64", "kernel", (5, 14, 0)), ("6.17.9-x64v3-xanmod1", "kernel", (6, 17, 9)),
    ("25.0.7-2", "mesa", (25, 0, 7)), ("1:25.0.7-2", "mesa", (25, 0, 7)), ("26.2-git", "mesa", (26, 2)),
    ("26.2.0-devel (git-4f3a2b1c)", "mesa", (26, 2, 0)),
    ("25.2.8-0ubuntu0.24.04.1", "mesa", (25, 2, 8)), ("Mesa 26.1.2-arch1.1", "mesa", (26, 1, 2)),
    ("26.2.0_devel.213513.1b2c3d4-1", "mesa", (26, 2, 0)),
    ("25.0.7-2~bpo12+1", "mesa", (25, 0, 7)),
    ("20251125", "firmware", (20251125,)), ("20251125.git1a2b-0ubuntu1", "firmware", (20251125,)), ("1:20260110-1", "firmware", (20260110,)),
    ("20240318.git3b128b60-0ubuntu2.21", "firmware", (20240318,)), ("20251125-2.fc43", "firmware", (20251125,)),
    ("2025-11-25", "firmware", (20251125,)),
    ("7.2.1.70201-81~24.04", "rocm", (7, 2, 1)), ("7.2.1-81", "rocm", (7, 2, 1)), ("7.10.0a20251120", "rocm", (7, 10, 0)),
    ("7.13.0rc1", "rocm", (7, 13, 0)),
    ("10.0.0", "rocm", (10, 0, 0)), ("5.7", "rocm", (5, 7)), ("6.4.43483-a187df25c", "rocm", (6, 4, 43483)),
    ("1:6.16.13.30300400-2341068.24.04", "dkms", (30, 30, 4)), ("1:6.12.12.60401-2164967.24.04", "dkms", (6, 4, 1)), ("30.20.1", "dkms", (30, 20, 1)),
    ("6.16.6", "module", (6, 16, 6)),
    ("26.2.2", "adrenalin", (26, 2, 2)), ("32.0.23033.1002", "adrenalin", (32, 0, 23033, 1002)), ("Adrenalin 26.5.1", "adrenalin", (26, 5, 1)),
    ("b9213", "build", (9213,)), ("9213", "build", (9213,)), ("9213 (5d3c4e3f)", "build", (9213,)), ("master-504-636d3cb", "build", (504,)),
    ("2.9.1+rocm6.4", "python", (2, 9, 1)), ("2.12.0a0+rocm7.13.0a20260411", "python", (2, 12, 0)),
    ("2.6.0.dev20241213+rocm6.2.4", "python", (2, 6, 0)),
    ("0.1.19.post1", "python", (0, 1, 19)), ("3.7.0+amd.rocm7.0.0.git89002410", "python", (3, 7, 0)), ("0.11.2.dev599", "python", (0, 11, 2)),
    ("0.4.17", "app", (0, 4, 17)), ("2.22.1", "engine", (2, 22, 1)), ("1.105.4", "", (1, 105, 4)), ("1.79.1.yr1", "", (1, 79, 1)),
    ("v0.13.1", "", (0, 13, 1)),
    ("2023.Q4.2", "", (2023, 4, 2)), ("03.04", "bios", (3, 4)), ("2.12.0.dev20260220+rocm7.1", "date", (20260220,)),
]


@pytest.mark.parametrize(("text", "scheme", "numbers"), READ)
def test_reads(text: str, scheme: str, numbers: tuple[int, ...]) -> None:
    found = parse(text, scheme)
    assert found is not None and found.numbers == numbers


@pytest.mark.parametrize("text", ["", "unknown", "gfx1151", "9f3a1c", "latest", "N/A", "main", "x" * 500, "٣.٤", "-", "None", "nightly"])
@pytest.mark.parametrize("scheme", versions.SCHEMES)
def test_what_is_no_version_is_unknown(text: str, scheme: str) -> None:
    assert parse(text, scheme) is None
    assert in_range(text, {"from": "1"}, scheme) is None


IN_RANGE = [
    # version, bounds, scheme, answer
    ("6.18.9", {"through": "6.18"}, "kernel", True), ("6.19.0", {"through": "6.18"}, "kernel", False),
    ("6.18.3-arch1-1", {"exact": "6.18"}, "kernel", True),
    ("6.18.30", {"exact": "6.18.3"}, "kernel", False), ("6.18.4", {"before": "6.18.4"}, "kernel", False),
    ("6.18.3-300.fc43.x86_64", {"before": "6.18.4"}, "kernel", True),
    ("7.2.0-rc3", {"before": "7.2"}, "kernel", None), ("7.2.0-rc3", {"through": "7.1"}, "kernel", False),
    ("7.2.0-rc2", {"from": "7.2-rc3"}, "kernel", False),
    ("7.2.0-0.rc4.250814git0cc53520e68b.fc44", {"from": "7.2-rc3", "before": "7.2"}, "kernel", None), ("7.1.0", {"from": "7.2-rc3"}, "kernel", False),
    # Ubuntu's kernel of a series has fixes of later point releases inside.
    ("6.17.0-22-generic", {"from": "6.17", "before": "6.17.9"}, "kernel", None),
    ("6.17.0-22-generic", {"from": "6.18", "before": "6.18.6"}, "kernel", False),
    ("6.14.0-1018-oem", {"before": "6.17"}, "kernel", True),
    # ABI numbers of Ubuntu count in their series only.
    ("6.8.0-135-generic", {"from": "6.8.0-135"}, "kernel", True), ("6.8.0-134-generic", {"from": "6.8.0-135"}, "kernel", False),
    ("6.11.0-9-generic", {"from": "6.8.0-135"}, "kernel", False), ("6.18.3-arch1-1", {"from": "6.8.0-135"}, "kernel", False),
    ("6.8.0-1030-oem", {"from": "6.8.0-135"}, "abi", False), ("6.17.0-1024-oem", {"from": "6.17.0-1023-oem"}, "abi", True),
    ("6.17.0-1024-azure", {"from": "6.17.0-1023-oem"}, "abi", False),
    ("6.14.11-5-pve", {"exact": "6.14.11-5-pve"}, "kernel", True), ("6.14.11-4-pve", {"exact": "6.14.11-5-pve"}, "kernel", False),
    ("7.1.2-ogc2.1.fc43.x86_64", {"exact": "7.1.2-ogc2"}, "kernel", True),
    ("1:25.0.7-2", {"exact": "25.0.7"}, "mesa", True), ("26.1.3", {"from": "26.1.1", "through": "26.1.2"}, "mesa", False),
    ("26.2-git", {"from": "26.1.1", "through": "26.1.2"}, "mesa", False), ("26.2.0-devel", {"from": "26.2.0"}, "mesa", None),
    ("26.1", {"exact": "26.1.2"}, "mesa", None),
    ("26.1", {"before": "26.1.0"}, "mesa", False), ("26.1", {"from": "26.1.0"}, "mesa", True), ("26.1.0-rc2", {"before": "26.1.0"}, "mesa", None),
    ("20251125.git1a2b-0ubuntu1", {"exact": "20251125"}, "firmware", True), ("1:20260110-1", {"before": "20260110"}, "firmware", False),
    ("20240318.git3b128b60-0ubuntu2.21", {"before": "20240901"}, "firmware", None),
    ("20240318.git3b128b60-0ubuntu2", {"before": "20240901"}, "firmware", True),
    ("20260810-1", {"before": "20260810-2"}, "firmware", True), ("20260810-2", {"before": "20260810-2"}, "firmware", False),
    ("20260810", {"exact": "20260810-2"}, "firmware", None),
    ("7.10.0a20251120", {"from": "7.0", "through": "7.2"}, "rocm", None), ("7.2.1", {"before": "7.10"}, "rocm", None),
    ("7.10.0", {"exact": "7.2"}, "rocm", False),
    ("7.10.0", {"before": "10.0"}, "rocm", True), ("7.10.0", {"through": "7.0"}, "rocm", False), ("7.10.0", {"through": "6.4"}, "rocm", False),
    ("7.13.0rc1", {"from": "7.13", "through": "7.13"}, "rocm", True), ("7.13.0a20260424", {"exact": "7.13.0"}, "rocm", None),
    ("7.10.0a20251120", {"from": "7.10.0a20251023"}, "rocm", True), ("7.10.0a20251001", {"before": "7.10.0a20251023"}, "rocm", True),
    ("7.10.0a20251001", {"exact": "7.10.0a"}, "rocm", True), ("7.2.1.70201-81~24.04", {"exact": "7.2.1"}, "rocm", True),
    ("32.0.12078.30", {"exact": "32.0.12078"}, "driver", True), ("26.5.2", {"from": "26.5", "before": "26.8.1"}, "adrenalin", True),
    ("32.0.12078.30", {"before": "26.8.1"}, "adrenalin", None),
    ("b9213", {"from": "b9118", "through": "b9213"}, "build", True), ("b10107", {"through": "b9213"}, "build", False),
    ("2.12.0+rocm7.14.0", {"exact": "2.12.0+rocm7.14.0"}, "python", True), ("2.12.0+rocm7.2", {"exact": "2.12.0+rocm7.14.0"}, "python", None),
    ("2.12.0+rocm10.0.0", {"exact": "2.12.0+rocm7.14.0"}, "python", False), ("2.12.0", {"exact": "2.12.0+rocm7.14.0"}, "python", None),
    ("2.9.1+rocm6.4", {"exact": "2.9.1"}, "python", True), ("2.12.0.dev20260220+rocm7.1", {"before": "2.12.0"}, "python", None),
    ("2.12.0.dev20260219+rocm7.1", {"from": "2.12.0.dev20260218+rocm7.1", "through": "2.12.0.dev20260220+rocm7.1"}, "python", True),
    ("0.1.19", {"before": "0.1.19.post1"}, "python", True), ("0.1.19.post2", {"before": "0.1.19.post1"}, "python", False),
    ("1.79.1.yr1", {"exact": "1.79.1.yr1"}, "", True), ("1.79.1.yr0", {"exact": "1.79.1.yr1"}, "", False),
    ("1.105.4", {"from": "1.105", "before": "1.106"}, "", True),
    ("1:6.16.13.30300100-2327507.24.04", {"from": "30.30.1"}, "dkms", True), ("1:6.12.12.60401-2164967", {"through": "6.4.1"}, "dkms", True),
    ("03.04", {"exact": "3.04"}, "bios", True),
    ("6.18.9", {}, "kernel", None), ("6.18.9", {"since": "6.18"}, "kernel", None), ("6.18.9", {"from": "nonsense"}, "kernel", None),
]


@pytest.mark.parametrize(("version", "bounds", "scheme", "answer"), IN_RANGE)
def test_in_range(version: str, bounds: dict[str, str], scheme: str, answer: bool | None) -> None:
    assert in_range(version, bounds, scheme) is answer


ORDER = [
    ("6.8.0-60-generic", "6.17.0-5-generic", "kernel"), ("7.2-rc2", "7.2-rc3", "kernel"), ("7.2-rc3", "7.2", "kernel"), ("25.0.7-2", "1:25.1.0-1", "mesa"),
         ("26.2-git", "26.2.0", "mesa"), ("7.2.4", "10.0.0", "rocm"), ("7.2.4", "7.9", "rocm"), ("7.0.2", "7.9.0", "rocm"),
    ("7.10.0a20251120", "7.10.0rc1", "rocm"),
         ("26.3.1", "26.10.1", "adrenalin"),
    ("b9213", "b10050", "build"), ("2.12.0.dev20260220", "2.12.0", "python"), ("0.1.19", "0.1.19.post1", "python"),
         ("6.4.1", "30.10", "dkms")]


@pytest.mark.parametrize(("older", "newer", "scheme"), ORDER)
def test_order(older: str, newer: str, scheme: str) -> None:
    unordered = (older, newer) == ("7.2.4", "7.9")
    assert compare(older, newer, scheme) == (None if unordered else -1)
    assert compare(newer, older, scheme) == (None if unordered else 1)
    assert compare(older, older, scheme) == 0


SCHEMES = st.sampled_from(versions.SCHEMES)
NUMBERS = st.lists(st.integers(0, 40), min_size=1, max_size=4)
DOTTED = NUMBERS.map(lambda numbers: ".".join(map(str, numbers)))
SUFFIX = st.sampled_from([
    "", "-1", "-135-generic", "-1018-oem", "-arch1-1", "-200.fc44.x86_64", "-rc3", "-git", "a20251120", "rc1", "+rocm6.4", ".dev3", ".post1", "-2~bpo12+1"])
HEAD = st.sampled_from(["", "1:", "v", "b", "Mesa "])
TEXT = st.one_of(st.builds(lambda head, dotted, tail: head + dotted + tail, HEAD, DOTTED, SUFFIX), st.text(max_size=40))
RANGE = st.dictionaries(st.sampled_from(["from", "through", "before", "exact"]), TEXT, max_size=3)


@given(TEXT, RANGE, SCHEMES)
def test_never_raises(text: str, bounds: dict[str, str], scheme: str) -> None:
    assert in_range(text, bounds, scheme) in (True, False, None)
    assert compare(text, next(iter(bounds.values()), "1"), scheme) in (-1, 0, 1, None)


@given(TEXT, TEXT, TEXT, SCHEMES)
def test_is_an_order(a: str, b: str, c: str, scheme: str) -> None:
    forth, back = compare(a, b, scheme), compare(b, a, scheme)
    assert (forth is None) == (back is None) and (forth is None or forth == -(back or 0))
    if compare(a, b, scheme) in (-1, 0) and compare(b, c, scheme) in (-1, 0) and compare(a, c, scheme) is not None:
        assert compare(a, c, scheme) in (-1, 0)


@given(TEXT, TEXT, SCHEMES)
def test_bounds_agree_with_each_other(text: str, bound: str, scheme: str) -> None:
    after, upto, below, exact = (in_range(text, {kind: bound}, scheme) for kind in ("from", "through", "before", "exact"))
    assert not (below is True and after is True) and not (exact is True and (below is True or after is False or upto is False))
    if None not in (after, upto, exact):
        package = (parse(bound, scheme) or parse("1")).loose  # says nothing of other kernels, neither before nor after
        assert package or exact is (after and upto)
        assert package or below is not after


@given(NUMBERS, st.integers(0, 40))
def test_a_part_stands_for_all_of_it(numbers: list[int], more: int) -> None:
    part = ".".join(map(str, [1, *numbers[:3]]))
    for kind in ("from", "through", "exact"):
        assert in_range(f"{part}.{more}", {kind: part}) is True
    assert in_range(f"{part}.{more}", {"before": part}) is False


@given(DOTTED, st.integers(0, 9), st.sampled_from(["-1", "-2ubuntu1", "-200.fc44.x86_64", "-arch1-1", "+deb13"]))
def test_epoch_and_revision_do_not_count(dotted: str, epoch: int, tail: str) -> None:
    assert compare(f"{epoch}:{dotted}{tail}", dotted) == 0
