"""What a policy may expect. Each kind is a small function over the facts of one machine; a fact that is not known never fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.compare.differences import IDLE_LINK
from rocmdoctor.facts import sizes, vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Absent, Fact, Finding, Known, Unknown
from rocmdoctor.preflight import wanted
from rocmdoctor.preflight.wanted import Wanted
from rocmdoctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer: ``holds`` is None when it could not be told, and then ``says`` and ``command`` say why and what would tell."""

    subject: str
    holds: bool | None
    actual: str
    source: str = ""
    says: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the kinds look at: facts, the GPUs among them, and the findings of the rules (None when no rule was asked)."""

    facts: dict[str, Fact]
    findings: list[Finding] | None = None

    def get(self, name: str, item: str = "") -> Fact:
        """The fact, unknown when there is no word of it."""
        return self.facts.get(vocabulary.key(name, item), Unknown())

    def each(self, entity: str) -> list[str]:
        """The items of an entity."""
        return items_of(self.facts, entity)

    def gpu_name(self, item: str) -> str:
        """``gpu 0 (0000:03:00.0)``."""
        address = self.get("gpu.pci_address", item)
        return f"gpu {item} ({address.value})" if isinstance(address, Known) else f"gpu {item}"


Judge = Callable[[Machine, Wanted, str], Iterable[Judged]]


@dataclass(frozen=True, slots=True)
class Kind:
    """``takes`` reads what the policy wants; below ``level`` the expectation is left out."""

    takes: Callable[[list[str]], Wanted]
    judge: Judge
    level: int = 1


def unknown(subject: str, fact: Fact | None, name: str) -> Judged:
    """Not told, with the reason that the fact carries."""
    if isinstance(fact, Unknown):
        says = fact.reason.replace("_", " ") + (f": {fact.detail}" if fact.detail else "")
        return Judged(subject, None, "unknown", name, says, fact.command)
    return Judged(subject, None, "unknown", name, f"{name} was not collected")


def plain(value: Any) -> str:
    """A value in a word: yes and no for what is true or false."""
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def compare(fact: Fact, wish: Wanted, subject: str, name: str, shown: Callable[[Any], str] = plain, absent: str = "") -> Judged:
    """A known value judged; ``absent`` is how a value that is known not to be there reads, and then it does not hold."""
    if isinstance(fact, Absent):
        return Judged(subject, False if absent else None, absent or "not there", fact.source, "" if absent else f"{name} is not there: {fact.source}")
    if not isinstance(fact, Known):
        return unknown(subject, fact, name)
    try:
        holds = wish.holds(fact.value)
    except (ValueError, TypeError) as error:
        return Judged(subject, None, shown(fact.value), fact.source, f"cannot be compared: {error}")
    return Judged(subject, holds, shown(fact.value), fact.source)


def _no_gpu(machine: Machine) -> Judged:
    count = machine.get("pci.amd_gpu_count")
    says = "no AMD GPU to examine" if isinstance(count, Known) and not count.value else "no GPU was found in what was examined"
    return Judged("", None, "unknown", "pci.amd_gpu_count", says, "lspci -nn -d 1002:")


def of_machine(name: str, shown: Callable[[Any], str] = plain, absent: str = "") -> Judge:
    """One fact of the machine."""
    def judge(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
        yield compare(machine.get(name), wish, "", name, shown, absent)
    return judge


def of_gpus(name: str, shown: Callable[[Any], str] = plain, absent: str = "") -> Judge:
    """One fact of each GPU; ``*`` in the name stands for the last part of the expectation."""
    def judge(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
        fact = name.replace("*", key.rpartition(".")[2])
        if not machine.each("gpu"):
            yield _no_gpu(machine)
        for item in machine.each("gpu"):
            yield compare(machine.get(fact, item), wish, machine.gpu_name(item), fact, shown, absent)
    return judge


def _any_item(entity: str, name: str) -> Judge:
    """One fact of an installation; any of several will do."""
    def judge(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
        answers = [compare(machine.get(name, item), wish, item, name) for item in machine.each(entity)]
        if not answers:
            held = machine.facts.get(name)
            yield Judged("", False, "none", held.source) if isinstance(held, Absent) else unknown("", held, name)
            return
        yield min(answers, key=lambda answer: (answer.holds is not True, answer.holds is None))
    return judge


def _rocm(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    used = machine.get("runtime.rocm_version")
    if isinstance(used, Known):
        yield compare(used, wish, "", "runtime.rocm_version")
    else:
        yield from _any_item("rocm", "rocm.version")(machine, wish, key)


def _count(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    yield compare(machine.get("pci.amd_gpu_count"), wish, "", "pci.amd_gpu_count")


def _driver_of_all(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    """KFD lists a node for each GPU; partitions of one card have several."""
    cards, nodes = machine.get("pci.amd_gpu_count"), machine.get("kfd.gpu_nodes")
    if isinstance(nodes, Absent):
        yield Judged("", not wish.value, "KFD is not there", nodes.source)
    elif isinstance(cards, Known) and isinstance(nodes, Known):
        yield Judged("", wish.holds(cards.value and nodes.value >= cards.value), f"{nodes.value} of {cards.value}", nodes.source)
    else:
        yield unknown("", nodes if isinstance(cards, Known) else cards, "kfd.gpu_nodes")


def _vram_free(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    if not machine.each("gpu"):
        yield _no_gpu(machine)
    for item in machine.each("gpu"):
        total, used = machine.get("gpu.vram_bytes", item), machine.get("gpu.vram_used_bytes", item)
        if not (isinstance(total, Known) and isinstance(used, Known)):
            yield unknown(machine.gpu_name(item), total if not isinstance(total, Known) else used, "gpu.vram_used_bytes")
            continue
        holders = machine.get("gpu.holders", item)
        who = ", ".join(f"{row['name']} ({row['pid']})" for row in holders.value[:4]) if isinstance(holders, Known) and holders.value else ""
        left = total.value - used.value
        yield Judged(machine.gpu_name(item), wish.holds((left, total.value)), f"{sizes.words(left)} of {sizes.words(total.value)} free",
                     used.source, f"held by {who}" if who else "")


def _speed(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    """A slow link of an idle GPU whose best speed is right decides nothing."""
    for answer, item in zip(of_gpus("gpu.link_speed_gts", "{} GT/s".format)(machine, wish, key), machine.each("gpu") or [""], strict=True):
        best, now = machine.get("gpu.link_max_speed_gts", item), machine.get("gpu.link_speed_gts", item)
        if answer.holds is False and isinstance(best, Known) and isinstance(now, Known) and now.value in IDLE_LINK and wish.holds(best.value):
            yield Judged(answer.subject, None, answer.actual, answer.source,
                         f"the link is slow while the GPU is idle, its best is {best.value} GT/s: repeat under load")
        else:
            yield answer


def _resizable_bar(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    if not machine.each("gpu"):
        yield _no_gpu(machine)
    for item in machine.each("gpu"):
        total, seen = machine.get("gpu.vram_bytes", item), machine.get("gpu.visible_vram_bytes", item)
        if isinstance(total, Known) and isinstance(seen, Known):
            yield Judged(machine.gpu_name(item), wish.holds(seen.value >= total.value),
                         f"{sizes.words(seen.value)} of {sizes.words(total.value)} visible", seen.source)
        else:
            yield unknown(machine.gpu_name(item), seen if isinstance(total, Known) else total, "gpu.visible_vram_bytes")


def _words(cmdline: Fact) -> list[str]:
    return cmdline.value.split() if isinstance(cmdline, Known) else []


def _parameters(present: bool) -> Judge:
    """Each named word (``iommu=pt``, ``nomodeset``) stands on the kernel command line, or does not."""
    def judge(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
        cmdline = machine.get("kernel.cmdline")
        for text in wish.value:
            if not isinstance(cmdline, Known):
                yield unknown(text, cmdline, "kernel.cmdline")
                continue
            one = wanted.names([text])
            found = [word for word in _words(cmdline) if one.holds(word) or ("=" not in text and one.holds(word.partition("=")[0]))]
            name = text.partition("=")[0]
            other = [word for word in _words(cmdline) if word.partition("=")[0] == name]
            yield Judged(text, bool(found) is present, ", ".join(found or other) or "not set", cmdline.source)
    return judge


def _container(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    """GPUs that a container is given: /dev/kfd and the render nodes it sees."""
    kind = machine.get("container.kind")
    if not isinstance(kind, Known):
        yield Judged("", None, "not in a container", "container.kind", "this run is not inside a container",
                     "docker run --rm --device /dev/kfd --device /dev/dri IMAGE rocmdoctor preflight --policy FILE")
        return
    kfd, nodes = machine.get("dev.kfd_exists"), machine.get("dev.render_nodes")
    if not (isinstance(kfd, Known) and isinstance(nodes, (Known, Absent))):
        yield unknown("", nodes if isinstance(kfd, Known) else kfd, "dev.render_nodes")
        return
    count = len(nodes.value) if isinstance(nodes, Known) else 0
    yield Judged("", bool(kfd.value) and wish.holds(count), f"{count} render nodes, /dev/kfd {'there' if kfd.value else 'missing'}",
                 nodes.source, f"in {kind.value}")


def _torch(name: str) -> Judge:
    """A fact of torch in any of the environments at hand; one without torch, or whose import fails, does not have what is wanted."""
    def judge(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
        answers = []
        for item in machine.each("torch"):
            fact, error = machine.get(name, item), machine.get("torch.error", item)
            if isinstance(error, Known) and not isinstance(fact, Known):
                answers.append(Judged(item, False, "torch cannot be imported", error.source, str(error.value)))
            else:
                answers.append(compare(fact, wish, item, name, absent="no such torch"))
        yield min(answers, key=lambda answer: (answer.holds is not True, answer.holds is None)) if answers else unknown(
            "", machine.facts.get(name), name)
    return judge


def _torch_devices(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    for item in machine.each("torch") or [""]:
        fact = machine.get("torch.devices", item)
        yield compare(Known(len(fact.value), fact.source) if isinstance(fact, Known) else fact, wish, item, "torch.devices")


def _packages(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    """Version of a Python package in the environment that has torch, or that pip lists."""
    name = key.removeprefix("python.").lower()
    held = [(item, fact) for item in ["", *machine.each("torch")] if isinstance(fact := machine.get("pip.packages", item), Known)]
    if not held:
        yield unknown("", machine.facts.get("pip.packages"), "pip.packages")
    for item, fact in held:
        found = {str(k).lower().replace("_", "-"): v for k, v in fact.value.items()}.get(name.replace("_", "-"))
        yield compare(Absent(fact.source) if found is None else Known(found, fact.source), wish, item, "pip.packages", absent="not installed")


def _tested(machine: Machine) -> list[str]:
    """The kernel tests of GPUs. A software renderer that computes right says nothing of one, and a backend that is not installed
    matters only where no other ran; ``kernels.backends`` asks for it by name."""
    found = [item for item in machine.each("test") if getattr(machine.get("test.device_type", item), "value", "") != "cpu"]
    on_devices = [item for item in found if getattr(machine.get("test.device", item), "value", "") or _verdict(machine, item) != "untestable"]
    return on_devices or found


def _verdict(machine: Machine, item: str) -> str:
    return str(getattr(machine.get("test.verdict", item), "value", ""))


def _untested(machine: Machine, name: str) -> Judged:
    refused = machine.facts.get("test.verdict")
    if refused:
        return unknown("", refused, name)
    return Judged("", None, "unknown", name, "kernel tests ran on a CPU only" if machine.each("test") else "no kernel test ran")


def _kernels(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    """The verdict of the kernel tests of each backend and device."""
    items = _tested(machine)
    if not items:
        yield _untested(machine, "test.verdict")
    for item in items:
        verdict, reason = machine.get("test.verdict", item), machine.get("test.reason", item)
        if isinstance(verdict, Known) and verdict.value in ("skipped", "untestable"):
            said = f": {reason.value}" if isinstance(reason, Known) else ""
            yield Judged(item, None, str(verdict.value), verdict.source, f"the kernel test was {verdict.value}{said}")
            continue
        wrong = machine.get("test.wrong_checks", item)
        answer = compare(verdict, wish, item, "test.verdict")
        said = "wrong: " + ", ".join(map(str, wrong.value[:6])) if isinstance(wrong, Known) and wrong.value else ""
        yield Judged(item, answer.holds, answer.actual, answer.source, answer.says or said, answer.command)


def _backends(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    """Each named backend was tested on some device."""
    tested = {str(fact.value) for item in _tested(machine) if isinstance(fact := machine.get("test.backend", item), Known)
              and _verdict(machine, item) not in ("untestable", "skipped")}
    for name in wish.value:
        yield Judged(name, True, "tested", "test.backend") if name in tested else Judged(
            name, None, "unknown", "test.backend", f"no kernel test ran on a GPU through {name}")


def _copy_rate(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    items = _tested(machine)
    if not items:
        yield _untested(machine, "test.copy_bytes_per_s")
    for item in items:
        yield compare(machine.get("test.copy_bytes_per_s", item), wish, item, "test.copy_bytes_per_s", lambda n: sizes.words(int(n)) + "/s")


def _findings(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    """No finding of this severity or a graver one. A possible cause is not decided, so it does not fail."""
    if machine.findings is None:
        yield Judged("", None, "unknown", "rules", "the rules were not asked")
        return
    bad = [f for f in machine.findings if f.id != "no-amd-gpu" and not wish.holds(f.severity)]
    for finding in bad:
        yield found(finding)
    if not bad:
        yield Judged("", True, "none", "rules")


def found(finding: Finding) -> Judged:
    """A finding as an answer."""
    place = next((f"{e.source}:{e.line}" if e.line else e.source or e.fact for e in finding.evidence), "rules")
    undecided = finding.standing == "possible"
    return Judged(finding.id + (f" on {finding.subject}" if finding.subject else ""), None if undecided else False,
                  f"{finding.severity}: {finding.title}", place, "possible, not decided" if undecided else "",
                  next(iter(finding.to_decide), "") if undecided else "rocmdoctor check")


def _forbidden(machine: Machine, wish: Wanted, key: str) -> Iterator[Judged]:
    if machine.findings is None:
        yield Judged("", None, "unknown", "rules", "the rules were not asked")
        return
    bad = [f for f in machine.findings if wish.holds(f.id)]
    yield from (found(finding) for finding in bad)
    if not bad:
        yield Judged("", True, "none", "rules")


def _bytes(value: Any) -> str:
    return sizes.words(int(value))


# Every expectation a policy may write, by its path under `expect`. A last part `*` takes any name.
KINDS: dict[str, Kind] = {
    "gpus.count": Kind(wanted.whole, _count),
    "gpus.product": Kind(wanted.parts, of_gpus("gpu.name")),
    "gpus.gfx": Kind(wanted.names, of_gpus("gpu.gfx_target")),
    "gpus.pci_id": Kind(wanted.names, of_gpus("gpu.pci_id")),
    "gpus.vbios": Kind(wanted.names, of_gpus("gpu.vbios")),
    "gpus.driver": Kind(wanted.names, of_gpus("gpu.driver", absent="no driver")),
    "gpus.all_in_kfd": Kind(wanted.yes_no, _driver_of_all),
    "gpus.power_state": Kind(wanted.names, of_gpus("gpu.power_state")),
    "gpus.compute_units": Kind(wanted.whole, of_gpus("gpu.cu_count")),
    "versions.kernel": Kind(wanted.version, of_machine("kernel.release")),
    "versions.driver": Kind(wanted.version, of_machine("amdgpu.version", absent="the kernel's own")),
    "versions.rocm": Kind(wanted.version, _rocm),
    "versions.mesa": Kind(wanted.version, of_machine("vulkan.mesa_version")),
    "versions.bios": Kind(wanted.version, of_machine("machine.bios_version")),
    "versions.linux_firmware": Kind(wanted.version, of_machine("firmware.package_version")),
    "firmware.*": Kind(wanted.firmware, of_gpus("gpu.fw.*")),
    "partitions.compute": Kind(wanted.names, of_gpus("gpu.compute_partition")),
    "partitions.memory": Kind(wanted.names, of_gpus("gpu.memory_partition")),
    "memory.vram": Kind(wanted.size, of_gpus("gpu.vram_bytes", _bytes)),
    "memory.vram_free": Kind(wanted.free, _vram_free),
    "memory.gtt": Kind(wanted.size, of_gpus("gpu.gtt_bytes", _bytes)),
    "memory.ram": Kind(wanted.size, of_machine("memory.ram_bytes", _bytes)),
    "memory.ttm_limit": Kind(wanted.size, of_machine("memory.ttm_limit_bytes", _bytes)),
    "pcie.width": Kind(wanted.whole, of_gpus("gpu.link_width", "x{}".format)),
    "pcie.speed": Kind(wanted.number, _speed),
    "pcie.atomics": Kind(wanted.yes_no, of_gpus("gpu.atomics")),
    "pcie.resizable_bar": Kind(wanted.yes_no, _resizable_bar),
    "xgmi.links": Kind(wanted.whole, of_gpus("gpu.xgmi_links")),
    "ras.uncorrectable": Kind(wanted.whole, of_gpus("gpu.ras_ue_count")),
    "ras.correctable": Kind(wanted.whole, of_gpus("gpu.ras_ce_count")),
    "ras.bad_pages": Kind(wanted.whole, of_gpus("gpu.bad_pages")),
    "system.iommu": Kind(wanted.names, of_machine("machine.iommu")),
    "system.numa_balancing": Kind(wanted.yes_no, of_machine("kernel.numa_balancing", absent="not in this kernel")),
    "system.secure_boot": Kind(wanted.yes_no, of_machine("machine.secure_boot", absent="not supported")),
    "system.distribution": Kind(wanted.names, of_machine("os.distribution")),
    "system.virtual": Kind(wanted.names, of_machine("machine.virtual", absent="bare metal")),
    "system.parameters": Kind(wanted.names, _parameters(True)),
    "system.no_parameters": Kind(wanted.names, _parameters(False)),
    "access.kfd": Kind(wanted.yes_no, of_machine("dev.kfd_openable")),
    "access.render": Kind(wanted.yes_no, of_machine("dev.render_openable")),
    "container.gpus": Kind(wanted.whole, _container),
    "torch.available": Kind(wanted.yes_no, _torch("torch.available"), 2),
    "torch.version": Kind(wanted.version, _torch("torch.version"), 2),
    "torch.hip": Kind(wanted.version, _torch("torch.hip"), 2),
    "torch.devices": Kind(wanted.whole, _torch_devices, 2),
    "python.*": Kind(wanted.version, _packages, 2),
    "kernels.verdict": Kind(wanted.names, _kernels, 2),
    "kernels.backends": Kind(wanted.names, _backends, 2),
    "kernels.copy_rate": Kind(wanted.size, _copy_rate, 2),
    "findings.severity": Kind(wanted.severity, _findings),
    "findings.forbid": Kind(wanted.names, _forbidden),
}
_FREE_NAME = later.pattern(r"[A-Za-z0-9_.-]{1,60}")


def kind_of(path: str) -> Kind | None:
    """The kind of an expectation, None when there is none of this name."""
    section, _, name = path.partition(".")
    return KINDS.get(path) or (KINDS.get(section + ".*") if _FREE_NAME.fullmatch(name) else None)


def needs_rules(paths: Iterable[str]) -> bool:
    """Whether any of the expectations asks the rules, which cost more than all other kinds together."""
    return any(path.startswith("findings.") for path in paths)
