"""No kind of secret comes out of base64 or of numbers: what was taken out is not there when they are read again."""

import base64
import json
import re
import textwrap

import pytest
from secrets_more import MORE
from secrets_table import KINDS, Maker
from test_secrets import left

from rocmdoctor.share.redact import Redactor
from rocmdoctor.share.views import decoded

BEFORE, AFTER = "amdgpu 0000:03:00.0: ring gfx timeout\n", "\nand what stands behind it"
WIDTH = 16


def dump(raw, number, line):
    return "\n".join(line.format(at=at, numbers=number(raw[at:at + WIDTH]), letters="".join(chr(byte) if 32 <= byte < 127 else "." for byte in raw[at:at + WIDTH]))
                     for at in range(0, len(raw), WIDTH))


def xxd(raw):
    return dump(raw, lambda row: " ".join(row[at:at + 2].hex() for at in range(0, len(row), 2)).ljust(39), "{at:08x}: {numbers}  {letters}")


def hexdump(raw):
    return dump(raw, lambda row: f"{row[:8].hex(' '):23}  {row[8:].hex(' '):23}", "{at:08x}  {numbers}  |{letters}|")


def from_base64(shown):
    """All that any part of it says."""
    said = []
    for run in re.findall(r"[A-Za-z0-9+/_-]{8,}", shown.replace("\n", "")):
        for skip in range(4):
            part = run[skip:].replace("-", "+").replace("_", "/")
            raw = base64.b64decode(part[:len(part) // 4 * 4])
            said += [raw.decode("utf-8", "replace"), raw.decode("utf-16-le", "replace")]
    return "\n".join(said)


def from_numbers(shown):
    said = []
    for run in re.findall(r"[0-9a-fA-F]{8,}", re.sub(r"[\s:,]|0x", "", shown)):
        for skip in range(2):
            part = run[skip:]
            said.append(bytes.fromhex(part[:len(part) // 2 * 2]).decode("utf-8", "replace"))
    return "\n".join(said)


def from_dump(shown):
    rows = [row.rstrip("|") for row in shown.split("\n")]
    return from_numbers("".join(row[10:58] for row in rows)) + "".join(row[10:50] for row in rows) + "\n" + "".join(row[-WIDTH:] for row in rows)


ENCODED = {
    "base64": (lambda raw: base64.b64encode(raw).decode(), from_base64),
    "base64 in lines": (lambda raw: base64.encodebytes(raw).decode(), from_base64),
    "base64 of URLs in JSON": (lambda raw: json.dumps({"blob": base64.urlsafe_b64encode(raw).decode().rstrip("=")}), from_base64),
    "base64 in JSON": (lambda raw: json.dumps({"blob": base64.encodebytes(raw).decode()}), lambda shown: from_base64(json.loads(shown)["blob"])),
    "base64 twice": (lambda raw: base64.b64encode(base64.b64encode(raw)).decode(), lambda shown: from_base64(from_base64(shown))),
    "PowerShell": (lambda raw: "powershell -enc " + base64.b64encode(raw.decode().encode("utf-16-le")).decode(), from_base64),
    "numbers": (lambda raw: raw.hex(), from_numbers),
    "numbers with signs": (lambda raw: raw.hex(":"), from_numbers),
    "a list in C": (lambda raw: ", ".join(f"0x{byte:02x}" for byte in raw), from_numbers),
    "xxd -p": (lambda raw: "\n".join(textwrap.wrap(raw.hex(), 60)), from_numbers),
    "xxd": (xxd, from_dump),
    "hexdump -C": (hexdump, from_dump),
}


@pytest.mark.parametrize("form", ENCODED)
def test_no_kind_comes_out_of(form):
    write, read = ENCODED[form]
    out = []
    for name, make in {**KINDS, **MORE}.items():
        text, value = make(Maker(f"{form}{name}"))
        given = write(f"{BEFORE}{text}{AFTER}".encode())
        redactor = Redactor()
        redactor.learn(given)
        shown = redactor.text(given)
        if left(shown, value) or left(read(shown), value):
            out.append((name, given, shown))
    assert not out, f"{len(out)} of {len(KINDS) + len(MORE)}: {[name for name, _, _ in out]} {out[:2]}"


# Lines as long as those of a key are taken for one.
@pytest.mark.parametrize("form", sorted(ENCODED.keys() - {"base64 in lines", "base64 in JSON"}))
def test_what_says_nothing_private_stays(form):
    given = ENCODED[form][0]((BEFORE * 6).encode())
    redactor = Redactor()
    redactor.learn(given)
    assert redactor.text(given) == given
    assert any(BEFORE in view.text for view in decoded(given))  # it was read


@pytest.mark.parametrize("line", [
    "Code: 48 89 e5 41 57 41 56 41 55 41 54 53 48 83 ec 18 <0f> 0b 48 8b 47 10", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "edid: 00ffffffffffff001e6d085b3fe2030006210104b55025789f", "/opt/rocm/lib/hipblaslt/library/TensileLibrary_HH_HH_HA_Bias_SAV_UA_Type_HH_HPA_Contraction_l_Alik_Bljk_Cijk_Dijk_gfx1201.dat",
    "_ZN2at6native12_GLOBAL__N_120vectorized_layer_normEvRKNS_6TensorES4_S4_dPS2_S5_S5_", "00000000: 55aa 7ae9 9a02 0000 0000 0000 0000 0000  U.z............."])
def test_evidence_that_looks_encoded_stays(line):
    redactor = Redactor()
    redactor.learn(line)
    assert redactor.text(line) == line
