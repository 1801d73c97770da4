"""The JSON Schema of a Report and a Snapshot, made from the dataclasses so that it cannot drift from them.

``python -m rocmdoctor.facts.schema > docs/report.schema.json`` publishes it, ``... schema preflight`` and ``... schema fleet`` those of
these commands. Unknown properties are allowed: within one
schema version things are only added.
"""

from __future__ import annotations

import dataclasses
import json
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rocmdoctor.facts import model

_PLAIN: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def generate() -> dict[str, Any]:
    """The schema of ``--json``; ``$defs/Snapshot`` is the schema of a saved snapshot."""
    definitions = _with_snapshot()
    top = _object(model.Report, definitions)
    top["properties"]["schema"] = {"const": model.REPORT_SCHEMA}
    top["properties"]["probes"] = {"type": "array", "items": _of(model.ProbeRun, definitions)}
    top["required"].append("probes")
    top["properties"] |= {"headline": {"type": "string"}, "first_action": {"type": "string"}, "exit_status": {"type": "integer"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": model.REPORT_SCHEMA,
        **top,
        "$defs": dict(sorted(definitions.items())),
    }


def _with_snapshot() -> dict[str, Any]:
    definitions = _states()
    _of(model.Snapshot, definitions)
    definitions["Snapshot"]["properties"]["schema"] = {"const": model.SNAPSHOT_SCHEMA}
    return definitions


def _states() -> dict[str, Any]:
    """The three states of a fact."""
    definitions: dict[str, Any] = {}
    for state in (model.Known, model.Absent, model.Unknown):
        made = _object(state, definitions)
        made["properties"] = {"state": {"const": state.__name__.lower()}, **made["properties"]}
        made["required"] = ["state", *made["required"]]
        definitions[state.__name__] = made
    return definitions


def _object(kind: type[Any], definitions: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    # What may be missing altogether, in reports written before there was such a thing.
    optional = {"memory", "changes", "timeline", "kernels", "llm", "opinion"} if kind is model.Report else {"shown"} if kind is model.LayerState else set()
    return {
        "description": (kind.__doc__ or "").strip().splitlines()[0],
        "type": "object",
        "properties": {name: _of(hints[name], definitions) for name in names},
        "required": [name for name in names if name not in optional],
    }


def _of(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint is Any:
        return {}
    if hint is type(None):
        return {"type": "null"}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is Union or origin is types.UnionType:
        return {"oneOf": [_of(argument, definitions) for argument in arguments]}
    if origin is tuple and Ellipsis not in arguments:
        places = [_of(argument, definitions) for argument in arguments]
        return {"type": "array", "prefixItems": places, "minItems": len(places), "maxItems": len(places)}
    if origin in (list, tuple):
        return {"type": "array", "items": _of(arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(arguments[1], definitions)}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}
            definitions[hint.__name__] = _object(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    raise TypeError(f"no JSON Schema for {hint!r}")


def of_preflight() -> dict[str, Any]:
    """The schema of `preflight --format json`."""
    from rocmdoctor.preflight import verdict

    return _published(verdict.Preflight, verdict.SCHEMA, _with_snapshot())


def of_fleet() -> dict[str, Any]:
    """The schema of `fleet --json`."""
    from rocmdoctor.fleet import answer

    return _published(answer.Fleet, answer.SCHEMA, {})


def _published(kind: type[Any], name: str, definitions: dict[str, Any]) -> dict[str, Any]:
    top = _object(kind, definitions)
    top["properties"]["schema"] = {"const": name}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name, **top, "$defs": dict(sorted(definitions.items()))}


def as_text(schema: dict[str, Any] | None = None) -> str:
    """A published file, byte for byte; the report's without an argument."""
    return json.dumps(schema or generate(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    import sys

    _MADE = {"preflight": of_preflight, "fleet": of_fleet}
    print(as_text(_MADE[sys.argv[1]]() if len(sys.argv) > 1 else None), end="")
