"""A policy as written, checked: every problem is one line with the file and the line it stands on."""

from __future__ import annotations

import datetime
import pathlib
import re
from typing import Any

from rocmdoctor.facts.vocabulary import ENTITIES
from rocmdoctor.knowledge import trusted_file
from rocmdoctor.knowledge.conditions import Condition, ConditionError, parse
from rocmdoctor.knowledge.paths import data_dir
from rocmdoctor.preflight.expectations import KINDS, Kind, kind_of
from rocmdoctor.preflight.wanted import Wanted
from rocmdoctor.records import dataclass, field

CAP = 1 << 20
_NODES = 20_000
# Far more than a policy needs; a composer calls itself for each, and that of libyaml ends the process when its stack does.
_DEEPEST = 50
_TOP = ("name", "description", "expect", "conditions", "waivers")
_LONG = ("want", "on_fail", "unknown", "why")
_CONDITION = ("name", "that", "for_each", "on_fail", "unknown", "why", "fix", "action", "level")
_WAIVER = ("expectation", "subject", "reason", "expires")
ON_FAIL = {"fail": "FAIL", "warn": "WARN"}
ON_UNKNOWN = {"unknown": "UNKNOWN", "pass": "PASS", "warn": "WARN", "fail": "FAIL"}


class BadPolicy(ValueError):
    """A policy that cannot be used; ``args`` are the problems, one line each."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line of a policy: a kind with what is wanted, or a condition of one's own."""

    path: str
    line: int
    kind: Kind | None = None
    want: Wanted | None = None
    condition: Condition | None = None
    for_each: str = ""
    on_fail: str = "FAIL"
    on_unknown: str = "UNKNOWN"
    why: str = ""
    fix: str = ""
    action: str = ""
    level: int = 1


@dataclass(frozen=True, slots=True)
class Waiver:
    """An expectation that may fail until a day, and why."""

    expectation: str
    subject: str
    reason: str
    expires: datetime.date
    line: int

    def covers(self, path: str, subject: str) -> bool:
        """Whether it is about this outcome; without a subject it is about all of them."""
        return self.expectation == path and (not self.subject or self.subject in subject)


@dataclass(slots=True)
class Policy:
    """What a machine is to be."""

    name: str
    file: str
    description: str = ""
    expectations: list[Expectation] = field(default_factory=list)
    waivers: list[Waiver] = field(default_factory=list)
    allowed: tuple[str, ...] = ()


def shipped() -> dict[str, pathlib.Path]:
    """The policies that come with the product, by name."""
    return {file.stem: file for file in sorted((data_dir("rules") / "policies").glob("*.yaml"))}


def find(name: str) -> pathlib.Path:
    """The file of a policy given by its path or, without a slash or ending, by the name of a shipped one."""
    if re.fullmatch(r"[a-z0-9-]+", name) and not pathlib.Path(name).is_file():
        known = shipped()
        if name not in known:
            raise BadPolicy(f"{name}: no such file and no shipped policy; there are {', '.join(known)}")
        return known[name]
    return pathlib.Path(name)


def load(name: str, today: datetime.date) -> tuple[Policy, list[str]]:
    """The policy and its problems (an expired waiver is one that does not stop it). Raises BadPolicy with every line that does."""
    path = find(name)
    try:
        raw = path.read_bytes() if path in shipped().values() else trusted_file.read(str(path), CAP, named=True)
    except trusted_file.NotRegular:
        raise BadPolicy(f"{name}: not a regular file; write the policy to one") from None
    except trusted_file.TooBig:
        raise BadPolicy(f"{name}: larger than 1 MiB; that is no policy") from None
    except trusted_file.Refused as error:
        raise BadPolicy(f"{name}: not used: {error.strerror}; copy it to a file of your own") from None
    except OSError as error:
        raise BadPolicy(f"{name}: cannot be read ({error.strerror})") from None
    reader = _Reader(str(path))
    policy = reader.read(raw.decode("utf-8", "replace"), path.stem)
    if reader.problems:
        raise BadPolicy(*reader.problems)
    old = [f"{path}:{waiver.line}: the waiver of {waiver.expectation} expired on {waiver.expires}: renew it or take it out"
           for waiver in policy.waivers if waiver.expires < today]
    return policy, old


