#!/usr/bin/env python3
"""Checks the direction of every #include against the flow of docs/architecture.md.

Usage: check_includes.py REPOSITORY_ROOT. Prints one line per violation; exits 1 if there is one, 2 if it read no file.
Needs nothing but the Python standard library, so that it runs before anything is installed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from arrows import closure, main

# A folder of src/ may include what it points at, and whatever those may include in turn. A folder with rooms has only
# what all its rooms may see in itself.
ARROWS: dict[str, tuple[str, ...]] = {
    "base": (),
    "layout": ("base",),
    "notation": ("layout",),
    "normal": ("layout",),
    "serial": ("normal",),
    "kernel": ("base",),
    "plan": ("normal", "kernel"),
    "move": ("plan",),
    "copy": ("move", "serial"),
    "capi": ("copy", "notation", "serial"),
    "wire": ("base",),
    "wire/fabric": ("base",),
    "channel": ("wire/fabric", "wire"),  # libgapless_fabric, which is a user of gapless.h
    "alltoall": ("base",),
    "mpi": ("base",),
    "mpi/abi": ("mpi",),
    "mpi/types": ("mpi/abi", "move"),
    "mpi/staging": ("mpi",),
    "ext": ("mpi/types", "mpi/staging", "copy", "serial", "alltoall"),  # libgapless_mpi
    "preload": (
        "mpi/types",
        "mpi/staging",
    ),  # what the front and the backend know of each other, and the wrappers' declarations
    "preload/policy": ("preload", "wire", "alltoall"),
    "preload/stats": ("preload/policy",),
    "preload/paired": ("preload/stats", "copy", "serial"),
    "preload/transfer": ("preload/paired",),
    "preload/requests": ("preload/transfer",),
    "preload/p2p": ("preload/requests",),
    "preload/collectives": ("preload/requests", "ext"),
    "preload/watch": ("preload/paired", "notation"),
    "preload/world": ("preload/requests", "preload/watch", "ext"),
    "preload/interpose": ("preload/stats",),
}
MPI_HEADERS = {"mpi.h", "mpi_abi.h", "mpi_proto.h"}
MPI_PLACES = (
    "src/mpi", "src/ext", "src/preload", "lab", "examples", "bench", "tests/conformance", "tests/ext", "tests/lab",
    "tests/mpi", "tests/preload", "tests/python", "include/gapless/gapless_mpi.h",
)  # fmt: skip
INTRINSICS = re.compile(r"(\w*intrin|arm_neon|arm_sve|arm_acle)\.h")
INTRINSICS_PLACES = ("src/kernel",)
FABRIC = re.compile(r"rdma/.*|sodium\.h")
FABRIC_PLACES = ("src/wire/fabric", "tests/channel")
# The oracle must not learn from the code it judges.
ORACLE = "tests/support"
ORACLE_SEES = {"layout", "base"}
# Of the tests, the lab may see the oracle alone, and only the program that proves type maps before it times them.
ORACLE_HEADER = "tests/support/oracle.hpp"
ORACLE_USERS = ("lab/exchange",)

SOURCE_TREES = ("include", "src", "python", "lab", "examples", "bench", "tests")
SUFFIXES = {".h", ".hh", ".hpp", ".inc", ".ipp", ".def", ".c", ".cc", ".cpp", ".cxx", ".s", ".S"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def room_of(path: str) -> str | None:
    """Return the folder of ARROWS that the file src/`path` belongs to, the innermost one, or None."""
    folders = [folder for folder in ARROWS if path.startswith(folder + "/")]
    return max(folders, key=len) if folders else None


def inside(path: str, places: tuple[str, ...]) -> bool:
    """Say whether `path` is one of `places` or lies below one."""
    return any(path == place or path.startswith(place + "/") for place in places)


def resolve(root: Path, file: Path, quoted: bool, name: str) -> str | None:
    """Return the repository path that an include means, or None for a header from elsewhere.

    The compiler's order: beside the including file (quoted form only), then src/, include/ and tests/. A path that
    names a folder of src/ counts even if the file does not exist (it may be generated).
    """
    candidates = [file.parent / name] if quoted else []
    candidates += [root / "src" / name, root / "include" / name, root / "tests" / name]
    for candidate in candidates:
        if candidate.is_file():
            found = candidate.resolve()
            return found.relative_to(root).as_posix() if found.is_relative_to(root) else None
    return f"src/{name}" if room_of(name) else None


def complaint(path: str, target: str | None, name: str) -> str | None:
    """Return what is wrong with the file `path` including `name` (which is `target` in the repository), if anything."""
    header = name.rsplit("/", 1)[-1]
    if target is None and header in MPI_HEADERS and not inside(path, MPI_PLACES):
        return "MPI's headers belong only into " + ", ".join(MPI_PLACES)
    if target is None and FABRIC.fullmatch(name) and not inside(path, FABRIC_PLACES):
        return "the headers of libfabric and libsodium belong only into " + ", ".join(FABRIC_PLACES)
    if target is None and INTRINSICS.fullmatch(header) and not inside(path, INTRINSICS_PLACES):
        return "intrinsics belong only into " + ", ".join(INTRINSICS_PLACES)
    if target is None:
        return None
    here, there = path.split("/"), target.split("/")
    if here[0] == "src":
        if there[0] == "tests":
            return "src/ must not know the tests"
        room = room_of(path.removeprefix("src/")) or ""
        if there[0] == "src" and room_of(target.removeprefix("src/")) not in closure(ARROWS, room):
            return f"{room} may include only {', '.join(sorted(closure(ARROWS, room)))}"
    if here[0] == "python" and there[0] not in ("include", "python"):
        return "the Python extension sees the engine's C interface alone"
    if here[0] == "include" and there[0] != "include":
        return "public headers must stand alone"
    if inside(path, (ORACLE,)) and not inside(target, (ORACLE,)) and (there[0] != "src" or there[1] not in ORACLE_SEES):
        return f"{ORACLE} may see nothing but {', '.join(sorted(ORACLE_SEES))}"
    proves = target == ORACLE_HEADER and inside(path, ORACLE_USERS)
    if here[0] in ("lab", "examples", "bench") and there[0] == "tests" and not proves:
        return f"{here[0]} must not know the tests"
    return None


def check(root: Path) -> tuple[list[str], int]:
    """Return the violations below `root`, and the number of files read."""
    root = root.resolve()
    violations, files = [], 0
    for tree in SOURCE_TREES:
        for file in sorted((root / tree).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            files += 1
            path = file.relative_to(root).as_posix()
            if path.startswith("src/") and not room_of(path.removeprefix("src/")):
                violations.append(f"{path}:1: not in a folder of the flow ({', '.join(ARROWS)})")
                continue
            for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if match := INCLUDE.match(line):
                    name = match[2]
                    wrong = complaint(path, resolve(root, file, match[1] == '"', name), name)
                    if wrong:
                        violations.append(f"{path}:{number}: includes {name}: {wrong}")
    return violations, files


if __name__ == "__main__":
    sys.exit(main("check_includes", __doc__, check))
