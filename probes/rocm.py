"""ROCm installations: where, which version, and which gfx targets their rocBLAS carries. Reads file names only."""

from __future__ import annotations

import os
import re
import sys

from probe_protocol import main

SAYS = "ROCm installations"
PROVIDES = ["rocm.path", "rocm.version", "rocm.kind", "rocm.tensile_targets", "rocm.hip_version",
            "runtime.rocm_version", "runtime.hip_version", "runtime.rocm_targets"]
LANE = "quiet"
DEADLINE = 10
NEEDS = ()
PYTHON = "own"

SOURCE = "rocm"
SITES = (
    "usr/lib/python3*/site-packages", "usr/lib/python3*/dist-packages", "usr/local/lib/python3*/dist-packages",
    "usr/local/lib/python3*/site-packages", "opt/*/lib/python3*/site-packages",
    "home/*/.local/lib/python3*/site-packages", "root/.local/lib/python3*/site-packages",
    "home/*/venv/lib/python3*/site-packages", "home/*/.venv/lib/python3*/site-packages",
    "home/*/*/venv/lib/python3*/site-packages", "home/*/*/.venv/lib/python3*/site-packages",
)
OLLAMA = ("usr/local/lib/ollama/rocm*", "usr/lib/ollama/rocm*", "usr/lib64/ollama/rocm*",
          "home/*/ollama/lib/ollama/rocm*", "opt/ollama/lib/ollama/rocm*")
DISTRIBUTION = ("usr/lib64", "usr/lib/x86_64-linux-gnu", "usr/lib")


def first_line(path):
    """First line of a small file, or ""."""
    return next(iter(path.text().strip().splitlines()), "").strip()


def targets(folders):
    """gfx targets named by the files of rocBLAS library folders; None when there is no such folder."""
    seen = None
    for folder in folders:
        try:
            names = folder.tree.listed(folder.path)
        except OSError:
            continue
        seen = (seen or set()) | {found[0] for name in names if (found := re.search(r"gfx[0-9]+[a-f]?[0-9a-f]*", name))}
    return None if seen is None else sorted(seen, key=lambda gfx: (len(gfx), gfx))


def packed(folder, stem):
    """6.4.2 out of ``libamdhip64.so.6.4.60402`` (the release build's way of naming)."""
    beginning = stem + ".so."
    for name in sorted((name for name in folder.names() if name.startswith(beginning)), key=len, reverse=True):
        found = re.fullmatch(r"(\d+)\.(\d+)\.(\d{5,6})", name[len(beginning):])
        if found:
            number = int(found[3])
            if 4 <= number // 10000 <= 99:
                return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return ""


def hip_version(prefix):
    """HIP version of a prefix from its version file."""
    for name in ("share/hip/version", "bin/.hipVersion"):
        parts = dict(re.findall(r"^HIP_VERSION_(MAJOR|MINOR|PATCH)=(\S+)", (prefix / name).text(), re.M))
        if "MAJOR" in parts:
            return ".".join(parts[key] for key in ("MAJOR", "MINOR", "PATCH") if key in parts)
    return ""


def release(text):
    """7.2.0 out of ``7.2.0-43``."""
    found = re.match(r"\d+(?:\.\d+)+(?:(?:a|b|rc|\.dev)\d+)?", text)
    return found[0] if found else text


def library_folders(lib):
    """Every place where rocBLAS keeps its kernels below ``lib``."""
    return [lib / "rocblas/library", *lib.glob("rocblas/*/library")]


