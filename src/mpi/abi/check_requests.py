#!/usr/bin/env python3
"""Checks that each procedure of an MPI header that mentions a request is wrapped, or listed with a reason.

Usage: check_requests.py PROCEDURES.def NATIVE_REQUESTS.txt PREPROCESSED_HEADER. Prints a line for each procedure that
is neither; exits 1 if there is one, 2 if the header or a table could not be read as such.
"""

from __future__ import annotations

import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

WRAPPED = re.compile(r"^GAPLESS_(?:COUNTED|PLAIN|SERVICE)\((\w+),", re.MULTILINE)
PROTOTYPE = re.compile(r"\b(MPIX?_\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")


def procedures_with_requests(header: str) -> set[str]:
    """Return the names of the functions among whose arguments, or as whose result, there is an MPI_Request."""
    found = set()
    for statement in header.replace("\n", " ").split(";"):
        match = PROTOTYPE.search(statement)
        if match and re.search(r"\bMPI_Request\b", statement) and "typedef" not in statement:
            found.add(match[1])
    return found


def main(procedures: str, native: str, header: str) -> int:
    """Compare a header with the two tables."""
    wrapped = {f"MPI_{name}" for name in WRAPPED.findall(Path(procedures).read_text(encoding="utf-8"))}
    lines = [line for line in Path(native).read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    unexplained = [line for line in lines if len(line.split(None, 1)) != 2]
    if unexplained or not wrapped:
        print(f"{native}: a line without a reason: {unexplained}" if unexplained else f"{procedures}: no procedure")
        return 2
    patterns = [line.split(None, 1)[0] for line in lines]
    found = procedures_with_requests(Path(header).read_text(encoding="utf-8"))
    if "MPI_Wait" not in found:
        print(f"{header}: no MPI header: MPI_Wait is not declared")
        return 2
    missing = sorted(
        name
        for name in found
        if (plain := re.sub(r"_c$", "", name)) not in wrapped and not any(fnmatchcase(plain, p) for p in patterns)
    )
    for name in missing:
        print(f"{name} mentions a request: wrap it (procedures.def), or say why not (native_requests.txt)")
    return 1 if missing else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
