"""What a GPU and a program need at least (``rules/data/needs.yaml``), against the releases that were read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.compare import way_back
from rocmdoctor.diagnosis.checks import _gpus, _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Known
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.rules import Rulebook

Found = Iterator[tuple[str, str, dict[str, str], str]]  # finding, which fixes, values, the fact that is too old
_PARTS = (("mesa", "vulkan.mesa_version"), ("kernel", "kernel.release"), ("rocm", "runtime.rocm_version"))
_OWN_DRIVER = ("amdgpu.dkms", "amdgpu.version", "dkms.failed_version")
_RUNS = ("gpu.driver", "gpu.kfd_node", "gpu.vram_bytes")  # what no kernel tells of a GPU that it does not drive
_BACKPORTS = ("rhel", "centos", "rocky", "almalinux", "ol", "sles", "sled", "opensuse-leap")  # whose kernels are newer than their numbers


_COMPARED = {"explains": ["kernel-missing", "no-device-found", "crash", "load-failure", "init-failure", "runs-on-cpu", "trouble-told"],
             "instead_of": ["only-rocm-is-wrong"], "general": False}

# What a GPU without kernels can come to. Where the loader says itself what it does not find, a load that fails is not of them.
_OF_KERNELS = ("kernel-missing", "no-device-found", "crash", "runs-on-cpu")
_LIBRARIES = ("libamdhip64", "librocblas", "libhipblas", "libMIOpen", "librocsolver", "librocsparse")
_NAMED = ("seen.messages.symbol", "seen.messages.symbol_version", "seen.messages.library")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first part that is too old for a GPU, and for a program: a cause where its symptom was seen."""
    for read in (_gpu, _program):
        for name, part, values, fact in read(seen):
            packaged = any("mesa" in package.lower() for package in seen.value("packages.installed") or {})  # that is the host's
            where = " of the Flatpak runtime" if part == "mesa" and seen.hits_of("seen.topics.flatpak") and not packaged else ""
            of_image = part == "mesa" and way_back.manager(seen.facts) == "rpm-ostree"
            bundled = part == "rocm" and seen.hits_of("seen.topics.flatpak")
            fixes = "flatpak" if where else "bundled" if bundled else "image" if of_image else part
            compared: dict[str, Any] = dict(_COMPARED) if part == "rocm" and _vulkan_is_right(seen) else {}
            if part == "rocm" and any(seen.hits_of(name) for name in _NAMED):
                compared["explains"] = list(_OF_KERNELS)
            one = _words.judged("needs", name, seen, {**values, "where": where}, (fact,), fixes=fixes, **compared)
            if one.explained:
                yield one
                break


def _vulkan_is_right(seen: Evidence) -> bool:
    """Whether the writer says that the same GPU is right with Vulkan: then any trouble is that of its ROCm."""
    return any(row["axis"] == "backend" and row["value"] == "vulkan" and row["right"] for row in seen.value("report.contrasts") or [])


def _older(have: str, want: str, scheme: str) -> bool:
    return bool(have and want) and versions.at_least(have, want, scheme) is False


def _works(seen: Evidence, part: str) -> bool:
    """Whether something says that the part drives the GPU all the same, or is not what counts here."""
    items = items_of(seen.facts)
    if part == "mesa":
        computing = {"hip", "rocm"} & set(seen.texts("about.backend")) and not seen.symptoms & {"display-fault"} and not seen.hits_of("seen.topics.game")
        return bool(computing) or any(seen.value(key("vk.driver", item)) == "radv" for item in items_of(seen.facts, "vk"))
    if part == "kernel":
        return (any(isinstance(seen.facts.get(name), Known) for name in _OWN_DRIVER) or any(key(name, item) in seen.facts for name in _RUNS for item in items)
                or seen.text("os.distribution") in _BACKPORTS or ".el" in seen.text("kernel.release") or seen.text("about.os") != "linux")
    return seen.text("about.os") != "linux" or isinstance(seen.facts.get("env.HSA_OVERRIDE_GFX_VERSION"), Known)


def _in_libraries(seen: Evidence) -> bool:
    """Whether kernels are what is missed: it is said so, or the program dies in a library of ROCm."""
    return "kernel-missing" in seen.symptoms or seen.text("crash.library").startswith(_LIBRARIES)


def _gpu(seen: Evidence) -> Found:
    for gfx, name in _gpus.fitted(seen).items():
        row: dict[str, Any] = next((row for row in tables.load("needs")["gpus"] if gfx in row["gfx"]), {})
        have, last = seen.text("runtime.rocm_version"), str(row.get("rocm_until", ""))
        if last and not _works(seen, "rocm") and versions.in_range(have, {"through": last}, "rocm") is False and _in_libraries(seen):
            yield "gpu-dropped-by-rocm", "rocm", {"gpu": _gpus.shown(gfx, name), "gfx": gfx, "last": last, "have": have}, "runtime.rocm_version"
        for part, fact in _PARTS:
            have, want = seen.text(fact), str(row.get(part, ""))
            if _older(have, want, part) and not _works(seen, part):
                firmware = f" With it goes {row['firmware']} or newer." if "firmware" in row else ""
                yield f"gpu-needs-newer-{part}", part, {"gpu": _gpus.shown(gfx, name), "want": want, "have": have, "firmware": firmware, "otherwise": ""}, fact


def _program(seen: Evidence) -> Found:
    layers: dict[str, Any] = seen.value("games.layers") or {}
    have = seen.text("vulkan.mesa_version")
    for row in reversed(tables.load("needs")["programs"]):
        for release in layers.get(row["program"], []):
            fits = release == "experimental" if row.get("rolling") else release != "experimental" and versions.at_least(release, row["from"]) is True
            if fits and _older(have, row["mesa"], "mesa"):
                yield "program-needs-newer-mesa", "mesa", {"program": row["title"] if row.get("rolling") else f"{row['title']} {release}", "have": have,
                                                           "want": row["mesa"], "vulkan": row["vulkan"],
                                                           "otherwise": f"Or choose {row['older']} for the game: it runs with this Mesa"}, "vulkan.mesa_version"
