"""What AppArmor, SELinux, snap, flatpak, systemd and user namespaces refuse: the denial names the thing, and beats guesses about groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.model import Hit, Known
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

_GPU_TYPES = ("dri_device_t", "hsa_device_t", "xserver_misc_device_t")
_GPU_NAMES = later.pattern(r"kfd|renderD\d+|card\d+|^dri$|rocm|amdgpu")
_MEMORY = later.pattern(r"exec(mem|mod|stack|heap)")
_EFFECTS = {
    "PrivateDevices": "PrivateDevices gives it a /dev without /dev/kfd and /dev/dri.",
    "DevicePolicy": "DevicePolicy allows only the devices that DeviceAllow names, and /dev/kfd or /dev/dri is not among them.",
    "MemoryDenyWriteExecute": "MemoryDenyWriteExecute forbids code made at run time, which the HIP and Vulkan compilers need.",
    "PrivateUsers": "PrivateUsers maps the groups render and video away.",
    "ProcSubset": "ProcSubset=pid hides what ROCm reads in /proc.",
}


def _hits(seen: Evidence, name: str) -> list[Hit]:
    return seen.hits_of(f"seen.confinement.{name}")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first denial of each kind of confinement."""
    for read in (_apparmor, _userns, _selinux, _systemd, _flatpak):
        for name, values, hits, fixes in read(seen):
            rule = _words.rule("confinement", name, values, fixes=fixes)
            yield Judged(rule, Answer(True, (), ()), explained=seen.explained(rule), hits=hits[:3])


Found = Iterator[tuple[str, dict[str, Any], list[Hit], str]]


def _apparmor(seen: Evidence) -> Found:
    # Such a read is refused to many snaps that work: it counts where somebody tells of trouble, or where it is the device itself.
    hits = [hit for hit in _hits(seen, "apparmor") if not hit.captures["name"].startswith("/proc/")]
    texts = seen.facts.get("report.texts")
    told_of = bool(seen.symptoms) or isinstance(texts, Known) and any("prose" in one.get("kinds", ()) for one in texts.value)
    if not hits or not told_of and "/dev/" not in hits[0].captures["name"]:
        return
    told = hits[0].captures
    snap = told["profile"].split(".")[1] if told["profile"].startswith("snap.") and "." in told["profile"][5:] else ""
    values = {"program": told["program"], "name": told["name"], "profile": told["profile"], "operation": told["operation"], "snap_name": snap,
              "snap": f", the confinement of the snap {snap}" if snap else ""}
    yield "apparmor-denies-gpu-files", values, hits, "snap" if snap else "profile"


def _userns(seen: Evidence) -> Found:
    hits = _hits(seen, "userns")
    if hits:
        yield "user-namespace-refused", {"program": hits[0].captures["program"]}, hits, ""


def _selinux(seen: Evidence) -> Found:
    hits = [hit for hit in _hits(seen, "selinux") if hit.captures["type"] in _GPU_TYPES or _GPU_NAMES.search(hit.captures.get("name", ""))
            or _MEMORY.search(hit.captures["access"])]
    refused = [hit for hit in hits if "permissive=1" not in hit.text and "container_t" not in hit.captures["confined"]]
    if refused:
        told = refused[0].captures
        yield "selinux-denies-gpu", {**told, "what": told.get("name") or told["type"]}, refused, ""


def _systemd(seen: Evidence) -> Found:
    if not {"no-device-found", "runs-on-cpu", "init-failure", "crash"} & seen.symptoms and not isinstance(seen.facts.get("about.amd"), Known):
        return
    allowed = {hit.captures["device"] for hit in _hits(seen, "allowed")}
    covered = any("kfd" in one for one in allowed) and any("dri" in one or "drm" in one for one in allowed)
    hits = [hit for hit in _hits(seen, "systemd") if hit.captures["option"] in _EFFECTS and not (hit.captures["option"] == "DevicePolicy" and covered)]
    if hits:
        options = list(dict.fromkeys(hit.captures["option"] for hit in hits))
        yield "systemd-hardening-hides-gpu", {"options": ", ".join(options), "effect": " ".join(_EFFECTS[one] for one in options)}, hits, ""


def _flatpak(seen: Evidence) -> Found:
    backends = seen.facts.get("about.backend")
    hits = [hit for hit in _hits(seen, "flatpak") if "all" not in hit.captures["devices"] and "kfd" not in hit.captures["devices"]]
    if hits and isinstance(backends, Known) and "hip" in backends.value:
        yield "flatpak-passes-no-kfd", {"devices": hits[0].captures["devices"].strip(";")}, hits, ""
