"""The memory picture for a terminal: the answer, one bar a GPU, what does not fit and what to set; with -v every pool, application and step."""

from __future__ import annotations

import textwrap

from rocmdoctor.diagnosis.outcome import fit_outcomes
from rocmdoctor.facts.model import Report
from rocmdoctor.facts.sections import Fit, GpuMemory, MemoryPicture, Plan
from rocmdoctor.facts.sizes import words
from rocmdoctor.render.figures import bars, stack
from rocmdoctor.render.figures.bars import Bar
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report import brief, terminal
from rocmdoctor.render.report.wording import PROMPTS
from rocmdoctor.share.wash import wash, wash_command, wash_prose

_VERDICT = {"yes": ("yes", "bold green"), "only_with": ("not as it is set", "bold yellow"), "no": ("no", "bold red"), "unknown": ("not decided", "bold")}
_LABEL = 30
_NAME = 12


def render(report: Report, width: int, colour: bool, verbose: bool = False, last: bool = False) -> str:
    """Whether it fits, the picture, then the findings of memory; with ``verbose`` everything of them; with ``last`` the answer at the end, too."""
    console = terminal.console_for(width, colour)
    _answer(console, report)
    if fit_outcomes(report):
        console.print()
    if report.memory is None and report.verdict != "no_amd_gpu":
        terminal.say(console, Text("Nothing is known of any GPU's memory here.", style="bold"))
    for number, gpus in enumerate(bars.alike(report.memory) if report.memory else []):
        if number:
            console.print()
        _gpu(console, report.memory, gpus, max(width, 24), verbose)  # type: ignore[arg-type]
    _findings(console, report, verbose)
    if verbose:
        terminal.print_notes(console, report)
    else:
        console.print()
        terminal.say(console, Text("-v shows every pool, what applications take it for, and each step with its way back.", style="dim"))
    if last:
        _answer(console, report)
    return console.text()


def _answer(console: Console, report: Report) -> None:
    """One line a model."""
    for one in fit_outcomes(report):
        sign, style = brief.MARKS[one.level]
        terminal.say(console, Text(f"{sign} {wash_prose(one.words)}", style=style))


def _findings(console: Console, report: Report, verbose: bool) -> None:
    if verbose:
        for place, finding in enumerate(report.findings, 1):
            console.print()
            terminal.print_finding(console, finding, place)
        return
    others = [finding for finding in report.findings if finding.id != "model-does-not-fit"]  # the first line says so
    decided = [finding for finding in others if finding.standing != "possible"]
    if others:
        console.print()
    for finding in decided:
        sign, style = brief.mark(finding)
        terminal.say(console, Text.assemble((f"{sign} ", style), wash_prose(finding.title)))
    if count := len(others) - len(decided):
        terminal.say(console, Text(f"{count} {'possibilities' if count > 1 else 'possibility'}: -v", style="dim"))


def _bar(console: Console, bar: Bar, width: int) -> None:
    """A place of memory, and what is used of it: beside the bar where that fits, else below."""
    beside = width >= 90
    room = 36 if beside else max(min(width - _LABEL - 4, 60), 8)
    length, used = max(round(bar.length * room), 1), round(bar.used * room)
    label = bar.label if len(bar.label) < _LABEL else bar.label[:_LABEL - 2] + "…"
    line = Text.assemble(f"{label:<{_LABEL}}", ("█" * used, "yellow"), ("░" * max(length - used, 0), "dim"))
    if beside and _LABEL + room + 4 + len(bar.text) <= width:
        terminal.say(console, Text.assemble(line, " " * (_LABEL + room + 2 - len(line)), (bar.text, "dim")), 2)
        return
    terminal.say(console, line, 2)
    terminal.say(console, Text(bar.text, style="dim"), 2 + _LABEL)


_CELLS = {"carve": ("█", "magenta"), "reach": ("▓", "cyan"), "rest": ("░", "green"), "used": ("▒", "yellow"), "weights": ("W", "magenta"), "kv": ("K", "cyan"),
          "compute": ("C", "yellow")}


def _stack(console: Console, one: stack.Bar, widest: int, width: int) -> None:
    """One of the bars on the common scale, its parts named below; the wall stands where the free memory ends."""
    room = max(min(width, 120) - _NAME - 4, 12)
    cells = [(_CELLS[segment.kind], max(round(segment.bytes / widest * room), 1)) for segment in one.segments]
    line = Text.assemble(*((sign * count, style) for (sign, style), count in cells))
    if one.limit:
        at = min(round(one.limit / widest * room), room)
        line = Text.assemble(line[:at], " " * (at - len(line)), ("│", "bold red"), line[at + 1:])
    names = textwrap.wrap(one.name, _NAME - 2)
    said = [f"{_CELLS[segment.kind][0]} {segment.text}" for segment in one.segments] + ([f"│ {one.note}" if one.limit else one.note] if one.note else [])
    below = _packed(said, max(min(width, 120) - _NAME - 4, 20))
    for number in range(max(len(names), 1 + len(below))):
        head = (f"{names[number] if number < len(names) else '':<{_NAME}}", "bold")
        terminal.say(console, Text.assemble(head, line if not number else Text(below[number - 1] if number <= len(below) else "", style="dim")), 2)


