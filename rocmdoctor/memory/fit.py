"""Will it fit: each limit in the order in which a load meets it, and the smallest change that makes it fit."""

from __future__ import annotations

from collections.abc import Callable

from rocmdoctor.facts.sections import Fit, Part, Wall
from rocmdoctor.facts.sizes import GIB, words
from rocmdoctor.memory import need
from rocmdoctor.memory.need import Setting
from rocmdoctor.memory.place import Place
from rocmdoctor.memory.shape import Shape
from rocmdoctor.records import replace

MOST_CHANGES = 4
LEAST_CONTEXT = 2048
MOST_CONTEXT = 1 << 20
SPARE = GIB // 2
_NOT_OF_LAYERS = ("compute buffer", "runtime", "unpacked KV of one layer")
Proposal = Callable[[int], tuple[str, Place] | None]


def _holds(needed: int, limit: int | None) -> bool | None:
    return None if limit is None else needed <= limit


def walls(shape: Shape, setting: Setting, place: Place) -> tuple[list[Part], list[Wall]]:
    """What is needed, and every limit in the order of loading."""
    parts = need.parts(shape, setting, place.backend)
    size = {part.name: part.bytes for part in parts}
    found = []
    if place.staging is not None:
        load = sum(part.bytes for part in parts if part.where == "load")
        found.append(Wall("system RAM for staging the file while it loads", load, place.staging, _holds(load, place.staging)))
    if place.buffer is not None and shape.largest_tensor:
        found.append(Wall("largest tensor in one buffer of the driver", shape.largest_tensor, place.buffer, shape.largest_tensor <= place.buffer))
    sofar = 0
    for part in parts:
        if part.where != "gpu":
            continue
        sofar += part.bytes
        found.append(Wall(f"{part.name} in {place.pool}", sofar, place.free, _holds(sofar, place.free)))
    if place.buffer is not None:
        compute = size.get("compute buffer", 0)
        found.append(Wall("compute buffer in one buffer of the driver", compute, place.buffer, compute <= place.buffer))
    from_ram = sum(part.bytes for part in parts if part.where == "host")
    if place.of_ram and place.free is not None:
        from_ram += max(sofar - max(place.free - place.of_ram, 0), 0)
    found.append(Wall("system RAM that is available now", from_ram + SPARE, place.ram, _holds(from_ram + SPARE, place.ram)))
    return parts, found


def _fits(shape: Shape, setting: Setting, place: Place) -> bool:
    return all(wall.holds for wall in walls(shape, setting, place)[1] if wall.limit_bytes is not None)


def _context(shape: Shape, setting: Setting, place: Place) -> int:
    """The largest context up to the one that is set, below it a multiple of 1024, that fits; 0 when none does."""
    if shape.image or not _fits(shape, replace(setting, context=LEAST_CONTEXT * setting.parallel), place):
        return 0
    if _fits(shape, setting, place):
        return setting.context
    low, high = LEAST_CONTEXT * setting.parallel, setting.context
    while high - low > 1024:
        middle = (low + high) // 2048 * 1024
        if middle <= low:
            break
        low, high = (middle, high) if _fits(shape, replace(setting, context=middle), place) else (low, middle)
    return low


