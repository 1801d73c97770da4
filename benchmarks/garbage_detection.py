"""How well garbage is told from weak but sane text: recall and false alarms over recorded outputs of real servers.

    python3 benchmarks/garbage_detection.py

``fixtures/llm/outputs.jsonl.gz`` holds the outputs; ``fixtures/llm/README.md`` says how each kind was recorded. Kinds that start with
``garbage`` should be found, all others should not.
"""

import collections
import gzip
import json
import pathlib

from rocmdoctor.llm import judge

FILE = pathlib.Path(__file__).resolve().parents[1] / "fixtures/llm/outputs.jsonl.gz"
SHORT = 12  # tokens; the product judges answers of several questions together where each is as short as this


def rows() -> list[dict[str, object]]:
    """The recorded outputs: kind, prompt, temperature, tokens, text, and the source of those from public reports."""
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def judged() -> list[tuple[dict[str, object], str]]:
    """Each output with the kind of garbage it is taken for, "" for sane."""
    return [(row, judge.judge(str(row["text"]), int(row["tokens"]), (), str(row["prompt"]))) for row in rows()]  # type: ignore[call-overload]


def main() -> None:
    """Print the table."""
    table: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for row, kind in judged():
        short = " (short)" if str(row["kind"]).startswith("garbage: random") and int(row["tokens"]) < SHORT else ""  # type: ignore[call-overload]
        table[str(row["kind"]) + short][kind or "sane"] += 1
    for name, counted in sorted(table.items()):
        total, sane = sum(counted.values()), counted["sane"]
        hit = total - sane
        print(f"{name:<44} {total:>4}  taken for garbage {hit:>4} ({hit / total:.1%})  "
              + ", ".join(f"{kind} {count}" for kind, count in counted.most_common() if kind != "sane"))
    bad = [(name, c) for name, c in table.items() if name.startswith("garbage") and not name.endswith("(short)")]
    good = [(name, c) for name, c in table.items() if not name.startswith("garbage")]
    for word, group in (("recall", bad), ("false alarms", good)):
        total = sum(sum(c.values()) for _, c in group)
        hit = total - sum(c["sane"] for _, c in group)
        print(f"{word}: {hit} of {total} = {hit / total:.2%}")


if __name__ == "__main__":
    main()
