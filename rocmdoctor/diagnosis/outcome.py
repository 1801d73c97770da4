"""The one answer of a report: the sentence, the first thing to do, the exit status. Every rendering and every command asks here."""

from __future__ import annotations

import re
from typing import Literal

from rocmdoctor import later
from rocmdoctor.facts.model import GRAVE, LOUD, SEVERITIES, Finding, Known, Report
from rocmdoctor.facts.sections import KernelDevice
from rocmdoctor.records import dataclass

Level = Literal["error", "warning", "info", "ok", "open", "none"]
_LEAD = {"cause": "Most likely cause", "symptom": "No known cause explains this"}
_ASKED = later.pattern(r"^(?P<question>.*?\?) Possible cause: (?P<title>.*)$", re.DOTALL)
_NAMES = {"vulkan": "Vulkan", "hip": "HIP", "torch": "torch", "opencl": "OpenCL"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """``level`` is the worst of what was found, ok, open (not decided for want of evidence) or none (no AMD GPU)."""

    level: Level
    sentence: str
    action: str = ""

    @property
    def words(self) -> str:
        """The sentence, and what to do first."""
        return f"{self.sentence} {self.first}".strip()

    @property
    def first(self) -> str:
        """What to do first, as a sentence; "" where there is nothing to do."""
        return f"First: {self.action.rstrip('.')}." if self.action else ""


def asked(finding: Finding) -> tuple[str, str]:
    """(the question that decides, the title without it); the question is "" where the finding asks none of its own."""
    found = _ASKED.match(finding.title)
    if not found:
        return "", finding.title
    return "" if found["question"] == "Is it this?" else found["question"], found["title"]


def outcome(report: Report) -> Outcome:
    """What a report comes to."""
    if report.verdict == "no_amd_gpu":
        return _no_gpu(report)
    fits = fit_outcomes(report)
    if fits and all(finding.severity not in LOUD or finding.id == "model-does-not-fit" for finding in report.findings):
        return next((found for found in fits if found.level != "ok"), fits[0])
    first = report.findings[0] if report.findings else None
    if first and (first.severity in LOUD or first.standing == "cause" and report.verdict != "problems"):
        return Outcome(_level(first), _sentence(first), action_of(first))
    loud = next((finding for finding in report.findings if finding.severity in LOUD), None)
    if first and loud:  # a question that may explain it goes first; how bad it is says what was seen
        named = first if first.standing == "possible" and first.explains else loud
        return Outcome(_level(loud), _sentence(named), action_of(named))
    shown = proofs(report)
    if report.verdict == "healthy":
        return Outcome("ok", f"Nothing wrong found: {'; '.join(shown)}." if shown else "Nothing wrong found.")
    if report.origin == "read":
        if not report.snapshot.facts and not report.snapshot.texts_read:
            return Outcome("open", "Nothing was read: there is no text in it that says anything of a GPU.", _SEND)
        return Outcome("open", "These files show nothing that is known to be wrong.", _SEND)
    if not report.unknown:
        return Outcome("open", "Nothing wrong found, but there was too little to examine.")
    seen = shown or [layer.shown for layer in report.layers if layer.shown]
    return Outcome("open", "Nothing wrong found in what could be read" + (f": {'; '.join(seen)}." if seen else "."))


def fit_outcomes(report: Report) -> list[Outcome]:
    """For each model that was asked about: whether it fits on a GPU of this machine as it is set, and what would make it fit."""
    fits = [fit for gpu in report.memory.gpus for fit in gpu.fits] if report.memory else []
    found = []
    for model in dict.fromkeys(fit.model for fit in fits):
        of = [fit for fit in fits if fit.model == model]
        good = list(dict.fromkeys(fit.backend for fit in of if fit.verdict == "yes"))
        name, settings = model[:1].upper() + model[1:], f" ({of[0].settings})" if of[0].settings else ""
        if good:
            found.append(Outcome("ok", f"{name} fits with {' and '.join(good)}{settings}."))
        elif all(fit.verdict == "unknown" for fit in of):
            found.append(Outcome("open", f"{name}: not enough is known to say whether it fits."))
        else:
            change = next((change for fit in of for change in fit.changes), "")
            found.append(Outcome("error", f"{name} does not fit as it is set{settings}.", f"make it fit with {change}" if change else ""))
    return found


_SEND = "add the application's own log (ollama: server.log) and the output of `sudo dmesg`, or run `rocmdoctor check` on the machine itself"


def _no_gpu(report: Report) -> Outcome:
    others = report.snapshot.facts.get("pci.other_gpus")
    names = ", ".join(map(str, others.value)) if isinstance(others, Known) and others.value else ""
    it_has = f" (it has {names}, which rocmdoctor does not diagnose)" if names else ""
    return Outcome("none", f"No AMD GPU found on this machine{it_has}.", "if one is fitted, check its slot, its power cables and the BIOS")


def _level(finding: Finding) -> Level:
    return "error" if finding.severity == "critical" else finding.severity


def _sentence(finding: Finding) -> str:
    question, title = asked(finding)
    title = title.strip().rstrip(".")
    if finding.standing == "possible":
        return f"Not decided. {question} If so: {title}." if question else f"Not decided. It may be this: {title}."
    if finding.severity == "info":
        return f"Nothing is broken: {title}."
    if finding.standing == "risk":
        return f"{title}." if finding.severity in GRAVE else f"Risk, nothing has failed yet: {title}."
    if finding.standing == "symptom" and finding.explains:  # it says where, not why
        return f"Narrowed down: {title}."
    return f"{_LEAD[finding.standing]}: {title}."


def action_of(finding: Finding) -> str:
    """The first thing to do about a finding: what decides an open question, else the first fix; "" where there is none."""
    if finding.standing == "possible" and finding.to_decide:
        command, _, what = finding.to_decide[0].partition("   # ")
        return f"find out with `{command.strip()}`" + (f" ({what.removeprefix('shows ')})" if what else "")
    return _lowered(finding.fixes[0].title) if finding.fixes else ""


def _lowered(title: str) -> str:
    """A title as the end of a sentence: names keep their capitals, an experiment is done, not announced."""
    title = title.removeprefix("Try: ")
    head = title.split(" ", 1)[0]
    return title[:1].lower() + title[1:] if head[1:].islower() or len(head) == 1 else title


def proofs(report: Report) -> list[str]:
    """What was seen to work, in words: test computations that came out right, and what the rungs rest on."""
    done = [device for device in report.kernels or [] if device.checks and device.device_type != "cpu"]
    said = [_counted(done)] if done else []
    return said + [layer.shown for layer in report.layers if layer.status == "ok" and layer.shown and not (done and layer.name == "runtime")]


def _counted(devices: list[KernelDevice]) -> str:
    checks = [check for device in devices for check in device.checks if check.verdict not in ("untestable", "skipped")]
    right = sum(check.verdict == "right" for check in checks)
    backends = list(dict.fromkeys(_NAMES.get(device.backend, device.backend) for device in devices))
    return f"{right} of {len(checks)} test computations right on {' and '.join(backends)}"


def status(report: Report, fail_on: str) -> int:
    """The exit status: 1 from the severity on, 3 where nothing was found but something that matters is unknown."""
    bar = SEVERITIES.index(fail_on)
    if any(SEVERITIES.index(finding.severity) <= bar and finding.id != "no-amd-gpu" for finding in report.findings):
        return 1
    return 3 if outcome(report).level == "open" else 0
