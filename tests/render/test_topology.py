"""How several GPUs hang together: CPU, PCIe width, XGMI, and what is short."""

import xml.etree.ElementTree as ET

import pytest

from rocmdoctor.facts.model import Known
from rocmdoctor.render.figures import topology


def node(count=4, **of):
    """Facts of GPUs under two CPUs, all linked with each other; ``of`` changes what the named GPUs have."""
    places = [f"0000:{number}5:00.0" for number in range(count)]
    facts = {}
    for number, place in enumerate(places):
        held = {"pci_address": place, "link_width": 16, "link_max_width": 16, "link_max_speed_gts": 32.0, "numa_node": number // (count // 2 or 1),
                "xgmi_links": count - 1, "xgmi_peers": [other for other in places if other != place], **of.get(f"gpu{number}", {})}
        facts |= {f"gpu.{name}[{number}]": Known(value, "x") for name, value in held.items() if value is not None}
    return facts


def test_gpus_stand_below_their_cpu():
    cpus = topology.topology(node())
    assert [(cpu.name, [gpu.number for gpu in cpu.gpus]) for cpu in cpus] == [("CPU, NUMA node 0", [0, 1]), ("CPU, NUMA node 1", [2, 3])]
    assert topology.sentence(cpus) == "All 4 GPUs alike: PCIe 5.0 x16, XGMI to 3."
    assert topology.topology(node(4, **{f"gpu{n}": {"numa_node": -1} for n in range(4)}))[0].name == ""


@pytest.mark.parametrize(("of", "words"), [
    ({"gpu1": {"link_width": 8}}, "GPU 1: PCIe 5.0 x8 of x16."),
    ({"gpu3": {"xgmi_links": 2, "xgmi_peers": ["0000:05:00.0", "0000:15:00.0"]}}, "GPU 3: XGMI to 2, others to 3 (not to GPU 2)."),
    ({"gpu3": {"xgmi_links": 2, "xgmi_peers": None}}, "GPU 3: XGMI to 2, others to 3."),
])
def test_what_is_short_is_said_and_marked(of, words):
    cpus = topology.topology(node(4, **of))
    assert topology.sentence(cpus) == words
    marked = [gpu.number for cpu in cpus for gpu in cpu.gpus if gpu.short]
    drawn = str(topology.render(cpus))
    assert [f"gpu{number}" for number in marked] == list(of) and drawn.count('<li class="short">') == 1 and f"GPU {marked[0]} ✗" in drawn
    assert [short for _, rows in topology.lines(cpus) for _, short in rows].count(True) == 1


def test_one_gpu_partitions_and_integrated_ones_have_no_picture():
    assert topology.topology(node(1)) == [] and str(topology.render([])) == ""
    assert topology.topology(node(2, gpu1={"link_max_width": None})) == []


def test_foreign_values_are_text():
    facts = node(2, gpu0={"pci_address": '<script>"', "link_max_speed_gts": "many", "xgmi_links": "x", "numa_node": True, "link_width": "8"})
    drawn = str(topology.render(topology.topology(facts)))
    ET.fromstring(drawn)
    assert "<script" not in drawn and "width not known" in drawn
