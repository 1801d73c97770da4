"""Write rules and signals in their one form: block style, short lists and mappings on one line, texts of several lines as they stand.

    python scripts/format_rules.py [--check] [FILE]...

Without FILE all of rules/causes, rules/symptoms and rules/signals. With --check nothing is written; the status is 1 when a file differs.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import yaml

WIDTH = 150
TOP = pathlib.Path(__file__).resolve().parents[1] / "rules"
ORDER = ("id", "kind", "title", "asks", "severity", "status", "stage", "platforms", "for_each", "in", "near", "signals", "patterns", "unless",
         "negatable", "topic", "hits", "misses", "when", "explains", "instead_of", "general", "specific", "unseen", "formerly", "says",
         "why", "fixes", "sources", "examples")


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def _flat(value: Any) -> bool:
    return not isinstance(value, (dict, list)) and "\n" not in str(value)


def _list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    short = all(_flat(item) for item in items) and sum(len(str(item)) + 4 for item in items) < 100
    plain = short and not any(set(str(item)) & set("\\(|[{*?+$^") for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=plain)


def _mapping(dumper: yaml.SafeDumper, data: dict[str, Any]) -> yaml.MappingNode:
    ranked = sorted(data.items(), key=lambda pair: ORDER.index(pair[0]) if pair[0] in ORDER and ("id" in data or "patterns" in data) else len(ORDER))
    short = all(_flat(value) for value in data.values()) and sum(len(str(k)) + len(str(v)) + 4 for k, v in data.items()) < 130
    return dumper.represent_mapping("tag:yaml.org,2002:map", dict(ranked), flow_style=short and "do" not in data)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)
_Dumper.add_representer(dict, _mapping)


def canonical(data: Any) -> str:
    """The file's text for its data."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=WIDTH, allow_unicode=True, default_flow_style=False)


def main() -> int:
    check = "--check" in sys.argv[1:]
    named = [pathlib.Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    files = named or sorted(file for folder in ("causes", "symptoms", "signals") for file in (TOP / folder).rglob("*.yaml"))
    differ = 0
    for file in files:
        text = file.read_text("utf-8")
        wanted = canonical(yaml.load(text, Loader=yaml.CSafeLoader))
        if wanted != text:
            differ += 1
            print(f"{file}: not in the one form" if check else f"{file}: written")
            if not check:
                file.write_text(wanted, "utf-8")
    return 1 if check and differ else 0


if __name__ == "__main__":
    raise SystemExit(main())
