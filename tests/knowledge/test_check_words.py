"""The words of checks over tables are linted like rules."""

from rocmdoctor.knowledge import check_words, lint
from rocmdoctor.knowledge.rules import load


def test_the_words_of_every_check_are_looked_at() -> None:
    found = check_words.every_finding()
    assert {"hsa-override-empty", "shared-library-missing", "gpu-layers-set-to-zero"} <= found.keys()
    book = load()
    good = dict(found["shared-library-missing"])
    assert not list(lint._finding("new-one", good, book))
    bad = {**good, "fixes": {"linux": [{"do": "x", "commands": [{"powershell": "y"}]}]}}
    assert list(lint._finding("new-one", bad, book)) == ["{'powershell': 'y'} is no command but dict"]
    assert not lint.form(book)
