"""Who can have put a file where it is. Not a probe itself: standard library only, for the probes and for the engine.

A path is trusted when root or the caller owns every folder and link on the way to it, and the file, and nobody else may write to
any of them. What another user could have laid is neither run nor loaded nor believed. On Windows see ``windows_rights.py``.
"""

import importlib.util
import os
import stat
import sys

MOST_LINKS = 40
# Variables that name folders or files which programs are loaded from: lists, and single ones.
LISTS = ("PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "VK_DRIVER_FILES", "VK_ICD_FILENAMES",
         "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH", "VK_ADD_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH",
         "OCL_ICD_FILENAMES", "LIBGL_DRIVERS_PATH", "GBM_BACKENDS_PATH")
SINGLE = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONSTARTUP",
          "ROCM_PATH", "HIP_PATH", "ROCM_HOME", "HSA_TOOLS_LIB", "GGML_BACKEND_PATH", "OCL_ICD_VENDORS", "VIRTUAL_ENV", "CONDA_PREFIX")


class Untrusted(PermissionError):
    """A path that somebody else has a hand in; ``strerror`` says who and where."""

    def __init__(self, path, reason):
        super().__init__(1, reason, path)


def owners():
    """The users that are believed: root and the caller."""
    return {0, os.geteuid()} if hasattr(os, "geteuid") else {0}


def _named(user):
    try:
        import pwd

        return pwd.getpwuid(user).pw_name
    except (ImportError, KeyError):
        return "number %d" % user


def _ours(group, path, believed):
    """Whether a group that may write has only believed members: root's, or the caller's own one as Debian and Fedora make it."""
    if group == 0:
        return True
    try:
        import grp
        import pwd

        if "system.posix_acl_access" in os.listxattr(path, follow_symlinks=False):
            return False  # the bits of the group stand for a list of users
        members = {pwd.getpwnam(name).pw_uid for name in grp.getgrgid(group).gr_mem}
        members.update(user.pw_uid for user in pwd.getpwall() if user.pw_gid == group)
        return bool(members) and members <= believed
    except (ImportError, AttributeError, KeyError, OSError):
        return False


def _judge(path, info, believed, passing):
    """Raises Untrusted when others own a thing or may write to it. ``passing``: a folder on the way, where a sticky one will do."""
    if info.st_uid not in believed:
        raise Untrusted(path, "%s belongs to another user (%s)" % (path, _named(info.st_uid)))
    if stat.S_ISLNK(info.st_mode) or passing and stat.S_ISDIR(info.st_mode) and info.st_mode & stat.S_ISVTX:
        return
    if info.st_mode & stat.S_IWOTH:
        raise Untrusted(path, "every user may write to " + path)
    if info.st_mode & stat.S_IWGRP and not _ours(info.st_gid, path, believed):
        raise Untrusted(path, "other users may write to " + path)


def _windows():
    """The module for Windows, which lies beside this one wherever this one was loaded from."""
    name = "windows_rights"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py"))
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def resolve(path, believed=None, beside=False):
    """The path without links, once all of it is trusted. Raises Untrusted, or OSError where there is nothing.

    ``beside``: it may lie beside files of others, in a sticky folder such as /tmp; a program may load what lies beside it.
    """
    path = os.path.join(os.getcwd(), path)  # not abspath: it takes out "..", which a link before it gives a meaning
    if os.name == "nt":  # rights are lists there
        real, reason = _windows().resolve(path, beside)
        if reason:
            raise Untrusted(real, reason)
        return real
    believed = owners() if believed is None else believed
    here, waiting, links = "/", path.split("/")[::-1], 0
    info = os.lstat(here)
    while True:
        while waiting and waiting[-1] in ("", "."):
            waiting.pop()
        _judge(here, info, believed, len(waiting) > (not beside))
        if not waiting:
            return here
        name = waiting.pop()
        here = os.path.dirname(here) if name == ".." else os.path.join(here, name)
        info = os.lstat(here)
        if stat.S_ISLNK(info.st_mode):
            _judge(here, info, believed, True)
            links += 1
            if links > MOST_LINKS:
                raise Untrusted(path, "too many links at " + path)
            target = os.readlink(here)
            waiting += target.split("/")[::-1]
            here = "/" if target.startswith("/") else os.path.dirname(here)
            info = os.lstat(here)


def why_not(path, believed=None):
    """Why a path is not trusted, "" when it is."""
    try:
        resolve(path, believed)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def program(name):
    """The program of that name on PATH, from the first folder that is trusted; None when there is none."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder):
            found = _executable(name, folder)
            if found and not why_not(found):
                return found
    return None


def _executable(name, folder):
    """The file that is run by this name in the folder, None when there is none."""
    if os.name == "nt":  # further endings count there
        import shutil

        return shutil.which(name, path=folder)
    found = os.path.join(folder, name)
    return found if os.access(found, os.X_OK) and not os.path.isdir(found) else None


def environment(given=None):
    """(variables for a program that is run, what was left out of them, one reason each)."""
    clean, out = dict(os.environ if given is None else given), []
    for name in LISTS + SINGLE:
        if not clean.get(name):
            continue
        parts = clean[name].split(os.pathsep) if name in LISTS else [clean[name]]
        kept = []
        for part in parts:
            # What is not there cannot be loaded, and who makes it later must be able to write there.
            near = part
            while part and not os.path.lexists(near) and os.path.dirname(near) != near:
                near = os.path.dirname(near)
            reason = why_not(near) if os.path.isabs(part) else "not an absolute path" if part and name not in ("LD_PRELOAD", "HSA_TOOLS_LIB") else ""
            if not part and name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH"):
                continue  # an empty part is the working folder
            if reason:
                out.append("%s=%s: %s" % (name, part, reason))
            else:
                kept.append(part)
        if kept == parts:
            continue
        if kept:
            clean[name] = os.pathsep.join(kept)
        else:
            del clean[name]
    return clean, out
