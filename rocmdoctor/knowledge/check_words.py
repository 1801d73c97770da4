"""The findings of the checks over tables, ``rules/checks/<check>.yaml``: their ids and words."""

from __future__ import annotations

import functools
from typing import Any

from rocmdoctor.knowledge import compiled
from rocmdoctor.knowledge.paths import data_dir


@functools.cache
def findings(check: str) -> dict[str, dict[str, Any]]:
    """The findings of a check by id: a list of them, or words by id whose sources stand in the rows. A check whose rows have the ids has none."""
    table = compiled.part(f"checks/{check}.yaml")
    if "findings" in table:
        return {str(row["id"]): row for row in table["findings"]}
    return {name: row for name, row in table.items() if isinstance(row, dict) and "title" in row}


@functools.cache
def every_finding() -> dict[str, dict[str, Any]]:
    """The findings of all checks by id."""
    return {name: row for file in sorted((data_dir("rules") / "checks").glob("*.yaml")) for name, row in findings(file.stem).items()}
