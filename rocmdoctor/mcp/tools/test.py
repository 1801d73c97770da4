"""Kernels with known answers, as ``rocmdoctor test`` runs them."""

from __future__ import annotations

from typing import Any

from rocmdoctor.commands._console import redacted, redactor
from rocmdoctor.commands._progress import Progress
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.facts.sections import KernelDevice
from rocmdoctor.live import kernel_tests
from rocmdoctor.mcp import answers
from rocmdoctor.mcp.answers import Answer, Row, full
from rocmdoctor.render.report import kernels_text
from rocmdoctor.share.wash import wash, wash_prose


def run(given: dict[str, Any], progress: Progress) -> Answer:
    """``level`` 1 or 2, ``backends``."""
    plan = kernel_tests.Plan(given["level"], tuple(given["backends"]) or kernel_tests.BACKENDS)
    snapshot, book, _ = examine((), False, "/", (), (), plan=plan, progress=progress)
    report = redacted(snapshot, book, redactor(False))
    devices = report.kernels or []
    gpus = [device for device in devices if device.device_type != "cpu"]
    head = answers.head(report)
    head["answer"] = head["answer"] if gpus else f"Not known whether a GPU computes right: no GPU was tested. {head['answer']}"
    rows: list[Row] = [("devices", _device(device)) for device in devices]
    rows += [("faults", full({"where": wash(where, 120), "what": wash_prose(what, 300), "known_as": wash_prose(known, 200)}))
             for where, what, known in kernels_text.faults(devices)]
    return Answer(head, [*rows, *answers.of_report(report)], answers.kept(report), f"test of this machine, {snapshot.taken}")


def _device(device: KernelDevice) -> dict[str, Any]:
    return {"device": wash(device.device, 120) or wash(device.item, 80), "backend": device.backend, "type": device.device_type or "not known",
            "verdict": device.verdict or "not known", "says": kernels_text.headline(device)[:400]}
