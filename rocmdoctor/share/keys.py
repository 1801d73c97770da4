"""The formats of keys and tokens that the detect-secrets package knows, as patterns of RE2, each with texts of which a match holds one."""

from __future__ import annotations

import importlib
import importlib.util
import pathlib
import re

from rocmdoctor import later
from rocmdoctor.knowledge import cache

# Addresses and URLs are looked at by this package's own formats; the others' are wide enough to take evidence for keys.
_LEFT_OUT = ("ip_public", "basic_auth", "artifactory", "softlayer", "ibm_cloud_iam", "ibm_cos_hmac", "cloudant", "twilio", "private_key", "jwt", "openai")
_AROUND = later.pattern(r"\(\?<?[=!]|\\Z")  # looks ahead or behind, which RE2 does not


def formats() -> list[tuple[str, tuple[str, ...]]]:
    """The patterns, kept in the cache: importing the package takes longer than a check. Those RE2 has no form for are left out.

    The texts are in lower case, one of no letters where none is known.
    """
    spec = importlib.util.find_spec("detect_secrets")
    places = list(spec.submodule_search_locations or ()) if spec else []
    files = sorted(file for place in places for file in pathlib.Path(place, "plugins").glob("*.py"))

    def listed() -> list[tuple[str, list[str]]]:
        return [(pattern, _hints(pattern)) for file in files if file.stem not in _LEFT_OUT for pattern in _of(file.stem)]

    found = cache.stamped("key-formats.json", [*files, pathlib.Path(__file__), pathlib.Path(__file__).parents[1] / "scan" / "literals.py"], listed)
    return [(pattern, tuple(hints)) for pattern, hints in found]


def _hints(pattern: str) -> list[str]:
    from rocmdoctor.scan import literals

    best = next(iter(literals.required(pattern)), [""])
    return best if all(map(str.isascii, best)) else [""]


def _of(plugin: str) -> list[str]:
    from detect_secrets.plugins.base import RegexBasedDetector

    module = importlib.import_module(f"detect_secrets.plugins.{plugin}")
    found: list[str] = []
    for item in vars(module).values():
        if isinstance(item, type) and issubclass(item, RegexBasedDetector) and item.__module__ == module.__name__:
            listed = getattr(item, "denylist", ())
            patterns = [f for f in listed if isinstance(f, re.Pattern)] if isinstance(listed, (list, tuple)) else []
            found += [("(?i)" if f.flags & re.IGNORECASE else "") + f.pattern for f in patterns if not _AROUND.search(f.pattern)]
    return found
