#!/usr/bin/env python3
"""Checks the direction of every import between the rooms of python/gapless, and that named modules are there.

Usage: check_rooms.py REPOSITORY_ROOT. Prints one line per violation; exits 1 if there is one, 2 if it read no file.
An import inside a function counts like one at the top. Modules are named in texts too (`python -m gapless.cli.manual`
in a script, a page, or a string): each must exist. Needs nothing but the Python standard library.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from arrows import closure, main

PACKAGE = "python/gapless"
# A room may import what it points at, and whatever those may import in turn; "" is the package's root.
ARROWS: dict[str, tuple[str, ...]] = {
    "picture": (),
    "": ("picture",),
    "mpi": ("",),
    "channel": ("",),
    "launch": ("",),
    "doctor": ("launch",),
    "targets": ("doctor",),
    "lab/layouts": ("",),
    "lab": ("targets", "lab/layouts"),
    "lab/report": ("lab",),
    "lab/apps": ("lab/report",),
    "lab/applications": ("lab/report",),
    "lab/ways": ("lab/report",),
    "lab/schemes": ("lab/ways",),
    "lab/vector": ("lab/ways",),
    "lab/adaptive": ("lab/ways", "lab/apps"),
    "lab/fabric": ("lab/adaptive",),
    "lab/creation": ("lab/ways",),
    "lab/alltoall": ("lab/ways",),
    "lab/advice": ("lab/ways", "lab/apps"),
    "bench": ("lab/report",),
    "bench/programs/ranks": (),
    "bench/programs": ("bench",),
    "tune": ("lab",),
    "profile": ("lab",),
    "cli": (
        "bench/programs",
        "tune",
        "profile",
        "lab/apps",
        "lab/applications",
        "lab/schemes",
        "lab/vector",
        "lab/adaptive",
        "lab/fabric",
        "lab/creation",
        "lab/alltoall",
        "lab/advice",
    ),
}
# At the root stands what `import gapless` offers, and what that or every room needs.
ROOT = {
    "__init__", "__main__", "arrays", "basic_types", "build_mpi4py", "compiled", "constructors", "datatype",
    "decode_mpi4py", "deferred_signals", "display", "engine", "errors", "extension", "notation", "paths",
}  # fmt: skip
ENTRANCE = f"{PACKAGE}/__main__.py"  # the command's, though it stands at the root

TEXTS = ("README.md", "Makefile", "pyproject.toml", "cmake", "docs", "python", "src", "tests", "tools")
TEXT_SUFFIXES = {"", ".cmake", ".ipynb", ".md", ".py", ".rules", ".sh", ".toml", ".txt"}
NOT_READ = ("docs/results", "tests/structure")  # stored output; texts that are wrong on purpose
NAMED = re.compile(r"(?:\bfrom |\bimport |-m[\s\"',]+)(gapless(?:\.\w+)+)|\"(gapless(?:\.\w+)+):\w+\"")


def title(room: str) -> str:
    """Return how a room is called in a message."""
    return room or "the root"


def room_of(path: str) -> str | None:
    """Return the room of a path below the package, or None if that is no room."""
    if path == ENTRANCE:
        return "cli"
    room = Path(path).parent.relative_to(PACKAGE).as_posix()
    room = "" if room == "." else room
    return room if room in ARROWS else None


def located(root: Path, dotted: str) -> str | None:
    """Return the path of a module or package in the repository, or None if there is none of that name."""
    parts = dotted.split(".")
    base = Path("python", *parts)
    for path in (base / "__init__.py", base.with_suffix(".py"), base.with_suffix(".pyi")):
        if (root / path).is_file():
            return path.as_posix()
    return None


def imports(path: str, tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield the imports of the package: the line, the module, and the name that is taken from it, or ''."""
    own = Path(path).parent.relative_to("python").parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name, "") for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = own[: len(own) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, module, name.name) for name in node.names)


def complaint(root: Path, path: str, module: str, name: str) -> str | None:
    """Return what is wrong with a file of the package importing `module`, or `name` from it, if anything."""
    if module.split(".")[0] != "gapless":
        return None
    target = (located(root, f"{module}.{name}") if name else None) or located(root, module)
    if target is None:
        return f"imports {module}: there is no such module"
    here, there = room_of(path), room_of(target)
    if here is None or there is None or there in closure(ARROWS, here):
        return None
    return f"imports {target}: {title(here)} may import only {', '.join(map(title, sorted(closure(ARROWS, here))))}"


def package_violations(root: Path) -> tuple[list[str], int]:
    """Return what is wrong with the places and imports of the package's files, and how many there are."""
    violations, files = [], 0
    for file in sorted((root / PACKAGE).rglob("*.py")):
        files += 1
        path = file.relative_to(root).as_posix()
        if room_of(path) is None:
            violations.append(f"{path}:1: not in a room ({', '.join(map(title, ARROWS))})")
        elif file.parent == root / PACKAGE and file.stem not in ROOT:
            violations.append(f"{path}:1: `import gapless` does not offer it: it belongs into a room")
        tree = ast.parse(file.read_text(encoding="utf-8"), path)
        said = {(line, complaint(root, path, module, name)): None for line, module, name in imports(path, tree)}
        violations += [f"{path}:{line}: {wrong}" for line, wrong in said if wrong]
    return violations, files


def text_files(root: Path) -> Iterator[Path]:
    """Yield the files in which a module may be named, those of the package left out that are read as Python."""
    for tree in TEXTS:
        start = root / tree
        for file in [start] if start.is_file() else sorted(start.rglob("*")):
            path = file.relative_to(root).as_posix()
            skipped = any(path.startswith(f"{place}/") for place in NOT_READ) or "__pycache__" in file.parts
            if file.is_file() and file.suffix in TEXT_SUFFIXES and not skipped:
                yield file


def text_violations(root: Path) -> list[str]:
    """Return where a text names a module that is not there."""
    violations = []
    for file in text_files(root):
        path = file.relative_to(root).as_posix()
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            for match in NAMED.finditer(line):
                module = match[1] or match[2]
                # An import in Python's own syntax was judged above.
                if located(root, module) is None and not (path.startswith(PACKAGE) and is_import(line)):
                    violations.append(f"{path}:{number}: names {module}: there is no such module")
    return violations


def is_import(line: str) -> bool:
    """Say whether a line of Python begins with an import."""
    return line.lstrip().startswith(("from ", "import "))


def check(root: Path) -> tuple[list[str], int]:
    """Return the violations below `root`, and the number of the package's files."""
    root = root.resolve()
    violations, files = package_violations(root)
    return violations + text_violations(root), files


if __name__ == "__main__":
    sys.exit(main("check_rooms", __doc__, check))
