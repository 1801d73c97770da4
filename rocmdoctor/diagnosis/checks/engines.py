"""What docker, podman, apptainer and flatpak answer when a container is not made, or does not see what the host has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Hit
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.texts import kinds

Found = Iterator[tuple[str, dict[str, Any], list[Hit], dict[str, Any]]]

_CHECK = "engines"
_SINCE = "1.18"  # the first Flatpak that shows applications the host's ROCm
_SAID = 160
_TOOLKITS = {"amd": "amd", "nvidia": "nvidia", "nvidia-container-runtime": "nvidia"}


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first answer of each kind."""
    for read in (_group, _device, _runtime, _image, _daemon, _compose, _bound, _flatpak, _refused):
        for name, values, hits, fields in read(seen):
            missing = fields.pop("missing", ())
            rule = _words.rule(_CHECK, name, values, **fields)
            yield Judged(rule, Answer(None if missing else True, (), missing), explained=seen.explained(rule), hits=hits[:3])


def _hits(seen: Evidence, name: str) -> list[Hit]:
    return seen.hits_of(f"seen.{_CHECK}.{name}")


def _podman(seen: Evidence) -> bool:
    return seen.text("container.kind") == "podman"


def _group(seen: Evidence) -> Found:
    refused = [hit for hit in _hits(seen, "group") if "no matching" in hit.text.lower()]
    for hit in refused:
        group = hit.captures["group"]
        if group == "keep-groups":
            yield "keep-groups-is-podmans", {}, refused, {}
        else:
            yield "group-not-in-image", {"group": group}, refused, {}
        return
    kept = [hit for hit in _hits(seen, "group") if hit.captures.get("group") == "keep-groups"]
    if kept and seen.text("container.kind") == "docker" and any("docker" in hit.text for hit in kept):
        yield "keep-groups-is-podmans", {}, kept, {}


def _device(seen: Evidence) -> Found:
    hits = [hit for hit in _hits(seen, "device") if hit.captures.get("device")]
    system = seen.text("about.os")
    if hits and system != "wsl":  # there the nodes are not expected
        told = hits[0].captures
        yield "device-not-on-host", {"device": told["device"], "why": told["why"].strip(" .")}, hits, {
            "fixes": "kfd" if "kfd" in told["device"] else "windows" if system == "windows" else "dri"}


def _runtime(seen: Evidence) -> Found:
    hits = _hits(seen, "runtime")
    if hits:
        runtime = hits[0].captures["runtime"].strip(".")
        yield "runtime-not-configured", {"runtime": runtime}, hits, {"fixes": _TOOLKITS.get(runtime, "other")}


def _image(seen: Evidence) -> Found:
    hits = _hits(seen, "image")
    if hits:
        told = hits[0].captures
        if told.get("platform"):
            yield "image-not-for-this-processor", {"platform": told["platform"], "image": seen.text("container.image") or "The image"}, hits, {}
            return
        image = (told.get("image") or seen.text("container.image") or "the image").rstrip(".:,")
        image += f":{told['tag']}" if told.get("tag") and ":" not in image else ""
        yield "image-not-found", {"image": image, "name": image.partition(":")[0]}, hits, {}


def _daemon(seen: Evidence) -> Found:
    hits = _hits(seen, "daemon")
    if hits:
        denied = "permission" in hits[0].captures["what"].lower()
        yield "docker-daemon-not-reached", {"what": "The user may not talk to the Docker daemon" if denied else "No Docker daemon answers"}, hits, {
            "fixes": "denied" if denied else "down"}


def _compose(seen: Evidence) -> Found:
    hits = [hit for hit in _hits(seen, "compose") if "services." in hit.text or "compose" in " ".join(hit.around) or seen.text("container.kind")]
    if hits:
        told = hits[0].captures
        yield "compose-file-invalid", {"key": told["key"], "why": told["why"].strip(" .")}, hits, {}


def _bound(seen: Evidence) -> Found:
    hits = [hit for hit in _hits(seen, "bound_library") if hit.captures.get("path")]
    if hits:
        yield "host-libraries-bound-into-image", {"path": hits[0].captures["path"].rstrip(".:,")}, hits, {}


def _flatpak(seen: Evidence) -> Found:
    inside, failed = _hits(seen, "flatpak"), _hits(seen, "no_rocm_inside")
    if not inside or not failed or {"alpaca"} & set(seen.texts("about.app")):
        return
    app = next((hit.captures["app"].rstrip(".") for hit in inside if hit.captures.get("app")), "")
    version = next((hit.captures["version"] for hit in _hits(seen, "flatpak_version") if hit.captures.get("version")), "")
    old = bool(version) and versions.compare(version, _SINCE) == -1
    if version and not old:
        said = f" Flatpak {version} would expose ROCm, so the library must be where it looks: the host's, in a folder that is handed in."
    else:
        said = f" Flatpak {version} is older than {_SINCE}, the first that shows the host's ROCm to applications." if old else \
            f" Only Flatpak {_SINCE} and newer shows the host's ROCm to applications."
    library = next((hit.captures["library"] for hit in failed if hit.captures.get("library")), "the HIP (ROCm) library")
    told = all(hit.kind in kinds.GROUPS["told"] for hit in failed)
    values = {"app": app or "the application", "id": app or "APPLICATION", "library": library, "version": said}
    yield "flatpak-does-not-see-host-rocm", values, [*failed, *inside], {"missing": ("container.kind",) if told else ()}


def _refused(seen: Evidence) -> Found:
    hits = _hits(seen, "refused")
    if hits and not any(_hits(seen, said) for said in ("group", "device", "runtime")):
        why = hits[0].captures["why"].strip(" .").removesuffix(": unknown")
        yield "container-not-created", {"why": why if len(why) < _SAID else "..." + why[-_SAID:].partition(" ")[2]}, hits, {}
