"""What was not examined, by reason and in plain names: the list of facts behind it is for machines."""

from __future__ import annotations

from rocmdoctor.facts.model import Missing, Report
from rocmdoctor.records import dataclass
from rocmdoctor.share.wash import wash, wash_command

# The start of a fact's name to what people call it; the longest start that fits.
_TOPICS = {
    "vk.": "Vulkan", "vulkan.": "Vulkan", "torch.": "torch", "pip.": "torch", "rocm.": "ROCm", "runtime.": "ROCm", "gpu.hip_": "ROCm", "hip.": "ROCm",
    "opencl.": "OpenCL", "dev.": "device access", "env.": "environment", "environment.": "environment", "user.": "user",
    "boot.": "boot loader", "machine.iommu": "IOMMU", "machine.": "board and BIOS",
    "memory.installed": "fitted RAM", "memory.": "memory", "kernel.log": "kernel log",
    "kernel.": "kernel", "amdgpu.": "amdgpu module", "windows.": "Windows driver", "wsl.": "the Windows side", "gpu.": "GPU", "pci.": "PCI bus",
    "packages.": "package history", "test.": "test computations", "llm.": "model server", "firmware.": "firmware", "app.": "applications",
}
_REASONS = {
    "skipped": "Not asked", "no_permission": "Not readable by this user", "no_tool": "No tool to ask", "timed_out": "Did not answer in time",
    "stuck": "Did not answer (hangs in the kernel)", "crashed": "Crashed when asked", "unreadable": "Not to be read here",
}
_RECORDED = "not done on a recorded machine"


@dataclass(frozen=True, slots=True)
class Group:
    """Topics that are missing for one reason, the commands that would show them, and what was said of the reason."""

    reason: str
    topics: tuple[str, ...]
    commands: tuple[str, ...]
    details: tuple[str, ...]

    @property
    def words(self) -> str:
        """One line."""
        return f"{self.reason}: {', '.join(self.topics)}"


def topic(fact: str) -> str:
    """What people call a fact.

    >>> topic("vk.int_dot"), topic("gpu.hip_free_bytes[0]"), topic("x.y")
    ('Vulkan', 'ROCm', 'x y')
    """
    starts = [start for start in _TOPICS if fact.startswith(start)]
    return _TOPICS[max(starts, key=len)] if starts else wash(fact.split("[")[0].replace(".", " ").replace("_", " "), 60)


def _reason(missing: Missing, recorded: bool) -> str:
    kind, _, detail = missing.reason.partition(":")
    if _RECORDED in detail:
        return "Not asked on a recorded machine"
    if recorded and kind in ("unreadable", "no_tool"):
        return "Not in the recording"
    return _REASONS.get(kind, wash(kind.replace("_", " ").capitalize(), 60))


def groups(report: Report) -> list[Group]:
    """What could not be examined, what did not answer first and what was left out on purpose last."""
    found: dict[str, list[Missing]] = {}
    recorded = any(_RECORDED in missing.reason for missing in report.unknown)
    for missing in report.unknown:
        found.setdefault(_reason(missing, recorded), []).append(missing)
    order = ["Not in the recording", *_REASONS.values()]
    made = []
    for reason, rows in sorted(found.items(), key=lambda each: -order.index(each[0]) if each[0] in order else 1):
        commands = [line for row in rows if row.command for line in wash_command(row.command)]
        details = [wash(detail) for row in rows if (detail := _detail(row))]
        made.append(Group(reason, tuple(dict.fromkeys(topic(row.fact) for row in rows)), tuple(dict.fromkeys(commands)), tuple(dict.fromkeys(details))))
    return made


def _detail(missing: Missing) -> str:
    """What is said of the reason, unless it is the system's own words for a file that is not there."""
    detail = missing.reason.partition(":")[2].strip()
    return "" if not detail or "[Errno" in detail or _RECORDED in detail else f"{topic(missing.fact)}: {detail}"


def line(report: Report, room: int) -> str:
    """All of it in one line of ``room`` characters, by reason where that fits, else by name; "" when everything was examined, or there is no GPU to examine."""
    found = groups(report) if report.verdict != "no_amd_gpu" else []
    said = ". ".join(group.words for group in found)
    topics = list(dict.fromkeys(topic for group in found for topic in group.topics))
    for count in range(len(topics), 0, -1):
        if len(said) < room:
            break
        more = f" and {len(topics) - count} more" if count < len(topics) else ""
        said = f"Not examined: {', '.join(topics[:count])}{more}"
    return said
