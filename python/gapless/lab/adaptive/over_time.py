"""Messages from the first one on: what first uses cost, from when on the layer has paid, which way was taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gapless.display import bytes_text, headline
from gapless.lab.adaptive.chosen import ADAPTIVE, FIXED_WAYS, NATIVE, PLACES, short
from gapless.lab.adaptive.kernels import is_kernel
from gapless.lab.adaptive.settings import buffers_of
from gapless.lab.interval import Interval, interval_text, ratio_of
from gapless.lab.report.plots import NARROWEST, Figure, Plot
from gapless.lab.report.texts import us_text
from gapless.lab.run_file import CONTIGUOUS_MEMBER
from gapless.lab.ways.names import COLOURS, role, way_text
from gapless.lab.ways.points import Point
from gapless.lab.ways.report import Told, by_library

# The letters of a trace, and what they mean under the layer.
LETTERS = {"-": "host", "k": "kernel", "d": "direct"}
# Numbers of messages after which is summed up, and between which ways are counted.
SUMS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
# Messages are steady when the median of a few in a row is at most so many times that of the last quarter.
STEADY, FEW = 1.1, 5
# The share of messages beyond which a way is named.
MOST = 0.5
COLUMNS = (
    "library", "group", "way", "bytes", "block_bytes", "blocks", "data", "launches", "messages", "us", "to_native",
    "ci_low", "ci_high", *LETTERS.values(),
)  # fmt: skip


@dataclass(frozen=True)
class Course:
    """What the messages of one member took, from the first one on.

    Attributes
    ----------
    us : ndarray
        Half of each round trip, with the writing of fresh data; medians over launches [us].
    shares : dict
        Way to the share of messages that took it, by number of the message; of the adaptive member alone.
    """

    us: np.ndarray
    shares: Mapping[str, np.ndarray]

    @property
    def steady_us(self) -> float:
        """The median of the last quarter [us]."""
        return float(np.median(self.us[-max(1, len(self.us) // 4) :]))

    @property
    def settled(self) -> int:
        """From which message on they are steady, the first one being 1."""
        for at in range(len(self.us) - FEW + 1):
            if np.median(self.us[at : at + FEW]) <= STEADY * self.steady_us:
                # The first ones of the few may still be longer.
                return at + 1 + int(np.argmax(self.us[at : at + FEW] <= STEADY * self.steady_us))
        return len(self.us)


def course_of(point: Point, member: str) -> Course | None:
    """Return what a member's messages took; None if it was not traced."""
    launches = list(point.traces.get(member, {}).values())
    if not launches:
        return None
    number = min(len(trace.ns) for trace in launches)
    us = np.median([trace.ns[:number] for trace in launches], axis=0) / point.share / 1000
    taken = np.array([list(way[:number]) for trace in launches for way in trace.ways])
    return Course(us, {name: np.mean(taken == letter, axis=0) for letter, name in LETTERS.items()})


def _ratios(point: Point, member: str, to: str) -> np.ndarray:
    """Return what the first 1, 2, ... messages of a member take together, to those of another one [log]: by launch."""
    one, other = point.traces.get(member, {}), point.traces.get(to, {})
    launches = sorted(one.keys() & other.keys())
    if not launches:
        return np.empty((0, 0))
    number = min(min(len(one[launch].ns), len(other[launch].ns)) for launch in launches)
    sums = [(np.cumsum(one[launch].ns[:number]), np.cumsum(other[launch].ns[:number])) for launch in launches]
    return np.array([np.log(mine / others) for mine, others in sums])


def together(point: Point, number: int, member: str = ADAPTIVE, to: str = NATIVE) -> Interval | None:
    """Return what the first messages of a member take together, as a ratio to those of another one."""
    logs = _ratios(point, member, to)
    return ratio_of(logs[:, number - 1]) if 0 < number <= logs.shape[1] else None


def paid_from(point: Point, member: str = ADAPTIVE, to: str = NATIVE) -> int | None:
    """Return the number of messages from which on those of a member have taken less together; None: not in these."""
    mean = _ratios(point, member, to).mean(axis=0)
    if not len(mean) or mean[-1] > 0:
        return None
    longer = np.flatnonzero(mean > 0)
    return 1 if len(longer) == 0 else int(longer[-1]) + 2


def _name(point: Point) -> str:
    """Say what is sent."""
    what = point.name.partition(",")[0]
    if not is_kernel(point.name):
        what = f"{point.blocks} blocks of {bytes_text(point.block_bytes)}"
    return f"{what}, {point.row.data} data {PLACES[buffers_of(point.name)]}"


def _traced(points: Sequence[Point]) -> Iterator[tuple[Point, Course, Course]]:
    """Yield the points that were traced, with the layer's course and the library's own."""
    for point in points:
        layer, native = course_of(point, ADAPTIVE), course_of(point, NATIVE)
        if layer is not None and native is not None:
            yield point, layer, native


