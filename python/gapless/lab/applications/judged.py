"""What launches of applications say: of each program, call and library, which way wins, and how the layer stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gapless.lab.applications.catalogue import CALLS, WAYS
from gapless.lab.better_of import SLOWER, Stand, stands
from gapless.lab.results import Line

TYPES = ("vector", "subarray")
NOT_SLOWER = "not slower"
# How much of a way's time may be lost before the layer is said to be slower.
TOLERANCE = 0.05

# (library, program, ranks, size, weak, call): launch -> way, as "vector" or "vector+layer" -> median exchange [ns]
Place = tuple[str, str, int, str, bool, str]
Times = dict[Place, dict[int, dict[str, float]]]


@dataclass(frozen=True)
class Row:
    """A program and a call on one library and scale; times of an exchange in microseconds, medians over launches.

    Attributes
    ----------
    native_us : dict
        Of each way without the layer.
    layer_us : dict
        Of each way under it; empty where it was not measured.
    best : str
        The way without the layer that is proved faster than both others, or empty.
    native : dict
        Each way without the layer against the fastest of the others.
    layer : dict
        The datatypes under the layer against the best of all ways without it, and by hand under it against by hand.
    """

    library: str
    program: str
    ranks: int
    size: str
    weak: bool
    call: str
    sent_bytes: int
    launches: int
    native_us: dict[str, float]
    layer_us: dict[str, float]
    best: str
    native: dict[str, Stand]
    layer: dict[str, Stand]

    def as_json(self) -> dict[str, Any]:
        """Return the row for scripts; an end of an interval that is not known is null."""
        found = asdict(self)
        for stand in (*found["native"].values(), *found["layer"].values()):
            stand.update({end: stand[end] if np.isfinite(stand[end]) else None for end in ("ci_low", "ci_high")})
        return found


def times_of(lines: Sequence[Line]) -> tuple[Times, dict[Place, int]]:
    """Return the median time of an exchange of each combination in each launch, and the bytes that it sends."""
    times: Times = {}
    sent: dict[Place, int] = {}
    for line in lines:
        if line["kind"] != "application":
            continue
        place = (line["mpi"], line["program"], line["ranks"], line["size"], line["weak"], line["call"])
        way = line["way"] + ("+layer" if line["layer"] else "")
        times.setdefault(place, {}).setdefault(line["launch"], {})[way] = float(np.median(line["exchange_ns"]))
        sent[place] = line["sent_bytes"]
    return times, sent


def _logs(launches: dict[int, dict[str, float]], way: str, others: Sequence[str]) -> np.ndarray:
    """Return the logarithms of a way's time over that of each other: others x launches that have all of them."""
    whole = [of for of in launches.values() if {way, *others} <= of.keys()]
    return np.array([[np.log(of[way] / of[other]) for of in whole] for other in others])


def rows_of(lines: Sequence[Line]) -> list[Row]:
    """Judge every program and call on every library and scale, as one table for each question."""
    times, sent = times_of(lines)
    places = sorted(times, key=lambda place: (place[0], place[1], place[4], place[2], CALLS.index(place[5])))
    wins = _judged(times, places, [(way, [other for other in WAYS if other != way]) for way in WAYS], 0.0)
    under = [(f"{way}+layer", list(WAYS)) for way in TYPES] + [("hand+layer", ["hand"])]
    layer = _judged(times, places, under, TOLERANCE)
    found = []
    for place in places:
        launches = times[place]
        medians = {
            way: float(np.median([of[way] for of in launches.values() if way in of])) / 1000
            for way in sorted({way for of in launches.values() for way in of})
        }
        best = [way for way in WAYS if wins.get((place, way)) and wins[place, way].verdict == NOT_SLOWER]
        found.append(
            Row(
                *place, sent[place], len(launches),
                {way: medians[way] for way in WAYS if way in medians},
                {way: medians[f"{way}+layer"] for way in WAYS if f"{way}+layer" in medians},
                best[0] if len(best) == 1 else "",
                {way: wins[place, way] for way in WAYS if (place, way) in wins},
                {way: layer[place, f"{way}+layer"] for way in WAYS if (place, f"{way}+layer") in layer},
            )
        )  # fmt: skip
    return found


def _judged(
    times: Times, places: Sequence[Place], questions: Sequence[tuple[str, list[str]]], tolerance: float
) -> dict[tuple[Place, str], Stand]:
    asked = [(place, way, _logs(times[place], way, others)) for place in places for way, others in questions]
    asked = [(place, way, logs) for place, way, logs in asked if logs.shape[1] > 0]
    return {
        (place, way): stand
        for (place, way, _), stand in zip(asked, stands([logs for *_, logs in asked], tolerance), strict=True)
    }


@dataclass(frozen=True)
class Answer:
    """What a library's rows say together.

    Attributes
    ----------
    wins : dict
        Way to the number of rows in which it is proved the fastest without the layer; ``undecided`` to the rest.
    dominates, loses : int
        Datatypes under the layer that are proved not slower than the best way without it, and proved slower, of `of`.
    ratio : float or None
        The geometric mean of their times over the best way's.
    """

    library: str
    wins: dict[str, int]
    dominates: int
    loses: int
    of: int
    ratio: float | None


def answers_of(rows: Sequence[Row]) -> list[Answer]:
    """Answer for each library which way wins how often natively, and whether the type under the layer dominates."""
    found = []
    for library in dict.fromkeys(row.library for row in rows):
        mine = [row for row in rows if row.library == library]
        wins = Counter(row.best or "undecided" for row in mine)
        layer = [row.layer[way] for row in mine for way in TYPES if way in row.layer]
        found.append(
            Answer(
                library, {way: wins[way] for way in (*WAYS, "undecided")},
                sum(stand.verdict == NOT_SLOWER for stand in layer), sum(stand.verdict == SLOWER for stand in layer),
                len(layer), float(np.exp(np.mean([np.log(stand.ratio) for stand in layer]))) if layer else None,
            )
        )  # fmt: skip
    return found
