"""The memory picture for a terminal: a bar per pool, what each application takes the GPU for, what fits, what to set."""

from __future__ import annotations

from rocmdoctor.diagnosis.outcome import fit_outcomes
from rocmdoctor.facts.model import Report
from rocmdoctor.facts.sections import Fit, GpuMemory, MemoryPicture, Plan
from rocmdoctor.facts.sizes import words
from rocmdoctor.render.figures import bars, stack
from rocmdoctor.render.figures.bars import Bar
from rocmdoctor.render.figures.stack import Stack
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report import brief, terminal
from rocmdoctor.share.wash import wash, wash_prose

_VERDICT = {"yes": ("yes", "bold green"), "only_with": ("only with", "bold yellow"), "no": ("no", "bold red"), "unknown": ("not decided", "bold")}
_LABEL = 30


def render(report: Report, width: int, colour: bool, verbose: bool = False) -> str:
    """Whether it fits, the picture, then the findings of memory; with ``verbose`` every pool, and what each application reads."""
    console = terminal.console_for(width, colour)
    _answer(console, report)
    if report.memory is None and report.verdict != "no_amd_gpu":
        terminal.say(console, Text("Nothing is known of any GPU's memory here.", style="bold"))
    for number, gpu in enumerate(report.memory.gpus if report.memory else []):
        if number:
            console.print()
        _gpu(console, report.memory, gpu, max(width, 24), verbose)  # type: ignore[arg-type]
    for place, finding in enumerate(report.findings, 1):
        if verbose or finding.id != "model-does-not-fit":  # the first line says so
            console.print()
            terminal.print_finding(console, finding, place)
    if verbose:
        terminal.print_notes(console, report)
    return console.text()


def _answer(console: Console, report: Report) -> None:
    """One line a model."""
    found = fit_outcomes(report)
    for one in found:
        sign, style = brief.MARKS[one.level]
        terminal.say(console, Text(f"{sign} {wash_prose(one.words)}", style=style))
    if found:
        console.print()


def _bar(console: Console, bar: Bar, width: int) -> None:
    """The bar, and what it says beside it where that fits, else below it."""
    beside = width >= 90
    room = 36 if beside else max(min(width - _LABEL - 4, 60), 8)
    length, used = max(round(bar.length * room), 1), round(bar.used * room)
    if bar.kind == "need":
        used = min(used, room - 1)
        cells = [(" " * used, ""), ("█" * max(length - used, 1), "cyan")]
    elif bar.kind == "wall":
        cells = [("█" * length, "red")]
    elif bar.kind == "free":
        cells = [("░" * length, "green")]
    else:
        cells = [("█" * used, "yellow"), ("░" * max(length - used, 0), "dim")]
    label = bar.label if len(bar.label) < _LABEL else bar.label[:_LABEL - 2] + "…"
    line = Text.assemble(f"{label:<{_LABEL}}", *cells)
    if bar.wall is not None:
        at = _LABEL + min(round(bar.wall * room), room)
        line = Text.assemble(line[:at], " " * (at - len(line)), ("│", "bold red"), line[at + 1:])
    if beside and _LABEL + room + 4 + len(bar.text) <= width:
        terminal.say(console, Text.assemble(line, " " * (_LABEL + room + 2 - len(line)), (bar.text, "dim")), 2)
        return
    terminal.say(console, line, 2)
    terminal.say(console, Text(bar.text, style="dim"), 2 + _LABEL)


_CELLS = {"carve": ("█", "magenta"), "used": ("▓", "yellow"), "free": ("░", "green")}


def _stack(console: Console, one: Stack, widest: int, width: int) -> None:
    """The bar with its parts named below, and a second line for what GTT reaches and what the model needs."""
    room = max(width - 9, 12)
    cells = [(segment, max(round(segment.bytes / widest * room), 1)) for segment in one.segments]
    drawn = [(_CELLS[segment.kind][0] * count, _CELLS[segment.kind][1]) for segment, count in cells]
    terminal.say(console, Text.assemble((f"{one.name:<5}", "bold"), *drawn), 2)
    length = sum(count for _, count in cells)
    reach = min(max(round(one.reach / widest * room), 1), length) if one.reach else 0
    if reach:
        terminal.say(console, Text(" " * (5 + length - reach) + "═" * reach, style="cyan"), 2)
    keys = {"carve": "█", "used": "▓", "free": "░"}
    said = [f"{keys[segment.kind]} {segment.text}" for segment in one.segments] + ([f"═ the GPU may take {words(one.reach)}"] if reach else [])
    terminal.say(console, Text("   ".join(said), style="dim"), 7)


