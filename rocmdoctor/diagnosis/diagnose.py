"""Evidence and knowledge to ranked findings, without weights: what explains most of what was seen comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rocmdoctor.diagnosis import boot_commands, leads, tried, unexplained
from rocmdoctor.diagnosis.checks import checks
from rocmdoctor.diagnosis.evidence import Evidence as Seen
from rocmdoctor.diagnosis.evidence import Place
from rocmdoctor.diagnosis.fill import NOT_SET, UNREAD, command, fill_in, shown, shown_value, with_target, words
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import LAYERS, SEVERITIES, Absent, Evidence, Fact, Finding, Hit, Known, Snapshot, Standing, Unknown
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge import components, vocabulary_words
from rocmdoctor.knowledge.conditions import ANYWHERE, Answer, Lookup
from rocmdoctor.knowledge.rules import Rule, Rulebook
from rocmdoctor.records import dataclass, field, replace

MOST_EVIDENCE = 8
MOST_POSSIBLE = 8
_SET_BY_HAND = ("env.", "kernel.cmdline", "amdgpu.modprobe_options", "module.")


@dataclass(slots=True)
class Judged:
    """A rule, or a row of a table as a rule of its own, with its answer and what it rests on."""

    rule: Rule
    answer: Answer
    item: str = ""
    place: Place = field(default_factory=Place)
    explained: list[str] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)  # its own, not those of the symptoms it explains
    quotes: bool = False  # it only repeats what a log says: dropped where anything else says more
    met: bool = False  # a row whose own line was seen on a GPU that it names
    row: bool = False  # of a table: a cause that has a file of its own and explains as much goes before it


def _of_rules(seen: Seen, book: Rulebook) -> Iterator[Judged]:
    """Every cause that fits this system and may hold, asked for each item and at each place; of one item the best answer."""
    for rule in book.rules.values():
        if rule.kind != "cause" or rule.status == "retired" or seen.silent(rule) or seen.out_of_reach(rule) or not seen.fits(rule):
            continue
        for item in _items(rule, seen):
            place, answer = seen.ask(rule, item)[0]
            hits = list(seen.own(rule, place))
            if answer.value is None:
                answer, hits = _open_way(rule, seen, item, place, answer)
            of_item = not item or any(vocabulary.entity(name) == rule.for_each for name in (*answer.used, *answer.missing))
            yield Judged(rule, answer, item if of_item else "", place, seen.explained(rule), hits)
            if not of_item and answer.value:
                break  # what texts say of all items is one finding


def _items(rule: Rule, seen: Seen) -> list[str]:
    """The items that a rule is asked for: one without a name where it is about none, and where only texts can answer it."""
    items = items_of(seen.facts, rule.for_each) if rule.for_each else []
    return items or ([""] if not rule.for_each or any(name.startswith("seen.") for name in rule.when.names) else [])


def _open_way(rule: Rule, seen: Seen, item: str, place: Place, answer: Answer) -> tuple[Answer, list[Hit]]:
    """Of an undecided rule the way with most of its own signals seen; a signal of a way that is closed says nothing."""
    ways = [(way, list(seen.own_of(rule, way.used, place))) for way in rule.when.open_ways(seen.lookup(item, rule.for_each, place))
            if not any(name == "about.amd" or name.count(".") == 1 and name.startswith("seen.") for name in way.missing)]  # nobody told of it
    return max(ways, key=lambda way: len({hit.group for hit in way[1]}), default=(answer, []))  # no hits: nothing of its own was seen


def _evidence(judged: Judged, seen: Seen, look: Lookup) -> list[Evidence]:
    found: list[Evidence] = []
    for hit in [*judged.hits, *seen.of_symptoms([judged.rule.id, *judged.explained])]:
        line = Evidence(hit.source, hit.line, hit.text[:400], around=hit.around)
        if line not in found and len(found) < MOST_EVIDENCE:
            found.append(line)
    for name in judged.answer.used:
        if not name.removeprefix(ANYWHERE).startswith("seen."):
            fact = look(name)
            value = NOT_SET if isinstance(fact, Absent) else shown(fact)
            if value != UNREAD:
                found.append(Evidence(fact=name, value=value, source=getattr(fact, "source", "")))
    return found


def _fixes(judged: Judged, look: Lookup, facts: dict[str, Fact]) -> list[Fix]:
    found = []
    for fix in judged.rule.fixes:
        if fix.only_if and fix.only_if.ask(look).value is False:
            continue
        row = fix.data
        scope = judged.rule.scope
        commands = (line for each in row.get("commands") or () for line in boot_commands.for_machine(command(each, look, scope), facts))
        said = {name: words(row.get(name), look, scope) for name in ("do", "detail", "side_effects", "verify", "undo")}
        found.append(Fix(said["do"], said["detail"], tuple(commands), str(row.get("risk", "none")), tuple(row.get("needs") or ()), said["side_effects"],
                         said["verify"], said["undo"], str(row.get("language", "shell"))))
    return found


def _asks(judged: Judged, look: Lookup) -> tuple[str, list[str]]:
    """(the question that decides, the commands that answer it) for what is not known."""
    missing = [name for name in judged.answer.missing if isinstance(look(name), (Unknown, list))]
    questions = [vocabulary_words.question(name) for name in missing]
    commands = []
    for name in missing:
        fact = look(name)
        commands.append(getattr(fact, "command", "") or f"rocmdoctor check   # shows {vocabulary_words.sought(name)}")
    return judged.rule.asks or next(iter(questions), "Is it this?"), list(dict.fromkeys(commands))


def _target(seen: Seen, item: str) -> str:
    """The target that a finding is about: of its item, else the only one at hand; "" where several could be meant."""
    known = {str(seen.value(vocabulary.key("gpu.gfx_target", one)) or "") for one in ([item] if item else items_of(seen.facts))}
    return known.pop() if len(known) == 1 else ""


def _finding(judged: Judged, seen: Seen, standing: Standing) -> Finding:
    rule = judged.rule
    look = seen.lookup(judged.item, rule.for_each, judged.place)
    title, severity = with_target(words(rule.title, look, rule.scope), _target(seen, judged.item if rule.for_each == "gpu" else "")), rule.severity
    deciding: list[str] = []
    if standing == "possible":
        question, deciding = _asks(judged, look)
        title = f"{fill_in(question, look, rule.scope)} Possible cause: {title}"
        severity = "info"  # a question is no claim: how bad it is says the symptom that it may explain
    subject = ""
    if rule.for_each == "gpu" and judged.item:
        target = look("gpu.gfx_target")
        subject = f"gpu {judged.item}" + (f" ({shown_value('gpu.gfx_target', target)})" if isinstance(target, Known) else "")
    return Finding(rule.id, standing, severity, rule.stage, subject, title, words(rule.says, look, rule.scope), words(rule.why, look, rule.scope),
                   _evidence(judged, seen, look), judged.explained, deciding, _fixes(judged, look, seen.facts), list(rule.references))


def _unexplained(finding: Finding, seen: Seen) -> Finding:
    known, finding.to_decide, report = unexplained.advice(finding.id, finding.layer, seen.facts)
    finding.cause = known
    finding.fixes = [*unexplained.experiments([finding.id], seen.facts, seen.lookup()), *finding.fixes, report]
    return finding


def _observed(one: Judged, seen: Seen) -> Finding:
    """Where something failed is no reason yet: what its own words advise, then the experiments of the symptoms that it stands for."""
    finding = _finding(one, seen, "symptom")
    finding.fixes += unexplained.experiments(one.explained, seen.facts, seen.lookup())
    return finding


def _suspect(one: Judged, seen: Seen) -> Finding:
    """A setting that is known to harm, where trouble was told that nothing else explains: whether it is the reason shows when it is taken out."""
    return _finding(replace(one, rule=replace(one.rule, asks="Does the trouble go away without this setting?"), explained=["trouble-told"]), seen, "possible")


def _says_more(one: Judged) -> bool:
    """Whether it answers the trouble better than a quotation of what the log says."""
    if one.quotes or SEVERITIES.index(one.rule.severity) > SEVERITIES.index("warning"):
        return False
    return _strong(one) if one.answer.value else one.answer.value is None and bool(one.explained and one.hits) and not one.row


def _of_server(one: Judged) -> bool:
    """Whether a server that was asked is judged."""
    return one.rule.for_each == "llm" and bool(one.item)


def _unseen(one: Judged) -> Judged:
    """As severe as the rule is while nothing is seen of it."""
    return replace(one, rule=replace(one.rule, severity=one.rule.unseen)) if one.rule.unseen else one


def _by_hand(one: Judged) -> bool:
    """Whether it rests on a setting that somebody made, and is more than a remark."""
    return not one.row and SEVERITIES.index(one.rule.severity) <= SEVERITIES.index("warning") and any(
        name.removeprefix(ANYWHERE).startswith(_SET_BY_HAND) for name in one.answer.used)


def _cleared(seen: Seen) -> set[str]:
    """Settings with which it is right, or runs at all, as the writer says: they are no suspects."""
    rows = seen.value("report.contrasts") or []
    return {str(row["value"]).partition("=")[0].lstrip("-") for row in rows if row["axis"] in ("option", "needed") and row["right"]}


def _decided(judged: list[Judged]) -> list[Judged]:
    """The true ones without those that a better one sets aside, and without general ones that read only lines a specific one explains."""
    beaten = {loser for one in judged for loser in one.rule.instead_of}
    left = [one for one in judged if one.rule.id not in beaten]
    explained = {(hit.source, hit.line) for one in left if not one.rule.general for hit in one.hits}
    return [one for one in left if not (one.rule.general and one.hits and all((hit.source, hit.line) in explained for hit in one.hits))]


def _strong(one: Judged) -> bool:
    """Whether something of it was seen. What a server did when it was asked counts as a line of a log does: it was seen to happen."""
    return bool(one.hits) or _of_server(one) or bool(one.explained)


def _order(one: Judged, fresh: set[str]) -> tuple[Any, ...]:
    """The better one first; among equals that which rests on what has just changed (``fresh``), since it worked before."""
    new = any(name.startswith("changed.") or components.of_fact(name) in fresh for name in one.answer.used) if fresh else False
    own = bool(one.hits) or _of_server(one)
    return (one.rule.general, SEVERITIES.index(one.rule.severity) > 2, -len(one.explained), one.row, -own, not new,
            -len(one.answer.used), SEVERITIES.index(one.rule.severity), LAYERS.index(one.rule.stage), one.rule.id)


@dataclass(slots=True)
class _Parted:
    """What was judged, by its standing; each list best first."""

    causes: list[Judged]
    possible: list[Judged]
    symptoms: list[Judged]  # that nothing accounts for
    risks: list[Judged]


def _parted(everything: list[Judged], seen: Seen, book: Rulebook) -> _Parted:
    true = _decided([one for one in everything if one.answer.value is True])
    set_aside = {loser for one in true for loser in one.rule.instead_of} | {one.rule.id for one in true}
    causes, risks = [one for one in true if _strong(one)], [_unseen(one) for one in true if not _strong(one)]
    # Its own signal was seen and something is not known: never dropped. The symptom alone would make every cause of it possible.
    possible = [one for one in everything if one.answer.value is None and (one.hits or _of_server(one) and one.explained)
                and one.rule.id not in set_aside][:MOST_POSSIBLE]
    accounted = {symptom for one in causes for symptom in one.explained}
    told = {(hit.source, hit.line) for one in causes if not (one.rule.general or one.rule.observes) and SEVERITIES.index(one.rule.severity) < 2
            for hit in one.hits}
    accounted |= {symptom for symptom in seen.symptoms - accounted if not book.rules[symptom].specific
                  and (hits := list(seen.of_symptoms([symptom]))) and all((hit.source, hit.line) in told for hit in hits)}  # a part of the same words
    left = sorted(seen.symptoms - accounted, key=lambda name: (SEVERITIES.index(book.rules[name].severity), name))
    return _Parted(causes, possible, [Judged(book.rules[symptom], Answer(True, (), ())) for symptom in left], risks)


def _ranked(parted: _Parted, seen: Seen, told: set[str]) -> list[Finding]:
    """The findings but for the risks, best first; ``told`` are symptoms that only say in general that there is trouble."""
    symptoms = [(one, _unexplained(_finding(one, seen, "symptom"), seen)) for one in parted.symptoms]
    shown = [(one, _finding(one, seen, "possible")) for one in parted.possible]
    curated = [(one, finding) for one, finding in shown if one.explained and not one.row]
    general = [one for one in parted.causes if one.rule.general]
    # What is harmless, and no reason of what was seen or not the only one, goes behind it.
    serious = any(one.explained and SEVERITIES.index(one.rule.severity) <= SEVERITIES.index("warning") for one in parted.causes)
    remarks = [one for one in parted.causes if one.rule.severity == "info" and not (one.rule.general or one.rule.observes)
               and (serious or seen.symptoms.difference(one.explained))]
    findings = [_finding(one, seen, "cause") for one in parted.causes if not (one.rule.general or one.rule.observes or one in remarks)]
    cleared = _cleared(seen)
    # A setting that was the same with the version that was right is no suspect, unless the driver itself complains of it.
    pair = tried.pair_told(seen.facts) and not seen.hits_of("seen.power.overdrive_asked_off")
    suspects = [] if findings or not seen.symptoms or pair else [one for one in parted.risks if _by_hand(one) and not any(
        name.removeprefix(ANYWHERE).removeprefix("env.") in cleared for name in one.answer.used)]
    parted.risks = [one for one in parted.risks if one not in suspects]
    observed = [one for one in parted.causes if one.rule.observes and not one.rule.general]
    cleared_kernel = [one for one in observed if one.rule.stage == "driver"] if "kernel" in tried.both_ways(seen.facts) else []
    return [
        *findings,
        *(_suspect(one, seen) for one in suspects),
        *(finding for one, finding in curated if one.rule.severity != "info"),
        *(_observed(one, seen) for one in observed if one not in cleared_kernel),
        *(finding for one, finding in symptoms if one.rule.specific),
        *(_finding(one, seen, "cause") for one in general if not one.rule.observes),
        *(finding for one, finding in shown if one.explained and one.row and one.met),
        *(_observed(one, seen) for one in general if one.rule.observes),
        *(_observed(one, seen) for one in cleared_kernel),  # with another kernel it was the same
        *(finding for one, finding in curated if one.rule.severity == "info"),  # what only asks says less than what was observed
        *(finding for one, finding in shown if one.explained and one.row and not one.met),
        *(finding for one, finding in symptoms if not one.rule.specific and one.rule.id not in told),
        *(_finding(one, seen, "cause") for one in remarks),
        *(finding for one, finding in shown if not one.explained),
        *(finding for one, finding in symptoms if one.rule.id in told)]


def diagnose(snapshot: Snapshot, book: Rulebook, only: Sequence[str] = ()) -> list[Finding]:
    """Ranked findings, best first: causes, specific symptoms, possible causes, generic symptoms, risks.

    ``only`` keeps those of rules that can explain one of these symptoms.
    """
    seen = Seen(snapshot, book)
    changed = seen.facts.get("changed.components")
    fresh = set(map(str, changed.value)) if isinstance(changed, Known) else set()
    everything = sorted([*_of_rules(seen, book), *(one for one in checks(seen, book) if seen.fits(one.rule))], key=lambda one: _order(one, fresh))
    if any(map(_says_more, everything)):
        everything = [one for one in everything if not one.quotes]
    parted = _parted(everything, seen, book)
    told = {rule.id for rule in book.rules.values() if rule.kind == "symptom" and rule.general}
    findings = _ranked(parted, seen, told)
    answers = [finding.severity for finding in findings if finding.id not in told] + [one.rule.severity for one in parted.risks if not one.row]
    if any(SEVERITIES.index(severity) <= SEVERITIES.index("warning") for severity in answers):
        findings = [finding for finding in findings if finding.id not in told]  # what is told in general has its answer
    if findings and findings[0].standing != "cause":
        findings[0].fixes[1:1] = leads.steps(seen, {findings[0].id})  # behind the first thing to do
    findings += [_finding(one, seen, "risk") for one in parted.risks]
    if only:
        wanted = {one.rule.id for one in [*everything, *parted.symptoms] if one.rule.id in only or set(one.rule.explains) & set(only)}
        findings = [finding for finding in findings if finding.id in wanted]
    for rank, finding in enumerate(findings, 1):
        finding.rank = rank
    return findings
