"""The models that somebody asks about, by a file or by a size."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

from rocmdoctor.facts.sizes import parse
from rocmdoctor.memory import gguf_header, shape
from rocmdoctor.memory.need import Setting
from rocmdoctor.memory.picture import Asked

KV_TYPES = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")


def named(files: Iterable[str], sizes: Iterable[str], image: bool, setting: Setting) -> list[Asked]:
    """GGUF files, then sizes such as ``26.8GB`` (with ``image`` those of models that make images). Raises ValueError with one line."""
    try:
        found = [Asked(gguf_header.read(pathlib.Path(file)), setting) for file in files]
    except gguf_header.Unreadable as error:
        raise ValueError(str(error)) from None
    return found + [Asked(shape.of_size(parse(size), image), setting) for size in sizes]
