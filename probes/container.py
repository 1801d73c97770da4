"""What the system runs inside: a container, WSL, a virtual machine."""

import os
import re

from probe_protocol import main

SAYS = "container and virtual machine"
PROVIDES = ("container.kind", "container.rootless", "wsl.dxg", "wsl.libraries", "machine.virtual")
LANE = "quiet"
DEADLINE = 3
NEEDS = ()
PYTHON = "own"

FILES = (("flatpak", "/.flatpak-info"), ("toolbox", "/run/.toolboxenv"), ("podman", "/run/.containerenv"),
         ("docker", "/.dockerenv"))
CGROUPS = (("kubernetes", "kubepods"), ("docker", "docker"), ("podman", "libpod"), ("lxc", "lxc"))
KINDS = {"docker": "docker", "podman": "podman", "lxc": "lxc", "lxc-libvirt": "lxc", "oci": "docker"}
MACHINES = (("vmware", "vmware"), ("virtualbox", "virtualbox"), ("innotek", "virtualbox"), ("qemu", "kvm"), ("kvm", "kvm"),
            ("virtual machine", "hyperv"), ("xen", "xen"), ("google compute", "kvm"), ("amazon ec2", "kvm"),
            ("firecracker", "kvm"), ("parallels", "parallels"), ("bochs", "kvm"))
WSL = "/usr/lib/wsl/lib"


def variables(tree):
    if tree.live:
        return dict(os.environ)
    pairs = (tree.try_read("/proc/self/environ") or "").split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def kind(tree):
    """(kind, source), or (None, "")."""
    env = variables(tree)
    if "KUBERNETES_SERVICE_HOST" in env or tree.exists("/var/run/secrets/kubernetes.io"):
        return "kubernetes", "KUBERNETES_SERVICE_HOST"
    for name, path in FILES:
        if tree.exists(path):
            return name, path
    if "SNAP_NAME" in env and "SNAP_REVISION" in env:
        return "snap", "SNAP_NAME"
    told = tree.try_read("/run/systemd/container") or env.get("container", "")
    if told in KINDS:
        return KINDS[told], "/run/systemd/container"
    groups = tree.try_read("/proc/1/cgroup") or ""
    for name, word in CGROUPS:
        if word in groups:
            return name, "/proc/1/cgroup"
    return None, ""


def hypervisor(tree):
    release = (tree.try_read("/proc/sys/kernel/osrelease") or "").lower()
    if "microsoft" in release:
        return "hyperv", "/proc/sys/kernel/osrelease"
    for name in ("sys_vendor", "product_name", "board_vendor", "bios_vendor"):
        path = "/sys/class/dmi/id/" + name
        text = (tree.try_read(path) or "").lower()
        for word, found in MACHINES:
            if word in text:
                return found, path
    told = tree.try_read("/sys/hypervisor/type")
    if told:
        return told, "/sys/hypervisor/type"
    if re.search(r"^flags\s*:.*\bhypervisor\b", tree.try_read("/proc/cpuinfo") or "", re.M):
        return "other", "/proc/cpuinfo"
    return None, ""


def emit_found(emit, fact, found, source, looked, detail, command):
    if found:
        emit.known(fact, found, source)
    elif looked:
        emit.absent(fact, source)
    else:
        emit.unknown(fact, "not_collected", detail, command)


def probe(emit, tree):
    found, source = kind(tree)
    emit_found(emit, "container.kind", found, source or "/proc/1/cgroup", tree.recorded("/proc", "/run"),
               "neither /proc nor /run was recorded", "systemd-detect-virt -c")
    ids = tree.try_read("/proc/self/uid_map")
    if found and ids:
        first = ids.split()[:3]
        emit.known("container.rootless", len(first) == 3 and first[1] != "0", "/proc/self/uid_map")
    for fact, top, path, value in (("wsl.dxg", "/dev", "/dev/dxg", tree.exists("/dev/dxg")),
                                   ("wsl.libraries", "/usr", WSL, tree.names(WSL)[:200])):
        if tree.recorded(top):
            emit.known(fact, value, path)
        else:
            emit.unknown(fact, "not_collected", top + " was not recorded", "ls " + path)
    found, source = hypervisor(tree)
    emit_found(emit, "machine.virtual", found, source or "/proc/cpuinfo", tree.recorded("/proc/cpuinfo", "/sys/class/dmi"),
               "/proc/cpuinfo was not recorded", "systemd-detect-virt")


if __name__ == "__main__":
    main(probe)
