"""docker and podman command lines, compose files, ``kubectl describe`` and Kubernetes events.

>>> sample = '''docker run -it --device=/dev/kfd --device /dev/dri -v /data:/data --group-add video --ipc=host --shm-size 8G rocm/pytorch:latest bash
... services:
...   ollama:
...     image: ollama/ollama:0.12.6-rocm
...     devices:
...       - /dev/kfd:/dev/kfd
...     group_add:
...       - "992"
... Events:
...   Warning  FailedScheduling  40s  default-scheduler  0/2 nodes are available: 2 Insufficient amd.com/gpu.
... '''
>>> for r in read(sample):
...     print(r.name, r.value, r.line)
container.kind kubernetes 10
kubernetes.reason FailedScheduling 10
container.ipc_host True 1
container.shm_bytes 8589934592 1
container.image rocm/pytorch:latest 1
container.kind docker 1
container.devices ['/dev/kfd', '/dev/dri'] 1
container.mounts ['/data:/data'] 1
container.groups ['video', '992'] 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import integer, lazy, lines, size

TRUST = 1
KINDS = kinds.QUOTED - {"comment"}  # people quote its words in their sentences; a comment shows how it might be called

MARKS = ("docker run", "podman run", "docker create", "podman create", "docker compose", "services:", "amd.com/gpu", "FailedScheduling",
         "--device", "devices:", "distrobox create", "toolbox create", "/dev/dri/renderD")
_COMMAND = lazy(r"\b(docker|podman) (?:container )?(?:run|create)\b|\b(distrobox|toolbox) create\b")
_CLOSED = lazy(r"(?<=\w)[)`][),.;:`]?(?=\s|$)")  # a command inside a sentence ends with its bracket or quote
_KEY = lazy(r"^(\s*)(?:- )?(devices|group_add|image|privileged|ipc|shm_size)\s*:\s*(.*)$")
_ITEM = lazy(r"^(\s*)- +[\"']?([^\"'#]{1,200})[\"']?\s*$")
_EVENT = lazy(r"^[ \t]*(?:\S{1,30}\s+)?Warning\s+([A-Z]\w{3,40})\s+\S")
_QUANTITY = lazy(r"amd\.com/gpu:?\s+\"?(\d{1,3})\"?")
_SIZE = lazy(r"(\d{1,9}(?:\.\d)?) ?([kmgtKMGT]?)[bB]?$")
_SERVICE = lazy(r"^( +)([\w.-]{1,60}):\s*(?:#.*)?$")
_RESERVATION = lazy(r"(?:driver|capabilities|count|device_ids)\b")
_LXC_NODE = lazy(r"^dev\d{1,2}: {0,4}(?:path=)?/dev/dri/renderD\d{1,3}(?:,\w+=\w+)*?,gid=(\d{1,9})\b")  # of Proxmox
_NAME = lazy(r"[\w.-]*\w[\w.-]*(?:[/:@]|$)")  # of prose "..." and "):" are none
_GPU_IMAGE = lazy(r"rocm|ollama|llama|vllm|sglang|comfy|diffusion|localai|whisper|kobold|pytorch|amd", re.IGNORECASE)
_LISTS = {"--device": "devices", "--group-add": "group_add", "-v": "volumes", "--volume": "volumes"}
_WITH_VALUE = ("--device", "--group-add", "--shm-size", "--ipc", "-e", "--env", "-v", "--volume", "-p", "--publish", "--name", "--network",
               "--security-opt", "--cap-add", "-w", "--workdir", "-u", "--user", "--entrypoint", "--mount", "--ulimit", "--restart", "--gpus",
               "--hostname", "-h", "--memory", "-m", "--runtime", "--env-file", "--userns", "--pull", "--platform", "--cpus", "--net", "--pid",
               "--add-host", "--label", "-l", "--annotation", "--uts", "--log-driver", "--health-cmd", "--image", "--additional-flags")


def recognises(text: str) -> bool:
    """A command line, a compose file or a Kubernetes event.

    >>> recognises("docker run --device /dev/kfd x"), recognises("I use docker")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def _bytes(word: str) -> int | None:
    found = _SIZE.match(word.strip("\"'"))
    return size(found[1], found[2] or "B") if found else None


def _words(line: str) -> list[str]:
    import shlex

    try:
        return shlex.split(line[:4000], comments=True)
    except ValueError:  # a quote that is cut off
        return line[:4000].split()


def _options(words: list[str]) -> tuple[list[tuple[str, str]], str]:
    """Options with their values, and the image: the first word that is neither."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-"):
            return found, word
        key, mark, value = word.partition("=")
        if not mark and key in _WITH_VALUE:
            value = words[at] if at < len(words) else ""
            at += 1
        found.append((key, value))
    return found, ""


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Lines, with those that end in a backslash (or a backtick, or a caret) joined to the next."""
    first, held = 0, ""
    for number, line in lines(text):
        if held or (line.rstrip().endswith(("\\", "`", "^")) and ("docker" in line or "podman" in line)):
            first = first or number
            held += line.rstrip().rstrip("\\`^") + " "
            if line.rstrip().endswith(("\\", "`", "^")) and len(held) < 8000:
                continue
            yield first, held
            first, held = 0, ""
        else:
            yield number, line
    if held:
        yield first, held


def _flags(options: list[tuple[str, str]], number: int) -> Iterator[Reading]:
    for key, value in options:
        if key == "--privileged" and value in ("", "true"):
            yield Reading("container.privileged", True, "", number)
        elif key == "--ipc":
            yield Reading("container.ipc_host", value == "host", "", number)
        elif key == "--shm-size" and _bytes(value):
            yield Reading("container.shm_bytes", _bytes(value), "", number)