def sentences(points: Sequence[Point]) -> list[str]:
    """Return what is found on one library."""
    told = []
    if not any(_traced(points)):
        return [f"{points[0].mpi}: the layer was not under these programs, so nothing is told of it over time"]
    for point, layer, native in _traced(points):
        number = len(layer.us)
        all_of = together(point, number)
        paid = paid_from(point)
        has_paid = f"has not taken less time than the library within {number} messages"
        if paid is not None:
            since = "from the first one on" if paid == 1 else f"from {paid} messages on"
            has_paid = f"has taken less time than the library {since}"
        last = {way: float(of[-max(1, number // 4) :].mean()) for way, of in layer.shares.items()}
        way, share = max(last.items(), key=lambda item: item[1])
        taken = f"{way} ({share:.0%} of the last quarter)" if share > MOST else "no single way"
        told.append(
            f"{point.mpi}, {_name(point)}: the first message takes {layer.us[0] / layer.steady_us:.1f} times as long "
            f"as later ones (natively {native.us[0] / native.steady_us:.1f}); they are steady from message "
            f"{layer.settled} on, by {taken}; the layer {has_paid}"
            + ("" if all_of is None else f", {number} messages {interval_text(all_of)} of it")
        )
    return told


def _sums(number: int) -> list[int]:
    """Return the numbers of messages after which is summed up, the last one included."""
    return [*(n for n in SUMS if n < number), number]


def tables(points: Sequence[Point]) -> list[Told]:
    """Return for each library what the first messages take together, and which way they went."""
    found = []
    for mpi, of in by_library(points).items():
        traced = list(_traced(of))
        if not traced:
            continue
        sums = _sums(max(len(layer.us) for _, layer, _ in traced))
        costs, taken = [], []
        for point, layer, native in traced:
            name = _name(point)
            shares = [together(point, n) for n in sums]
            paid = paid_from(point)
            costs.append([
                name, bytes_text(point.bytes), us_text(native.us[0]), us_text(native.steady_us), us_text(layer.us[0]),
                us_text(layer.steady_us), str(layer.settled), "-" if paid is None else str(paid),
                *("-" if share is None else f"{share.value:.2f}" for share in shares),
            ])  # fmt: skip
            for way, share in layer.shares.items():
                if share.any():
                    spans = [share[lo:hi] for lo, hi in zip([0, *sums], sums, strict=False)]
                    taken.append([name, way, *("-" if not len(s) else f"{s.mean():.0%}" for s in spans)])
        heads = ["message", "bytes", "native: first µs", "later", "adaptive: first µs", "later", "steady from",
                 "has paid from", *(f"first {n}" for n in sums)]  # fmt: skip
        found.append(
            Told(f"{mpi}: what the first messages take together, as a share of the library's own", heads, costs)
        )
        between = [str(hi) if hi == lo + 1 else f"{lo + 1} to {hi}" for lo, hi in zip([0, *sums], sums, strict=False)]
        found.append(Told(f"{mpi}: the way that adaptive took, by number of the message", ["message", "way", *between],
                          taken))  # fmt: skip
    return found


def rows_of(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return a row for each way and number of first messages.

    What they take together [us], a median over launches, also as a ratio to the library's own with its 95 % interval;
    of the adaptive way also which share of them went which way.
    """
    rows = []
    for point in points:
        for member, launches in point.traces.items():
            course = course_of(point, member)
            if course is None:
                continue
            for n in _sums(len(course.us)):
                ratio = together(point, n, member)
                us = float(np.median([trace.ns[:n].sum() for trace in launches.values()])) / point.share / 1000
                shares = [float(of[:n].mean()) for of in course.shares.values()]
                values = (
                    point.mpi, point.name, way_text(member), point.bytes, point.block_bytes, point.blocks,
                    point.row.data, len(launches), n, us,
                    *((None,) * 3 if ratio is None else (ratio.value, ratio.low, ratio.high)),
                    *(shares if member == ADAPTIVE else (None,) * len(shares)),
                )  # fmt: skip
                rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def plots(points: Sequence[Point], names: Mapping[str, str]) -> list[Plot]:
    """Return a plot for each message: the time of each of its ways over the number of the message."""
    named = list(dict.fromkeys(point.name for point in points if point.traces))
    return [_plot([point for point in points if point.name == name], names) for name in named]


def _plot(points: Sequence[Point], names: Mapping[str, str]) -> Plot:
    libraries = by_library(points)
    x = {"type": "log", "title": {"text": "number of the message, log scale"}, "tickformat": "~s", "dtick": 1}
    y = {"type": "log", "title": {"text": "one message [µs], log scale"}, "tickformat": "~g", "dtick": "D2"}
    figure = Figure([names.get(mpi, mpi) for mpi in libraries], x, y, COLOURS)
    cells = []
    for number, (mpi, (point, *_)) in enumerate(libraries.items()):
        for member in (CONTIGUOUS_MEMBER, NATIVE, *FIXED_WAYS):
            course = course_of(point, member)
            if course is None:
                continue
            at = list(range(1, len(course.us) + 1))
            name = short(member) if member in FIXED_WAYS else way_text(member)
            figure.add(
                number, role(member), name, at, course.us.tolist(),
                [f"{name}, message {n}\n{us_text(us)} µs" for n, us in zip(at, course.us, strict=True)],
                type="scatter", mode="lines", error_y={"visible": False},
                line={"color": COLOURS[role(member)][0], "width": 1},
            )  # fmt: skip
            cells += [[mpi, name, str(n), us_text(us), ""] for n, us in zip(at, course.us, strict=True)]
        adaptive = course_of(point, ADAPTIVE)
        if adaptive is None:
            continue
        for way, share in adaptive.shares.items():
            has = [k for k in range(len(adaptive.us)) if share[k] == max(of[k] for of in adaptive.shares.values())]
            name = f"adaptive, by {way}"
            figure.add(
                number, way, name, [k + 1 for k in has], adaptive.us[has].tolist(),
                [f"adaptive, message {k + 1}: {share[k]:.0%} by {way}\n{us_text(adaptive.us[k])} µs" for k in has],
                type="scatter", mode="markers", error_y={"visible": False},
                marker={"color": COLOURS[way][0], "size": 9, "symbol": "diamond"},
            )  # fmt: skip
            cells += [[mpi, name, str(k + 1), us_text(adaptive.us[k]), f"{share[k]:.0%}"] for k in has]
    columns = ["library", "way", "message", "µs", "share of messages by it"]
    return Plot(headline(_name(points[0])), figure.json(), columns, cells, NARROWEST)
