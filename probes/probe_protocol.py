"""What the probes share: their arguments, how they write facts, how they read files and ask programs. Not a probe itself."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import namedtuple

import trusted
from tree import Tree

OUTPUT_CAP = 4 << 20


class Emitter:
    """Writes JSON Lines, each flushed at once: what was learnt before a hang survives it."""

    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8")

    def _write(self, row):
        self._file.write(json.dumps(row, ensure_ascii=True) + "\n")
        self._file.flush()

    def known(self, fact, value, source, item=""):
        self._write({"fact": fact, "item": item, "value": value, "source": source})

    def absent(self, fact, source, item=""):
        self._write({"fact": fact, "item": item, "absent": True, "source": source})

    def unknown(self, fact, reason, detail="", command="", item=""):
        self._write({"fact": fact, "item": item, "unknown": reason, "detail": detail, "command": command})

    def text(self, name, lines):
        self._write({"text": name, "lines": lines})

    def note(self, sentence):
        self._write({"note": sentence})

    def end(self):
        self._write({"end": True})
        self._file.close()


# What a program said: its exit status (None when it did not end by itself), its output, and why there is nothing.
Answer = namedtuple("Answer", ("status", "text", "why"), defaults=("",))


def ask(command, deadline, cap=OUTPUT_CAP, also_errors=False, **variables):
    """Run a program of this machine that is trusted, and read what it prints up to ``cap`` bytes; then, or at the deadline, it is ended."""
    program = command[0] if os.path.isabs(command[0]) else trusted.program(command[0])
    if program is None:
        return Answer(None, "", "not installed")
    reason = trusted.why_not(program)
    if reason:
        return Answer(None, "", "not run: " + reason)
    environment = dict(trusted.environment()[0], **variables)
    try:
        child = subprocess.Popen([program, *command[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT if also_errors else subprocess.DEVNULL, env=environment, cwd="/")
    except OSError as error:
        return Answer(None, "", error.strerror or str(error))
    said, full = bytearray(), threading.Event()

    def read():
        while len(said) < cap:
            chunk = child.stdout.read1(min(1 << 16, cap - len(said)))
            if not chunk:
                return
            said.extend(chunk)
        full.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(deadline)  # a pipe that a child of the program holds open is waited for no longer either
    why = "printed more than is read" if full.is_set() else "took longer than %g s" % deadline if reader.is_alive() else ""
    try:
        status = child.wait(0.2)
    except subprocess.TimeoutExpired:
        status, why = None, why or "took longer than %g s" % deadline
        child.kill()
        try:
            child.wait(0.5)
        except subprocess.TimeoutExpired:
            child.returncode = -9  # in the driver; it is left to the end of this process
    return Answer(None if full.is_set() else status, bytes(said).decode("utf-8", "replace"), why)


def system_library(name):
    """Load a library of Windows from its own folder, so that whoever asks for it by name later gets that one. Raises OSError."""
    import ctypes

    return ctypes.WinDLL(os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", name))


def emit_file(emit, tree, fact, path, convert=str, item="", command=""):
    """Emit the content of one file as a fact, or absent, or unknown with the reason."""
    try:
        text = tree.read(path)
        value = convert(text)
    except FileNotFoundError:
        # Every Linux has its files in /proc, and a folder that was not recorded says nothing of what was in it.
        if tree.live or not path.startswith("/proc/") and tree.exists(os.path.dirname(path)):
            emit.absent(fact, path, item)
        else:
            emit.unknown(fact, "not_collected", path + " was not recorded", "cat " + path, item)
        return None
    except PermissionError as error:
        emit.unknown(fact, "no_permission", str(error), command or "sudo cat " + path, item)
        return None
    except (OSError, ValueError, IndexError, KeyError) as error:
        emit.unknown(fact, "unreadable", path + ": " + str(error), "cat " + path, item)
        return None
    if value is None or value == "":
        emit.absent(fact, path, item)
        return None
    emit.known(fact, value, path, item)
    return value


def arguments(given):
    """(out, root) of the arguments as the runner gives them; of any others what argparse, which takes a while to load, makes of them."""
    if given[:1] == ["--out"] and (len(given) == 2 or len(given) == 4 and given[2] == "--root"):
        return given[1], given[3] if len(given) == 4 else "/"
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--root", default="/")
    args = parser.parse_args(given)
    return args.out, args.root


def main(probe):
    """Parse ``--out FILE [--root DIR]``, run ``probe(emit, tree)``, write the last line."""
    if hasattr(signal, "alarm"):  # whoever waits for us may be killed; a deadline is stretched tenfold at most
        signal.alarm(10 * int(getattr(sys.modules["__main__"], "DEADLINE", 60)) + 60)
    out, root = arguments(sys.argv[1:])
    emit = Emitter(out)
    probe(emit, Tree(root))
    emit.end()
    sys.stdout.flush()
