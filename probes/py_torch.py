"""PyTorch of one interpreter: what its files say first, then what it says once imported (which opens the driver)."""

import argparse
import importlib.util
import json
import os
import re
import signal
import sys

SAYS = "PyTorch"
PROVIDES = ["torch.python", "torch.version", "torch.hip", "torch.cuda", "torch.available", "torch.devices",
            "torch.arch_list", "torch.error", "pip.packages", "rocm.path", "rocm.kind", "rocm.version",
            "rocm.hip_version", "rocm.tensile_targets"]
LANE = "loud"
DEADLINE = 60
NEEDS = ()
PYTHON = "user"
SYSTEM = "any"


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="file that gets the facts, one JSON object a line")
    parser.add_argument("--root", default="", help="folder that stands for / (a recorded machine)")
    return parser.parse_args()


class Out:
    """Writes each fact as soon as it is known."""

    def __init__(self, path, source):
        self.file = open(path, "w", encoding="utf-8")  # noqa: SIM115
        self.source = source

    def _line(self, **data):
        self.file.write(json.dumps(data, ensure_ascii=False, default=str) + "\n")
        self.file.flush()

    def known(self, fact, value, item="", source=""):
        self._line(fact=fact, item=item, value=value, source=source or self.source)

    def absent(self, fact, item="", source=""):
        self._line(fact=fact, item=item, absent=True, source=source or self.source)

    def unknown(self, fact, reason, detail="", command="", item=""):
        self._line(fact=fact, item=item, unknown=reason, detail=detail, command=command)

    def end(self):
        self._line(end=True)
        self.file.close()


def version_file(folder):
    """Version, hip and cuda as torch/version.py states them; only the ones that it states."""
    try:
        with open(os.path.join(folder, "version.py"), encoding="utf-8", errors="replace") as file:
            content = file.read()
    except OSError:
        return {}
    stated = {}
    for name, value in re.findall(r"^(__version__|hip|cuda)\b[^=\n]*=\s*(None|['\"][^'\"]*['\"])", content, re.M):
        stated[name] = None if value == "None" else value.strip("'\"")
    return stated


def bundled(out, folder, stated):
    """The ROCm that a wheel brings: inside torch, or as TheRock's wheels next to it."""
    site = os.path.dirname(folder)
    carried = [os.path.join(site, name, "lib") for name in sorted(os.listdir(site))
               if name.startswith("_rocm_sdk_libraries")]
    core = os.path.join(site, "_rocm_sdk_core")
    item, kind = (core, "therock") if os.path.isdir(core) else (os.path.join(folder, "lib"), "torch")
    targets, seen = set(), False
    for lib in carried if kind == "therock" else [item]:
        library = os.path.join(lib, "rocblas", "library")
        if os.path.isdir(library):
            seen = True
            found = (re.search(r"gfx[0-9]+[a-f]?[0-9a-f]*", name) for name in os.listdir(library))
            targets.update(match.group(0) for match in found if match)
    release = re.search(r"\+rocm(\d[\w.]*)", stated.get("__version__") or "")
    if not (seen or release or kind == "therock"):
        return
    out.known("rocm.path", item, item)
    out.known("rocm.kind", kind, item)
    tell(out, "rocm.version", item, release.group(1) if release else None, "py_torch: torch/version.py")
    tell(out, "rocm.hip_version", item, stated.get("hip"), "py_torch: torch/version.py")
    if seen:
        out.known("rocm.tensile_targets", sorted(targets, key=lambda gfx: (len(gfx), gfx)), item)
    else:
        out.absent("rocm.tensile_targets", item, "py_torch: no rocBLAS library folder")


def packages():
    """Installed packages and versions, by the standard library."""
    from importlib import metadata
    found = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name and name not in found:
            found[name] = distribution.version
    return dict(sorted(found.items()))


def tell(out, fact, item, value, source):
    """None means that the build has no such part."""
    if value is None:
        out.absent(fact, item, source)
    else:
        out.known(fact, str(value), item, source)


def ask(out, item):
    """Everything that needs the import; each fact on its own, since a later call may be the one that hangs."""
    import torch
    out.known("torch.version", str(torch.__version__), item)
    tell(out, "torch.hip", item, getattr(torch.version, "hip", None), "py_torch")
    tell(out, "torch.cuda", item, getattr(torch.version, "cuda", None), "py_torch")
    out.known("torch.arch_list", list(torch.cuda.get_arch_list()), item)
    available = bool(torch.cuda.is_available())
    out.known("torch.available", available, item)
    names = [torch.cuda.get_device_name(n) for n in range(torch.cuda.device_count())] if available else []
    out.known("torch.devices", names, item)


def main():
    arguments = _arguments()
    if hasattr(signal, "alarm"):  # whoever waits for us may be killed; a deadline is stretched tenfold at most
        signal.alarm(10 * DEADLINE + 60)
    out = Out(arguments.out, "py_torch")
    item = sys.executable
    if arguments.root not in ("", "/"):
        for fact in PROVIDES[:9]:
            out.unknown(fact, "not_applicable", "a recorded machine has no interpreter to ask")
        out.end()
        return
    # The folder of this file comes first on sys.path; a probe must not hide one of the user's modules.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    out.known("torch.python", item, item)
    try:
        out.known("pip.packages", packages())
    except Exception as error:  # noqa: BLE001 - a broken environment is what this probe is for
        out.unknown("pip.packages", "unreadable", "%s: %s" % (type(error).__name__, error), item + " -m pip list")
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        for fact in PROVIDES[1:8]:  # torch.version to torch.error
            out.absent(fact, item, "py_torch: no torch in this interpreter")
        out.end()
        return
    folder = os.path.dirname(spec.origin or "") or next(iter(spec.submodule_search_locations or []), "")
    stated = version_file(folder)
    if stated.get("__version__"):
        source = "py_torch: torch/version.py"
        out.known("torch.version", stated["__version__"], item, source)
        tell(out, "torch.hip", item, stated.get("hip"), source)
        tell(out, "torch.cuda", item, stated.get("cuda"), source)
    try:
        bundled(out, folder, stated)
    except OSError as error:
        out.unknown("rocm.tensile_targets", "unreadable", str(error), item=os.path.join(folder, "lib"))
    try:
        ask(out, item)
    except BaseException as error:  # noqa: BLE001 - import torch raises whatever its libraries raise
        out.known("torch.error", "%s: %s" % (type(error).__name__, error), item)
    else:
        out.absent("torch.error", item)
    out.end()


if __name__ == "__main__":
    main()
