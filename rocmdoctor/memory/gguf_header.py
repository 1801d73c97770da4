"""Read the header of a GGUF model through the ``gguf`` package (extra ``rocmdoctor[gguf]``). Tensor data is never read."""

from __future__ import annotations

import struct
import time
from pathlib import Path
from typing import Any

from rocmdoctor import later
from rocmdoctor.memory import shape

MOST_KEYS = 10_000
MOST_TENSORS = 200_000
MOST_ELEMENTS = 8_000_000
MOST_TEXT = 1 << 24
KEPT = 4096
SECONDS = 20.0
_PART = later.pattern(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$")


class Unreadable(Exception):
    """One line for the person: what, where, what to do."""


def _reader() -> Any:
    try:
        from gguf import GGUFReader, GGUFValueType
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
    except ImportError:
        raise Unreadable("reading a model needs the gguf package: pip install 'rocmdoctor[gguf]', or give its size: --model-size 26.8GB") from None

    class Header(GGUFReader):
        """The package's reader without tensor data, and with a limit on everything that the file may claim."""

        def __init__(self, path: Path) -> None:
            self.ends = time.monotonic() + SECONDS
            self.elements = 0
            self.depth = 0
            self.sizes: dict[str, int] = {}
            self.vocabulary = 0
            super().__init__(path, "r")

        def _within(self, what: str, count: Any, most: int) -> int:
            if int(count) > most or time.monotonic() > self.ends:
                raise ValueError(f"its header claims {int(count)} {what}")
            return int(count)

        def _get_str(self, offset: int) -> Any:
            length = self._get(offset, "uint64")
            self._within("bytes in one text", length[0], MOST_TEXT)
            return super()._get_str(offset)

        def _get_field_parts(self, orig_offs: int, raw_type: int) -> Any:
            if GGUFValueType(raw_type) != GGUFValueType.ARRAY:
                return super()._get_field_parts(orig_offs, raw_type)
            kind = GGUFValueType(int(self._get(orig_offs, "uint32")[0]))
            count = self._within("values in one list", self._get(orig_offs + 4, "uint64")[0], MOST_ELEMENTS)
            self.elements = self._within("values in lists", self.elements + count, MOST_ELEMENTS)
            if kind == GGUFValueType.ARRAY:
                raise ValueError("its header has lists of lists")
            if count <= KEPT:
                return super()._get_field_parts(orig_offs, raw_type)
            # Token lists are long and not needed: step over them, keeping the raw bytes as one part.
            start = orig_offs + 12
            if kind == GGUFValueType.STRING:
                end, view = start, memoryview(self.data)  # type: ignore[arg-type]
                for _ in range(count):
                    length = struct.unpack_from("<Q", view, end)[0]
                    end += 8 + length
                    if end > len(view):
                        raise ValueError("a text of its header ends beyond the file")
            else:
                end = start + count * int(self.gguf_scalar_to_np[kind]().itemsize)
            return end - orig_offs, [self._get(orig_offs + 4, "uint64"), self.data[start:end]], [0], [GGUFValueType.UINT64]

        def _build_fields(self, offs: int, count: int) -> int:
            return int(super()._build_fields(offs, self._within("keys", count, MOST_KEYS)))

        def _build_tensor_info(self, offs: int, count: int) -> Any:
            return super()._build_tensor_info(offs, self._within("tensors", count, MOST_TENSORS))

        def _get_tensor_info_field(self, orig_offs: int) -> Any:
            field = super()._get_tensor_info_field(orig_offs)
            self._within("dimensions", field.parts[2][0], 8)
            return field

        def _build_tensors(self, start_offs: int, fields: Any) -> None:
            for field in fields:
                block, size = GGML_QUANT_SIZES[GGMLQuantizationType(int(field.parts[4][0]))]
                elements = 1
                for dimension in field.parts[3].tolist():
                    elements *= self._within("elements in one dimension", dimension, 1 << 40)
                self.sizes[bytes(field.parts[1]).decode("utf-8", "replace")] = elements // block * size
                if bytes(field.parts[1]) == b"token_embd.weight" and len(field.parts[3]) == 2:
                    self.vocabulary = int(field.parts[3][1])

    return Header


def _parts(path: Path) -> list[Path]:
    """All files of a split model, in order. Raises Unreadable when one is missing."""
    found = _PART.match(path.name)
    if not found:
        return [path]
    count = int(found["count"])
    if not 1 <= count <= 999:
        raise Unreadable(f"{path}: {count} parts are not a split model")
    files = [path.with_name(f"{found['stem']}-{number:05d}-of-{count:05d}.gguf") for number in range(1, count + 1)]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise Unreadable(f"{path.parent}: {missing[0]} is missing; all {count} parts of the model must lie in one folder")
    return files


def read(path: Path) -> shape.Shape:
    """The shape of the model, out of the first file's keys and all files' tensors. Raises Unreadable with one line."""
    header = _reader()
    if not path.is_file():
        raise Unreadable(f"{path}: no such file")
    fields: dict[str, Any] = {}
    tensors: dict[str, int] = {}
    total = 0
    for file in _parts(path):
        try:
            with open(file, "rb") as opened:
                if opened.read(4) != b"GGUF":
                    raise Unreadable(f"{file}: not a GGUF file; give the size of the model instead: --model-size 26.8GB")
            made = header(file)
            total += file.stat().st_size
            for name, field in made.fields.items():
                fields.setdefault(name, field.contents())
            tensors.update(made.sizes)
            fields.setdefault("vocabulary", made.vocabulary or None)
            fields["vocabulary"] = fields["vocabulary"] or made.vocabulary
        except OSError as error:
            raise Unreadable(f"{file}: cannot be read ({error.strerror or type(error).__name__})") from None
        except (ValueError, IndexError, KeyError, TypeError, OverflowError, AttributeError, struct.error, RecursionError, MemoryError) as error:
            raise Unreadable(f"{file}: its GGUF header is damaged ({error}); download it again, or give its size: --model-size SIZE") from None
    try:
        return shape.of_header(path.name, total, fields, tensors)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise Unreadable(f"{path}: {error}") from None
