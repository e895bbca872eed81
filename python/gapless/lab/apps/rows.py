"""From a run to rows: what each way to send each exchange took, its overhead, and how the layer stands to the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gapless.lab.apps.plan import HAND, MADE_ANEW, OVERHEAD
from gapless.lab.best import HeldOut, held_out
from gapless.lab.better_of import SLOWER, UNDECIDED, Stand, stands
from gapless.lab.interval import Interval, ratio_of
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Row, Run

GAPLESS = "gapless"
# All ways to send an exchange, and those that a program has without the layer.
WAYS = ("native", "pack", *HAND, GAPLESS, f"native{MADE_ANEW}", GAPLESS + MADE_ANEW)
RIVALS = ("native", "pack", "hand_c")
PHASES = ("create", "commit", "pack", "communicate", "unpack", "free")
# What happens once for a datatype or a buffer, and not once for a message.
ONCE = ("create", "commit", "free")
# Slower than the best by more than this is lost.
LOST_TOLERANCE = 0.05


@dataclass
class AppRow:
    """One test in one size on one library.

    Attributes
    ----------
    mpi, test, case, pattern, data : str
        For example mpich, WRF_x_vec, WRF_x/2x2/vec, pingpong, fresh.
    bytes : int
        What one rank sends [bytes].
    launches : int
        The replicates.
    us : dict
        Way to time [us], one way: half of a round trip; of an all-to-all one call. The median over launches of each
        launch's median. ``contiguous`` is the same bytes as an array.
    overhead : dict
        Way to (t - t_contiguous) / t, which is the paper's (t_pp - t_net) / t_pp.
    phases : dict
        Way to phase to time [us], of one message; creating and freeing happen once for a type or buffer.
    best : Stand or None
        How the layer stands to the best of native datatype, MPI_Pack and loops in C, each half of the launches
        compared with what the other half chose; None without the layer.
    chosen : tuple of str
        What was chosen.
    logs : dict
        Launch to the logarithm of that ratio.
    """

    mpi: str
    test: str
    case: str
    pattern: str
    data: str
    bytes: int
    launches: int
    us: dict[str, float]
    overhead: dict[str, Interval]
    phases: dict[str, dict[str, float]] = field(default_factory=dict)
    best: Stand | None = None
    chosen: tuple[str, ...] = ()
    logs: dict[int, float] = field(default_factory=dict, repr=False)

    @property
    def lost(self) -> bool:
        """Whether the layer is proved to be slower than the best of the other ways by more than the tolerance."""
        return self.best is not None and self.best.verdict == SLOWER

    @property
    def size(self) -> str:
        """The name of the size: ``2x2``."""
        return self.case.split("/")[1]

    def as_json(self) -> dict[str, Any]:
        """Return the row as ``gapless measure apps --json`` prints it."""
        best = None
        if self.best is not None:
            best = {
                "verdict": self.best.verdict, "ratio": self.best.ratio, "ci_low": self.best.ci_low,
                "ci_high": self.best.ci_high if np.isfinite(self.best.ci_high) else None, "chosen": list(self.chosen),
                "lost": self.lost,
            }  # fmt: skip
        return {
            "mpi": self.mpi, "test": self.test, "case": self.case, "pattern": self.pattern, "data": self.data,
            "bytes": self.bytes, "launches": self.launches, "us": self.us,
            "overhead": {way: of.as_json() for way, of in self.overhead.items()},
            "phases_us": self.phases, "layer_to_best": best,
        }  # fmt: skip


def members_of(run: Run, row: Row) -> dict[str, str]:
    """Return the members that send what a row compares: way to member. The loops are the first description's."""
    description = row.compared.partition(":")[0]
    first = next(other for other in run.rows if other.group == row.group).compared.partition(":")[0]
    return {"contiguous": CONTIGUOUS_MEMBER} | {way: f"{first if way in HAND else description}:{way}" for way in WAYS}


def _times(run: Run, mpi: str, row: Row, members: dict[str, str]) -> dict[str, dict[int, float]]:
    """Return, for each way that was measured, the median of each launch [ns], one way."""
    share = 2 if row.pattern == "pingpong" else 1
    launches = run.samples.get((mpi, row.group), {})
    found = {
        way: {number: float(np.median(of[member])) / share for number, of in launches.items() if member in of}
        for way, member in members.items()
    }
    return {way: of for way, of in found.items() if of}