def _gpu(console: Console, memory: MemoryPicture, gpu: GpuMemory, width: int, verbose: bool) -> None:
    terminal.say(console, Text(bars.title(gpu), style="bold"))
    stacks = stack.of_apu(memory, gpu)
    for one in stacks:
        _stack(console, one, max(each.total for each in stacks), width)
    for bar in bars.of_gpu(memory, gpu) if verbose or not stacks else []:
        _bar(console, bar, width)
    if gpu.is_apu is False:
        for pool in memory.system:
            terminal.say(console, Text(f"{pool.name}: {words(pool.total_bytes)}", style="dim"), 2)
    _holders(console, gpu)
    _apps(console, gpu, verbose)
    for fit in gpu.fits:
        console.print()
        _fit(console, fit, width)
    if gpu.plan:
        console.print()
        _plan(console, gpu.plan)


def _holders(console: Console, gpu: GpuMemory) -> None:
    if gpu.holders:
        terminal.say(console, Text("Who holds memory now", style="bold"), 2)
    for holder in gpu.holders[:12]:
        sizes = [(words(size), name) for size, name in ((holder.vram_bytes, "VRAM"), (holder.gtt_bytes, "GTT"), (holder.kfd_bytes, "VRAM of ROCm")) if size]
        terminal.say(console, Text(f"{wash(holder.name)} ({holder.pid}): " + ", ".join(f"{size} {name}" for size, name in sizes)), 4)
    if len(gpu.holders) > 12:
        terminal.say(console, Text(f"… {len(gpu.holders) - 12} more", style="dim"), 4)
    if gpu.holders_unknown and gpu.holders_unknown != "nobody looked":
        terminal.say(console, Text(f"Who holds memory: {wash(gpu.holders_unknown)}", style="dim"), 2)


def _apps(console: Console, gpu: GpuMemory, verbose: bool) -> None:
    """What each application takes the GPU for; without ``verbose`` only of those that are installed here."""
    known = [app for app in gpu.apps if app.bytes is not None or app.installed]
    rows = [app for app in known if verbose or app.installed]
    if known and not rows:
        terminal.say(console, Text("What applications take it for: -v", style="dim"), 2)
    if not rows:
        return
    terminal.say(console, Text("What applications take it for", style="bold"), 2)
    for app in rows:
        line = Text.assemble((f"{app.app} {app.backend}", "bold" if app.installed else ""), f" ({app.versions}): ", (words(app.bytes), "cyan"),
                             f", {app.reads}" + (f"; {app.note}" if app.note else ""))
        terminal.say(console, line, 4)


def _fit(console: Console, fit: Fit, width: int) -> None:
    word, style = _VERDICT[fit.verdict]
    about = f" ({fit.settings})" if fit.settings else ""
    terminal.say(console, Text.assemble((f"{wash(fit.model)} with {fit.backend}: ", "bold"), (word, style), about), 2)
    terminal.say(console, Text(wash_prose(fit.says[0].upper() + fit.says[1:] + ".")), 4)
    for bar in bars.of_fit(fit):
        _bar(console, bar, width)
    others = [f"{part.name} {words(part.bytes)}" for part in fit.parts if part.where != "gpu"]
    if others:
        terminal.say(console, Text("In system RAM: " + ", ".join(others), style="dim"), 4)
    if fit.changes:
        terminal.say(console, Text("Fits with:", style="bold"), 4)
        for change in fit.changes:
            terminal.say(console, Text(change), 6)


def _plan(console: Console, plan: Plan) -> None:
    terminal.say(console, Text("What to set", style="bold"), 2)
    terminal.say(console, Text(wash_prose(plan.says)), 4)
    for number, step in enumerate(plan.steps, 1):
        terminal.print_fix(console, step, number, "Step")
