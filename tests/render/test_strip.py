"""The strip of a long log: where in it the quoted lines stand."""

import io

from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Known, Snapshot
from rocmdoctor.knowledge import rules
from rocmdoctor.render.figures import strip
from rocmdoctor.render.report import html, terminal
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret


def test_where_the_quoted_lines_of_a_long_log_stand(tmp_path):
    """A strip of all its lines, which the page and -v share; a log of a few lines needs none."""
    quiet = "usb 1-1: new device\n"
    fault = "2026-11-27T14:31:00+00:00 box kernel: amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE\n"
    for before, shown in ((900, True), (3, False)):
        (tmp_path / "dmesg.txt").write_text(quiet * before + fault + quiet * (99 if shown else 1))
        snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
        interpret.fill(snapshot, attach.gather([str(tmp_path)], io.BytesIO()).texts, Scanner(rules.load().patterns()))
        report = make_report(snapshot, rules.load())
        full, page = terminal.render(report, 80, False, verbose=True), html.render(report)
        assert ("dmesg.txt, 1,000 lines" in full) is shown and ("Where it stands in the logs" in page) is shown
        if shown:
            rows = full.partition("dmesg.txt, 1,000 lines\n")[2].splitlines()
            assert rows[0].strip().index("█") == 68 and len(rows[0]) <= 80
            assert rows[1].strip().startswith("line 901  MES failed to respond to msg=REMOVE_QUEUE  (finding 1)")
            assert '<rect class="mark" x="896"' in page and "<b>line 901</b> MES failed" in page
    snapshot.facts["report.texts"] = Known([5, {"text": 7, "lines": 900}, {"text": "dmesg.txt", "lines": True}], "x")
    assert strip.strips(make_report(snapshot, rules.load())) == []
