"""What the probes share: their arguments, how they write facts, how they read files. Not a probe itself."""

import argparse
import errno
import json
import os
import stat
import sys

CAP = 1 << 20


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


class Tree:
    """Files under a root folder. Reads are capped and never wait: a pipe or a device in the tree is unreadable."""

    def __init__(self, root="/"):
        self.root = root or "/"
        self.live = os.path.normpath(self.root) == "/"

    def at(self, path):
        return path if self.live else os.path.join(self.root, path.lstrip("/"))

    def raw(self, path, cap=CAP):
        """Bytes of the file. Raises OSError."""
        handle = os.open(self.at(path), os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "not a regular file", path)
            chunks, left = [], cap
            while left > 0:
                chunk = os.read(handle, min(left, 1 << 16))
                if not chunk:
                    break
                chunks.append(chunk)
                left -= len(chunk)
            return b"".join(chunks)
        finally:
            os.close(handle)

    def read(self, path, cap=CAP):
        """Stripped text of the file. Raises OSError."""
        return self.raw(path, cap).decode("utf-8", "replace").strip("\0 \t\r\n")

    def try_read(self, path, cap=CAP):
        """Stripped text, or None when it cannot be read."""
        try:
            return self.read(path, cap)
        except OSError:
            return None

    def exists(self, path):
        return os.path.exists(self.at(path))

    def recorded(self, *paths):
        """Whether this machine, or the recording of one, has any of the paths. The live machine has all it has."""
        return self.live or any(self.exists(path) for path in paths)

    def names(self, path):
        """Sorted names in a folder; empty when it cannot be listed."""
        try:
            return sorted(os.listdir(self.at(path)))
        except OSError:
            return []

    def link(self, path):
        """Last part of a symbolic link's target, None when there is none."""
        try:
            return os.path.basename(os.readlink(self.at(path)))
        except OSError:
            return None


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


def main(probe):
    """Parse ``--out FILE [--root DIR]``, run ``probe(emit, tree)``, write the last line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--root", default="/")
    args = parser.parse_args()
    emit = Emitter(args.out)
    probe(emit, Tree(args.root))
    emit.end()
    sys.stdout.flush()