def overhead_of(logs: np.ndarray) -> Interval:
    """Return (t - t_net) / t = 1 - t_net / t from the logarithms of t / t_net of the launches."""
    ratio = ratio_of(logs)
    ends = (None if end is None else 1 - 1 / end for end in (ratio.low, ratio.high))
    return Interval(1 - 1 / ratio.value, *ends)


def _phases(run: Run, mpi: str, row: Row, members: dict[str, str]) -> dict[str, dict[str, float]]:
    share = 2 if row.pattern == "pingpong" else 1
    launches = run.phases.get((mpi, row.group), {})
    found: dict[str, dict[str, float]] = {}
    for way, member in members.items():
        of = [members[member] for members in launches.values() if member in members]
        if of:
            found[way] = {
                phase: float(np.median([np.median(one[phase]) for one in of])) / (1 if phase in ONCE else share) / 1000
                # Runs from before commits were timed by themselves have them in create.
                for phase in PHASES
                if all(phase in one for one in of)
            }
    return found


def _row(run: Run, mpi: str, row: Row) -> tuple[AppRow, HeldOut | None] | None:
    members = members_of(run, row)
    times = _times(run, mpi, row, members)
    net = times.pop("contiguous", None)
    if net is None or "native" not in times:
        return None
    overhead = {}
    for way, of in times.items():
        both = sorted(of.keys() & net.keys())
        if both:
            overhead[way] = overhead_of(np.array([np.log(of[launch] / net[launch]) for launch in both]))
    us = {way: float(np.median(list(of.values()))) / 1000 for way, of in ({"contiguous": net} | times).items()}
    made = AppRow(
        mpi, row.test, row.case, row.pattern, row.data, row.bytes, len(net), us, overhead,
        _phases(run, mpi, row, members),
    )  # fmt: skip
    rivals = {way: times[way] for way in RIVALS if way in times}
    return made, held_out(times.get(GAPLESS, {}), rivals)


def rows_of(run: Run, tolerance: float = LOST_TOLERANCE) -> list[AppRow]:
    """Return the rows of all libraries, in the order of the plan; each library's are judged as a table of its own.

    Parameters
    ----------
    run : Run
        Of `gapless measure apps`.
    tolerance : float
        How much slower than the best the layer may be.
    """
    planned = [row for row in run.rows if row.guideline == OVERHEAD and not row.layer]
    rows: list[AppRow] = []
    for mpi in run.libraries:
        found = [one for one in (_row(run, mpi, row) for row in planned) if one is not None]
        judged = [(row, held) for row, held in found if held is not None]
        for (row, held), stand in zip(judged, stands([held.logs[None] for _, held in judged], tolerance), strict=True):
            row.best, row.chosen = stand, held.chosen
            row.logs = dict(zip(held.launches, held.logs.tolist(), strict=True))
        rows += [row for row, _ in found]
    return rows


@dataclass(frozen=True)
class Summary:
    """What the layer is worth on one library, over all rows or those of a test.

    Attributes
    ----------
    ratio : Interval
        The geometric mean of its time against the best of native datatype, MPI_Pack and loops in C.
    rows, lost, decided : int
        All rows, those proved slower, those proved either way.
    """

    mpi: str
    ratio: Interval
    rows: int
    lost: tuple[str, ...]
    decided: int


def summary(mpi: str, rows: Sequence[AppRow]) -> Summary | None:
    """Return the geometric mean over rows, in the launches that have them all.

    Where fewer than two do, because some refused or failed, it is that of the rows' own means, without an interval.
    """
    judged = [row for row in rows if row.best is not None]
    if not judged:
        return None
    launches = sorted(set.intersection(*(set(row.logs) for row in judged)))
    by_launch = [np.mean([row.logs[launch] for row in judged]) for launch in launches]
    if len(by_launch) < 2:
        by_launch = [np.mean([np.mean(list(row.logs.values())) for row in judged])]
    ratio = ratio_of(np.array(by_launch))
    lost = tuple(row.case for row in judged if row.lost)
    decided = sum(row.best is not None and row.best.verdict != UNDECIDED for row in judged)
    return Summary(mpi, ratio, len(judged), lost, decided)
