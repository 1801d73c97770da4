"""What is made once and kept in the user's cache, and how YAML is read: PyYAML costs more than all rules together."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

from rocmdoctor import places
from rocmdoctor.knowledge import trusted_file

MOST_BYTES = 64 << 20
_HEAD_BYTES = 2 * 64 + 2
_SETTLED_S = 2.0  # the coarsest time of a file system in use


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
    return json.loads(kept(name, [(str(file), file.stat()) for file in files], lambda: json.dumps(make()).encode()))


def kept(name: str, sources: list[tuple[str, os.stat_result]], make: Callable[[], bytes]) -> bytes:
    """``make()``, kept under ``name`` until a source changes. A cache that cannot be used is no error, and is replaced.

    A file in which another user has a hand, or whose data is not what was written, is not used.
    """
    # Nobody can set back the time of the last change of any kind (ctime): an edit that keeps size and date is seen, too.
    signs = [f"{path}:{stat.st_mtime_ns}:{stat.st_ctime_ns}:{stat.st_ino}:{stat.st_size}" for path, stat in sources]
    digest = hashlib.sha256("\n".join([sys.version, *signs]).encode()).hexdigest()
    path = places.caches() / name
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
    # Where time is counted in seconds, a file that has just changed can change once more without a sign.
    settled = max((max(stat.st_mtime, stat.st_ctime) for _, stat in sources), default=0.0) < time.time() - _SETTLED_S
    body = make()
    if not settled:
        return body
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
