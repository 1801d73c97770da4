"""What is made once and kept in the user's cache, and how YAML is read: PyYAML costs more than all rules together."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import pathlib
from collections.abc import Callable
from typing import Any

from rocmdoctor.knowledge import trusted_file

MOST_BYTES = 64 << 20
_HEAD_BYTES = 2 * 64 + 2


def _cache_file(name: str) -> pathlib.Path:
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(home, "rocmdoctor", name)


def _plain(value: Any, left: list[int]) -> Any:
    """``left`` counts down the nodes: aliases of aliases grow without bound once they are written out."""
    left[0] -= 1
    if left[0] < 0:
        raise ValueError("more than 500000 values once its aliases are written out")
    if isinstance(value, dict):
        return {str(k): _plain(v, left) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v, left) for v in value]
    return value.isoformat() if isinstance(value, (datetime.date, datetime.datetime)) else value


def parse_yaml(text: str) -> Any:
    """Plain data from YAML. Raises yaml.YAMLError, ValueError or RecursionError."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return _plain(yaml.load(text, Loader=loader), [500_000])


def stamped(name: str, files: list[pathlib.Path], make: Callable[[], Any]) -> Any:
    """``make()``, plain data, kept under ``name`` until any of ``files`` changes."""
    stamps = [f"{file}:{(stat := file.stat()).st_mtime_ns}:{stat.st_size}" for file in files]
    return json.loads(kept(name, stamps, lambda: json.dumps(make()).encode()))


def kept(name: str, stamps: list[str], make: Callable[[], bytes]) -> bytes:
    """``make()``, kept under ``name`` while the stamps are the same. A cache that cannot be used is no error, and is replaced.

    A file in which another user has a hand, or whose data is not what was written, is not used.
    """
    digest = hashlib.sha256("\n".join(stamps).encode()).hexdigest()
    path = _cache_file(name)
    try:
        raw = trusted_file.read(str(path), MOST_BYTES)
        if raw[:_HEAD_BYTES] == _head(digest, raw[_HEAD_BYTES:]):
            return raw[_HEAD_BYTES:]
    except FileNotFoundError:
        pass
    except trusted_file.Refused as error:
        trusted_file.leave_out(error, f"the cache {path.parent}")
    except OSError:
        pass
    body = make()
    try:
        trusted_file.folder(str(path.parent))
        trusted_file.replace(str(path), _head(digest, body) + body)
    except trusted_file.Refused as error:
        trusted_file.leave_out(error, f"the cache {path.parent}")
    except OSError:
        pass
    return body


def _head(digest: str, body: bytes) -> bytes:
    """The line before the data: which sources it was made of, and its own sum."""
    return f"{digest} {hashlib.sha256(body).hexdigest()}\n".encode()