def system(root):
    """(path, version, kind, targets, hip) of every prefix in /opt and of the distribution's own packages."""
    found = []
    names = [root / "opt/rocm", *sorted(root.glob("opt/rocm-*"), reverse=True), *root.glob("opt/rocm/core*")]
    if root.tree.live and os.environ.get("ROCM_PATH"):
        names.insert(0, root / os.environ["ROCM_PATH"])
    done = set()
    for name in names:
        prefix = name.real
        if prefix in done or not prefix.is_dir():
            continue
        done.add(prefix)
        libs = [prefix / "lib", prefix / "lib64"]
        version = release(first_line(prefix / ".info/version") or first_line(prefix / ".info/version-dev"))
        for lib in libs:
            version = version or packed(lib, "librocm-core") or packed(lib, "libamdhip64")
        carried = targets([folder for lib in libs for folder in library_folders(lib)])
        if not (version or carried or hip_version(prefix)):
            continue
        found.append((name, version, "system", carried, hip_version(prefix)))
    for lib in (root / name for name in DISTRIBUTION):
        version = packed(lib, "librocm-core") or packed(lib, "libamdhip64")
        carried = targets(library_folders(lib))
        if (version or carried) and lib.real == lib:
            found.append((lib, version, "system", carried, hip_version(root / "usr")))
            break
    return found


def wheels(root):
    """Installations that came as Python wheels: TheRock's and the ones inside torch."""
    sites = [site for pattern in SITES for site in root.glob(pattern)]
    if root.tree.live:
        prefixes = [os.environ.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
        sites += [site for prefix in prefixes if prefix for site in (root / prefix).glob("lib/python3*/site-packages")]
        sites += [root / entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]
    for site in dict.fromkeys(sites):
        core = site / "_rocm_sdk_core"
        if core.is_dir():
            information = site.glob("rocm_sdk_core-*.dist-info")
            version = information[-1].name[len("rocm_sdk_core-"):-len(".dist-info")] if information else ""
            carried = targets([lib for part in site.glob("_rocm_sdk_libraries*")
                               for lib in library_folders(part / "lib")])
            yield core, release(version), "therock", carried, hip_version(core)
        lib = site / "torch/lib"
        carried = targets(library_folders(lib))
        if carried is not None:
            hip = re.search(r"^hip\b[^=\n]*=\s*['\"]([^'\"]+)", (site / "torch/version.py").text(), re.M)
            name = re.search(r"\+rocm(\d[\d.]*)", (site / "torch/version.py").text())
            yield lib, packed(lib, "libamdhip64") or (name[1] if name else ""), "torch", carried, hip[1] if hip else ""


def bundled(root):
    """The copies that Ollama brings along."""
    for pattern in OLLAMA:
        for folder in root.glob(pattern):
            carried = targets(library_folders(folder))
            version = packed(folder, "libamdhip64")
            if carried or version:
                yield folder, version, "ollama", carried, ""


def probe(emit, tree):
    root = tree.place("/")
    best = None
    for path, version, kind, carried, hip in [*system(root), *wheels(root), *bundled(root)]:
        item = str(path)
        emit.known("rocm.path", item, SOURCE, item)
        emit.known("rocm.kind", kind, SOURCE, item)
        if version:
            emit.known("rocm.version", version, SOURCE, item)
        else:
            emit.unknown("rocm.version", "unreadable", "no version file", f"cat {item}/.info/version", item)
        if hip:
            emit.known("rocm.hip_version", hip, SOURCE, item)
        else:
            emit.unknown("rocm.hip_version", "unreadable", "no version file", "hipconfig --version", item)
        if carried is None:
            emit.absent("rocm.tensile_targets", "rocm: no rocBLAS library folder", item)
        else:
            emit.known("rocm.tensile_targets", carried, SOURCE, item)
        if best is None and kind != "ollama":
            best = (version, hip, carried, f"rocm: {item}")
    if best is None:
        for name in PROVIDES:
            emit.absent(name, SOURCE)
    else:
        for name, value in zip(PROVIDES[5:], best[:3]):
            if value:
                emit.known(name, value, best[3])
            else:
                emit.unknown(name, "unreadable", f"{best[3]} does not say", "hipconfig --version")


if __name__ == "__main__":
    main(probe)
