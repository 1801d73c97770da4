"""Who may change a file or folder of Windows, by its owner and its access list. Not a probe itself: for ``trusted.py``.

Every user may make folders in ``C:\\``, and what is made there every user may change; ``Program Files``, ``System32`` and what lies
in the caller's own profile only the system, its administrators and the caller.
"""

import ctypes
import functools
import ntpath
import os
import struct

# The system, its administrators, the installer of Windows, and whom a folder's maker becomes in what is inherited.
BELIEVED = ("S-1-5-18", "S-1-5-32-544", "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464", "S-1-3-0", "S-1-3-4")
NAMES = {"S-1-1-0": "every user", "S-1-5-11": "every user that is signed in", "S-1-5-32-545": "every user", "S-1-5-4": "every user that is signed in",
         "S-1-5-32-546": "every guest"}
OWNER, ACCESS = 1, 4  # OWNER_SECURITY_INFORMATION, DACL_SECURITY_INFORMATION
LIST_PRESENT = 0x0004
INHERIT_ONLY = 0x08
ALLOWING = (0, 9)  # ACCESS_ALLOWED_ACE_TYPE, and the same with a condition
DENYING = (1, 6, 10, 12)
# FILE_DELETE_CHILD, DELETE, WRITE_DAC, WRITE_OWNER, GENERIC_ALL, GENERIC_WRITE: whoever has one of these can put another thing in its place.
REPLACE = 0x40 | 0x10000 | 0x40000 | 0x80000 | 0x10000000 | 0x40000000
WRITE = REPLACE | 0x2 | 0x4  # FILE_WRITE_DATA and FILE_APPEND_DATA
ADD = REPLACE | 0x2  # of a folder, FILE_ADD_FILE: a program loads libraries that lie beside it


def sid(raw, at):
    """S-1-5-32-544 out of its bytes."""
    revision, count = raw[at], raw[at + 1]
    if revision != 1 or count > 15:
        raise ValueError("no security identifier")
    return "-".join(map(str, ("S", revision, int.from_bytes(raw[at + 2:at + 8], "big"), *struct.unpack_from("<%dI" % count, raw, at + 8))))


def parsed(raw):
    """(owner, [(rights, who)] of those that are let) of a self-relative security descriptor; a list of None lets everybody do everything.

    Raises ValueError for what is none. What is denied is not looked at: it can only take away.
    """
    try:
        _, _, control, owner, _, _, place = struct.unpack_from("<BBHIIII", raw)
        who = sid(raw, owner) if owner else ""
        if not control & LIST_PRESENT or not place:
            return who, None
        count, at, rows = struct.unpack_from("<H", raw, place + 4)[0], place + 8, []
        for _ in range(count):
            kind, flags, size, rights = struct.unpack_from("<BBHI", raw, at)
            if not flags & INHERIT_ONLY and kind not in DENYING:
                rows.append((rights, sid(raw, at + 8) if kind in ALLOWING else "?"))
            at += max(size, 8)
        return who, rows
    except (struct.error, IndexError) as error:
        raise ValueError(str(error)) from None


def fault(path, descriptor, me, rights):
    """Why others could change what lies there; "" when they cannot."""
    owner, rows = parsed(descriptor)
    believed = (*BELIEVED, me)
    if owner not in believed:
        return "%s belongs to another user (%s)" % (path, owner or "nobody")
    if rows is None:
        return "%s has no access list: every user may write there" % path
    other = next((who for held, who in rows if held & rights and who not in believed), "")
    return "%s may write to %s" % (NAMES.get(other, "another user (%s)" % other), path) if other else ""


def why_not(path, beside, read, me):
    """Why a path without links is not trusted, "" when it is. ``read`` gives the security descriptor of a path, ``me`` is the caller.

    ``beside``: it may lie where others can add files.
    """
    drive, rest = ntpath.splitdrive(path)
    if not drive.endswith(":"):
        return "%s lies on another machine" % path
    here, parts = drive + "\\", [part for part in rest.split("\\") if part]
    chain = [here]
    for part in parts:
        here = ntpath.join(here, part)
        chain.append(here)
    for place, each in enumerate(chain):
        last = len(chain) - 1 - place
        rights = WRITE if not last else ADD if last == 1 and not beside else REPLACE
        reason = fault(each, read(each), me, rights)
        if reason:
            return reason
    return ""


@functools.lru_cache(maxsize=4096)
def descriptor(path):
    """Owner and access list of a file or folder. Raises OSError."""
    library = ctypes.WinDLL("advapi32", use_last_error=True)
    ask = library.GetFileSecurityW
    ask.argtypes, ask.restype = (ctypes.c_wchar_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)), ctypes.c_int32
    size = ctypes.c_uint32()
    ask(path, OWNER | ACCESS, None, 0, ctypes.byref(size))
    if not 0 < size.value < 1 << 18:
        raise OSError(ctypes.get_last_error(), "its rights cannot be read", path)
    data = ctypes.create_string_buffer(size.value)
    if not ask(path, OWNER | ACCESS, data, size, ctypes.byref(size)):
        raise OSError(ctypes.get_last_error(), "its rights cannot be read", path)
    return data.raw


@functools.lru_cache(maxsize=1)
def caller():
    """The security identifier of whoever runs this. Raises OSError."""
    kernel, library = ctypes.WinDLL("kernel32"), ctypes.WinDLL("advapi32", use_last_error=True)
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    token, size = ctypes.c_void_p(), ctypes.c_uint32()
    if not library.OpenProcessToken(ctypes.c_void_p(kernel.GetCurrentProcess()), 0x8, ctypes.byref(token)):  # TOKEN_QUERY
        raise OSError(ctypes.get_last_error(), "the user of this process is not told")
    try:
        data = ctypes.create_string_buffer(1024)
        if not library.GetTokenInformation(token, 1, data, len(data), ctypes.byref(size)):  # TokenUser: a pointer into the same memory
            raise OSError(ctypes.get_last_error(), "the user of this process is not told")
        place = ctypes.cast(data, ctypes.POINTER(ctypes.c_void_p)).contents.value or 0
        return sid(data.raw, place - ctypes.addressof(data))
    finally:
        kernel.CloseHandle(token)


def resolve(path, beside):
    """(the path without links, why it is not trusted). Raises OSError where there is nothing."""
    real = os.path.realpath(path)
    os.stat(real)
    try:
        return real, why_not(real, beside, descriptor, caller())
    except (OSError, ValueError) as error:
        # Files of ours that another could lay beside do less harm than a tool that no longer finds its own state.
        return real, "" if beside else "%s: %s" % (real, getattr(error, "strerror", None) or error)
