"""The best of several ways, chosen on one half of the launches and compared on the other.

Whoever picks the fastest of several by the samples in which it is then compared picks whichever was lucky there, and
compares too strictly. So the launches are dealt into two halves by turns; each half is compared with the way that was
fastest in the other one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

import numpy as np

from gapless.lab.statistics import Array

Times = Mapping[int, float]  # by launch


@dataclass(frozen=True)
class HeldOut:
    """A way against the best of others.

    Attributes
    ----------
    launches : tuple of int
        Those that have all ways.
    logs : array
        For each of them the logarithm of its ratio to the way chosen in the other half.
    chosen : tuple of str
        What the first half chose, and what the second did; the same where they agree.
    """

    launches: tuple[int, ...]
    logs: Array
    chosen: tuple[str, ...]


def _fastest(launches: list[int], others: Mapping[str, Times]) -> str:
    return min(others, key=lambda way: sum(log(others[way][launch]) for launch in launches))


def held_out(time: Times, others: Mapping[str, Times]) -> HeldOut | None:
    """Compare a way with the best of others; None if no launch has them all.

    A single launch has no other half: it is compared with its own choice, and proves nothing.
    """
    launches = sorted(launch for launch in time if others and all(launch in of for of in others.values()))
    if not launches:
        return None
    halves = launches[::2], launches[1::2]
    chosen = tuple(_fastest(half, others) for half in halves if half)
    logs = {}
    for half, other in zip(halves, chosen[::-1], strict=False):
        logs |= {launch: log(time[launch] / others[other][launch]) for launch in half}
    return HeldOut(tuple(launches), np.array([logs[launch] for launch in launches]), chosen)
