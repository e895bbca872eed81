"""Advice from stored runs: what the messages nearest in size and length of their runs took on the same library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot, log2

import numpy as np

import gapless
from gapless.lab.advice.settings import LAYER, NATIVE, TYPE, run_bytes
from gapless.lab.apps.cases import all_cases
from gapless.lab.experiment import EXPERIMENTS
from gapless.lab.report.kinds import experiment_of
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Run
from gapless.lab.ways.names import parts
from gapless.lab.ways.points import Point, points_of

# Experiments whose messages are received as they are sent, as an advice's are, in all ways without the layer.
KNOWN = tuple(name for name in EXPERIMENTS if name in ("apps", "vector", "advice"))
NEIGHBOURS = 4
# Nearer than this in doublings of size and of run length, or nothing is said: libraries change their ways within a
# doubling, and what farther messages say is wrong too often (tools/advice_holds.py).
FARTHEST = 0.15
# What the nearest say must be as clear: the next best way takes so many times as long in each of them.
CLEAR = 1.1
METHOD_OF = {"native": NATIVE[0], "pack": NATIVE[1], "hand_c": NATIVE[2], "manual": NATIVE[2], "gapless": LAYER}


@dataclass(frozen=True)
class Known:
    """One stored message on one library.

    Attributes
    ----------
    mpi, name : str
        The library, and the message: what is left out together when predictions are tried.
    bytes, run : int
        Its size, and the average length of its runs [bytes].
    point : Point
        Its times, under the names of an advice's members.
    """

    mpi: str
    name: str
    bytes: int
    run: int
    point: Point

    def distance(self, size: int, run: int) -> float:
        """Return how far it is from another message, in doublings."""
        return hypot(log2(self.bytes / size), log2(self.run / run))


def known_of(run: Run) -> list[Known]:
    """Return the stored messages that say something of datatypes which are received as they are sent."""
    experiment = experiment_of(run)
    asked = run.environment.get("asked", {})
    # Messages between nodes, or above a raised limit, are others.
    if experiment not in KNOWN or run.environment.get("two_nodes") or asked.get("eager"):
        return []
    found = []
    for point in points_of(run):
        for message, renamed in _described(point):
            length = _run_length(experiment, point, message)
            if length and all(way in renamed.times for way in NATIVE):
                found.append(Known(point.mpi, f"{point.name}/{message}", point.bytes, length, renamed))
    return found


def _described(point: Point) -> Iterable[tuple[str, Point]]:
    """Yield each datatype of a group with its ways, under the names that an advice has for them."""
    hand = {way: times for way, times in point.times.items() if parts(way)[1] in ("hand_c", "manual")}
    for message in dict.fromkeys(parts(way)[0] for way in point.times if parts(way)[1] == "native"):
        if f"{message}:native" == CONTIGUOUS_MEMBER:
            continue
        times = {CONTIGUOUS_MEMBER: point.times[CONTIGUOUS_MEMBER]}
        for way, of in point.times.items():
            name, method, suffix = parts(way)
            if name == message and not suffix and method in METHOD_OF:
                times[METHOD_OF[method]] = of
        if hand:
            times.setdefault(f"{TYPE}:manual", next(iter(hand.values())))
        yield message, Point(point.mpi, point.row, times)


def _run_length(experiment: str, point: Point, message: str) -> int:
    if (point.row.data, point.row.cache) != ("fresh", "warm"):
        return 0
    if point.row.A:
        return point.row.A
    if experiment != "apps" or point.row.pattern != "pingpong":
        return 0
    case = next((case for case in all_cases() if case.name == point.name), None)
    if case is None or message not in case.descriptions:
        return 0
    described = case.descriptions[message]
    received = described.more.get("receive")
    if received is not None and received["type"] != described.type:
        return 0
    return run_bytes(gapless.Datatype(described.type), described.count)


@dataclass(frozen=True)
class Prediction:
    """What stored messages say of another one.

    Attributes
    ----------
    way : str or None
        The fastest way without the layer; None if they are too far, or do not agree clearly.
    ratios : dict
        Way to the ratio to an array that is expected.
    neighbours : sequence of Known
        Who says so, the nearest first.
    """

    way: str | None
    ratios: dict[str, float]
    neighbours: Sequence[Known]


def predict(stored: Sequence[Known], mpi: str, size: int, run: int) -> Prediction:
    """Return the advice for a message of so many bytes in runs of such a length on a library."""
    near = sorted((one for one in stored if one.mpi == mpi), key=lambda one: one.distance(size, run))[:NEIGHBOURS]
    near = [one for one in near if one.distance(size, run) <= FARTHEST]
    if not near:
        return Prediction(None, {}, [])
    weights = np.array([1 / (0.1 + one.distance(size, run)) for one in near])
    ratios = {}
    for way in (*NATIVE, LAYER):
        if all(way in one.point.times for one in near):
            logs = [float(one.point.logs(way, CONTIGUOUS_MEMBER).mean()) for one in near]
            ratios[way] = float(np.exp(np.average(logs, weights=weights)))
    ways = [way for way in NATIVE if way in ratios]
    if len(ways) < len(NATIVE):
        return Prediction(None, ratios, near)
    best = min(ways, key=ratios.__getitem__)
    return Prediction(best if all(_clear(one.point, best) for one in near) else None, ratios, near)


def _clear(point: Point, best: str) -> bool:
    return all(float(point.logs(way, best).mean()) > np.log(CLEAR) for way in NATIVE if way != best)