class _Reader:
    """Walks the nodes of the YAML, because they know their lines; reads texts as written (`off` is a word here, not a boolean)."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[str] = []
        self.left = _NODES

    def say(self, node: Any, text: str) -> None:
        self.problems.append(f"{self.file}:{node.start_mark.line + 1}: {text}")

    def read(self, text: str, stem: str) -> Policy:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        policy = Policy(stem, self.file)
        try:
            depth = 0
            for event in yaml.parse(text, Loader=loader):  # one by one, nothing calls itself here
                depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
                if depth > _DEEPEST:
                    line = event.start_mark.line + 1 if event.start_mark else 1
                    self.problems.append(f"{self.file}:{line}: nested too deeply, more than {_DEEPEST} levels")
                    return policy
            root = yaml.compose(text, Loader=loader)
        except yaml.YAMLError as error:
            mark, problem = getattr(error, "problem_mark", None), str(getattr(error, "problem", None) or error)
            # Newer parsers count themselves.
            said = f"nested too deeply, more than {_DEEPEST} levels" if "nesting depth" in problem else f"not YAML: {problem}"
            self.problems.append(f"{self.file}:{mark.line + 1 if mark else 1}: {said}")
            return policy
        if root is None:
            self.problems.append(f"{self.file}:1: empty; a policy has at least `expect:` with one expectation")
            return policy
        top = self.mapping(root, "a policy")
        for key, (key_node, node) in top.items():
            if key not in _TOP:
                self.say(key_node, f"unknown key {key!r}; there are {', '.join(_TOP)}{_nearest(key, _TOP)}")
            elif key == "name":
                policy.name = self.text(node, "name") or stem
            elif key == "description":
                policy.description = self.text(node, "description")
        if "expect" in top:
            self.expect(top["expect"][1], policy)
        if "conditions" in top:
            policy.expectations += [made for entry in self.items(top["conditions"][1], "conditions") if (made := self.condition(entry))]
        if "waivers" in top:
            policy.waivers += [waiver for entry in self.items(top["waivers"][1], "waivers") if (waiver := self.waiver(entry, policy))]
        if not policy.expectations and not self.problems:
            self.say(root, "expects nothing; add `expect:` with at least one expectation")
        return policy

    def mapping(self, node: Any, what: str) -> dict[str, tuple[Any, Any]]:
        import yaml

        if not isinstance(node, yaml.MappingNode):
            self.say(node, f"{what} is a mapping of keys to values")
            return {}
        found: dict[str, tuple[Any, Any]] = {}
        for key, value in node.value:
            self.left -= 1
            if self.left < 0:
                self.problems[:] = [f"{self.file}:1: more than {_NODES} values once its aliases are written out"]
                return {}
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
            if name in found:
                self.say(key, f"{name!r} stands here for the second time")
            found[name] = (key, value)
        return found

    def items(self, node: Any, what: str) -> list[Any]:
        import yaml

        if not isinstance(node, yaml.SequenceNode):
            self.say(node, f"{what} is a list")
            return []
        self.left -= len(node.value)
        return list(node.value) if self.left >= 0 else []

    def text(self, node: Any, what: str) -> str:
        import yaml

        if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
            self.say(node, f"{what} is a text")
            return ""
        return str(node.value).strip()

    def texts(self, node: Any, what: str) -> list[str]:
        import yaml

        return [self.text(each, what) for each in self.items(node, what)] if isinstance(node, yaml.SequenceNode) else [self.text(node, what)]

    def choice(self, node: Any, what: str, choices: dict[str, str]) -> str:
        said = self.text(node, what)
        if said and said not in choices:
            self.say(node, f"{what} is one of {', '.join(choices)}, not {said!r}")
        return choices.get(said, next(iter(choices.values())))

    def expect(self, node: Any, policy: Policy) -> None:
        sections = sorted({path.partition(".")[0] for path in KINDS})
        for section, (key, below) in self.mapping(node, "expect").items():
            if section not in sections:
                self.say(key, f"unknown section {section!r}; there are {', '.join(sections)}{_nearest(section, sections)}")
                continue
            for name, (leaf, value) in self.mapping(below, section).items():
                path = f"{section}.{name}"
                if path == "findings.allow":
                    policy.allowed = tuple(self.texts(value, path))
                    continue
                kind = kind_of(path)
                if kind is None:
                    known = [p.partition(".")[2] for p in KINDS if p.startswith(section + ".")]
                    self.say(leaf, f"unknown expectation {path!r}; {section} has {', '.join(known)}{_nearest(name, known)}")
                elif made := self.leaf(path, kind, leaf, value):
                    policy.expectations.append(made)

    def leaf(self, path: str, kind: Kind, key: Any, node: Any) -> Expectation | None:
        import yaml

        more: dict[str, Any] = {}
        line = key.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            long = self.mapping(node, path)
            for name, (key_node, value) in long.items():
                if name not in _LONG:
                    self.say(key_node, f"unknown key {name!r} in {path}; there are {', '.join(_LONG)}{_nearest(name, _LONG)}")
                elif name == "on_fail":
                    more["on_fail"] = self.choice(value, f"{path}.on_fail", ON_FAIL)
                elif name == "unknown":
                    more["on_unknown"] = self.choice(value, f"{path}.unknown", ON_UNKNOWN)
                elif name == "why":
                    more["why"] = self.text(value, f"{path}.why")
            if "want" not in long:
                self.say(node, f"{path} has no `want`")
                return None
            node = long["want"][1]
        before = len(self.problems)
        texts = self.texts(node, path)
        if len(self.problems) > before:
            return None
        try:
            want = kind.takes(texts)
        except ValueError as error:
            self.say(node, f"{path}: {error}")
            return None
        return Expectation(path, line, kind, want, level=kind.level, **more)

    def condition(self, node: Any) -> Expectation | None:
        fields = self.mapping(node, "a condition")
        if not fields:
            return None
        more: dict[str, Any] = {}
        for name, (key, value) in fields.items():
            if name not in _CONDITION:
                self.say(key, f"unknown key {name!r}; a condition has {', '.join(_CONDITION)}{_nearest(name, _CONDITION)}")
            elif name == "on_fail":
                more["on_fail"] = self.choice(value, name, ON_FAIL)
            elif name == "unknown":
                more["on_unknown"] = self.choice(value, name, ON_UNKNOWN)
            elif name == "action":
                more["action"] = self.choice(value, name, {a: a for a in ("CONFIG", "RESET", "ISOLATE", "MONITOR")})
            elif name == "level":
                more["level"] = int(self.choice(value, name, {"1": "1", "2": "2"}))
            elif name == "for_each":
                more["for_each"] = self.choice(value, name, {entity: entity for entity in ENTITIES})
            elif name in ("why", "fix"):
                more[name] = self.text(value, name)
        if not {"name", "that"} <= set(fields):
            self.say(node, "a condition has a `name` and says what holds in `that`")
            return None
        title = self.text(fields["name"][1], "name")
        if title and not re.fullmatch(r"[A-Za-z0-9_.-]{1,80}", title):
            self.say(fields["name"][1], f"name: {title!r} is made of letters, digits, dots, hyphens and underscores only")
        text = self.text(fields["that"][1], "that")
        try:
            condition = parse(text)
        except ConditionError as error:
            self.say(fields["that"][1], f"that: {error}")
            return None
        if re.search(r"\bknown\s*\(", text):
            self.say(fields["that"][1], "that: known() would turn an unread fact into an answer; use `unknown:` instead")
        return Expectation(f"conditions.{title}", fields["name"][0].start_mark.line + 1, condition=condition, **more)

    def waiver(self, node: Any, policy: Policy) -> Waiver | None:
        fields = self.mapping(node, "a waiver")
        for name, (key, _) in fields.items():
            if name not in _WAIVER:
                self.say(key, f"unknown key {name!r}; a waiver has {', '.join(_WAIVER)}{_nearest(name, _WAIVER)}")
        needed = [name for name in ("expectation", "reason", "expires") if name not in fields]
        if needed:
            if fields:
                self.say(node, f"a waiver needs {', '.join(needed)}")
            return None
        said = {name: self.text(value, name) for name, (_, value) in fields.items()}
        if said["expectation"] and said["expectation"] not in {each.path for each in policy.expectations}:
            self.say(fields["expectation"][1], f"no expectation {said['expectation']!r} in this policy to waive")
        try:
            day = datetime.date.fromisoformat(said["expires"])
        except ValueError:
            self.say(fields["expires"][1], f"expires: {said['expires']!r} is not a day; write 2027-01-31")
            return None
        return Waiver(said["expectation"], said.get("subject", ""), said["reason"], day, node.start_mark.line + 1)


def _nearest(word: str, known: Any) -> str:
    import difflib

    close = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {close[0]}?)" if close else ""