def _packed(parts: list[str], room: int) -> list[str]:
    """Parts in lines, none broken that fits into one."""
    found: list[str] = []
    for part in parts:
        if found and len(found[-1]) + len(part) + 3 <= room:
            found[-1] += f"   {part}"
        else:
            found += textwrap.wrap(part, room)
    return found


def _gpu(console: Console, memory: MemoryPicture, gpus: list[GpuMemory], width: int, verbose: bool) -> None:
    gpu = gpus[0]  # the others are alike
    terminal.say(console, Text(bars.title(gpus), style="bold"))
    drawn = stack.figure(memory, gpu)
    for one in drawn:
        _stack(console, one, max(each.total for each in drawn), width)
    for bar in bars.of_gpu(memory, gpu) if verbose or not drawn else []:
        _bar(console, bar, width)
    if gpu.is_apu is not True and gpu is memory.gpus[0]:  # it is one for all GPUs
        for pool in memory.system:
            terminal.say(console, Text(f"{pool.name}: {words(pool.total_bytes)}", style="dim"), 2)
    _holders(console, gpu, verbose)
    _apps(console, gpu, verbose)
    if verbose:
        for fit in gpu.fits:
            console.print()
            _fit(console, fit)
    else:
        _misfits(console, gpu.fits)
    if gpu.plan:
        console.print()
        _plan(console, gpu.plan, verbose, bool(gpu.fits) and all(fit.verdict == "yes" for fit in gpu.fits))


def _holders(console: Console, gpu: GpuMemory, verbose: bool) -> None:
    if gpu.holders:
        terminal.say(console, Text("Who holds memory now", style="bold"), 2)
    for holder in gpu.holders[:12]:
        sizes = [(words(size), name) for size, name in ((holder.vram_bytes, "VRAM"), (holder.gtt_bytes, "GTT"), (holder.kfd_bytes, "VRAM of ROCm")) if size]
        terminal.say(console, Text(f"{wash(holder.name)} ({holder.pid}): " + ", ".join(f"{size} {name}" for size, name in sizes)), 4)
    if len(gpu.holders) > 12:
        terminal.say(console, Text(f"… {len(gpu.holders) - 12} more", style="dim"), 4)
    if gpu.holders_unknown and (verbose or gpu.holders) and gpu.holders_unknown != "nobody looked":
        terminal.say(console, Text(f"Who holds memory: {wash(gpu.holders_unknown)}", style="dim"), 2)


def _apps(console: Console, gpu: GpuMemory, verbose: bool) -> None:
    """What each application takes the GPU for; without ``verbose`` only of those that are installed here."""
    known = [app for app in gpu.apps if app.bytes is not None or app.installed]
    rows = [app for app in known if verbose or app.installed and app.bytes is not None]
    if not rows:
        return
    terminal.say(console, Text("What applications take it for", style="bold"), 2)
    for app in rows:
        line = Text.assemble((f"{app.app} {app.backend}", "bold" if app.installed else ""), f" ({app.versions}): ", (words(app.bytes), "cyan"),
                             f", {app.reads}" + (f"; {app.note}" if app.note else ""))
        terminal.say(console, line, 4)


def _fit(console: Console, fit: Fit) -> None:
    word, style = _VERDICT[fit.verdict]
    about = f" ({fit.settings})" if fit.settings else ""
    terminal.say(console, Text.assemble((f"{wash(fit.model)} with {fit.backend}: ", "bold"), (word, style), about), 2)
    terminal.say(console, Text(wash_prose(fit.says[0].upper() + fit.says[1:] + ".")), 4)
    others = [f"{part.name} {words(part.bytes)}" for part in fit.parts if part.where != "gpu"]
    if others:
        terminal.say(console, Text("In system RAM: " + ", ".join(others), style="dim"), 4)
    if fit.changes:
        terminal.say(console, Text("Fits with:", style="bold"), 4)
        for change in fit.changes:
            terminal.say(console, Text(change), 6)


def _misfits(console: Console, fits: list[Fit]) -> None:
    """Why a model does not fit, and what would make it; what fits stands in the first line."""
    told: list[str] = []
    for fit in fits:
        if fit.verdict == "yes":
            continue
        console.print()
        terminal.say(console, Text.assemble((f"{fit.backend}: ", "bold"), wash_prose(fit.says[0].lower() + fit.says[1:] + ".")), 2)
        if fit.changes and fit.changes != told:  # backends that need the same are told once
            for change in fit.changes:
                terminal.say(console, Text(f"fits with {change}"), 4)
        told = fit.changes


def _plan(console: Console, plan: Plan, verbose: bool, fits: bool) -> None:
    """What to set: each step in a line with its commands, or with ``verbose`` in full; nothing but the sentence where all fits."""
    terminal.say(console, Text("What to set", style="bold"), 2)
    terminal.say(console, Text(wash_prose(plan.says)), 4)
    for number, step in enumerate(plan.steps, 1):
        if verbose:
            terminal.print_fix(console, step, number, "Step")
        elif not fits and not step.title.startswith("Or "):
            terminal.say(console, Text.assemble((f"{number}. ", "bold"), wash_prose(step.title)), 4)
            for command in step.commands:
                for line in wash_command(command):
                    console.print_whole(Text(" " * 7 + PROMPTS.get(step.language, "") + line, style="cyan"))
