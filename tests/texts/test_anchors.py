"""What a text is asked for before it is read costs no fact: with it and without, readers and patterns find the same."""

import importlib
import pathlib
import pkgutil

import pytest

from rocmdoctor import later
from rocmdoctor.texts import interpret, prose, readers
from rocmdoctor.texts.lines import Anchors, lines

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
FILES = [path for folder in ("cases", "formats", "texts", "histories") for path in sorted((FIXTURES / folder).rglob("*")) if path.is_file()]
TEXTS = [path.read_text("utf-8", "replace") for path in FILES]
MODULES = [importlib.import_module(f"{package.__name__}.{module.name}") for package in (readers, prose) for module in pkgutil.iter_modules(package.__path__)]
WITH_ANCHORS = [module for module in MODULES if any(isinstance(value, Anchors) for value in vars(module).values())]
# Letters that a pattern of any case takes for those of ASCII
ODD = "\n".join(("A rıng gfx_0.0.0 tımeout", "Voltage in \u212aelvin: RADEON R\u017f", "İnstall fa\u0130led", "LINUX VER\u017fION 6.8.0"))


@pytest.mark.parametrize("module", WITH_ANCHORS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_reader_misses_nothing_in_the_lines_it_does_not_see(module, monkeypatch):
    seen = [list(module.read(text)) for text in TEXTS]
    assert any(seen)
    monkeypatch.setattr(Anchors, "lines", lambda self, text: iter(lines(text)))
    assert [list(module.read(text)) for text in TEXTS] == seen


def test_a_pattern_is_in_no_text_that_lacks_what_its_matches_hold():
    patterns = [value for module in MODULES for each in vars(module).values() for value in (each if isinstance(each, tuple) else (each,))
                if isinstance(value, later._Later) and isinstance(value.pattern, str)]
    needing = [pattern for pattern in patterns if pattern.needs]
    assert len(needing) > 200
    for text in (*TEXTS[::15], ODD):
        for pattern in needing:
            assert later.may_match(pattern, text) or pattern.search(text) is None, pattern.pattern


def test_a_reader_gets_so_many_lines_and_no_more():
    text = "\n" + "word\n" * (2 * interpret.MOST_LINES)
    assert interpret._beginning(text).count("word") == interpret.MOST_LINES
    assert interpret._beginning("word\n" * interpret.MOST_LINES) == "word\n" * interpret.MOST_LINES
