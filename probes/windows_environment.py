"""The environment variables of a Windows machine that programs will start with: this process's, the user's, the machine's."""

import os

from environment import FAMILIES, LONGEST, NAMES
from probe_protocol import main
from windows_machine import Machine

SAYS = "environment variables"
PROVIDES = ("env.*", "windows.environment")
LANE = "quiet"
DEADLINE = 4
NEEDS = ()
PYTHON = "own"
SYSTEM = "windows"

SCOPES = (("user", r"HKCU\Environment"), ("machine", r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment"))


def probe(emit, tree):
    machine = Machine(tree)
    scopes = [("process", "environment", {name.upper(): value for name, value in os.environ.items()})] if tree.live else []
    for scope, key in SCOPES:
        scopes.append((scope, key, {name.upper(): str(value) for name, value in machine.registry.values(key).items()}))
    wanted = [*NAMES, *sorted({name for _, _, found in scopes for name in found if name.startswith(FAMILIES) and name not in NAMES})]
    where = {}
    for name in wanted:
        held = [(scope, key, found[name]) for scope, key, found in scopes if found.get(name)]
        if held:
            emit.known("env." + name, machine.path(held[0][2])[:LONGEST], held[0][1])
            where[name] = {scope: value[:LONGEST] for scope, _, value in held}
        elif name in NAMES:
            emit.absent("env." + name, SCOPES[0][1])
    emit.known("windows.environment", where, "environment")


if __name__ == "__main__":
    main(probe)
