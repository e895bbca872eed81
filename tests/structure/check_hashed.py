#!/usr/bin/env python3
"""Checks that the build's agreement hash covers every source of the backends.

Usage: check_hashed.py SOURCE_ROOT BINARY_ROOT HASHED_SOURCES OBJECTS. Processes change collective calls only where all
have the same layer, which they compare by a hash of its sources (src/preload/CMakeLists.txt). HASHED_SOURCES lists
what it is made of; OBJECTS what the backends are linked of, one path a line. Each object's source, and all that it
includes from FOLDERS, must be hashed. Exits 1 if one is not, 2 if there was nothing to check.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
OBJECT = re.compile(r"(.*)/CMakeFiles/[^/]+\.dir/(.+)\.o")
FOLDERS = ("src/preload/", "src/mpi/", "src/ext/", "src/alltoall/")


def sources_of(root: Path, binary: Path, built: Path) -> set[Path]:
    """Return the sources that CMake compiles into the object `built`: one, or those of a unit."""
    match = OBJECT.fullmatch(built.relative_to(binary).as_posix())
    if match is None:
        raise SystemExit(f"check_hashed: {built} is no object of this build")
    if match[2].startswith("Unity/"):
        return {Path(name) for name in INCLUDE.findall(built.with_suffix("").read_text())}
    return {root / match[1] / match[2]}


def included(root: Path, source: Path) -> set[Path]:
    """Return what a file includes from FOLDERS; instead of what the build makes there, what that is made of."""
    found = set()
    for name in INCLUDE.findall(source.read_text()):
        path = root / "src" / name
        if not f"src/{name}".startswith(FOLDERS):
            continue
        if path.is_file():
            found.add(path)
        else:
            found.update(list(path.parent.glob(f"{path.stem}.rules")) or [path])
    return found


def missing(root: Path, sources: set[Path], hashed: set[Path]) -> tuple[list[str], int]:
    """Return the paths that should be hashed and are not, and how many were checked."""
    reached: set[Path] = set()
    ahead = set(sources)
    while ahead:
        source = ahead.pop()
        reached.add(source)
        if source.is_file():
            ahead |= included(root, source) - reached
    needed = {path for path in reached if path.relative_to(root).as_posix().startswith(FOLDERS)}
    return sorted(path.relative_to(root).as_posix() for path in needed - hashed), len(needed)


def main() -> int:
    """Check the build named on the command line."""
    if len(sys.argv) != 5:
        print(__doc__, file=sys.stderr)
        return 2
    root, binary = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    hashed = {Path(line) for line in Path(sys.argv[3]).read_text().split("\n") if line}
    objects = {Path(line) for line in Path(sys.argv[4]).read_text().split("\n") if line}
    # Headers of the standard library, compiled once; jumps (ext/mpi_calls.S), which decide nothing.
    objects = {built for built in objects if not built.name.startswith("cmake_pch.") and built.suffix != ".S"}
    left_out, checked = missing(root, set().union(*(sources_of(root, binary, built) for built in objects)), hashed)
    for path in left_out:
        print(f"{path}: is part of a backend, and not of the hash on which processes agree")
    print(f"check_hashed: {checked} sources and headers, {len(left_out)} not hashed")
    return 2 if checked == 0 else 1 if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
