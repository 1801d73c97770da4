"""What a model said of the report: the words that all formats share, and the section for a terminal."""

from __future__ import annotations

from rocmdoctor.facts.sections import Advised, Opinion, Quoted
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report.wording import PROMPTS
from rocmdoctor.share.wash import wash, wash_command, wash_prose

TITLE = "A model's opinion, not checked by rules"


def who(opinion: Opinion) -> str:
    """Model, server and time."""
    model = wash(opinion.model) or "a model"
    return f"{model} ({wash(opinion.server) or 'server'} at {wash(opinion.place)}, {opinion.seconds:.0f} s)"


def rows(opinion: Opinion) -> list[tuple[str, str]]:
    """(label, words) of what it thinks, without what it would do."""
    found = [("No opinion", opinion.problem), ("Thinks", opinion.cause), ("Against it", opinion.contradicts)]
    return [(label, wash_prose(words)) for label, words in found if words]


def quote_words(quote: Quoted) -> str:
    """A piece of evidence with its place; the words are those of the file."""
    place = f"{wash(quote.source)}:{quote.line}" if quote.line else wash(quote.source)
    return f"[{quote.number}] {place}{': ' if place else ''}{wash(quote.text)}"


def advice_words(advice: Advised) -> str:
    """What to do, whose idea it is, and what the command would do."""
    whose = f"of {wash(advice.given)}" if advice.given else "the model's own"
    effect = f", {advice.effect}" if advice.effect else ""
    return f"{wash_prose(advice.what)} ({whose}{effect})".strip()


def doubts(unfounded: list[str] | tuple[str, ...]) -> str:
    """What stands neither in the evidence nor in a table."""
    return f"not in the evidence: {', '.join(wash(term, 80) for term in unfounded)}" if unfounded else ""


def footing(opinion: Opinion) -> list[str]:
    """What was left out of the answer."""
    found = [doubts(opinion.unfounded)]
    if opinion.invented:
        found.append(f"{opinion.invented} thing{'s' * (opinion.invented != 1)} that it refers to {'do' if opinion.invented != 1 else 'does'} not exist")
    if opinion.withheld:
        found.append(f"{opinion.withheld} dangerous thing{'s' * (opinion.withheld != 1)} that it would do {'are' if opinion.withheld != 1 else 'is'} left out")
    return [words for words in found if words]


def groups(opinion: Opinion) -> list[tuple[str, list[Advised]]]:
    """What would decide and what to do, each under its heading."""
    return [(title, found) for title, found in (("Would decide it", opinion.decide), ("Would do", opinion.fixes)) if found]


def _say(console: Console, text: Text, indent: int = 0) -> None:
    console.print(text, indent)


def section(console: Console, opinion: Opinion) -> None:
    """The opinion in a frame of its own words: whose it is stands first."""
    console.print()
    _say(console, Text.assemble((f"{TITLE}: ", "bold magenta"), who(opinion)))
    for label, words in rows(opinion):
        _say(console, Text.assemble((f"{label:<11}", "dim"), words), 2)
    for quote in opinion.evidence:
        _say(console, Text(quote_words(quote), style="cyan"), 4)
    for title, found in groups(opinion):
        _say(console, Text(title, style="dim"), 2)
        for advice in found:
            _say(console, Text(f"- {advice_words(advice)}"), 4)
            for command in advice.commands:
                for line in wash_command(command):
                    console.print_whole(Text("      " + PROMPTS.get(advice.language, "") + line, style="cyan"))
            if advice.unfounded:
                _say(console, Text(doubts(advice.unfounded), style="yellow"), 6)
    for words in footing(opinion):
        _say(console, Text(words, style="yellow"), 2)


def render(opinion: Opinion, width: int, colour: bool) -> str:
    """The section alone."""
    from rocmdoctor.render.report.terminal import console_for

    console = console_for(width, colour)
    section(console, opinion)
    return console.text()
