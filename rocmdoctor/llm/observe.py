"""What the kernel sees while a server answers: GPU busy, memory in use, and what the server's own processes hold and compute."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from rocmdoctor.records import dataclass, field

EVERY = 0.2
MOST_PROCESSES = 20000
_READ = 1 << 16
_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "": 1}
_LISTEN = "0A"


@dataclass(frozen=True, slots=True)
class Sample:
    """One moment. Bytes are sums over the AMD GPUs; ``own_*`` are of the server's processes. None: the kernel does not tell."""

    busy_percent: int | None
    vram_used: int | None
    gtt_used: int | None
    own_vram: int | None
    own_gtt: int | None
    own_engine_ns: int | None


@dataclass(slots=True)
class Seen:
    """Samples of a span of time, in order."""

    samples: list[Sample] = field(default_factory=list)

    def busiest(self) -> int | None:
        """The highest GPU busy percentage of any card, None where no card tells."""
        return max((s.busy_percent for s in self.samples if s.busy_percent is not None), default=None)

    def grew(self, name: str) -> int | None:
        """How much ``vram_used``, ``gtt_used`` or another number grew from the first sample to its highest."""
        values = [value for s in self.samples if (value := getattr(s, name)) is not None]
        return max(values) - values[0] if len(values) > 1 else None


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_READ).decode("utf-8", "replace")
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    found = _text(path).strip()
    return int(found) if found.isdigit() else None


# By the name of the process, which the kernel cuts after 15 characters.
FORWARDERS = ("docker-proxy", "rootlessport", "slirp4netns", "pasta", "pasta.avx2", "conmon", "ssh", "sshd", "sshd-session", "socat",
              "nginx", "caddy", "haproxy", "traefik", "envoy", "kubectl", "tailscaled", "systemd-socket-")


def cards(root: Path) -> list[Path]:
    """The device folders of the AMD GPUs."""
    found = sorted(card / "device" for card in (root / "sys/class/drm").glob("card*") if card.name[4:].isdigit())
    return [device for device in found if _text(device / "vendor").strip() == "0x1002"]


def listeners(port: int, root: Path) -> list[int]:
    """The processes that listen on a TCP port, and their descendants: a server may leave the work to a child. None where a program
    listens that only passes on what it hears, as Docker's proxy does for a container: the server is elsewhere."""
    inodes = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = (root / "proc/net" / table).read_text("ascii", "replace").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            parts = line.split()
            if len(parts) > 9 and parts[3] == _LISTEN and parts[1].rpartition(":")[2] == f"{port:04X}":
                inodes.add(f"socket:[{parts[9]}]")
    parents: dict[int, int] = {}
    found = []
    for pid in _pids(root):
        stat = _text(root / f"proc/{pid}/stat").rpartition(")")[2].split()
        if len(stat) > 1 and stat[1].isdigit():
            parents[pid] = int(stat[1])
        if inodes and _holds(root, pid, inodes) and _text(root / f"proc/{pid}/comm").strip() not in FORWARDERS:
            found.append(pid)
    for pid in sorted(parents):
        above, steps = parents[pid], 0
        while above in parents and above not in found and steps < 32:
            above, steps = parents[above], steps + 1
        if above in found and pid not in found:
            found.append(pid)
    return found


def _pids(root: Path) -> list[int]:
    with contextlib.suppress(OSError):
        return sorted(int(name) for name in os.listdir(root / "proc") if name.isdigit())[:MOST_PROCESSES]
    return []


def _links(root: Path, pid: int) -> Iterator[tuple[str, str]]:
    """Descriptor and what it leads to; nothing where this user may not look."""
    folder = root / f"proc/{pid}/fd"
    with contextlib.suppress(OSError):
        for name in os.listdir(folder)[:4096]:
            with contextlib.suppress(OSError):
                yield name, os.readlink(folder / name)


def _holds(root: Path, pid: int, inodes: set[str]) -> bool:
    return any(target in inodes for _, target in _links(root, pid))


