"""Where the memory is and whether a model fits, as ``rocmdoctor memory`` computes it."""

from __future__ import annotations

from typing import Any

from rocmdoctor.commands._console import redacted, redactor
from rocmdoctor.commands._progress import Progress
from rocmdoctor.diagnosis.examine import examine, read
from rocmdoctor.diagnosis.outcome import fit_outcomes
from rocmdoctor.diagnosis.report import MEMORY
from rocmdoctor.facts.sections import Fit, GpuMemory, Pool
from rocmdoctor.facts.sizes import words
from rocmdoctor.knowledge import tables
from rocmdoctor.mcp import answers
from rocmdoctor.mcp.answers import Answer, Refused, Row, full, of_fix
from rocmdoctor.memory.asked import named
from rocmdoctor.memory.need import Setting
from rocmdoctor.share.wash import wash, wash_prose


def run(given: dict[str, Any], progress: Progress) -> Answer:
    """``model`` (a GGUF file) or ``model_size`` with its setting; ``paths`` are somebody's files instead of this machine."""
    context = given["context"] or int(tables.load("memory_limits")["default_context"]["value"])
    setting = Setting(context, given["kv_type"], given["parallel"])
    try:
        asked = named([given["model"]] if given["model"] else [], [given["model_size"]] if given["model_size"] else [], given["image"], setting)
    except ValueError as error:
        raise Refused(wash(error, 600)) from None
    if given["paths"]:
        snapshot, book, _ = read(tuple(given["paths"]), ())
    else:
        snapshot, book, _ = examine((), True, "/", (), (), progress=progress)
    cleaner = redactor(False)
    report = redacted(snapshot, book, cleaner, asked=asked, default_setting=setting, only=MEMORY)
    fits = " ".join(found.words for found in fit_outcomes(report))
    head = answers.head(report)
    gpus = report.memory.gpus if report.memory else []
    head["answer"] = wash_prose(fits or (head["answer"] if gpus or report.verdict == "no_amd_gpu" else "Nothing is known of any GPU's memory here."), 900)
    rows: list[Row] = [("fits", _fit(gpu, fit)) for gpu in gpus for fit in gpu.fits]
    rows += [("pools", _pool(gpu.name or gpu.item, pool)) for gpu in gpus for pool in gpu.pools]
    rows += [("pools", _pool("system", pool)) for pool in (report.memory.system if report.memory else [])]
    for gpu in gpus:
        if gpu.plan:
            rows.append(("plan", {"do": wash_prose(gpu.plan.says, 500)}))
            rows += [("plan", of_fix(step)) for step in gpu.plan.steps]
    rows += [("findings", finding) for finding in answers.findings(report)]
    rows += [("not_known", missing) for missing in answers.unknown(report)]
    head, told = cleaner.plain(head), cleaner.plain([list(row) for row in rows])  # the name of a model file is in no snapshot
    return Answer(head, [(name, row) for name, row in told], answers.kept(report), f"memory, {snapshot.taken}")


def _pool(owner: str, pool: Pool) -> dict[str, Any]:
    return full({"of": wash(owner, 80), "name": wash(pool.name, 80), "kind": pool.kind, "total": words(pool.total_bytes) if pool.total_bytes is not None else
                 "not known", "used": words(pool.used_bytes) if pool.used_bytes is not None else "not known", "source": wash(pool.source, 80),
                 "note": wash_prose(pool.note, 160)})


def _fit(gpu: GpuMemory, fit: Fit) -> dict[str, Any]:
    return full({"model": wash(fit.model, 120), "gpu": wash(gpu.name or gpu.item, 80), "backend": fit.backend,
                 "verdict": "not known" if fit.verdict == "unknown" else fit.verdict, "says": wash_prose(fit.says, 400),
                 "fails_at": wash_prose(fit.fails_at, 160), "fits_with": [wash_prose(change, 200) for change in fit.changes[:5]],
                 "settings": wash_prose(fit.settings, 160)})
