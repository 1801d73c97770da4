"""Windows functions through ctypes, and the layout of what they fill. Not a probe itself.

Fixed-width types throughout, so that the layouts are the same wherever this file is imported (``c_ulong`` and ``c_wchar`` have
other sizes on Linux); a test compares them with the headers of mingw-w64. Every function answers None where Windows says no.
"""

import ctypes
import re
from ctypes import POINTER, Structure, byref, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, cast

WCHAR = c_uint16
MOST_ADAPTERS = 32


class GUID(Structure):
    _fields_ = (("Data1", c_uint32), ("Data2", c_uint16), ("Data3", c_uint16), ("Data4", c_uint8 * 8))

    @classmethod
    def of(cls, text):
        """A GUID from its usual writing."""
        parts = text.split("-")
        return cls(int(parts[0], 16), int(parts[1], 16), int(parts[2], 16), (c_uint8 * 8)(*bytes.fromhex(parts[3] + parts[4])))


class LUID(Structure):
    _fields_ = (("LowPart", c_uint32), ("HighPart", c_int32))


class DXGI_ADAPTER_DESC1(Structure):  # noqa: N801 - the names are those of the headers
    _fields_ = (("Description", WCHAR * 128), ("VendorId", c_uint32), ("DeviceId", c_uint32), ("SubSysId", c_uint32), ("Revision", c_uint32),
                ("DedicatedVideoMemory", c_size_t), ("DedicatedSystemMemory", c_size_t), ("SharedSystemMemory", c_size_t),
                ("AdapterLuid", LUID), ("Flags", c_uint32))


class DXGI_QUERY_VIDEO_MEMORY_INFO(Structure):  # noqa: N801
    _fields_ = (("Budget", c_uint64), ("CurrentUsage", c_uint64), ("AvailableForReservation", c_uint64), ("CurrentReservation", c_uint64))


class MEMORYSTATUSEX(Structure):
    _fields_ = (("dwLength", c_uint32), ("dwMemoryLoad", c_uint32), ("ullTotalPhys", c_uint64), ("ullAvailPhys", c_uint64),
                ("ullTotalPageFile", c_uint64), ("ullAvailPageFile", c_uint64), ("ullTotalVirtual", c_uint64), ("ullAvailVirtual", c_uint64),
                ("ullAvailExtendedVirtual", c_uint64))


class VS_FIXEDFILEINFO(Structure):  # noqa: N801
    _fields_ = tuple((name, c_uint32) for name in (
        "dwSignature", "dwStrucVersion", "dwFileVersionMS", "dwFileVersionLS", "dwProductVersionMS", "dwProductVersionLS", "dwFileFlagsMask",
        "dwFileFlags", "dwFileOS", "dwFileType", "dwFileSubtype", "dwFileDateMS", "dwFileDateLS"))


class MEM_DES(Structure):  # noqa: N801
    _pack_ = 1
    _fields_ = (("MD_Count", c_uint32), ("MD_Type", c_uint32), ("MD_Alloc_Base", c_uint64), ("MD_Alloc_End", c_uint64), ("MD_Flags", c_uint32),
                ("MD_Reserved", c_uint32))


class MEM_LARGE_DES(Structure):  # noqa: N801
    _pack_ = 1
    _fields_ = (("MLD_Count", c_uint32), ("MLD_Type", c_uint32), ("MLD_Alloc_Base", c_uint64), ("MLD_Alloc_End", c_uint64), ("MLD_Flags", c_uint32),
                ("MLD_Reserved", c_uint32))


class D3DKMT_OPENADAPTERFROMLUID(Structure):  # noqa: N801
    _fields_ = (("AdapterLuid", LUID), ("hAdapter", c_uint32))


class D3DKMT_QUERYADAPTERINFO(Structure):  # noqa: N801
    _fields_ = (("hAdapter", c_uint32), ("Type", c_uint32), ("pPrivateDriverData", c_void_p), ("PrivateDriverDataSize", c_uint32))


class D3DKMT_CLOSEADAPTER(Structure):  # noqa: N801
    _fields_ = (("hAdapter", c_uint32),)


class D3DKMT_ADAPTERADDRESS(Structure):  # noqa: N801
    _fields_ = (("BusNumber", c_uint32), ("DeviceNumber", c_uint32), ("FunctionNumber", c_uint32))


class PDH_FMT_COUNTERVALUE(Structure):  # noqa: N801
    _fields_ = (("CStatus", c_uint32), ("largeValue", c_int64))


