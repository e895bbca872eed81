"""What the adaptive way costs against the best fixed one, chosen on the odd launches and compared on the even ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gapless.lab.adaptive.settings import BUFFERS, DATA, MESSAGE, buffers_of
from gapless.lab.interval import Interval, interval_text, ratio_of
from gapless.lab.run_file import CONTIGUOUS_MEMBER
from gapless.lab.ways.names import FIXED
from gapless.lab.ways.points import Point, common

NATIVE, ADAPTIVE = f"{MESSAGE}:native", f"{MESSAGE}:gapless"
HOST, KERNEL, ENTRIES, DIRECT = FIXED_WAYS = tuple(f"{ADAPTIVE}+{way}" for way in FIXED)
PLACES = {"heap": "in the heap", "window": "in a shared window", "alloc": "in memory of MPI_Alloc_mem"}
# What still counts as equal to the best.
NEAR = 1.05
FEWEST = 3  # launches of an interval that is shown


def short(member: str) -> str:
    """Return what a way of the layer is called where all are.

    Examples
    --------
    >>> short("vector:gapless+host"), short("vector:gapless")
    ('host', 'adaptive')
    """
    return member.partition("+")[2] or "adaptive"


@dataclass(frozen=True)
class View:
    """Points of one kind of data and buffers.

    Attributes
    ----------
    name : str
        Which.
    points : list of Point
        By length and number of blocks. Where the writing of the data counts as well, their times have it.
    """

    name: str
    points: list[Point]


def views(points: Sequence[Point]) -> list[View]:
    """Return the points by buffers and data; those of fresh data also with the writing of them."""
    found = []
    ordered = sorted(points, key=lambda point: (point.block_bytes, point.blocks))
    for buffers in BUFFERS:
        for data in DATA:
            of = [point for point in ordered if point.row.data == data and buffers_of(point.name) == buffers]
            if not of:
                continue
            name = f"{data} data {PLACES[buffers]}"
            found.append(View(name, of))
            written = [replace(point, times=point.cycles) for point in of if CONTIGUOUS_MEMBER in point.cycles]
            if written:
                found.append(View(f"{name}, with writing them", written))
    return found


@dataclass(frozen=True)
class AgainstBest:
    """The adaptive way against a fixed one.

    Attributes
    ----------
    way : str
        The fixed way that takes least in the odd launches.
    ratio : Interval
        How many times as long as that the adaptive one takes in the even launches.
    launches : int
        How many these are.
    """

    way: str
    ratio: Interval
    launches: int

    @property
    def text(self) -> str:
        """The ratio with its interval, which of fewer than three launches says nothing."""
        if self.launches >= FEWEST:
            return interval_text(self.ratio)
        return f"{self.ratio.value:.2f} ({self.launches} launch{'es' if self.launches > 1 else ''})"

    @property
    def near(self) -> bool:
        """Whether it is within 5 %, or faster."""
        return self.ratio.value <= NEAR

    @property
    def slower(self) -> bool:
        """Whether it is proved to take more than that."""
        return self.ratio.low is not None and self.ratio.low > NEAR


def against_best(point: Point, chosen: str = ADAPTIVE, fixed: Sequence[str] = FIXED_WAYS) -> AgainstBest | None:
    """Compare the adaptive way with the best fixed one.

    None if either was not measured in both halves. A way that less than half of the launches have is left out.
    """
    known = common({way: point.times[way] for way in (chosen, *fixed) if way in point.times})
    adaptive = known.pop(chosen, {})
    odd, even = ([launch for launch in sorted(adaptive) if launch % 2 == half] for half in (1, 0))
    if not known or not odd or not even:
        return None
    best = min(known, key=lambda way: sum(np.log(known[way][launch]) for launch in odd))
    logs = np.array([np.log(adaptive[launch] / known[best][launch]) for launch in even])
    return AgainstBest(best, ratio_of(logs), len(even))


def pooled(points: Sequence[Point], one: str, other: str) -> Interval | None:
    """Return how many times as long as another way one takes: the mean over points, launch by launch.

    None if no launch has both in all points that have them anywhere.
    """
    both = [point for point in points if one in point.times and other in point.times]
    launches = set.intersection(*({*p.times[one]} & {*p.times[other]} for p in both)) if both else set()
    if not launches:
        return None
    logs = [
        float(np.mean([np.log(point.times[one][launch] / point.times[other][launch]) for point in both]))
        for launch in sorted(launches)
    ]
    return ratio_of(np.array(logs))


def by_length(points: Sequence[Point]) -> dict[int, list[Point]]:
    """Return the points of each length of a block."""
    lengths = sorted({point.block_bytes for point in points})
    return {length: [point for point in points if point.block_bytes == length] for length in lengths}


@dataclass(frozen=True)
class Overtaking:
    """Where one way overtakes another.

    Attributes
    ----------
    length : int or None
        From blocks of so many bytes on it is faster: proved there, and the contrary of no longer ones. None: nowhere.
    ratio : Interval
        How many times as long as the other it takes there; if nowhere, where it takes least.
    at : int
        The length of which this is.
    """

    length: int | None
    ratio: Interval
    at: int


def overtaking(points: Sequence[Point], one: str, other: str) -> Overtaking | None:
    """Say from which length of a block on one way is faster than another; None if both were measured nowhere."""
    ratios = {
        length: ratio for length, of in by_length(points).items() if (ratio := pooled(of, one, other)) is not None
    }
    if not ratios:
        return None
    found = None
    for length in sorted(ratios, reverse=True):
        ratio = ratios[length]
        if ratio.low is None or ratio.high is None or ratio.low > 1:
            break
        if ratio.high < 1:
            found = length
    at = found if found is not None else min(ratios, key=lambda length: ratios[length].value)
    return Overtaking(found, ratios[at], at)
