#!/usr/bin/env python3
"""Holds what shared libraries export against the lists in exports/, and lists against the headers that declare it.

Usage: exports_test.py --nm NM [--header LIST=HEADER]... LIST=LIBRARY... Exits 1, and says what to do, where they differ.
Needs nothing but the Python standard library.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

LISTS = Path(__file__).resolve().parent / "exports"
DECLARATION = re.compile(r"^GAPLESS(?:_MPI)?_API\s[^;]*?\b(gapless_\w+)\(", re.MULTILINE | re.IGNORECASE)


def listed(file: Path) -> set[str]:
    """Read a list, with those that it includes."""
    names: set[str] = set()
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("include "):
            names |= listed(file.parent / line.removeprefix("include "))
        elif line.startswith("[P]"):
            names |= {line.removeprefix("[P]"), "P" + line.removeprefix("[P]")}
        elif line and not line.startswith("#"):
            names.add(line)
    return names


def exported(nm: str, library: Path) -> set[str]:
    """Return what a library exports, with versions; type A is the name of a version itself."""
    done = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    return {words[-1] for words in map(str.split, done.stdout.splitlines()) if words[-2] != "A"}


def complaints(library: Path, file: Path, found: set[str], wanted: set[str]) -> list[str]:
    """Say what differs, and what to do."""
    lines = [
        f"{library.name} exports {name}, which {file} does not list: add it there if it is meant for users, in a "
        "version of its own if one was released without it (src/capi/exports.map); else hide it"
        for name in sorted(found - wanted)
    ]
    return lines + [
        f"{library.name} lacks {name}, which {file} lists: programs that use it could not start; bring it back, or, in "
        "a version that breaks the ABI on purpose, raise the major version and strike it off"
        for name in sorted(wanted - found)
    ]


def header_complaints(header: Path, file: Path) -> list[str]:
    """Say which functions are declared and not listed, or the other way round."""
    declared = set(DECLARATION.findall(header.read_text(encoding="utf-8")))
    names = {name.split("@")[0] for name in listed(file)}
    return [
        f"{name} is in one of {header} and {file} only: declare with GAPLESS_API or GAPLESS_MPI_API what is exported, and list it"
        for name in sorted(declared ^ names)
    ]


def main() -> int:
    """Run the test; return its exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--header", action="append", default=[], metavar="LIST=HEADER", help="declares all of a list")
    parser.add_argument("pairs", nargs="+", metavar="LIST=LIBRARY")
    given = parser.parse_args()
    pairs = [(LISTS / file, Path(library)) for file, _, library in (pair.partition("=") for pair in given.pairs)]
    wrong: list[str] = []
    count = 0
    for file, library in pairs:
        found = exported(given.nm, library)
        count += len(found)
        wrong += complaints(library, file, found, listed(file))
    for file, _, header in (pair.partition("=") for pair in given.header):
        wrong += header_complaints(Path(header), LISTS / file)
    for line in wrong:
        print(f"exports_test: {line}")
    print(f"exports_test: {count} symbols of {len(pairs)} libraries")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
