"""No kind of secret comes out, in whatever form it stands in a text; the whole table through the commands that make something to share."""

import html
import json
import pathlib
import quopri
import re
import subprocess
import sys
import tarfile
import urllib.parse

import pytest
from secrets_more import MORE
from secrets_table import KINDS, Maker

from rocmdoctor.share.redact import Redactor
from rocmdoctor.texts.attach import clean

LINE = "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2"
MACHINE = next(path for path in sorted((pathlib.Path(__file__).resolve().parents[2] / "fixtures/machines").iterdir()) if path.is_dir())


def wrapped(text, value):
    """The text as a terminal of fixed width breaks it, in the middle of the value."""
    lines = text.split("\n")
    if len(lines) > 1:
        return "> " + "\n> ".join(lines)
    space = value.find(" ")
    at = text.index(value) + (space if space > 0 else len(value) // 2)
    pad = "#" * max(0, 76 - at - 1)
    return f"{pad} {text[:at]}\n{text[at:].lstrip()}"


FORMS = {
    "plain": lambda text, value: text,
    "JSON": lambda text, value: json.dumps({"msg": text}),
    "JSON in JSON": lambda text, value: json.dumps({"log": json.dumps({"msg": text})}),
    "URL": lambda text, value: "q=" + urllib.parse.quote(text, safe=""),
    "quoted-printable": lambda text, value: quopri.encodestring(text.encode(), quotetabs=False).decode().rstrip("\n"),
    "HTML": lambda text, value: html.escape(text),
    "wrapped": wrapped,
}


def spellings(value):
    """The value as it may be left over: as it is, and in each form."""
    found = {value, html.escape(value), urllib.parse.quote(value, safe=""), json.dumps(value)[1:-1], json.dumps(json.dumps(value))[3:-3]}
    return found | {quopri.encodestring(value.encode()).decode().rstrip("\n")}


def left(shown, value):
    flat = shown.replace("=\n", "")
    joined = "".join(shown.split())
    return any(each in shown or each in flat for each in spellings(value)) or "".join(value.split()) in joined


# Short values of names and addresses cannot be told from the log's own words once they are broken in two and stand nowhere else.
@pytest.mark.parametrize("form", FORMS)
def test_no_kind_comes_out_in_any_form(form):
    out = []
    for name, make in {**KINDS, **MORE}.items():
        text, value = make(Maker(f"{form}{name}"))
        given = FORMS[form](text, value)
        redactor = Redactor()
        if form == "wrapped":
            redactor.learn(text)  # it stands whole elsewhere in the file
        redactor.learn(given)
        shown = redactor.text(given)
        if left(shown, value):
            out.append((name, given, shown))
    assert not out, f"{len(out)} of {len(KINDS) + len(MORE)}: {out}"
    assert len(KINDS) >= 150
    assert not KINDS.keys() & MORE.keys()


def numbers(shown):
    """What the lists of bytes in it say."""
    return "\n".join(bytes(map(int, found.split(","))).decode("utf-8", "replace") for found in re.findall(r"\[([\d, ]+)\]", shown))


# How programs and people write a line of a log into another text, and how that reads again.
WRITTEN = {
    "colours": (lambda text, value: re.sub(r"(\w+)", "\x1b[32m\\1\x1b[0m", text), str),
    "nothing visible between": (lambda text, value: text.replace(value, "\u200b".join(value)), lambda shown: shown.replace("\u200b", "")),
    "Markdown escapes": (lambda text, value: re.sub(r"([_*`\[\]<>#~|-])", r"\\\1", text), lambda shown: re.sub(r"\\([^\w\s]|_)", r"\1", shown)),
    "bytes of Python": (lambda text, value: repr(text.encode()), lambda shown: shown.encode("latin-1", "replace").decode("unicode_escape").encode("latin-1", "replace").decode("utf-8", "replace")),
    "numbers of the journal": (lambda text, value: json.dumps({"MESSAGE": list(text.encode())}), numbers),
    "CSV": (lambda text, value: '"a","' + text.replace('"', '""') + '"', str),
    "HTML numbers": (lambda text, value: "".join(f"&#{ord(letter)};" for letter in text), html.unescape),
    "URL twice": (lambda text, value: urllib.parse.quote(urllib.parse.quote(text, safe=""), safe=""), lambda shown: urllib.parse.unquote(urllib.parse.unquote(shown))),
    "a container's log": (lambda text, value: "\n".join(f"ollama-1  | {line}" for line in text.split("\n")), str),
    "a table": (lambda text, value: f"| a | {text} | b |", str),
    "code": (lambda text, value: f"`{text}`", str),
    "a sentence": (lambda text, value: f"{text}.", str),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_no_kind_comes_out_however_it_was_written_down(form):
    write, read = WRITTEN[form]
    out = []
    for name, make in {**KINDS, **MORE}.items():
        text, value = make(Maker(f"{form}{name}"))
        given = clean(write(text, value))
        redactor = Redactor()
        redactor.learn(given)
        shown = redactor.text(given)
        if left(shown, value) or left(read(shown), value):
            out.append((name, given, shown))
    assert not out, f"{len(out)} of {len(KINDS) + len(MORE)}: {out}"


# What is told by its place at the start of a line, or goes over several.
WHOLE = {name for name, make in KINDS.items() if "\n" in (text := make(Maker(0))[0]) or text.startswith(make(Maker(0))[1])} | {"ls", "node"}


def run(*arguments):
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], capture_output=True, timeout=300)
    assert done.returncode in (0, 1, 3), done.stderr
    return done.stdout.decode()


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A folder with one log for each form, every kind in it on a line that some rule quotes, and the values."""
    folder = tmp_path_factory.mktemp("planted")
    values = []
    forms = {name: form for name, form in FORMS.items() if name != "wrapped"}
    forms["UTF-16"] = FORMS["plain"]
    for number, (form, written) in enumerate(forms.items()):
        lines = []
        for name, make in KINDS.items():
            text, value = make(Maker(f"{form} {name}"))
            values.append((form, name, value))
            lines.append(written(f"{text} {LINE}" if name in WHOLE or number % 2 == 0 else f"{LINE} {text}", value))
        (folder / f"{number}.log").write_bytes(("\n\n".join(lines) + "\n").encode("utf-16" if form == "UTF-16" else "utf-8"))
    return folder, values


def leaks(shown, values):
    return [row for row in values if left(shown, row[2])]


def test_redact_lets_nothing_out(planted, tmp_path):
    folder, values = planted
    run("redact", "-o", tmp_path, folder)
    shown = "\n".join(path.read_text() for path in sorted(tmp_path.rglob("*.log")))
    assert not leaks(shown, values)
    assert shown.count(LINE) >= len(values) // 3  # what is around is left


@pytest.mark.parametrize("form", ["--json", "--markdown", "--html"])
def test_explain_lets_nothing_out(planted, tmp_path, form):
    folder, values = planted
    page = [tmp_path / "page.html"] if form == "--html" else []
    shown = {how: run("explain", *how, form, *page, folder) + (page[0].read_text() if page else "") for how in ((), ("--no-redact",))}
    assert leaks(shown["--no-redact",], values)  # there was something to take out
    assert not leaks(shown[()], values)


def test_a_bundle_lets_nothing_out(planted, tmp_path):
    folder, values = planted
    logs = [word for path in sorted(folder.iterdir()) for word in ("--log", path)]
    run("bundle", "--no-kernels", "--root", MACHINE, *logs, "-o", tmp_path / "b.tar.gz")
    with tarfile.open(tmp_path / "b.tar.gz") as packed:
        shown = "\n".join(packed.extractfile(member).read().decode() for member in packed if member.isfile())
    assert not leaks(shown, values) and LINE in shown
