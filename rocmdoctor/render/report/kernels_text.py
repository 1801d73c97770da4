"""The table of test kernels, backends by checks: for a terminal, and as rows for the other renderings."""

from __future__ import annotations

from rocmdoctor.facts.model import Report
from rocmdoctor.facts.sections import KernelDevice
from rocmdoctor.render.page import Console, Text
from rocmdoctor.share.wash import wash, wash_prose

WORDS = {"device_lost": "device lost", "unwritten": "never written", "untestable": "not testable", "": "-"}
_STYLE = {"right": "green", "untestable": "dim", "skipped": "dim", "": "dim"}
_SAYS = {
    "right": "every result is right", "wrong": "computes wrong results", "unwritten": "accepts work and does none of it",
    "failed": "refuses work", "hung": "does not come back from work", "crashed": "kills the program that uses it",
    "device_lost": "was given up by its driver", "untestable": "nothing could be tested", "skipped": "was not touched",
}


NOT_TESTED = ("untestable", "skipped")


def words(verdict: str) -> str:
    """A verdict as people read it."""
    return WORDS.get(verdict, wash(verdict))


def headline(device: KernelDevice) -> str:
    """One line for a device: what it is, and what came out."""
    name = wash(device.device)
    if device.device_type == "cpu":
        name, kind = name.split(" (")[0], " (a CPU, not a GPU)"
    else:
        kind = f" ({device.device_type})" if device.device_type else ""
    counted = sum(check.verdict not in NOT_TESTED for check in device.checks)
    right = sum(check.verdict == "right" for check in device.checks)
    said = _SAYS.get(device.verdict, wash(device.verdict))
    if device.verdict == "unwritten" and counted and not right:
        said, counted = f"did none of {counted} test computations", 0
    elif device.verdict == "right" and counted:
        said, counted = f"{right} of {counted} test computations right", 0
    count = f", {right} of {counted} test computations right" if counted else ""
    rate = f", copies {device.copy_bytes_per_s / 1e9:.0f} GB/s" if device.copy_bytes_per_s else ""
    rate += f" of {device.expected_bytes_per_s / 1e9:.0f}" if rate and device.expected_bytes_per_s else ""
    reason = f": {wash_prose(device.reason, 300)}" if device.reason else ""
    return f"{device.item} {name}{kind}: {said}{count}{rate}{reason}".replace("  ", " ").replace(" :", ":")


def _square(verdict: str) -> str:
    """One check in the row of a device."""
    return "■" if verdict == "right" else "·" if verdict in NOT_TESTED else "✗"


def grid(devices: list[KernelDevice]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """(items, rows of a check and its verdict on each item); a check that a device was not asked is ""."""
    tested = [device for device in devices if device.checks]
    names = list(dict.fromkeys(check.check for device in tested for check in device.checks))
    found = [{check.check: check.verdict for check in device.checks} for device in tested]
    return [device.item for device in tested], [(name, [column.get(name, "") for column in found]) for name in names]


def faults(devices: list[KernelDevice]) -> list[tuple[str, str, str]]:
    """(where, what was found, what such a fault is known as) of every check that was not right."""
    return [(f"{device.item} {wash(check.check)}", _fault(check.verdict, wash_prose(check.detail, 300)),
             "" if check.verdict == "unwritten" else check.catches)  # what does no work at all has none of these faults
            for device in devices for check in device.checks if check.verdict not in ("right", "untestable", "skipped")]


def _fault(verdict: str, detail: str) -> str:
    """What was found, said once: that nothing was written is all there is to say of work that was not done."""
    return words(verdict) if verdict == "unwritten" or not detail else f"{words(verdict)}. {detail[0].upper()}{detail[1:]}"


def render(console: Console, report: Report, full: bool = False) -> None:
    """The lines of all devices; the table and the faults where something is not right, or where it was asked for."""
    devices = report.kernels or []
    if not devices:
        return
    console.print()
    console.print(Text("Test kernels", style="bold"))
    for device in devices:
        console.print(Text("  " + headline(device), style=_STYLE.get(device.verdict, "red")))
        if device.checks:
            console.print(Text.assemble(*((_square(check.verdict), _STYLE.get(check.verdict, "red")) for check in device.checks)), 4)
    if not full and all(device.verdict in _STYLE for device in devices):
        return
    items, rows = grid(devices)
    if items:
        console.write(_table(console, items, rows))
    same: dict[tuple[str, str], list[str]] = {}
    for where, what, known in faults(devices):
        same.setdefault((what, known), []).append(where)
    for (what, known), places in list(same.items())[:12]:
        console.print(Text(f"  {', '.join(places[:3])}{f' and {len(places) - 3} more' if len(places) > 3 else ''}: {what}"))
        if known:
            console.print(Text("    known as: " + known, style="dim"))


def _table(console: Console, items: list[str], rows: list[tuple[str, list[str]]]) -> str:
    """The checks of each device beside each other."""
    import io

    from rich import console as rich
    from rich.table import Table
    from rich.text import Text as Cell

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  check", no_wrap=True)
    for item in items:
        table.add_column(item, overflow="fold")
    for name, verdicts in rows:
        table.add_row("  " + wash(name), *(Cell(words(verdict), style=_STYLE.get(verdict, "red")) for verdict in verdicts))
    out = io.StringIO()
    rich.Console(file=out, width=console.width, force_terminal=console.colour, color_system="standard" if console.colour else None,
                 no_color=not console.colour, markup=False, highlight=False, emoji=False, legacy_windows=False, _environ={}).print(table)
    return out.getvalue()