class PDH_FMT_COUNTERVALUE_ITEM_W(Structure):  # noqa: N801
    _fields_ = (("szName", c_void_p), ("FmtValue", PDH_FMT_COUNTERVALUE))


IID_FACTORY1 = "770aae78-f26f-4dba-a829-253c83d1b387"
IID_ADAPTER3 = "645967a4-1392-4310-a798-8053ce3e93fd"
# Places in the tables of functions: interface, function, place.
VTABLE = {"QueryInterface": ("IDXGIAdapter1", 0), "Release": ("IDXGIAdapter1", 2), "EnumAdapters1": ("IDXGIFactory1", 12),
          "GetDesc1": ("IDXGIAdapter1", 10), "QueryVideoMemoryInfo": ("IDXGIAdapter3", 14)}
DXGI_ADAPTER_FLAG_SOFTWARE = 2
KMTQAITYPE_ADAPTERADDRESS = 6
KMTQAITYPE_WDDM_2_7_CAPS = 70
ALLOC_LOG_CONF = 2
RES_TYPES = {1: (MEM_DES, "MD_Alloc_Base", "MD_Alloc_End"), 7: (MEM_LARGE_DES, "MLD_Alloc_Base", "MLD_Alloc_End")}
PDH_FMT_LARGE = 0x400
PDH_MORE_DATA = 0x800007D2
COUNTERS = {"dedicated_used": r"\GPU Adapter Memory(*)\Dedicated Usage", "shared_used": r"\GPU Adapter Memory(*)\Shared Usage",
            "dedicated": r"\GPU Process Memory(*)\Dedicated Usage", "shared": r"\GPU Process Memory(*)\Shared Usage"}
INSTANCE = re.compile(r"(?:pid_(\d+)_)?luid_0x([0-9A-Fa-f]{8})_0x([0-9A-Fa-f]{8})")
VERSION_SIGNATURE = 0xFEEF04BD


def _method(thing, name, *types):
    """A function of a COM object."""
    table = cast(thing, POINTER(POINTER(c_void_p))).contents
    kind = ctypes.WINFUNCTYPE(c_int32, c_void_p, *types)
    return lambda *given: kind(table[VTABLE[name][1]])(thing, *given)


def _text(letters):
    return bytes(letters).decode("utf-16-le", "replace").split("\0")[0]


def _usage(adapter):
    """[(budget, in use)] of local and other memory, as this process is given it."""
    other, found = c_void_p(), []
    iid = GUID.of(IID_ADAPTER3)
    if _method(adapter, "QueryInterface", c_void_p, c_void_p)(byref(iid), byref(other)) != 0:
        return found
    try:
        for segment in (0, 1):
            info = DXGI_QUERY_VIDEO_MEMORY_INFO()
            if _method(other, "QueryVideoMemoryInfo", c_uint32, c_uint32, c_void_p)(0, segment, byref(info)) != 0:
                return []
            found.append((info.Budget, info.CurrentUsage))
    finally:
        _method(other, "Release")()
    return found


def _kernel_side(luid):
    """PCI address and hardware-accelerated scheduling of an adapter, as the graphics kernel says."""
    gdi = ctypes.WinDLL("gdi32")
    opened = D3DKMT_OPENADAPTERFROMLUID(luid, 0)
    if gdi.D3DKMTOpenAdapterFromLuid(byref(opened)) != 0:
        return {}
    found = {}
    try:
        place, caps = D3DKMT_ADAPTERADDRESS(), c_uint32()
        for kind, data in ((KMTQAITYPE_ADAPTERADDRESS, place), (KMTQAITYPE_WDDM_2_7_CAPS, caps)):
            query = D3DKMT_QUERYADAPTERINFO(opened.hAdapter, kind, cast(byref(data), c_void_p), ctypes.sizeof(data))
            if gdi.D3DKMTQueryAdapterInfo(byref(query)) != 0:
                continue
            if data is place:
                found["address"] = "0000:%02x:%02x.%x" % (place.BusNumber, place.DeviceNumber, place.FunctionNumber)
            else:
                found["hags_supported"], found["hags_enabled"] = bool(caps.value & 1), bool(caps.value & 2)
    finally:
        gdi.D3DKMTCloseAdapter(byref(D3DKMT_CLOSEADAPTER(opened.hAdapter)))
    return found


