"""Known defects for a terminal: what it is of, what it says and what to do about it; with everything that is on record of it in full."""

from __future__ import annotations

from rocmdoctor.knowledge import component_versions, cures
from rocmdoctor.knowledge.known import Row
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report import terminal
from rocmdoctor.share.wash import wash, wash_prose

MOST = 20
_LABEL = 6


def render(found: list[Row], width: int, colour: bool, full: bool = False) -> str:
    """The first rows, with ``full`` all of them and all that is known of each."""
    console = terminal.console_for(min(width, 120), colour)
    for number, row in enumerate(found if full else found[:MOST]):
        if number:
            console.print()
        _row(console, row, full)
    if len(found) > MOST and not full:
        console.print()
        terminal.say(console, Text(f"{len(found) - MOST} more: further words, --gpu or --component narrow it down, -v shows all.", style="dim"))
    return console.text()


def _row(console: Console, row: Row, full: bool) -> None:
    place = component_versions.places()[row.component]
    where = ", ".join(filter(None, (" ".join(row.gfx) or "any GPU", " ".join(row.os), " ".join(row.backend),
                                    " ".join(f"{name} {bound}" for name, bound in row.with_.items()))))
    what = wash(f"{place.title} {row.bounds or row.note or 'of no stated version'}")
    terminal.say(console, Text.assemble((what, "bold"), " · ", wash(f"{where} · {', '.join(row.symptom)}")))
    terminal.say(console, Text(wash_prose(row.says)), 2)
    rows = [("with", row.needs)] + [("good", " or ".join(row.good))] * bool(row.good)
    rows += [("fix" if not number else "or", fix) for number, fix in enumerate(map(cures.doing, row.fix if full else row.fix[:2]))]
    rows += [("not", fix) for fix in row.not_a_fix] if full else []
    rows += [("known", f"{row.confirmed}, read {row.read}"), *(("", url) for url in row.source)] if full else []
    for label, words in [*rows, ("why", f"rocmdoctor why {row.id}")]:
        if words:
            _labelled(console, label, wash_prose(words))


def _labelled(console: Console, label: str, words: str) -> None:
    """A row; commands and addresses are not broken."""
    if words.startswith(("http", "rocmdoctor why ")):
        console.print_whole(Text.assemble("  ", (f"{label:<{_LABEL}}", "bold"), words))
        return
    for number, line in enumerate(Text(words).wrap(max(console.width - _LABEL - 2, 16))):
        console.print_whole(Text.assemble("  ", (f"{label if not number else '':<{_LABEL}}", "bold"), line))
