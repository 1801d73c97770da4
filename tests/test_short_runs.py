"""What makes a short run short changes nothing: records behave as dataclasses do, kept patterns as those that were just compiled."""

import copy
import dataclasses
import importlib
import json
import marshal
import pathlib
import pickle
import pkgutil
import re
import subprocess
import sys
from typing import NamedTuple

import pytest

import rocmdoctor
from rocmdoctor import later, records
from rocmdoctor.facts import written
from rocmdoctor.texts import catalogue


def _modules():
    for found in pkgutil.walk_packages(rocmdoctor.__path__, "rocmdoctor."):
        if not found.name.endswith("__main__") and ".mcp" not in found.name:
            yield importlib.import_module(found.name)


@records.dataclass(frozen=True, slots=True)
class Frozen:
    """One."""

    name: str
    size: int = 3
    many: tuple[str, ...] = records.field(default=(), compare=False)


class Pair(NamedTuple):
    """Two."""

    first: int
    second: Frozen


@records.dataclass(slots=True)
class Longer:
    name: str
    parts: list[str] = records.field(default_factory=list)


@records.dataclass(slots=True)
class Longest(Longer):
    more: int = 3


def test_fields_are_inherited():
    assert Longest("a", ["b"]) == Longest("a", ["b"], 3) and [each.name for each in records.fields(Longest)] == ["name", "parts", "more"]
    assert records.replace(Longest("a"), more=4).more == 4


@records.dataclass(slots=True)
class Open:
    """Two."""

    name: str
    found: list[int] = records.field(default_factory=list)
    hidden: str = records.field(default="x", repr=False)

    def __post_init__(self) -> None:
        self.name = self.name.strip()