class _Asked:
    """What one service, or all commands together, ask for: devices, groups, image, and single settings."""

    def __init__(self) -> None:
        self.lists: dict[str, dict[str, int]] = {"devices": {}, "group_add": {}, "volumes": {}}
        self.images: dict[str, int] = {}
        self.settings: list[Reading] = []

    def key(self, pair: re.Match[str], number: int) -> None:
        """A key of YAML with its value on the same line."""
        name, value = pair[2], pair[3].split(" #")[0].strip().strip("\"'")
        if name == "image" and value and not value.startswith("$"):
            self.images.setdefault(value[:200], number)
        elif name == "privileged" and value == "true":
            self.settings.append(Reading("container.privileged", True, "", number))
        elif name == "ipc":
            self.settings.append(Reading("container.ipc_host", value == "host", "", number))
        elif name == "shm_size" and _bytes(value):
            self.settings.append(Reading("container.shm_bytes", _bytes(value), "", number))
        elif value.startswith("[") and name in self.lists:
            for word in value.strip("[]").split(","):
                self.lists[name].setdefault(word.strip().strip("\"'").split(":")[0], number)

    def add(self, other: _Asked) -> None:
        """What another asks for, behind one's own."""
        for name, entries in self.lists.items():
            for value, number in other.lists[name].items():
                entries.setdefault(value, number)
        for image, number in other.images.items():
            self.images.setdefault(image, number)
        self.settings += other.settings

    def for_gpu(self) -> tuple[bool, bool]:
        """How much speaks for this being the service that has the GPU: devices, then an image made for it."""
        return (any("kfd" in name or "dri" in name or "dxg" in name for name in self.lists["devices"]),
                any(_GPU_IMAGE.search(image) is not None for image in self.images))


def read(text: str) -> Iterator[Reading]:
    """Devices and groups of every command in the text together; of a compose file those of the service that has the GPU."""
    services: dict[str, _Asked] = {"": _Asked()}
    tools: dict[str, int] = {}
    service, indent = "", -1
    section, depth = "", 0
    for number, line in _joined(text):
        command = _COMMAND.search(line[:4000]) if " create" in line or " run" in line else None
        if command:
            tools.setdefault(command[1] or command[2], number)
            options, image = _options(_words(_CLOSED.split(line[command.end():])[0]))
            services[""].settings += _flags(options, number)
            for key, value in options:
                name = _LISTS.get(key, "")
                if name and value:
                    services[""].lists[name].setdefault(value if name == "volumes" else value.split(":")[0], number)
            if image and image[0] not in "<$" and _NAME.match(image):
                services[""].images.setdefault(image[:200], number)
            continue
        begun = _SERVICE.match(line[:120])
        if line.strip() == "services:":
            indent, service = 0, ""
        elif begun and indent >= 0 and len(begun[1]) and (indent == 0 or len(begun[1]) == indent):
            indent, service, section = len(begun[1]), begun[2], ""
            services.setdefault(service, _Asked())
            continue
        elif line[:1].strip() and not line.startswith(("#", "-")):
            indent, service = -1, ""
        asked = services[service]
        pair = _KEY.match(line[:400])
        if pair:
            section, depth = (pair[2], len(pair[1])) if not pair[3].strip() else ("", 0)
            asked.key(pair, number)
            continue
        entry = _ITEM.match(line[:260]) if section in asked.lists else None
        if entry and len(entry[1]) >= depth:
            if not _RESERVATION.match(entry[2]):
                asked.lists[section].setdefault(entry[2].strip() if section == "volumes" else entry[2].strip().split(":")[0], number)
        elif line.strip() and not line.lstrip().startswith("#"):
            section = ""
        event = _EVENT.match(line[:400]) if "Warning" in line else None
        if event:
            tools.setdefault("kubernetes", number)
            yield Reading("container.kind", "kubernetes", "", number)
            yield Reading("kubernetes.reason", event[1], "", number)
        elif "amd.com/gpu" in line:
            yield from _kubernetes(line, number)
        elif "renderD" in line and (node := _LXC_NODE.match(line)):
            yield Reading("container.kind", "lxc", "", number)
            yield Reading("container.render_gid", integer(node[1]), "", number)
    named = [asked for name, asked in services.items() if name]
    together = services[""]
    if named:
        together.add(max(named, key=_Asked.for_gpu))
    yield from together.settings
    yield from _sums(together.lists, together.images, tools, "..." not in text and "rivileged" not in text)


def _kubernetes(line: str, number: int) -> Iterator[Reading]:
    found = _QUANTITY.search(line[:400])
    if found:
        node = len(line) - len(line.lstrip()) <= 2
        name = "kubernetes.gpu_allocatable" if node else "kubernetes.gpu_requested"
        yield Reading(name, integer(found[1]), "", number)


def _sums(lists: dict[str, dict[str, int]], images: dict[str, int], tools: dict[str, int],
          whole: bool) -> Iterator[Reading]:
    for image, number in images.items():
        yield Reading("container.image", image, "", number)
        break
    for kind in ("docker", "podman", "distrobox", "toolbox"):
        if kind in tools:
            yield Reading("container.kind", kind, "", tools[kind])
    compose = [number for number in (*images.values(), *lists["devices"].values())]
    if not tools and compose:
        yield Reading("container.kind", "docker", "", min(compose))
    if lists["devices"]:
        yield Reading("container.devices", list(lists["devices"]), "", min(lists["devices"].values()))
    elif whole and images and "kubernetes" not in tools:
        yield Reading("container.devices", [], "", min(images.values()))
    if lists["volumes"] or lists["devices"]:
        yield Reading("container.mounts", list(lists["volumes"]), "", min((lists["volumes"] or lists["devices"]).values()))
    if lists["group_add"]:
        yield Reading("container.groups", list(lists["group_add"]), "", min(lists["group_add"].values()))
