"""Who may use the device files, and who this user is. Opens nothing: device_open tries that."""

import os
import stat

from probe_protocol import main

SAYS = "groups and permissions"
PROVIDES = ("dev.kfd_exists", "dev.kfd_group", "dev.kfd_gid", "dev.kfd_mode", "dev.render_nodes", "dev.render_group",
            "user.groups", "user.root")
LANE = "quiet"
DEADLINE = 3
NEEDS = ()
PYTHON = "own"

KFD = "/dev/kfd"
DRI = "/dev/dri"


def group_names(tree):
    """Number to name, from /etc/group: name services may ask the network."""
    names = {}
    for line in (tree.try_read("/etc/group") or "").splitlines():
        parts = line.split(":")
        if len(parts) > 2 and parts[2].isdigit():
            names.setdefault(int(parts[2]), parts[0])
    return names


def device(tree, path):
    """(status, error); a file that is no device, as in a recorded tree, says nothing of owner and mode."""
    try:
        info = os.stat(tree.at(path))
    except OSError as error:
        return None, error
    return (info, None) if stat.S_ISCHR(info.st_mode) else (None, None)


def emit_kfd(emit, tree, names):
    facts = ("dev.kfd_gid", "dev.kfd_group", "dev.kfd_mode")
    if not tree.exists("/dev"):
        # A recording without /dev says nothing about device files.
        for fact in ("dev.kfd_exists", *facts):
            emit.unknown(fact, "not_collected", "/dev was not recorded", "ls -ln " + KFD)
        return
    info, error = device(tree, KFD)
    if isinstance(error, FileNotFoundError):
        emit.known("dev.kfd_exists", False, KFD)
        for fact in facts:
            emit.absent(fact, KFD)
    elif error is not None:
        emit.unknown("dev.kfd_exists", "no_permission", str(error), "ls -l " + KFD)
    else:
        emit.known("dev.kfd_exists", True, KFD)
        if info is None:
            for fact in facts:
                emit.unknown(fact, "not_applicable", "not a device file", "ls -ln " + KFD)
        else:
            emit.known("dev.kfd_gid", info.st_gid, KFD)
            emit.known("dev.kfd_group", names.get(info.st_gid, str(info.st_gid)), KFD)
            emit.known("dev.kfd_mode", f"{stat.S_IMODE(info.st_mode):04o}", KFD)


def emit_render(emit, tree, names):
    if not tree.exists("/dev"):
        for fact in ("dev.render_nodes", "dev.render_group"):
            emit.unknown(fact, "not_collected", "/dev was not recorded", "ls -ln " + DRI)
        return
    nodes = [DRI + "/" + name for name in tree.names(DRI) if name.startswith("renderD")]
    emit.known("dev.render_nodes", nodes, DRI)
    info = device(tree, nodes[0])[0] if nodes else None
    if info is not None:
        emit.known("dev.render_group", names.get(info.st_gid, str(info.st_gid)), nodes[0])
    elif not nodes:
        emit.absent("dev.render_group", DRI)


def emit_user(emit, tree, names):
    if tree.live:
        source, root, numbers = "getgroups", os.geteuid() == 0, sorted(set(os.getgroups()) | {os.getegid()})
    else:
        source = "/proc/self/status"
        rows = dict(line.split(":", 1) for line in (tree.try_read(source) or "").splitlines() if ":" in line)
        if "Uid" not in rows:
            for fact in ("user.root", "user.groups"):
                emit.unknown(fact, "unreadable", "the recorded machine has no " + source, "id")
            return
        root = rows["Uid"].split()[1:2] == ["0"]
        numbers = [int(number) for number in rows.get("Groups", "").split()]
    emit.known("user.root", root, source)
    emit.known("user.groups", [names.get(number, str(number)) for number in numbers], source)


def probe(emit, tree):
    names = group_names(tree)
    emit_kfd(emit, tree, names)
    emit_render(emit, tree, names)
    emit_user(emit, tree, names)


if __name__ == "__main__":
    main(probe)