def adapters():
    """Display adapters in DXGI's order, without the software ones; None when DXGI cannot be asked."""
    create = ctypes.WinDLL("dxgi").CreateDXGIFactory1
    create.argtypes, create.restype = (c_void_p, c_void_p), c_int32
    factory, iid, found = c_void_p(), GUID.of(IID_FACTORY1), []
    if create(byref(iid), byref(factory)) != 0:
        return None
    try:
        for number in range(MOST_ADAPTERS):
            adapter, desc = c_void_p(), DXGI_ADAPTER_DESC1()
            if _method(factory, "EnumAdapters1", c_uint32, c_void_p)(number, byref(adapter)) != 0:
                break
            try:
                if _method(adapter, "GetDesc1", c_void_p)(byref(desc)) != 0 or desc.Flags & DXGI_ADAPTER_FLAG_SOFTWARE:
                    continue
                row = {"description": _text(desc.Description), "vendor": desc.VendorId, "device": desc.DeviceId, "subsystem": desc.SubSysId,
                       "revision": desc.Revision, "dedicated": desc.DedicatedVideoMemory, "dedicated_system": desc.DedicatedSystemMemory,
                       "shared": desc.SharedSystemMemory, "luid": "%08x-%08x" % (desc.AdapterLuid.HighPart & 0xFFFFFFFF, desc.AdapterLuid.LowPart)}
                for name, pair in zip(("local", "other"), _usage(adapter)):
                    row[name + "_budget"], row[name + "_used"] = pair
                row.update(_kernel_side(desc.AdapterLuid))
                found.append(row)
            finally:
                _method(adapter, "Release")()
    finally:
        _method(factory, "Release")()
    return found


def _counted(counter):
    """[(instance, bytes)] of a counter as it stands now."""
    size, count = c_uint32(), c_uint32()
    ask = ctypes.WinDLL("pdh").PdhGetFormattedCounterArrayW
    ask.argtypes, ask.restype = (c_void_p, c_uint32, c_void_p, c_void_p, c_void_p), c_uint32
    if ask(counter, PDH_FMT_LARGE, byref(size), byref(count), None) != PDH_MORE_DATA or not 0 < size.value < 1 << 22:
        return []
    data = ctypes.create_string_buffer(size.value)
    if ask(counter, PDH_FMT_LARGE, byref(size), byref(count), data) != 0:
        return []
    rows = cast(data, POINTER(PDH_FMT_COUNTERVALUE_ITEM_W * count.value)).contents
    return [(ctypes.wstring_at(row.szName), row.FmtValue.largeValue) for row in rows if row.FmtValue.CStatus in (0, 1)]


