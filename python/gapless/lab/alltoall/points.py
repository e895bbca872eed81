"""From a run to points: what each way to do one all-to-all took on one library."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gapless.lab.alltoall.filtered import mean_interval, without_long
from gapless.lab.alltoall.names import LIBRARY, LIBRARY_V, member_of
from gapless.lab.alltoall.settings import PAPER
from gapless.lab.interval import Interval, ratio_of
from gapless.lab.run_file import Run
from gapless.lab.ways.points import MemberTimes


@dataclass
class Point(MemberTimes):
    """One all-to-all on one library.

    Attributes
    ----------
    ranks, cores : int
        Processes, and cores that they had, on all hosts.
    means : dict
        By the paper's protocol: member to its mean with the interval over repetitions [ns].
    """

    ranks: int
    cores: int
    means: dict[str, Interval] = field(default_factory=dict)

    @property
    def problem(self) -> str:
        """Return regular, as-irregular or random."""
        return self.row.pattern

    @property
    def bytes(self) -> int:
        """Of a block; where blocks are random, the most [bytes]."""
        return self.row.bytes

    @property
    def is_counted(self) -> bool:
        """Whether times mean anything: each rank had a core."""
        return self.ranks <= self.cores

    @property
    def library(self) -> str:
        """The member that others are compared with."""
        return member_of(LIBRARY if self.problem == "regular" else LIBRARY_V)

    def us(self, member: str) -> Interval:
        """Return the time with its interval [us]: over launches, by the paper's protocol over repetitions."""
        if member in self.means:
            of, scale = self.means[member], 1000.0
            return Interval(of.value / scale, *(None if end is None else end / scale for end in (of.low, of.high)))
        values = np.array(list(self.times[member].values())) / 1000
        of = ratio_of(np.log(values))
        return Interval(float(np.median(values)), of.low, of.high)

    def ratio(self, member: str, to: str) -> Interval | None:
        """Return how many times as long as another way one takes; None if one was not measured."""
        if member in self.means and to in self.means:
            # As the paper judges: intervals that do not overlap differ.
            one, other = self.means[member], self.means[to]
            ends = (one.low, one.high, other.low, other.high)
            if any(end is None or end <= 0 for end in ends):
                return Interval(one.value / other.value, None, None)
            low, high, other_low, other_high = (float(end or 0) for end in ends)
            return Interval(one.value / other.value, low / other_high, high / other_low)
        return self.ratio_to(member, to)


def points_of(run: Run) -> list[Point]:
    """Return the points of all libraries, in the order of the plan."""
    settings = run.environment.get("settings", {})
    paper = settings.get("protocol") == PAPER
    rows = {row.group: row for row in reversed(run.rows)}
    found = []
    for mpi in run.libraries:
        hosts = run.environment.get("libraries", {}).get(mpi, {}).get("hosts") or [""]
        cores = int(run.environment.get("cores") or 1) * len(hosts)
        for group in dict.fromkeys(row.group for row in run.rows):
            times: dict[str, dict[int, float]] = {}
            kept: dict[str, list[np.ndarray]] = {}
            for launch, members in sorted(run.samples.get((mpi, group), {}).items()):
                for member, samples in members.items():
                    if paper:
                        kept.setdefault(member, []).append(without_long(samples))
                    value = kept[member][-1].mean() if paper else np.median(samples)
                    times.setdefault(member, {})[launch] = float(value)
            if times:
                means = {member: mean_interval(np.concatenate(of)) for member, of in kept.items()}
                found.append(Point(mpi, rows[group], dict(times), int(settings.get("ranks", 2)), cores, means))
    return found
