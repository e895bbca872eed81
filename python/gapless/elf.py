"""What can be told about a program file without running it."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

PT_INTERP = 3


def is_static(program: Path) -> bool:
    """Say whether a program is an ELF file without an interpreter: nothing can be preloaded into it.

    Parameters
    ----------
    program : Path
        The program's file; anything that is not ELF (a script) counts as not static.
    """
    try:
        with program.open("rb") as file:
            head = file.read(64)
            if len(head) < 64 or head[:4] != b"\x7fELF":
                return False
            wide = head[4] == 2
            order = "<" if head[5] == 1 else ">"
            offset = struct.unpack_from(order + ("Q" if wide else "I"), head, 32 if wide else 28)[0]
            entry_bytes, entries = struct.unpack_from(order + "HH", head, 54 if wide else 42)
            file.seek(offset)
            table = file.read(entry_bytes * entries)
    except OSError:
        return False
    types = [struct.unpack_from(order + "I", table, i)[0] for i in range(0, len(table) - 3, entry_bytes)]
    return PT_INTERP not in types


def runs_privileged(program: Path) -> bool:
    """Say whether a program is setuid, setgid, or carries file capabilities: the loader then ignores LD_PRELOAD."""
    try:
        if program.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
            return True
        return "security.capability" in os.listxattr(program)
    except OSError:
        return False
