"""From a run to points: what each way to send one message took on one library, against an array, and the fastest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np

from gapless.lab.best import Times, held_out
from gapless.lab.interval import LEVEL, Interval, ratio_of
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Row, Run
from gapless.lab.ways.group import PINGPONG
from gapless.lab.ways.settings import OWN, PAPER


@dataclass
class MemberTimes:
    """What the members of a group took on one library.

    Attributes
    ----------
    mpi : str
        The library.
    row : Row
        The first of the group: size, block size, data.
    times : dict
        Member to launch to time of one message or call [ns].
    """

    mpi: str
    row: Row
    times: dict[str, Times]

    def logs(self, member: str, to: str) -> np.ndarray:
        """Return the logarithms of the ratio of two members, by launch."""
        one, other = self.times[member], self.times[to]
        return np.array([log(one[launch] / other[launch]) for launch in sorted(one.keys() & other.keys())])

    def ratio_to(self, member: str, to: str) -> Interval | None:
        """Return how many times as long as another way one takes; None if one was not measured."""
        if member not in self.times or to not in self.times:
            return None
        logs = self.logs(member, to)
        return ratio_of(logs) if len(logs) else None


@dataclass(frozen=True)
class Trace:
    """Messages of one member in one launch, from the first one on.

    Attributes
    ----------
    ns : ndarray
        Of each round trip, with the writing of fresh data [ns].
    ways : pair of str
        How each message of rank 0 was moved, and of its peer: d direct, k kernel, - otherwise.
    """

    ns: np.ndarray
    ways: tuple[str, str]


@dataclass
class Point(MemberTimes):
    """One message on one library.

    Attributes
    ----------
    firsts : dict
        Member to what its first sample took [ns; `share` messages], and, in groups with phases, making its datatype
        for the first time; medians over launches.
    phases : dict
        Member to phase to median over launches [ns].
    cycles : dict
        As `times`, with the writing of the data; empty where they are constant.
    traces : dict
        Member to launch to its messages in order; of a run over time alone.
    """

    firsts: dict[str, dict[str, float]] = field(default_factory=dict)
    phases: dict[str, dict[str, float]] = field(default_factory=dict)
    cycles: dict[str, Times] = field(default_factory=dict)
    traces: dict[str, dict[int, Trace]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The group."""
        return self.row.group

    @property
    def bytes(self) -> int:
        """What is sent [bytes]."""
        return self.row.payload_bytes

    @property
    def block_bytes(self) -> int:
        """Of one block [bytes]."""
        return self.row.A

    @property
    def blocks(self) -> int:
        """How many there are."""
        return self.bytes // self.block_bytes

    @property
    def share(self) -> int:
        """How many messages a sample has."""
        return 2 if self.row.pattern == PINGPONG else 1

    @property
    def launches(self) -> int:
        """The replicates."""
        return len(self.times[CONTIGUOUS_MEMBER])

    def us(self, member: str) -> float:
        """Return the median over launches [us]."""
        return float(np.median(list(self.times[member].values()))) / 1000

    def ratio(self, member: str, to: str = CONTIGUOUS_MEMBER) -> Interval | None:
        """Return how many times as long as another way one takes; None if one was not measured."""
        return self.ratio_to(member, to)


def without_outliers(samples: np.ndarray) -> float:
    """Return the mean of the samples within one standard deviation of their mean: one pass, as the paper has it."""
    if len(samples) < 2:
        return float(samples.mean())
    near = samples[np.abs(samples - samples.mean()) <= samples.std(ddof=1)]
    return float((near if len(near) else samples).mean())


