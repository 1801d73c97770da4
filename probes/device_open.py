"""Open /dev/kfd and the AMD render nodes as an application would. Only this tells what a container's device rules allow."""

import errno
import os

from probe_protocol import main

SAYS = "access to the device nodes"
PROVIDES = ("dev.kfd_openable", "dev.kfd_errno", "dev.render_openable")
LANE = "loud"
DEADLINE = 4
NEEDS = ()
PYTHON = "own"

KFD = "/dev/kfd"
DRM = "/sys/class/drm"


def failure(tree, path):
    """Name of the error that opening gives, None when it works."""
    try:
        os.close(os.open(tree.at(path), os.O_RDWR | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0)))
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error.errno))
    return None


def probe(emit, tree):
    nodes = ["/dev/dri/" + name for name in tree.names("/dev/dri") if name.startswith("renderD")
             and tree.try_read(f"{DRM}/{name}/device/vendor") in ("0x1002", None)]
    if nodes:
        emit.known("dev.render_openable", not any(failure(tree, node) for node in nodes), ", ".join(nodes))
    else:
        emit.unknown("dev.render_openable", "not_applicable", "no AMD render node")
    if not tree.exists(KFD):
        emit.unknown("dev.kfd_openable", "not_applicable", KFD + " is not there")
        emit.absent("dev.kfd_errno", KFD)
        return
    error = failure(tree, KFD)
    emit.known("dev.kfd_openable", error is None, KFD)
    if error:
        emit.known("dev.kfd_errno", error, KFD)
    else:
        emit.absent("dev.kfd_errno", KFD)


if __name__ == "__main__":
    main(probe)
