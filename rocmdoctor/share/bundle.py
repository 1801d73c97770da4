"""One archive for a ticket: report, snapshot, the parts of logs that matter, what the vendors' tools print, a manifest."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from rocmdoctor.facts.model import Hit, Removed
from rocmdoctor.live.runner import run_tool
from rocmdoctor.records import asdict, dataclass
from rocmdoctor.share.redact import Redactor
from rocmdoctor.texts.attach import Text, clean

SCHEMA = "rocmdoctor.bundle/1"
MANIFEST = "manifest.json"
MOST_BYTES = 20 << 20
MOST_OF_ONE_LOG = 1 << 20
AROUND = 20
HEAD = 150
TAIL = 150
# What maintainers ask for. Each runs in its own process under the deadline; one that is missing or hangs is noted.
TOOLS: dict[str, tuple[str, ...]] = {
    "rocminfo.txt": ("rocminfo",),
    "amd-smi.txt": ("amd-smi", "static"),
    "rocm-smi.txt": ("rocm-smi", "--showproductname", "--showdriverversion", "--showmeminfo", "vram", "gtt"),
    "vulkaninfo.txt": ("vulkaninfo", "--summary"),
    "clinfo.txt": ("clinfo",),
    "lspci.txt": ("lspci", "-nnk", "-d", "1002:"),
}
TOOL_DEADLINE = 10.0


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a bundle."""

    name: str
    text: str
    what: str

    @property
    def raw(self) -> bytes:
        """The bytes of the file."""
        return self.text.encode("utf-8", "replace")


def excerpt(text: Text, hits: list[Hit]) -> str:
    """The start, the end and the surroundings of every hit of a text, with the number of lines left out between."""
    lines = text.text.split("\n")
    keep = set(range(min(HEAD, len(lines)))) | set(range(max(0, len(lines) - TAIL), len(lines)))
    for hit in hits:
        if hit.source == text.name:
            keep |= set(range(max(0, hit.line - 1 - AROUND), min(len(lines), hit.line + AROUND)))
    out, size, at = [], 0, -1
    for index in sorted(keep):
        if index > at + 1:
            out.append(f"[... {index - at - 1} lines left out ...]")
        size += len(lines[index]) + 1
        if size > MOST_OF_ONE_LOG:
            out.append(f"[... the last {len(lines) - index} lines left out: a bundle has a size limit ...]")
            at = len(lines) - 1
            break
        out.append(lines[index])
        at = index
    if at < len(lines) - 1:
        out.append(f"[... {len(lines) - 1 - at} lines left out ...]")
    return "\n".join(out)


def tool_texts() -> list[Text]:
    """What the vendors' tools print here; of a tool that is missing or fails only that."""
    with ThreadPoolExecutor(2) as pool:
        runs = pool.map(lambda command: run_tool(command, TOOL_DEADLINE), TOOLS.values())
        return [Text(f"tools/{name}", clean(said) if run.ended == "ok" or said else f"{run.probe}: {run.ended} {run.noise}")
                for name, (run, said) in zip(TOOLS, runs, strict=True)]


def text_parts(texts: list[Text], tools: list[Text], hits: list[Hit], redactor: Redactor) -> list[Part]:
    """Logs as excerpts and the tools' outputs, redacted."""
    parts = []
    for text in texts:
        whole = text in tools
        name = text.name if whole else "logs/" + re.sub(r"[^\w.+-]+", "-", redactor.text(text.name)).strip("-.")
        what = "what the tool prints" if whole else f"of {len(text.text.splitlines())} lines the start, the end and what rules matched"
        parts.append(Part(name, redactor.text(excerpt(text, hits), name), what))
    return parts


def fitting(parts: list[Part]) -> Iterator[Part]:
    """The parts that fit into a bundle, in their order."""
    room = MOST_BYTES
    for part in parts:
        room -= len(part.raw)
        if room >= 0:
            yield part


def manifest(parts: list[Part], version: str, taken: str, removed: list[Removed]) -> Part:
    """What is inside, with sizes and checksums, and what was taken out."""
    listed = []
    for part in parts:
        listed.append({"name": part.name, "what": part.what, "bytes": len(part.raw), "sha256": hashlib.sha256(part.raw).hexdigest()})
    data = {"schema": SCHEMA, "version": version, "taken": taken, "files": listed, "removed": [asdict(entry) for entry in removed]}
    return Part(MANIFEST, json.dumps(data, indent=1), "what is inside, sizes and checksums")


def pack(parts: list[Part], as_zip: bool) -> bytes:
    """A zip, or a tar.gz, whose bytes depend on the parts only."""
    out = io.BytesIO()
    if as_zip:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
            for part in parts:
                zipped.writestr(zipfile.ZipInfo(part.name), part.raw, zipfile.ZIP_DEFLATED)
        return out.getvalue()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tarred:
        for part in parts:
            info = tarfile.TarInfo(part.name)
            info.size, info.mode = len(part.raw), 0o600
            tarred.addfile(info, io.BytesIO(part.raw))
    return out.getvalue()