def points_of(run: Run) -> list[Point]:
    """Return the points of all libraries, in the order of the plan."""
    paper = run.environment.get("settings", {}).get("protocol", OWN) == PAPER
    value, share = (without_outliers, 1) if paper else (lambda samples: float(np.median(samples)), 2)
    rows = {row.group: row for row in reversed(run.rows)}
    found = []
    for mpi in run.libraries:
        for group in dict.fromkeys(row.group for row in run.rows):
            times, cycles = (
                _by_member(of.get((mpi, group), {}), lambda samples: value(samples) / share)
                for of in (run.samples, run.cycles)
            )
            if CONTIGUOUS_MEMBER in times:
                firsts = _medians(run.firsts.get((mpi, group), {}))
                phases = _medians(run.phases.get((mpi, group), {}))
                found.append(Point(mpi, rows[group], times, firsts, phases, cycles, _traces(run, mpi, group)))
    return found


def _traces(run: Run, mpi: str, group: str) -> dict[str, dict[int, Trace]]:
    """Return the messages of each member in order, by launch; with the writing of the data where they are fresh."""
    samples, cycles = run.samples.get((mpi, group), {}), run.cycles.get((mpi, group), {})
    found: dict[str, dict[int, Trace]] = {}
    for launch, members in sorted(run.ways.get((mpi, group), {}).items()):
        for member, ways in members.items():
            ns = cycles.get(launch, {}).get(member, samples[launch][member])
            found.setdefault(member, {})[launch] = Trace(ns, ways)
    return found


def _by_member(
    launches: Mapping[int, Mapping[str, np.ndarray]], value: Callable[[np.ndarray], float]
) -> dict[str, Times]:
    """Return the value of each launch's samples, by member."""
    found: dict[str, dict[int, float]] = {}
    for launch, members in sorted(launches.items()):
        for member, samples in members.items():
            found.setdefault(member, {})[launch] = value(samples)
    return dict(found)


def _medians(launches: Mapping[int, Mapping[str, Mapping[str, object]]]) -> dict[str, dict[str, float]]:
    """Return the median over launches of each launch's median, by member and name."""
    found: dict[str, dict[str, list[float]]] = {}
    for members in launches.values():
        for member, values in members.items():
            for name, of in values.items():
                found.setdefault(member, {}).setdefault(name, []).append(float(np.median(np.asarray(of))))
    return {member: {name: float(np.median(of)) for name, of in of.items()} for member, of in found.items()}


@dataclass(frozen=True)
class Fastest:
    """The fastest of several ways to send a message, and how surely.

    Attributes
    ----------
    way : str
        The member that is fastest over all launches.
    decided : bool
        Whether each half of the launches chooses it, and what takes least of the others is proved to take longer.
    second : str or None
        The next one; None if there is no other.
    lead : Interval or None
        How many times as long that takes.
    """

    way: str
    decided: bool
    second: str | None
    lead: Interval | None


def fastest(point: Point, ways: Sequence[str]) -> Fastest | None:
    """Return the fastest of such ways; None if none was measured.

    It is decided if each half of the launches chooses it, so that luck in some of them does not help, and it is proved
    to be faster than each other way, over all launches, at a level that allows for their number (Bonferroni). The
    interval of the lead is the usual one, of 95 %. A way that less than half of the launches have is left out.
    """
    known = common({way: point.times[way] for way in ways if way in point.times})
    if not known:
        return None
    order = sorted(known, key=lambda way: float(np.mean(np.log(list(known[way].values())))))
    if len(order) == 1:
        return Fastest(order[0], True, None, None)
    way, second = order[:2]
    held = held_out(known[way], known)
    agreed = held is not None and set(held.chosen) == {way} and len(held.chosen) == 2
    level = LEVEL / (len(order) - 1)
    leads = {other: point.logs(other, way) for other in order[1:]}
    proved = all((low := ratio_of(logs, level).low) is not None and low > 1 for logs in leads.values())
    return Fastest(way, agreed and proved, second, ratio_of(leads[second]))


def common(times: Mapping[str, Times]) -> dict[str, Times]:
    """Return the launches that all ways have, without ways that less than half of the launches have."""
    most = max((len(of) for of in times.values()), default=0)
    often = {way: of for way, of in times.items() if 2 * len(of) >= most}
    launches = set.intersection(*(set(of) for of in often.values())) if often else set()
    return {way: {launch: of[launch] for launch in launches} for way, of in often.items()} if launches else {}
