"""The knowledge, to read and to check."""

from __future__ import annotations

import pathlib
import re
import shutil
import sys
import textwrap

import click

from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import DONE, Group, epilog
from rocmdoctor.knowledge import known, rules
from rocmdoctor.knowledge.rules import Rule, Rulebook

_FOLDERS = click.option("--rules", "folders", multiple=True, type=click.Path(exists=True, file_okay=False), metavar="DIR",
                        help="A further folder of rules; may be given again.")
_CHECKED = "Exit status: 0 done · 1 lint or test found a problem · 2 wrong usage · 70 rocmdoctor itself failed."


@click.group("rules", cls=Group, epilog=epilog("rules list --grep \"strix halo\"", "rules show ollama-gfx-target-not-supported", "rules lint my-rules/",
                                              "rules test my-rules/", statuses=_CHECKED))
def command() -> None:
    """The knowledge, readable and checkable."""


def _book(folders: tuple[str, ...]) -> Rulebook:
    return rules.load(tuple(map(pathlib.Path, folders)))


@command.command("list", epilog=epilog("rules list", "rules list --grep \"ollama gfx1151\"", statuses=DONE))
@click.option("--grep", "words", default="", metavar="WORDS", help="Only rules that hold all of these words, in any case.")
@_FOLDERS
def rules_list(words: str, folders: tuple[str, ...]) -> None:
    """Every rule: id, kind, severity, title."""
    wanted = words.lower().split()
    width = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 0
    for rule in _book(folders).rules.values():
        text = " ".join((rule.id, rule.title, rule.says, rule.why, *(str(fix.data) for fix in rule.fixes))).lower()
        if all(word in text for word in wanted):
            line = f"{rule.id:56} {rule.kind:8} {rule.severity:8} {rule.title}"
            said = textwrap.fill(f"{rule.severity}: {rule.title}", width, initial_indent="  ", subsequent_indent="  ") if width else ""
            click.echo(f"{rule.id}\n{said}" if width else line)  # lines for people, columns for programs


def _shown(rule: Rule) -> list[str]:
    lines = [rule.title, f"{rule.kind}, {rule.severity}, layer {rule.stage}, {rule.status}", "", rule.says]
    lines += ["", rule.why] if rule.why else []
    lines += ["", "Asked when: " + " ".join(rule.when.text.split())]
    for signal in rule.signals.values():
        lines += [f"  {signal.name}: " + "  |  ".join(signal.patterns[:6])]
    lines += ["", "Explains: " + ", ".join(rule.explains)] if rule.explains else []
    for number, fix in enumerate(rule.fixes, 1):
        lines += ["", f"{number}. {fix.data['do']}"]
        lines += [f"   {fix.data['detail']}"] if fix.data.get("detail") else []
        lines += [f"   $ {command}" for command in fix.data.get("commands") or ()]
        lines += [f"   {label}: {fix.data[name]}" for name, label in (("side_effects", "Side effects"), ("verify", "Verify"), ("undo", "Undo"))
                  if fix.data.get(name)]
    return [*lines, "", "Known from:", *(f"  {url}" for url in rule.references)]


@command.command("show", epilog=epilog("rules show ollama-gfx-target-not-supported", statuses=DONE))
@click.argument("rule_id")
@_FOLDERS
def rules_show(rule_id: str, folders: tuple[str, ...]) -> None:
    """One rule in words: what it says, when it is asked, what it explains, its fixes and sources."""
    rule = _book(folders).rules.get(rule_id)
    if rule is None:
        raise Usage(f"{rule_id}: no such rule; `rocmdoctor rules list --grep WORDS` finds them")
    click.echo(re.sub(r"\n{3,}", "\n\n", "\n".join(_shown(rule))))


def _told(problems: list[str], what: str) -> None:
    for problem in problems:
        click.echo(problem)
    click.echo(f"{what}, {len(problems)} problem{'' if len(problems) == 1 else 's'}", err=True)
    raise SystemExit(1 if problems else 0)


@command.command("lint", epilog=epilog("rules lint my-rules/", statuses=_CHECKED))
@click.argument("folders", nargs=-1, type=click.Path(exists=True, file_okay=False))
def rules_lint(folders: tuple[str, ...]) -> None:
    """Check the form of the rules of the house and of further folders: fields, ids that dangle, commands that are none, no fix for Windows."""
    from rocmdoctor.knowledge import lint

    book = _book(folders)
    _told(lint.form(book), f"{len(book.rules)} rules, {len(book.signals)} shared signals, {len(known.load().all())} known defects")


@command.command("test", epilog=epilog("rules test my-rules/", statuses=_CHECKED))
@click.argument("folders", nargs=-1, type=click.Path(exists=True, file_okay=False))
def rules_test(folders: tuple[str, ...]) -> None:
    """Check that every example answers as it says: with folders only those of their rules, else all of the house."""
    from rocmdoctor.knowledge import lint

    book, house = _book(folders), _book(())
    own = None if not folders else set(book.rules) - set(house.rules)
    _told(list(lint.tests(book, own)), f"{len(book.rules if own is None else own)} rules")
