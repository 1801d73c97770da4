"""The layouts that ctypes is told, against the headers of mingw-w64 (and of Wine, for the graphics kernel), and against Wine itself."""

from __future__ import annotations

import ctypes
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "probes"))

import windows_calls as calls  # noqa: E402

COMPILER = shutil.which("x86_64-w64-mingw32-gcc")
WINE_HEADERS = pathlib.Path("/usr/include/wine/wine/windows")
WINE = shutil.which("wine64") or shutil.which("wine") or ("/usr/lib/wine/wine64" if pathlib.Path("/usr/lib/wine/wine64").is_file() else None)
PREFIX = ROOT / ".windows"  # what scripts/windows_python made: to make another takes longer than all of these
HEAD = """#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <dxgi1_6.h>
#include <cfgmgr32.h>
#include <pdh.h>
#include <stddef.h>
#include <stdio.h>
"""
# Those that Wine's header lacks, as https://learn.microsoft.com/windows-hardware/drivers/ddi/d3dkmthk/ writes them.
DOCUMENTED = {"D3DKMT_ADAPTERADDRESS": "UINT BusNumber; UINT DeviceNumber; UINT FunctionNumber;",
              "D3DKMT_QUERYADAPTERINFO": "D3DKMT_HANDLE hAdapter; KMTQUERYADAPTERINFOTYPE Type; VOID *pPrivateDriverData; UINT PrivateDriverDataSize;"}
compiled = pytest.mark.skipif(not COMPILER, reason="needs x86_64-w64-mingw32-gcc (Debian: gcc-mingw-w64-x86-64)")


def own(structure):
    """Names, places and sizes of the fields."""
    return [(name, getattr(structure, name).offset, getattr(structure, name).size) for name, _ in structure._fields_]


def asserts(structure):
    """A compile-time assertion for each field, and for the whole."""
    kind = structure.__name__
    yield f"_Static_assert(sizeof({kind}) == {ctypes.sizeof(structure)}, \"size of {kind}\");"
    for name, offset, size in own(structure):
        yield f"_Static_assert(offsetof({kind}, {name}) == {offset}, \"place of {kind}.{name}\");"
        yield f"_Static_assert(sizeof((({kind} *)0)->{name}) == {size}, \"size of {kind}.{name}\");"


