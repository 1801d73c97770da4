"""A fleet as a map: a row for each machine that differs, a column for each expectation, finding or fact, a letter where it is not as it should be."""

from __future__ import annotations

from collections import Counter

from markupsafe import Markup, escape

from rocmdoctor.facts import vocabulary
from rocmdoctor.fleet.answer import Fleet, Outlier
from rocmdoctor.records import dataclass
from rocmdoctor.share.wash import wash

MOST_ROWS, MOST_COLUMNS = 200, 40
WORDS = {"F": "failed", "U": "not known", "!": "finding", "D": "differs from most"}
_CLASSES = {"F": "fail", "U": "unknown", "!": "finding", "D": "differs"}

# Classes, because the page's policy forbids style attributes; the page puts this into its one style sheet.
STYLE = """
table.heat { width: auto; } table.heat th, table.heat td { border: 1px solid var(--line); padding: .15rem .35rem; text-align: center; min-width: 1.7rem; }
table.heat tbody th { text-align: left; width: auto; min-width: 6rem; position: sticky; left: 0; background: var(--bg); font-weight: 400; }
table.heat thead th { vertical-align: bottom; font-weight: 400; font-size: .8125rem; } table.heat thead span { writing-mode: vertical-rl;
  transform: rotate(180deg); max-height: 14rem; white-space: nowrap; } table.heat .fail { background: var(--error); color: var(--bg); font-weight: 700; }
table.heat .unknown { background: var(--warning); color: var(--bg); font-weight: 700; }
table.heat .finding { background: var(--info); color: var(--bg); font-weight: 700; }
table.heat .differs { background: var(--m-own); color: var(--bg); font-weight: 700; }
"""


@dataclass(frozen=True, slots=True)
class Heat:
    """``rows`` are (node, a letter or "" for each column); the worst machine first, the column that most have first."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    left_out: int = 0


def _marks(outlier: Outlier) -> dict[str, str]:
    """What is not right with one machine: name to letter, the worst where there are several."""
    found: dict[str, str] = {}
    for line in outlier.failures:
        verdict, _, rest = line.partition(" ")
        name, letter = rest.partition(":")[0].partition(" (")[0], "F" if verdict == "FAIL" else "U"
        found[name] = "F" if "F" in (found.get(name), letter) else letter
    for line in outlier.findings:
        found.setdefault(line.partition(":")[0].partition(" ")[2], "!")
    for difference in outlier.differences:
        found.setdefault(vocabulary.split_key(difference.fact.partition(" ")[0])[0], "D")
    return found


def heat(fleet: Fleet) -> Heat | None:
    """The map; None where fewer than two machines or only one thing differs: words say that better."""
    marks = [(outlier.node, _marks(outlier)) for outlier in fleet.outliers[:MOST_ROWS]]
    count = Counter(name for _, found in marks for name in found)
    columns = tuple(name for name, _ in count.most_common(MOST_COLUMNS))
    if len(marks) < 2 or len(columns) < 2:
        return None
    return Heat(columns, tuple((node, tuple(found.get(name, "") for name in columns)) for node, found in marks), len(count) - len(columns))


def render(found: Heat, equal: int) -> Markup:
    """A table whose cells are coloured and lettered; it scrolls sideways below the names of the machines."""
    head = "".join(f'<th scope="col"><span>{escape(wash(name, 60))}</span></th>' for name in found.columns)
    rows = []
    for node, letters in found.rows:
        cells = "".join(f'<td class="{_CLASSES[letter]}">{letter}</td>' if letter else "<td></td>" for letter in letters)
        rows.append(f'<tr><th scope="row">{escape(wash(node, 60))}</th>{cells}</tr>')
    if equal:
        rows.append(f'<tr><th scope="row">{equal} equal</th>{"<td></td>" * len(found.columns)}</tr>')
    return Markup(f'<table class="heat"><thead><tr><th scope="col">machine</th>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>')


def key(found: Heat) -> str:
    """What the letters mean, those that occur."""
    used = {letter for _, letters in found.rows for letter in letters}
    said = ", ".join(f"{letter} {words}" for letter, words in WORDS.items() if letter in used)
    more = f"; {found.left_out} more things of fewer machines are in the list below" if found.left_out else ""
    return f"{said}; empty: as most have it{more}."
