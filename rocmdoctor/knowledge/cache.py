"""YAML read once: parsed files are kept as JSON in the user's cache, because PyYAML costs more than all rules together."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import pathlib
from collections.abc import Callable
from typing import Any

from rocmdoctor.knowledge import trusted_file
from rocmdoctor.knowledge.paths import data_dir

MOST_BYTES = 64 << 20
_HEAD_BYTES = len('{"digest": "", "sum": "", "data": ') + 2 * 64


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
    """``make()``, kept under ``name`` until any of ``files`` changes. A cache that cannot be used is no error, and is replaced.

    A file in which another user has a hand, or whose data is not what was written, is not used.
    """
    stamps = [f"{file}:{(stat := file.stat()).st_mtime_ns}:{stat.st_size}" for file in files]
    digest = hashlib.sha256("\n".join(stamps).encode()).hexdigest()
    path = _cache_file(name)
    try:
        raw = trusted_file.read(str(path), MOST_BYTES)
        head, body = raw[:_HEAD_BYTES], raw[_HEAD_BYTES:-1]
        if head == _head(digest, body):
            return json.loads(body)
    except FileNotFoundError:
        pass
    except trusted_file.Refused as error:
        trusted_file.leave_out(error, f"the cache {path.parent}")
    except (OSError, ValueError, RecursionError):
        pass
    data = make()
    try:
        trusted_file.folder(str(path.parent))
        body = json.dumps(data).encode()
        trusted_file.replace(str(path), _head(digest, body) + body + b"}")
    except trusted_file.Refused as error:
        trusted_file.leave_out(error, f"the cache {path.parent}")
    except OSError:
        pass
    return data


def _head(digest: str, body: bytes) -> bytes:
    """What stands before the data: which sources it was made of, and its own sum."""
    return f'{{"digest": "{digest}", "sum": "{hashlib.sha256(body).hexdigest()}", "data": '.encode()


def yaml_data(relative: str) -> Any:
    """One file of ``rules/`` as plain data."""
    path = data_dir("rules") / relative
    return stamped(relative.replace("/", "-") + ".json", [path], lambda: parse_yaml(path.read_text("utf-8")))