def compile_(tmp_path, source, *more):
    file = tmp_path / "layouts.c"
    file.write_text(source)
    done = subprocess.run([COMPILER, "-std=c11", "-Wall", str(file), *(more or ("-fsyntax-only",))], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stderr


MINGW = [structure for structure in calls.LAYOUTS if not structure.__name__.startswith("D3DKMT")]
GRAPHICS = [structure for structure in calls.LAYOUTS if structure.__name__.startswith("D3DKMT")]


NUMBERS = {"DXGI_ADAPTER_FLAG_SOFTWARE": calls.DXGI_ADAPTER_FLAG_SOFTWARE, "PDH_FMT_LARGE": calls.PDH_FMT_LARGE, "PDH_MORE_DATA": calls.PDH_MORE_DATA,
           "ALLOC_LOG_CONF": calls.ALLOC_LOG_CONF, "ResType_Mem": 1, "ResType_MemLarge": 7, "PROCESS_QUERY_LIMITED_INFORMATION": 0x1000,
           "VS_FFI_SIGNATURE": calls.VERSION_SIGNATURE}


@pytest.fixture(scope="module")
def compiler_says(tmp_path_factory):
    """What the compiler has against any of the layouts, places and numbers; asked once."""
    lines = [line for structure in MINGW for line in asserts(structure)]
    lines += [f"_Static_assert(offsetof({interface}Vtbl, {function}) == {place} * sizeof(void *), \"place of {interface}.{function}\");"
              for function, (interface, place) in calls.VTABLE.items()]
    lines += [f"_Static_assert((unsigned){name} == {number}u, \"number of {name}\");" for name, number in NUMBERS.items()]
    return compile_(tmp_path_factory.mktemp("layouts"), HEAD + "#include <pdhmsg.h>\n" + "\n".join(lines))


@compiled
@pytest.mark.parametrize("name", [*(structure.__name__ for structure in MINGW), *sorted(calls.VTABLE), *NUMBERS])
def test_layout_place_and_number_are_those_of_the_header(compiler_says, name):
    code, said = compiler_says
    assert name not in said
    assert code == 0 or "static assertion failed" in said, said[:2000]


@compiled
def test_a_wrong_layout_is_noticed(tmp_path):
    class LUID(ctypes.Structure):
        _fields_ = (("LowPart", ctypes.c_uint32), ("HighPart", ctypes.c_int64))

    code, said = compile_(tmp_path, HEAD + "\n".join(asserts(LUID)))
    assert code and "size of LUID" in said


@compiled
@pytest.mark.skipif(not WINE_HEADERS.is_dir(), reason="needs the headers of Wine (Debian: libwine-dev): mingw-w64 has no d3dkmthk.h")
@pytest.mark.parametrize("structure", GRAPHICS, ids=lambda structure: structure.__name__)
def test_layout_of_the_graphics_kernel(tmp_path, structure):
    # Of Wine's header only the structure itself: the rest of it needs Wine's own windef.h.
    text = (WINE_HEADERS / "ddk/d3dkmthk.h").read_text()
    bodies = [part for part in text.split("typedef struct ")[1:] if part.split()[0] == "_" + structure.__name__]
    body = bodies[0].split("}")[0].partition("{")[2] if bodies else DOCUMENTED[structure.__name__]
    source = ("#include <windows.h>\n#include <stddef.h>\ntypedef UINT D3DKMT_HANDLE; typedef UINT KMTQUERYADAPTERINFOTYPE;\n"
              f"typedef struct {{{body}}} {structure.__name__};\n")
    assert compile_(tmp_path, source + "\n".join(asserts(structure))) == (0, "")


def test_identities_have_the_bytes_of_their_writing():
    assert bytes(calls.GUID.of(calls.IID_FACTORY1)).hex() == "78ae0a776ff2ba4da829253c83d1b387"
    assert ctypes.sizeof(calls.GUID) == 16


RUN = HEAD + """
int main(void) {
    MEMORYSTATUSEX status = {sizeof status};
    IDXGIFactory1 *factory = 0;
    printf("%s\\n", GlobalMemoryStatusEx(&status) && status.ullTotalPhys > (1u << 20) ? "memory" : "no memory");
    unsigned char *id = (unsigned char *)&IID_IDXGIFactory1, *id3 = (unsigned char *)&IID_IDXGIAdapter3;
    for (int i = 0; i < 16; i++) printf("%02x", id[i]);
    printf(" ");
    for (int i = 0; i < 16; i++) printf("%02x", id3[i]);
    printf("\\n%s\\n", CreateDXGIFactory1(&IID_IDXGIFactory1, (void **)&factory) == 0 && factory ? "factory" : "no factory");
    return 0;
}
"""


@compiled
@pytest.mark.skipif(not WINE, reason="needs Wine")
def test_identities_and_memory_under_wine(tmp_path):
    program = tmp_path / "layouts.exe"
    assert compile_(tmp_path, RUN, "-o", str(program), "-ldxgi", "-luuid") == (0, "")
    done = subprocess.run([WINE, str(program)], capture_output=True, text=True, timeout=180, check=False,
                          env={"PATH": "/usr/bin:/bin", "WINEPREFIX": str(PREFIX if PREFIX.is_dir() else tmp_path / "prefix"), "WINEDEBUG": "-all", "HOME": str(tmp_path), "DISPLAY": ""})
    lines = done.stdout.split()
    if not lines:
        pytest.skip("Wine does not start here: " + done.stderr[-200:])
    assert lines[0] == "memory"
    assert lines[1] == bytes(calls.GUID.of(calls.IID_FACTORY1)).hex()
    assert lines[2] == bytes(calls.GUID.of(calls.IID_ADAPTER3)).hex()