def own(root: Path, pids: list[int]) -> tuple[int | None, int | None, int | None]:
    """VRAM and GTT in bytes and engine time in ns that DRM counts for the processes; None where they hold no GPU or cannot be read."""
    clients: dict[str, tuple[int, int, int]] = {}
    for pid in pids:
        for name, target in _links(root, pid):
            if "/dri/" not in target:
                continue
            info = _text(root / f"proc/{pid}/fdinfo/{name}")
            if "amdgpu" not in info:
                continue
            client = re.search(r"^drm-client-id:\s*(\d+)", info, re.M)
            vram, gtt = (sum(int(size) * _UNITS.get(unit, 1) for size, unit in re.findall(rf"^drm-memory-{kind}:\s*(\d+) ?(\w*)", info, re.M))
                         for kind in ("vram", "gtt"))
            engine = sum(int(spent) for spent in re.findall(r"^drm-engine-(?!capacity)\w+:\s*(\d+) ns", info, re.M))
            clients[client[1] if client else f"{pid}/{name}"] = (vram, gtt, engine)
    if not clients:
        return None, None, None
    vram, gtt, engine = (sum(column) for column in zip(*clients.values(), strict=True))
    return vram, gtt, engine


def holds_gpu(root: Path, pids: list[int]) -> bool | None:
    """Whether the processes have a GPU open (render node or KFD); None where none of them can be looked into."""
    looked = [target for pid in pids for _, target in _links(root, pid)]
    return any("/dri/renderD" in target or target.endswith("/dev/kfd") for target in looked) if looked else None


def command_line(root: Path, pid: int) -> list[str]:
    """The words the process was started with."""
    return [word for word in _text(root / f"proc/{pid}/cmdline").split("\0") if word]


def loaded_libraries(root: Path, pids: list[int]) -> list[str]:
    """Which compute libraries the processes have mapped: rocm, vulkan, cuda. Mapped is not yet used."""
    maps = "".join(_text_whole(root / f"proc/{pid}/maps") for pid in pids)
    names = {"rocm": r"libamdhip64|libggml-hip", "vulkan": r"libggml-vulkan|libvulkan\.so", "cuda": r"libggml-cuda|libcudart"}
    return [name for name, pattern in names.items() if re.search(pattern, maps)]


def _text_whole(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(8 << 20).decode("utf-8", "replace")
    except OSError:
        return ""


def sample(root: Path, pids: list[int]) -> Sample:
    """One look at all AMD GPUs and at the processes."""
    found = cards(root)

    def all_of(name: str) -> list[int]:
        return [value for card in found if (value := _number(card / name)) is not None]

    busy, vram, gtt = all_of("gpu_busy_percent"), all_of("mem_info_vram_used"), all_of("mem_info_gtt_used")
    return Sample(max(busy) if busy else None, sum(vram) if vram else None, sum(gtt) if gtt else None, *own(root, pids))


class Watch:
    """Samples from entering to leaving, in a thread of its own."""

    def __init__(self, root: Path, pids: list[int]) -> None:
        self._root, self._pids, self.seen = root, pids, Seen()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._stop.wait(EVERY):
            self.seen.samples.append(sample(self._root, self._pids))

    def __enter__(self) -> Seen:
        self.seen.samples.append(sample(self._root, self._pids))
        if self.seen.samples[0] != Sample(None, None, None, None, None, None):
            self._thread.start()
        return self.seen

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2)
        self.seen.samples.append(sample(self._root, self._pids))


def settle(root: Path, pids: list[int], seconds: float) -> Sample:
    """A look once memory has stopped changing, or after ``seconds``."""
    until, before = time.monotonic() + seconds, sample(root, pids)
    while time.monotonic() < until:
        time.sleep(EVERY)
        now = sample(root, pids)
        if (now.vram_used, now.gtt_used) == (before.vram_used, before.gtt_used):
            return now
        before = now
    return before