def twin(kind, frozen):
    space = {"__annotations__": kind.__annotations__, "__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
    for each in dataclasses.fields(kind):
        factory = {} if each.default_factory is dataclasses.MISSING else {"default_factory": each.default_factory}
        value = {} if each.default is dataclasses.MISSING else {"default": each.default}
        if factory or value or not each.compare:
            space[each.name] = dataclasses.field(**factory, **value, compare=each.compare, repr=each.repr)
    if hasattr(kind, "__post_init__"):
        space["__post_init__"] = kind.__post_init__
    return dataclasses.dataclass(frozen=frozen, slots=True)(type(kind.__name__, (), space))


@pytest.mark.parametrize(("kind", "frozen"), [(Frozen, True), (Open, False)])
@pytest.mark.parametrize("given", [(("a ",), {}), (("a", [1]), {}), ((), {"name": "b"})])
def test_a_record_is_as_a_dataclass(kind, frozen, given):
    positional, named = given
    theirs = twin(kind, frozen)
    ours, their = kind(*positional, **named), theirs(*positional, **named)
    assert repr(ours) == repr(their) and dataclasses.asdict(ours) == dataclasses.asdict(their) and dataclasses.is_dataclass(kind)
    assert kind.__match_args__ == theirs.__match_args__ and ours == kind(*positional, **named) and ours != their
    again = dataclasses.replace(ours, name="other")
    assert dataclasses.astuple(again) == dataclasses.astuple(dataclasses.replace(their, name="other")) and again != ours
    assert copy.deepcopy(ours) == ours == pickle.loads(pickle.dumps(ours)) and not hasattr(ours, "__dict__")
    for wrong in (lambda of: of(), lambda of: of("a", 1, 2, 3), lambda of: of("a", other=1)):
        said = []
        for each in (kind, theirs):
            with pytest.raises(TypeError) as error:
                wrong(each)
            said.append(str(error.value))
        assert said[0] == said[1]
    if frozen:
        assert Frozen("a", 3, ("x",)) == Frozen("a") and hash(Frozen("a")) == hash(Frozen("a", 3, ("y",)))
        for change in (lambda: setattr(ours, "name", ""), lambda: delattr(ours, "name")):
            with pytest.raises(dataclasses.FrozenInstanceError):
                change()
    else:
        with pytest.raises(TypeError):
            hash(ours)
        assert kind("a").found is not kind("a").found


def test_every_pattern_of_the_program_is_what_it_is_when_compiled():
    seen = 0
    for module in _modules():
        for value in vars(module).values():
            if isinstance(value, later._Later):
                text, flags = value._how
                assert later.compiled(text, flags) == re.compile(text, flags), f"{module.__name__}: {text}"
                seen += 1
    assert seen > 200


SAYS = "import sys; from rocmdoctor import later; p = later.pattern(r'(?P<x>a+)b', 2); print(p.sub('c', 'AAb'), len(later._kept.new)); later.keep()"


def test_what_was_compiled_is_kept_and_what_cannot_be_used_is_made_again(tmp_path):
    def run():
        done = subprocess.run([sys.executable, "-c", SAYS], capture_output=True, text=True, check=True, env={"XDG_CACHE_HOME": str(tmp_path),
                              "PYTHONPATH": ":".join(sys.path)})
        return done.stdout.split()

    assert run() == ["c", "1"] and run() == ["c", "0"]
    file = tmp_path / "rocmdoctor" / "patterns.bin"
    good = file.read_bytes()
    file.write_bytes(good[:-3])
    assert run() == ["c", "1"] and run() == ["c", "0"]
    file.write_bytes(good.replace(b"3.", b"9.", 1))
    assert run() == ["c", "1"]


@pytest.mark.parametrize("code", [b"", b"\xff" * 40, b"\1\0\0"])
def test_a_code_that_is_none_is_compiled_again(code, monkeypatch):
    monkeypatch.setattr(later, "_kept", later._Kept())
    later._kept.codes = {("a+", 0): (0, code, 0, {}, ())}
    assert later.compiled("a+", 0) == re.compile("a+") and marshal.dumps(later._kept.new)


SPEAKS = """
import sys
from rocmdoctor.texts import catalogue
known = catalogue.catalogue()  # as they were kept
loaded = [name for name in sys.modules if name.startswith(("rocmdoctor.texts.readers.", "rocmdoctor.texts.prose."))]
print(len(known), len(loaded))
for each in known:
    module = sys.modules.get(each.__name__) or __import__(each.__name__, fromlist=["read"])
    assert each.recognises is module.recognises and each.MARKS == list(getattr(module, "MARKS", ())) and each.TRUST == module.TRUST and each.LAST == getattr(module, "LAST", False)
    assert each.KINDS == getattr(module, "KINDS", each.KINDS)
"""


def test_a_reader_is_loaded_when_it_reads(tmp_path):
    def run():
        done = subprocess.run([sys.executable, "-c", SPEAKS], capture_output=True, text=True, check=True, env={"XDG_CACHE_HOME": str(tmp_path),
                              "PYTHONPATH": ":".join(sys.path)})
        return [int(word) for word in done.stdout.split()]

    (known, loaded), (again, kept) = run(), run()
    assert known == again and loaded >= known > 50 and kept < 10


@pytest.mark.parametrize("long", [0, 1 << 20])
def test_a_reader_is_not_asked_about_a_text_without_its_marks(long, monkeypatch):
    monkeypatch.setattr(catalogue, "_LONG", long or 1)
    readers = {each.__name__.rpartition(".")[2]: each for each in catalogue.catalogue()}
    text = catalogue.Marked("module défaillant: amdgpu_device.c\n" * 3)
    assert text.may_be_of(readers["crash"]) and text.may_be_of(readers["pip_list"]) and not text.may_be_of(readers["dmidecode"])
    for name, reader in readers.items():
        for mark in reader.MARKS:
            assert catalogue.Marked(f"x{mark}y").may_be_of(reader), (name, mark)


def test_plain_data_is_written_and_taken_apart_as_the_standard_library_does():
    longer = Longer("a", ["b", Frozen("c", many=("d", Frozen("e")))])
    longer.parts.append(Pair(1, Frozen("g")))
    longer.parts.append({"deep": [Frozen("f")], 3: {1, 2}, "none": None})
    mine, theirs = records.asdict(longer), dataclasses.asdict(longer)
    assert mine == theirs and mine["parts"] is not longer.parts and type(mine["parts"][1]["many"]) is tuple
    data = {"text": "\u00e9\n\"\x01\U0001f600", "n": [1, -2.5, 1e300, float("inf"), True, None], "empty": [{}, [], ()], "deep": {"a": [[["b"]]]},
            3: "number", None: 1, True: 2, 1.5: 3, "tuple": (1, "2"), "else": pathlib.PurePosixPath("/x"), "big": 1 << 80}
    for value in (data, [], {}, "x", 7, [data, data]):
        assert written.indented(value) == json.dumps(value, indent=1, default=str)
