"""The words of a check (``rules/checks/<name>.yaml``) with the values of one finding in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocmdoctor.diagnosis.row import as_rule
from rocmdoctor.knowledge import compiled
from rocmdoctor.knowledge.rules import Rule


def words(check: str) -> dict[str, Any]:
    """The entries of a check by id of the finding."""
    table: dict[str, Any] = compiled.part(f"checks/{check}.yaml")
    return table


def _put(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        for name, text in values.items():
            value = value.replace("{" + name + "}", str(text))
        return value
    if isinstance(value, list):
        return [_put(one, values) for one in value]
    if isinstance(value, dict):
        return {name: _put(one, values) for name, one in value.items()}
    return value


def rule(check: str, name: str, values: Mapping[str, Any], *, fixes: str = "", **other: Any) -> Rule:
    """The finding ``name`` of a check as a rule; ``fixes`` chooses one of several lists, ``other`` replaces fields of the table.

    Commands and details of which a value is missing ("") are left out.
    """
    entry = dict(words(check)[name])
    listed = entry.pop("fixes", [])
    chosen = listed[fixes] if fixes else listed
    filled = [{key: text for key, text in _put(fix, values).items() if text not in ("", [""])} for fix in chosen]
    given = {**{key: _put(value, values) for key, value in entry.items()}, **other}
    title, layer, severity = given.pop("title"), given.pop("layer"), given.pop("severity")
    return as_rule(name, " ".join(title.split()), layer=layer, severity=severity, fixes=[fix for fix in filled if fix.get("do")], **given)
