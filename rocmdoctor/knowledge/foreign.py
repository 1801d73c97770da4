"""Rules of somebody else: YAML within bounds, and data of the form that rules have."""

from __future__ import annotations

from typing import Any

from rocmdoctor.knowledge import cache

MOST_FILES = 2000
_DEEPEST = 50  # the composer of libyaml calls itself for each, and ends the process when its stack ends
_NODES = 50_000
_TEXTS = ("id", "kind", "title", "severity", "status", "stage", "for_each", "when", "unseen", "says", "why")
_LISTS = ("platforms", "explains", "instead_of", "formerly")
_FIX_TEXTS = ("do", "detail", "only_if", "risk", "side_effects", "verify", "undo")
_FIX_LISTS = ("commands", "needs")


def parse(raw: bytes) -> Any:
    """Plain data from the YAML of a file. Raises ValueError, yaml.YAMLError."""
    import yaml

    text = raw.decode("utf-8")
    depth = nodes = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        nodes += 1
        if depth > _DEEPEST or nodes > _NODES:
            raise ValueError(f"nested deeper than {_DEEPEST}" if depth > _DEEPEST else f"more than {_NODES} values")
    return cache.parse_yaml(text)


def check_form(data: dict[str, Any]) -> None:
    """Raises ValueError where a field of a rule is not of its type; which fields there may be is checked elsewhere."""
    for name in _TEXTS:
        _need(data.get(name) is None or isinstance(data[name], (str, int, float)), f"{name} is a text")
    for name in _LISTS:
        _need(data.get(name) is None or _texts(data[name]), f"{name} is a list of texts")
    sources = data.get("sources")
    _need(isinstance(sources, list) and all(isinstance(source, dict) and isinstance(source.get("url"), str) for source in sources),
          "sources is a list of mappings with a url")
    _need(isinstance(data.get("examples") or {}, (dict, list)), "examples is a mapping or a list")
    fixes = data.get("fixes") or []
    _need(isinstance(fixes, list), "fixes is a list")
    for fix in fixes:
        _need(isinstance(fix, dict), f"fix {str(fix)[:80]!r} is not of the fix's form")
        for name in _FIX_TEXTS:
            _need(fix.get(name) is None or isinstance(fix[name], (str, int, float)), f"{name} of a fix is a text")
        for name in _FIX_LISTS:
            _need(fix.get(name) is None or _texts(fix[name]), f"{name} of a fix is a list of texts")


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, (str, int, float)) for one in value)


def _need(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
