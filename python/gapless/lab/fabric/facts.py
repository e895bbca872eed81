"""What a run says beside its times: counters of transfers, packing by itself, and what idle channels hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gapless.lab.fabric.settings import reuse_of
from gapless.lab.results import Line
from gapless.lab.run_file import Run
from gapless.lab.ways.points import Point, points_of


@dataclass(frozen=True)
class Transfers:
    """What one member's samples of one launch did.

    Attributes
    ----------
    trips : int
        Round trips that were timed.
    timed_ns : float
        What they took together.
    uses : list of list of float
        Of each buffer, each of its round trips [ns].
    counters : dict
        Of rank 0's channel.
    """

    launch: int
    trips: int
    timed_ns: float
    uses: list[list[float]]
    counters: dict[str, int]


@dataclass
class Facts:
    """What is known beside the times.

    Attributes
    ----------
    transfers : dict
        (library, group, member) to launches.
    packing : dict
        (library, group) to the medians of packing and unpacking together [ns], of each launch; and the runs.
    peers : list of dict
        Lines of idle channels.
    settings : dict
        Of the run.
    """

    transfers: dict[tuple[str, str, str], list[Transfers]] = field(default_factory=dict)
    packing: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)
    peers: list[Line] = field(default_factory=list)
    settings: Line = field(default_factory=dict)
    charges: dict[str, str] = field(default_factory=dict)

    def pack_ns(self, group: str) -> float | None:
        """Return what packing and unpacking a message take: the median over all launches."""
        values = [one for (_, name), of in self.packing.items() if name == group for one in of]
        return float(np.median(values)) if values else None

    def charge(self, mpi: str) -> tuple[int, int]:
        """Return the stated cost of a registration and of each of its pages [ns]."""
        text = self.charges.get(mpi, "")
        ns, _, page = text.partition(",")
        return (int(ns), int(page or 0)) if text else (0, 0)


def facts_of(runs: Iterable[Run]) -> Facts:
    """Collect what runs say beside their times."""
    found = Facts()
    for run in runs:
        found.settings |= run.environment.get("settings", {})
        for name, of in run.environment.get("libraries", {}).items():
            if of and "charge" in of:
                found.charges[name] = of["charge"]
        for line in run.counts:
            _add(found, line)
    return found


def _add(found: Facts, line: Line) -> None:
    what = line.get("what")
    if what == "peers":
        found.peers.append(line)
    elif what == "packing":
        ns = float(np.median(line["pack"]) + np.median(line["unpack"]))
        found.packing.setdefault((line["mpi"], line["group"]), []).append(ns)
        found.runs[line["group"]] = line["runs"]
    elif what == "transfers":
        of = Transfers(line["launch"], line["trips"], line["timed_ns"], line["uses"], line["counters"] or {})
        found.transfers.setdefault((line["mpi"], line["group"], line["member"]), []).append(of)


def first_to_steady(launches: Sequence[Transfers]) -> float | None:
    """Return how many times as long as a later use of a buffer the first one takes; None if none is used twice."""
    uses = [of for one in launches for of in one.uses if len(of) > 1]
    if not uses:
        return None
    return float(np.median([of[0] for of in uses]) / np.median([ns for of in uses for ns in of[1:]]))


def registration_share(launches: Sequence[Transfers]) -> float | None:
    """Return which part of rank 0's time it spent registering memory, by itself or by the thread beside."""
    timed = sum(one.timed_ns for one in launches)
    return sum(one.counters.get("registration_ns", 0) for one in launches) / timed if timed else None


def total(launches: Sequence[Transfers], counter: str) -> int:
    """Return the sum of a counter."""
    return sum(one.counters.get(counter, 0) for one in launches)


def steady_points(run: Run) -> list[Point]:
    """Return the points of a run; where a buffer is used more than once, what its uses take in the mean.

    That is the median of first uses and, as often as there are others, that of the others: a process that had to wait
    for the processor once does not decide.
    """
    facts, found = facts_of([run]), points_of(run)
    for point in found:
        if reuse_of(point.name) < 2:
            continue
        for way in point.times:
            times = dict(point.times[way])
            for one in facts.transfers.get((point.mpi, point.name, way), []):
                if one.launch in times and one.uses:
                    times[one.launch] = _of_uses(one.uses) / point.share
            point.times[way] = times
    return found


def _of_uses(uses: Sequence[Sequence[float]]) -> float:
    reuse = len(uses[0])
    first = float(np.median([of[0] for of in uses]))
    later = float(np.median([ns for of in uses for ns in of[1:]]))
    return (first + (reuse - 1) * later) / reuse
