"""The known defects, searched by words, component, version and GPU."""

from __future__ import annotations

from collections.abc import Iterable

from rocmdoctor.diagnosis.subjects import gpu_words
from rocmdoctor.facts import versions
from rocmdoctor.knowledge import component_versions, known
from rocmdoctor.knowledge.known import Row
from rocmdoctor.knowledge.known_fit import is_in


def search(words: Iterable[str], component: str | None = None, version: str | None = None, gpu: str | None = None) -> list[Row]:
    """The rows that hold all of the words, in the order of the table. Raises ValueError with one line of what is wrong with the question.

    Rows of any GPU, and rows without a stated version, are of every GPU and version.
    """
    table = known.load()
    if component and component not in table.rows:
        raise ValueError(f"no defect of {component} is known; there are {', '.join(sorted(table.rows))}")
    if version and not component:
        raise ValueError("--version is a version of what? Name it by --component")
    wanted = " ".join(words).lower().split()
    return [row for row in (table.rows[component] if component else table.all())
            if _holds(row, wanted) and (not gpu or _of_gpu(row, gpu)) and (not version or _of_version(row, version))]


def _holds(row: Row, words: list[str]) -> bool:
    text = " ".join((row.id, row.component, row.says, row.needs, row.note, *row.fix, *row.symptom, *row.gfx, *row.signature)).lower()
    return all(word in text for word in words)


def _of_gpu(row: Row, gpu: str) -> bool:
    return not row.gfx or bool(set(row.gfx) & {gpu.lower(), *gpu_words(gpu.lower())})


def _of_version(row: Row, version: str) -> bool:
    scheme = row.scheme or versions.scheme_of(row.component)
    if versions.parse(version, scheme) is None:
        raise ValueError(f"{version!r} is no version of {row.component}")
    return not row.bad or is_in({version, component_versions.as_release(row.component, version)}, row.bad, scheme) is not False
