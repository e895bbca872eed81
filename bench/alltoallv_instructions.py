#!/usr/bin/env python3
"""Counts what a call of the irregular all-to-all costs besides waiting, by callgrind.

    bench/alltoallv_instructions.py BUILD RANKS BYTES [ALGORITHM...]

For each algorithm, plain and persistent: instructions of rank 0 per call, all that the call does but for what happens
inside of MPI_Wait, MPI_Sendrecv, MPI_Allreduce and MPI_Alltoallv, where other processes are waited for. The difference
of two runs with different numbers of calls, so that what happens once is left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WAITING = ("PMPI_Wait", "MPI_Wait", "PMPI_Sendrecv", "MPI_Sendrecv", "PMPI_Allreduce", "MPI_Allreduce",
           "PMPI_Alltoallv", "MPI_Alltoallv")  # fmt: skip
CALLS = (20, 60)
ALGORITHMS = ("zero-copy", "two-phase", "padded", "spread-out", "pairwise")
LINE = re.compile(r"^\s*([\d,]+) \(.*?\)\s+(.*)$")


def counted(build: Path, ranks: int, algorithm: str, how: str, size: int, calls: int) -> int:
    """Return the instructions of rank 0 in main that are not waiting."""
    program = [str(build / "bench/alltoallv"), "run", algorithm, how, str(size), str(calls)]
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out"
        grind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *program]
        mpiexec = os.environ.get("MPIEXEC", "mpiexec").split()
        rest = [":", "-n", str(ranks - 1), *program] if ranks > 1 else []
        subprocess.run([*mpiexec, "-n", "1", *grind, *rest], check=True, capture_output=True, timeout=300)
        lines = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", out],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
    inside: dict[str, int] = {}
    for line in lines:
        if match := LINE.match(line):
            name = match[2].rpartition(":")[2].partition(" [")[0].partition("'")[0]
            inside[name] = max(inside.get(name, 0), int(match[1].replace(",", "")))
    top = next(value for name, value in inside.items() if name.startswith("main"))
    waited = {name.removeprefix("P"): inside.get(name, 0) for name in WAITING}
    return top - sum(waited.values())


def per_call(build: Path, ranks: int, algorithm: str, how: str, size: int) -> float:
    """Return the instructions of one call."""
    few, many = (counted(build, ranks, algorithm, how, size, calls) for calls in CALLS)
    return (many - few) / (CALLS[1] - CALLS[0])


def main() -> int:
    """Print a line for each algorithm."""
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    build, ranks, size = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for algorithm in sys.argv[4:] or ALGORITHMS:
        plain, persistent = (per_call(build, ranks, algorithm, how, size) for how in ("plain", "persistent"))
        print(f"{ranks} ranks, {size} bytes, {algorithm:<10}: plain {plain:9.0f}, persistent {persistent:9.0f} "
              f"instructions a call: {plain / persistent:.2f} times")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
