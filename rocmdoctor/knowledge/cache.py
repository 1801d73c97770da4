"""What is made once and kept in the user's cache, and how YAML is read: PyYAML costs more than all rules together."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

from rocmdoctor import places
from rocmdoctor.knowledge import trusted_file

MOST_BYTES = 64 << 20
_SUM_BYTES = 40
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
    return json.loads(bytes(kept(name, [(str(file), file.stat()) for file in files], lambda: json.dumps(make()).encode())))


def kept(name: str, sources: list[tuple[str, os.stat_result]], make: Callable[[], bytes]) -> memoryview:
    """``make()``, kept under ``name`` until a source changes. A cache that cannot be used is no error, and is replaced.

    A file in which another user has a hand, or whose data is not what was written, is not used.
    """
    # Nobody can set back the time of the last change of any kind (ctime): an edit that keeps size and date is seen, too.
    signs = [f"{path}:{stat.st_mtime_ns}:{stat.st_ctime_ns}:{stat.st_ino}:{stat.st_size}" for path, stat in sources]
    made_of = "\n".join([sys.version, *signs])
    found = held(name, made_of)
    if found is not None:
        return found
    # Where time is counted in seconds, a file that has just changed can change once more without a sign.
    settled = max((max(stat.st_mtime, stat.st_ctime) for _, stat in sources), default=0.0) < time.time() - _SETTLED_S
    body = make()
    if settled:
        hold(name, made_of, body)
    return memoryview(body)


def held(name: str, made_of: str) -> memoryview | None:
    """What :func:`hold` kept under ``name``, None when it was made of something else, is not what was written or cannot be used."""
    path = places.caches() / name
    try:
        raw = memoryview(trusted_file.read(str(path), MOST_BYTES))
    except FileNotFoundError:
        return None
    except trusted_file.Refused as error:
        trusted_file.leave_out(error, f"the cache {path.parent}")
        return None
    except OSError:
        return None
    head = made_of.encode("utf-8", "surrogateescape")
    body = raw[_SUM_BYTES + len(head):]
    return body if raw[_SUM_BYTES:_SUM_BYTES + len(head)] == head and raw[:_SUM_BYTES] == _sum(head, body) else None


def hold(name: str, made_of: str, body: bytes) -> None:
    """Keep it in the user's cache, where that can be used."""
    path = places.caches() / name
    head = made_of.encode("utf-8", "surrogateescape")
    try:
        trusted_file.folder(str(path.parent))
        trusted_file.replace(str(path), _sum(head, body) + head + body)
    except trusted_file.Refused as error:
        trusted_file.leave_out(error, f"the cache {path.parent}")
    except OSError:
        pass


def _sum(head: bytes, body: bytes | memoryview) -> bytes:
    """What stands before the sources and the data: how long both are, and their sum. It finds accidents; who may write here is asked elsewhere."""
    return b"%016x%016x%08x" % (len(head), len(body), zlib.crc32(body, zlib.crc32(head)))
