"""Which lines of a text are of a private key: what stands around a hit is kept without them, as half a key is no longer told to be one."""

from __future__ import annotations

from rocmdoctor import later

MOST = 200  # lines of a key; one of 16,384 bits has 200
_BEGIN = later.pattern(r"BEGIN [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY|Static key)")
_END = later.pattern(r"END [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY|Static key)")
_COUNTED = later.pattern(r"Private-Lines: ?(\d{1,3})\b")
_BODY = later.pattern(r"(?:^|[^A-Za-z0-9+/=])[A-Za-z0-9+/]{16,}={0,2}\W{0,6}$")


def key_lines(lines: list[str]) -> set[int]:
    """The indices of the lines of private keys, with a beginning, an end, or both.

    >>> sorted(key_lines(["a", "x | -----BEGIN PRIVATE KEY-----", "x | QUJD", "x | -----END PRIVATE KEY-----", "b"]))
    [1, 2, 3]
    >>> sorted(key_lines(["a", "QUJDQUJDQUJDQUJDQUJD", "-----END RSA PRIVATE KEY-----", "b"]))
    [1, 2]
    """
    found: set[int] = set()
    for number, line in enumerate(lines):
        if "-Lines: " in line and (counted := _COUNTED.search(line)):
            found.update(range(number, min(len(lines), number + min(MOST, int(counted[1])) + 1)))
        if "END " in line and number not in found and _END.search(line):
            found.add(number)
            back = number - 1
            while back >= 0 and number - back < MOST and _BODY.search(lines[back][-400:]):
                found.add(back)
                back -= 1
        if "BEGIN " not in line or not _BEGIN.search(line):
            continue
        found.add(number)
        rest = lines[number + 1:number + MOST]
        end = next((at for at, below in enumerate(rest) if "END " in below and _END.search(below)), -1)
        if end < 0:
            end = next((at for at, below in enumerate(rest) if not _BODY.search(below[-400:])), len(rest)) - 1
        found.update(range(number + 1, number + end + 2))
    return found
