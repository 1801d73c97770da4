"""How several GPUs hang together: under which CPU, over which PCIe link, which others over XGMI; for terminal and page alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.records import dataclass

MOST_GPUS = 16  # with more no matrix is read
_GENERATION = {2.5: "1.0", 5.0: "2.0", 8.0: "3.0", 16.0: "4.0", 32.0: "5.0", 64.0: "6.0"}
_SHORT = ' class="short"'

# Classes, because the page's policy forbids style attributes; the page puts this into its one style sheet.
STYLE = """
ul.cpus { list-style: none; padding: 0; display: grid; gap: .8rem; margin: .4rem 0; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
ul.cpus > li { border-top: 3px solid var(--dim); padding-top: .3rem; } ul.cpus ul { list-style: none; padding: 0; display: grid; gap: .4rem;
  grid-template-columns: repeat(auto-fill, minmax(6.3rem, 1fr)); } ul.cpus ul li { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem;
  padding: .3rem .5rem; font-size: .875rem; } ul.cpus ul li.short { border: 2px solid var(--error); } ul.cpus .short b { color: var(--error); }
ul.cpus li > span { display: block; } ul.cpus span.short { color: var(--error); font-weight: 600; }
"""


@dataclass(frozen=True, slots=True)
class Link:
    """What a link is in words, and whether less than it could be."""

    words: str
    short: bool


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU with its links; ``missing`` are those of the others it does not reach over XGMI."""

    number: int
    address: str
    links: tuple[Link, ...]
    missing: tuple[int, ...] = ()

    @property
    def short(self) -> bool:
        """Whether any of its links is less than it could be."""
        return any(link.short for link in self.links)


@dataclass(frozen=True, slots=True)
class Cpu:
    """The GPUs of one NUMA node; ``name`` is "" where nobody says which it is."""

    name: str
    gpus: tuple[Gpu, ...]


def _value(facts: Mapping[str, Fact], name: str, item: str) -> Any:
    fact = facts.get(f"{name}[{item}]")
    return fact.value if isinstance(fact, Known) else None


def topology(facts: Mapping[str, Fact]) -> list[Cpu]:
    """The GPUs of a machine by CPU; none where there are fewer than two, or nothing is known of how they are linked."""
    items = [item for item in items_of(facts) if _value(facts, "gpu.link_max_width", item)]  # not partitions, and no integrated one
    if not 2 <= len(items) <= MOST_GPUS:
        return []
    addresses = [str(_value(facts, "gpu.pci_address", item) or "") for item in items]
    most = max((count for item in items if isinstance(count := _value(facts, "gpu.xgmi_links", item), int)), default=0)
    found: dict[str, list[Gpu]] = {}
    for number, item in enumerate(items):
        links = [_pcie(facts, item)]
        count, peers = _value(facts, "gpu.xgmi_links", item), _value(facts, "gpu.xgmi_peers", item)
        missing: tuple[int, ...] = ()
        if most and isinstance(count, int):
            links.append(Link(f"XGMI to {count}" + (f", others to {most}" if count < most else ""), count < most))
            if isinstance(peers, list) and count < most:
                missing = tuple(other for other, address in enumerate(addresses) if other != number and address not in peers)
        node = _value(facts, "gpu.numa_node", item)
        name = f"CPU, NUMA node {node}" if isinstance(node, int) and node >= 0 else ""
        found.setdefault(name, []).append(Gpu(number, addresses[number], tuple(links), missing))
    return [Cpu(name, tuple(gpus)) for name, gpus in sorted(found.items())]


def _pcie(facts: Mapping[str, Fact], item: str) -> Link:
    width, most = _value(facts, "gpu.link_width", item), _value(facts, "gpu.link_max_width", item)
    speed = _value(facts, "gpu.link_max_speed_gts", item)
    generation = _GENERATION.get(float(speed), "") if isinstance(speed, (int, float)) else ""
    if not isinstance(width, int):
        return Link("PCIe width not known", False)
    short = isinstance(most, int) and width < most
    return Link(" ".join(filter(None, ("PCIe", generation, f"x{width}"))) + (f" of x{most}" if short else ""), short)


def sentence(cpus: list[Cpu]) -> str:
    """What is short, in a sentence; else that nothing is."""
    gpus = [gpu for cpu in cpus for gpu in cpu.gpus]
    short = [f"GPU {gpu.number}: " + ", ".join(link.words for link in gpu.links if link.short)
             + (f" (not to GPU {', '.join(map(str, gpu.missing))})" if gpu.missing else "") for gpu in gpus if gpu.short]
    if short:
        return "; ".join(short) + "."
    links = list(dict.fromkeys(link.words for gpu in gpus for link in gpu.links))
    return f"All {len(gpus)} GPUs alike: {', '.join(links)}." if len(links) <= 2 else "No link is narrower than it could be."


def lines(cpus: list[Cpu]) -> list[tuple[str, list[tuple[str, bool]]]]:
    """For the terminal: (CPU, its GPUs in words with whether one is short)."""
    return [(cpu.name or "CPU not known", [(f"GPU {gpu.number} ({gpu.address}): " + ", ".join(link.words for link in gpu.links), gpu.short)
                                           for gpu in cpu.gpus]) for cpu in cpus]


def render(cpus: list[Cpu]) -> Markup:
    """Boxes below their CPU, red where a link is short."""
    rows = []
    domains = {gpu.address.partition(":")[0] for cpu in cpus for gpu in cpu.gpus}
    for cpu in cpus:
        boxes = []
        for gpu in cpu.gpus:
            links = "".join(f'<span{_SHORT if link.short else ""}>{escape(link.words)}</span>' for link in gpu.links)
            address = gpu.address.partition(":")[2] if len(domains) == 1 else gpu.address
            boxes.append(f'<li{_SHORT if gpu.short else ""}><b>GPU {gpu.number}{" ✗" if gpu.short else ""}</b> {escape(address)}{links}</li>')
        rows.append(f'<li><b>{escape(cpu.name or "CPU not known")}</b><ul>{"".join(boxes)}</ul></li>')
    return Markup(f'<ul class="cpus">{"".join(rows)}</ul>') if rows else Markup("")
