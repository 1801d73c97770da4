"""What is not decided is compared with the known defects: those told in the same words are named, and nothing is claimed."""

import pytest

from rocmdoctor.diagnosis import leads
from rocmdoctor.diagnosis.diagnose import diagnose
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import known, likeness, rules
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import interpret

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
TOLD = "On Arch with an RX 6800 the computer does not come back from suspend since some days: the screens stay black, fans run, I press reset.\n"


def read(text):
    snapshot = Snapshot("2026-11-30T00:00:00+00:00", "read")
    interpret.fill(snapshot, [interpret.gathered("report.txt", text)], SCANNER)
    return snapshot


def test_the_index_weighs_as_the_texts_do():
    told = [likeness.words(row.told) for row in known.load().all()]
    weights, index = likeness.Weights(told), likeness.index(known.LIKENESS)
    said = likeness.words(TOLD)
    found = index.common(said)
    assert found.keys() == {at for at, text in enumerate(told) if text & said}
    for at, like in found.items():
        assert like == pytest.approx(weights.common(told[at], said))


def test_only_words_of_known_defects_are_kept():
    words = read(TOLD + "My name is Zwetschgenbaum.\n").facts["report.words"].value
    assert {"suspend", "black"} <= set(words) <= likeness.index(known.LIKENESS).words.keys()


def test_an_undecided_report_names_what_resembles_it_behind_the_first_thing_to_do():
    finding = diagnose(read(TOLD), BOOK)[0]
    assert finding.standing != "cause"
    compared = [fix for fix in finding.fixes if fix.title.startswith("Compare")]
    assert finding.fixes[1:1 + len(compared)] == compared and 1 <= len(compared) <= leads.MOST
    assert any("sleep" in fix.title.lower() or "suspend" in fix.title.lower() or "resume" in fix.title.lower() for fix in compared)
    assert all(fix.commands[0].startswith("http") for fix in compared)


@pytest.mark.parametrize("text", [TOLD, "ComfyUI on Windows with a 9070 XT gives a black picture in the VAE decode, sampling is fine.\n"], ids=["linux", "windows"])
def test_no_lead_is_of_another_gpu_or_system(text):
    seen = Evidence(read(text), BOOK)
    said = seen.facts["report.words"].value
    gpus, system = set(seen.facts["about.gpu"].value), getattr(seen.facts["about.os"], "value", "")
    found = leads.alike(seen, said)
    assert found == sorted(found, key=lambda lead: -lead.likeness)
    for lead in found:
        assert not (system and lead.row.os) or system in lead.row.os or set(lead.row.os) == {"container"}
        assert not any(name.startswith("gfx") for name in lead.row.gfx) or gpus & set(lead.row.gfx)
        assert set(lead.words) <= set(said) & likeness.words(lead.row.told)


def test_little_said_gives_no_lead():
    assert not list(leads.steps(Evidence(read("It does not work.\n"), BOOK)))