def _partly(shape: Shape, setting: Setting, place: Place) -> str:
    """How much fits on the GPU when the rest computes on the CPU, as an option; "" when that does not help."""
    if shape.image or place.free is None or place.staging is not None and shape.file_bytes > place.staging:
        return ""
    parts = need.parts(shape, setting, place.backend)
    fixed = sum(part.bytes for part in parts if part.where == "gpu" and part.name in _NOT_OF_LAYERS)
    count = len(shape.layers) + 1 if shape.layers else 100
    each = max((need.on_gpu(parts) - fixed) // count, 1)
    here = max(place.free - fixed, 0) // each
    rest = need.on_gpu(parts) - fixed - here * each
    if not 0 < here < count or place.ram is None or rest + place.of_ram + SPARE > place.ram:
        return ""
    share = f"-ngl {here} (of {count})" if shape.layers else f"about {here} % of the layers on the GPU (-ngl)"
    return f"{share}: the others compute on the CPU, much slower"


def _changes(shape: Shape, setting: Setting, place: Place, proposal: Proposal | None) -> list[str]:
    """Ways that make it fit, each tried out, the least costly first."""
    found: list[str] = []

    def offer(text: str, changed: Setting) -> None:
        if len(found) < MOST_CHANGES and changed != setting and _fits(shape, changed, place):
            found.append(text)

    if not setting.flash:
        offer("-fa on (flash attention)", replace(setting, flash=True))
    if not shape.image:
        for kind in ("q8_0", "q4_0"):
            if setting.kv_type in ("f16", "bf16", "f32", "q8_0") and kind != setting.kv_type:
                offer(f"-ctk {kind} -ctv {kind} (KV cache of {words(need.kv_bytes(shape, replace(setting, kv_type=kind)))})",
                      replace(setting, kv_type=kind))
        if (context := _context(shape, setting, place)) and context < setting.context:
            offer(f"-c {context} (the longest context that fits)", replace(setting, context=context))
        if setting.kv_type == "f16" and (context := _context(shape, replace(setting, kv_type="q8_0"), place)) and context < setting.context:
            offer(f"-c {context} with -ctk q8_0 -ctv q8_0", replace(setting, context=context, kv_type="q8_0"))
    if proposal and len(found) < MOST_CHANGES:
        offered = proposal(need.on_gpu(need.parts(shape, setting, place.backend)))
        if offered and _fits(shape, setting, offered[1]):
            found.append(offered[0])
    if place.total is not None and place.free is not None and place.total - place.free > SPARE and len(found) < MOST_CHANGES and _fits(
            shape, setting, replace(place, free=place.total)):
        found.append(f"the {words(place.total - place.free)} of {place.pool} that are in use now, once they are free")
    if not found and (part := _partly(shape, setting, place)):
        found.append(part)
    return found


def _says(shape: Shape, place: Place, needed: int, first: Wall | None, changes: list[str], open_: bool) -> str:
    what = f"{shape.name} needs {words(needed)} of GPU memory"
    if first:
        lead = "not as it is set" if changes else "no"
        return (f"{lead}: {what}; it fails at the {first.name}: {words(first.needed_bytes)} needed, {words(first.limit_bytes)} there")
    if open_:
        return f"{what}; the size of {place.pool} is not known here"
    words_free = f"{words(place.free)} of {place.pool} are free"
    if place.total is not None and needed > place.total and place.of_ram:
        return f"yes: {what}, {words_free}; it does not fit into dedicated memory alone and uses shared memory too"
    return f"yes: {what}, {words_free}"


def judge(shape: Shape, setting: Setting, place: Place, proposal: Proposal | None = None) -> Fit:
    """The answer for one model and one backend. ``proposal`` gives a better split of the memory and the place it makes."""
    parts, found = walls(shape, setting, place)
    first = next((wall for wall in found if wall.holds is False), None)
    open_ = place.free is None
    needed = need.on_gpu(parts)
    changes: list[str] = []
    if first:
        changes = _changes(shape, setting, place, proposal)
        if place.spill and not changes and needed <= (place.free or 0) + place.spill and "in " + place.pool in first.name:
            changes = [f"{words(needed - (place.free or 0))} in shared memory behind PCIe: it loads, but runs many times slower"]
    verdict = "unknown" if open_ and not first else "yes" if not first else "only_with" if changes else "no"
    settings = "" if shape.image else f"context {setting.context}, KV cache {setting.kv_type}" + (
        f", {setting.parallel} sequences" if setting.parallel > 1 else "")
    most = shape.trained_context or MOST_CONTEXT
    longest = 0 if open_ or not shape.layers else _context(shape, replace(setting, context=most), place)
    return Fit(shape.name, place.backend, verdict, _says(shape, place, needed, first, changes, open_), parts, found,  # type: ignore[arg-type]
               first.name if first else "", changes, settings, longest)
