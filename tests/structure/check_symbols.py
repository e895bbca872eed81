#!/usr/bin/env python3
"""Checks what the objects of the data path take from outside, and what those of an instruction set leave to the linker.

Usage: check_symbols.py --nm NM --allow FILE OBJECT...

Each undefined symbol of an object must be defined by another of the objects or be in the allow-list. An object below
kernel/avx2, kernel/avx512 or kernel/neon may define no symbol that the linker merges with others of its name (inline
functions, templates): it may pick the one that was compiled for that set, for callers on every machine.
Prints one line per violation; exits 1 if there is one, 2 if it could not look.
Needs nothing but the Python standard library.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

OBJECT = re.compile(r"(?:^|/)src/(.+)/CMakeFiles/[^/]+\.dir/(.+)\.(?:o|obj)$")
FOLDERS = ("kernel/", "move/")  # an object of each must be there, or the check saw nothing
ISA_FOLDERS = ("kernel/avx2/", "kernel/avx512/", "kernel/neon/")
MERGED = set("WwVvu")


class Symbols(NamedTuple):
    """What `nm` says of one object, by demangled name."""

    undefined: set[str]
    defined: set[str]
    merged: set[str]


def source_of(path: str) -> str | None:
    """Return the source below src/ that the object was compiled from, by CMake's naming."""
    match = OBJECT.search(path)
    return f"{match[1]}/{match[2]}" if match else None


def read_symbols(nm: str, path: Path) -> Symbols:
    """Ask `nm`; raises CalledProcessError if it cannot read the object."""
    done = subprocess.run([nm, "-C", str(path)], check=True, capture_output=True, text=True)
    symbols = Symbols(set(), set(), set())
    for line in done.stdout.splitlines():
        match = re.match(r"(?:[0-9a-f]+)?\s+(\S) (.+)$", line)
        if not match or match[1] in "n":
            continue
        kind, name = match[1], match[2]
        if kind == "U" or (kind in "wv" and not line[0].isalnum()):
            symbols.undefined.add(name)
        else:
            symbols.defined.add(name)
            if kind in MERGED:
                symbols.merged.add(name)
    return symbols


def read_allowed(text: str) -> dict[str, set[str]]:
    """Return the names of each section; raises ValueError for a name outside any."""
    sections: dict[str, set[str]] = {}
    names = None
    for line in (line.strip() for line in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            names = sections.setdefault(line[1:-1], set())
        elif line and not line.startswith("#"):
            if names is None:
                raise ValueError(f"{line}: not in a section")
            names.add(line)
    return sections


def check(objects: dict[str, Symbols], allowed: dict[str, set[str]]) -> list[str]:
    """Return the violations in `objects` (by source), those of the allow-list's sections themselves included."""
    violations = []
    ours = set().union(*(symbols.defined for symbols in objects.values()))
    for source, symbols in sorted(objects.items()):
        may = ours | allowed.get("*", set()) | allowed.get(source, set())
        violations += [f"{source}: takes {name} from outside" for name in sorted(symbols.undefined - may)]
        if source.startswith(ISA_FOLDERS):
            violations += [f"{source}: leaves {name} to the linker to merge" for name in sorted(symbols.merged)]
    for source in sorted(allowed.keys() - objects.keys() - {"*"}):
        violations.append(f"{source}: in the allow-list, but there is no such object")
    return violations


def main() -> int:
    """Check the objects named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--allow", type=Path, required=True)
    parser.add_argument("objects", type=Path, nargs="+")
    arguments = parser.parse_args()
    objects = {}
    for path in arguments.objects:
        source = source_of(path.as_posix())
        if source is None:
            print(f"check_symbols: {path} is not an object of src/", file=sys.stderr)
            return 2
        objects[source] = read_symbols(arguments.nm, path)
    for folder in FOLDERS:
        if not any(source.startswith(folder) for source in objects):
            print(f"check_symbols: no object of {folder}", file=sys.stderr)
            return 2
    violations = check(objects, read_allowed(arguments.allow.read_text(encoding="utf-8")))
    for violation in violations:
        print(violation)
    print(f"check_symbols: {len(objects)} objects, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