def _program(pid):
    """File name of a process, "" for one that may not be asked."""
    kernel = ctypes.WinDLL("kernel32")
    kernel.OpenProcess.restype = c_void_p
    handle = kernel.OpenProcess(0x1000, 0, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return ""
    name, size = ctypes.create_unicode_buffer(1024), c_uint32(1024)
    done = kernel.QueryFullProcessImageNameW(c_void_p(handle), 0, name, byref(size))
    kernel.CloseHandle(c_void_p(handle))
    return name.value.rpartition("\\")[2] if done else ""


def usage():
    """({luid: {"dedicated_used", "shared_used"}}, [{"pid", "name", "luid", "dedicated", "shared"}]) by the counters that Task Manager shows."""
    library = ctypes.WinDLL("pdh")
    query, adapters_seen, processes = c_void_p(), {}, {}
    if library.PdhOpenQueryW(None, c_size_t(0), byref(query)) != 0:
        return {}, []
    try:
        handles = {}
        for name, path in COUNTERS.items():
            handle = c_void_p()
            if library.PdhAddEnglishCounterW(query, ctypes.c_wchar_p(path), c_size_t(0), byref(handle)) == 0:
                handles[name] = handle
        if not handles or library.PdhCollectQueryData(query) != 0:
            return {}, []
        for name, handle in handles.items():
            for instance, value in _counted(handle):
                found = INSTANCE.match(instance)
                if not found:
                    continue
                luid = (found[2] + "-" + found[3]).lower()
                held = processes.setdefault((int(found[1]), luid), {}) if found[1] else adapters_seen.setdefault(luid, {})
                held[name] = held.get(name, 0) + value
    finally:
        library.PdhCloseQuery(query)
    rows = [{"pid": pid, "luid": luid, "dedicated": held.get("dedicated", 0), "shared": held.get("shared", 0)} for (pid, luid), held in processes.items()]
    rows = sorted((row for row in rows if row["dedicated"] + row["shared"]), key=lambda row: -row["dedicated"] - row["shared"])[:64]
    return adapters_seen, [dict(row, name=_program(row["pid"])) for row in rows]


def memory():
    """RAM and commit in bytes: installed (by the firmware's tables), visible, available, commit limit and commit in use."""
    kernel = ctypes.WinDLL("kernel32")
    status, installed = MEMORYSTATUSEX(), c_uint64()
    status.dwLength = ctypes.sizeof(status)
    found = {}
    if kernel.GlobalMemoryStatusEx(byref(status)):
        found = {"visible": status.ullTotalPhys, "available": status.ullAvailPhys, "commit_limit": status.ullTotalPageFile,
                 "commit_used": status.ullTotalPageFile - status.ullAvailPageFile}
    if kernel.GetPhysicallyInstalledSystemMemory(byref(installed)):
        found["installed"] = installed.value * 1024
    return found


def file_version(path):
    """The four numbers of a file's version resource, None when it has none."""
    library = ctypes.WinDLL("version")
    size = library.GetFileVersionInfoSizeW(path, None)
    if not size or size > 1 << 20:
        return None
    data, value, length = ctypes.create_string_buffer(size), c_void_p(), c_uint32()
    if not library.GetFileVersionInfoW(path, 0, size, data) or not library.VerQueryValueW(data, "\\", byref(value), byref(length)):
        return None
    if length.value < ctypes.sizeof(VS_FIXEDFILEINFO):
        return None
    info = cast(value, POINTER(VS_FIXEDFILEINFO)).contents
    if info.dwSignature != VERSION_SIGNATURE:
        return None
    return "%d.%d.%d.%d" % (info.dwFileVersionMS >> 16, info.dwFileVersionMS & 0xFFFF, info.dwFileVersionLS >> 16, info.dwFileVersionLS & 0xFFFF)


def device(instance):
    """{"problem", "bars"} of a device that is present: its code in Device Manager (0: works) and the sizes of its memory windows."""
    manager = ctypes.WinDLL("cfgmgr32")
    node, status, problem = c_uint32(), c_uint32(), c_uint32()
    if manager.CM_Locate_DevNodeW(byref(node), instance, 0) != 0 or manager.CM_Get_DevNode_Status(byref(status), byref(problem), node, 0) != 0:
        return None
    bars, here = [], c_size_t()
    if manager.CM_Get_First_Log_Conf(byref(here), node, ALLOC_LOG_CONF) == 0:
        configuration, last = here, here
        manager.CM_Get_Next_Res_Des.argtypes = (c_void_p, c_size_t, c_uint32, c_void_p, c_uint32)
        for _ in range(64):
            following, kind, size = c_size_t(), c_uint32(), c_uint32()
            if manager.CM_Get_Next_Res_Des(byref(following), last.value, 0, byref(kind), 0) != 0:
                break
            if last is not configuration:
                manager.CM_Free_Res_Des_Handle(last)
            last = following
            if kind.value in RES_TYPES and manager.CM_Get_Res_Des_Data_Size(byref(size), last, 0) == 0 and 0 < size.value < 1 << 16:
                data = ctypes.create_string_buffer(size.value)
                layout, base, end = RES_TYPES[kind.value]
                if size.value >= ctypes.sizeof(layout) and manager.CM_Get_Res_Des_Data(last, data, size, 0) == 0:
                    row = layout.from_buffer(data)
                    bars.append(getattr(row, end) - getattr(row, base) + 1)
        if last is not configuration:
            manager.CM_Free_Res_Des_Handle(last)
        manager.CM_Free_Log_Conf_Handle(configuration)
    return {"problem": problem.value, "bars": bars}


LAYOUTS = (LUID, DXGI_ADAPTER_DESC1, DXGI_QUERY_VIDEO_MEMORY_INFO, MEMORYSTATUSEX, VS_FIXEDFILEINFO, MEM_DES, MEM_LARGE_DES,
           PDH_FMT_COUNTERVALUE, PDH_FMT_COUNTERVALUE_ITEM_W, D3DKMT_OPENADAPTERFROMLUID, D3DKMT_QUERYADAPTERINFO, D3DKMT_CLOSEADAPTER, D3DKMT_ADAPTERADDRESS)
