"""What the schedules do, counted by libgapless_mpi itself, against what the theorems say of them.

The theorems: a logarithm of rounds for the algorithms of Bruck's family, and at most so many blocks sent; no copies of
blocks for those that are zero-copy; and for ours the least memory that there can be (reference: Träff, Rougier, Hunold,
ICS 2014; of the least number of slots the proof is in docs/alltoall.md).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gapless.errors import MeasurementFailed
from gapless.lab.alltoall.names import BRUCK, ZERO_COPY
from gapless.lab.results import Line

if TYPE_CHECKING:
    from gapless.paths import Build

PROGRAM = "lab/every_alltoall"
# Those of the paper, powers of two and others around them.
PROCESSES = (1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 33, 36, 64, 80, 100, 128, 255, 256, 512, 1000, 1024)
LEAST = "least-slots"


def rounds(processes: int) -> int:
    """Return the logarithm of the processes to the base 2, rounded up.

    Examples
    --------
    >>> [rounds(p) for p in (1, 2, 3, 36, 80, 1024)]
    [0, 1, 2, 6, 7, 10]
    """
    return (processes - 1).bit_length()


def moved(processes: int, k: int) -> int:
    """Return how many blocks have bit k of their distance set: what the k-th round sends."""
    whole, rest = divmod(processes, 2 << k)
    return whole * (1 << k) + max(0, rest - (1 << k))


def least_slots(processes: int) -> int:
    """Return X*(p): the fewest blocks of memory beside the two buffers with which no block is copied.

    Examples
    --------
    >>> [least_slots(p) for p in (6, 13, 16, 36, 64, 80, 100, 1024)]
    [0, 3, 6, 13, 30, 30, 41, 510]
    """
    return max([0, *(moved(processes, k) - -(-processes // (1 << k)) for k in range(1, rounds(processes)))])


@dataclass(frozen=True)
class Checked:
    """A schedule beside what its theorem says; empty: all of it holds."""

    counts: Line
    wrong: tuple[str, ...]


def check(counts: Line) -> Checked:
    """Compare what was counted of one schedule with its theorem."""
    name, p, in_place = counts["algorithm"], counts["processes"], counts["in_place"]
    wrong: list[str] = []

    def want(what: str, holds: bool, says: str) -> None:
        if not holds:
            wrong.append(f"{what} {counts[what]}, but {says}")

    if name in BRUCK:
        q = rounds(p)
        want("rounds", counts["rounds"] == q, f"there are {q}")
        want("messages", counts["messages"] == q, f"there is one in each of {q} rounds")
        most = q * (p // 2)
        want("blocks_sent", counts["blocks_sent"] <= most, f"at most {most}")
    elif name in ("pairwise", "spread-out"):
        want("messages", counts["messages"] == p - 1, f"there is one for each of {p - 1} others")
        want("blocks_sent", counts["blocks_sent"] == p - 1, f"each of {p - 1} is sent once")
    if not in_place and name in (*ZERO_COPY, "pairwise", "spread-out"):
        want("blocks_copied", counts["blocks_copied"] == 0, "none is copied")
    if not in_place and name == LEAST:
        want("slots", counts["slots"] == least_slots(p), f"the least number is {least_slots(p)}")
        bound = max(0, p // 2 - 2)
        want("slots", counts["slots"] <= bound, f"at most {bound}")
    return Checked(counts, tuple(wrong))


def counted(build: Build, processes: Sequence[int] = PROCESSES) -> list[Line]:
    """Return what the program counts, a line for each algorithm, number of processes, and for MPI_IN_PLACE."""
    command = [str(build.program(PROGRAM)), "--count", ",".join(map(str, processes))]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | dict(getattr(build, "settings", {}))
    )
    if answer.returncode:
        raise MeasurementFailed(f"'{' '.join(command)[:80]}' failed ({answer.stderr.strip()[:200]})", "run it by hand")
    return [json.loads(row) for row in answer.stdout.splitlines()]


HEADS = ("algorithm", "processes", "rounds", "messages", "blocks sent", "blocks copied", "slots", "theorem")


def table_of(lines: Iterable[Line], in_place: bool = False) -> list[list[str]]:
    """Return the cells of a table: what was counted, and whether the theorem holds."""
    cells = []
    for line in lines:
        if line["in_place"] is not in_place:
            continue
        wrong = check(line).wrong
        numbers = (line[name] for name in ("rounds", "messages", "blocks_sent", "blocks_copied", "slots"))
        cells.append(
            [line["algorithm"], str(line["processes"]), *map(str, numbers), "; ".join(wrong) if wrong else "holds"]
        )
    return cells


def sentence(lines: Sequence[Line]) -> str:
    """Say in one sentence whether all theorems hold."""
    wrong = [checked for checked in map(check, lines) if checked.wrong]
    processes = sorted({line["processes"] for line in lines})
    if not wrong:
        return (
            f"counted for {len(processes)} numbers of processes up to {processes[-1]}: every theorem on rounds, "
            "messages, blocks sent, copies and slots holds"
        )
    first = wrong[0]
    return (
        f"{len(wrong)} of {len(lines)} schedules are not as their theorem says: {first.counts['algorithm']} of "
        f"{first.counts['processes']} processes: {first.wrong[0]}"
    )
