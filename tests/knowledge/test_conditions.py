"""The condition language: three-valued, closed, and honest about absent facts."""

import itertools
import random

import pytest

from rocmdoctor.facts.model import Absent, Known, Unknown
from rocmdoctor.knowledge import rules
from rocmdoctor.knowledge.conditions import ConditionError, parse

FACTS = {"kernel.release": Known("6.14.0-37-generic", "t"), "env.HSA_OVERRIDE_GFX_VERSION": Absent("t"),
         "memory.ram_bytes": Unknown(), "gpu.gfx_target": [Known("gfx1151", "t"), Unknown()]}


@pytest.mark.parametrize(("text", "value"), [
    ("version(kernel.release) < version('6.16.9')", True),
    ("version(kernel.release) < version('6.2')", False),
    ("memory.ram_bytes != 6", None),
    ("not (memory.ram_bytes == 6)", None),
    ("memory.ram_bytes == 6 and kernel.release == 'x'", False),
    ("memory.ram_bytes == 6 or kernel.release != 'x'", True),
    ("unset(env.HSA_OVERRIDE_GFX_VERSION)", True),
    ("has(env.HSA_OVERRIDE_GFX_VERSION)", False),
    ("env.HSA_OVERRIDE_GFX_VERSION == '11.0.0'", False),
    ("'gfx1151' in gpu.gfx_target", True),
    ("'gfx1100' in gpu.gfx_target", None),
    ("'gfx1100' not in gpu.gfx_target", None),
    ("covers(['gfx1100', 'gfx11-generic'], 'gfx1103')", True),
    ("matches(kernel.release, 'GENERIC$')", True),
    ("1 / 0 > 1", None),
])
def test_answers(text, value):
    assert parse(text).ask(lambda name: FACTS[name]).value is value


@pytest.mark.parametrize("text", [
    "__import__('os')", "kernel.release.upper()", "[x for x in y]", "lambda: 1", "no.such_fact == 1", "release == 1",
    "version(kernel.release, 2)", "kernel.release is 1", "open('/etc/passwd')", "(", "f'{kernel.release}'",
])
def test_anything_else_is_refused(text):
    with pytest.raises(ConditionError):
        parse(text)


def test_it_says_what_was_missing():
    answer = parse("memory.ram_bytes > 1 and kernel.release == '6.14.0-37-generic'").ask(lambda name: FACTS[name])
    assert answer.missing == ("memory.ram_bytes",) and answer.value is None


@pytest.mark.parametrize(("rocm", "driver", "old"), [("7.14", "26.5.2", True), ("7.14", "26.6.4", False), ("10.2", "26.6.4", True), ("7.2", "24.1.1", False)])
def test_the_driver_that_a_rocm_asks_for_stands_in_the_table(rocm, driver, old):
    asked = parse(f"adrenalin_for('{rocm}') != '' and version('{driver}') < version(adrenalin_for('{rocm}'))")
    assert asked.ask(lambda name: Unknown("not_collected")).value is old


def test_what_each_way_needs():
    asked = parse("os.family == 'linux' and (has(kernel.release) or memory.ram_bytes > 1) and not (os.name == 'x' and amdgpu.loaded)")
    assert asked.needs == (("os.family", "kernel.release"), ("os.family", "memory.ram_bytes"))


def test_no_rule_says_yes_where_something_is_missing_on_each_of_its_ways():
    """What :meth:`Evidence.out_of_reach` leaves out."""
    chosen = random.Random(1)
    values = [True, False, 0, 3, "linux", "6.14", "apu", ["gfx1100", "rdna3", "dgpu"], {"a": "1"}]
    ways = 0
    for rule in rules.load().rules.values():
        blocks = itertools.islice(itertools.product(*rule.when.needs), 8) if rule.when.needs else ()
        for blocked in map(set, blocks):
            for _ in range(6):
                facts = {name: Known(chosen.choice([True, False] if name.startswith("seen.") else values), "t") for name in rule.when.names}
                facts.update({name: Known(False, "t") if name.startswith("seen.") else Unknown() for name in blocked})
                assert rule.when.ask(lambda name, facts=facts: facts[name.removeprefix("anywhere.")]).value is not True, (rule.id, blocked)
                ways += 1
    assert ways > 3000
