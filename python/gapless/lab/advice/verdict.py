"""Which way is the fastest for a datatype on a library: from its own points, and from what size on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gapless.lab.advice.settings import LAYER, NATIVE
from gapless.lab.interval import Interval
from gapless.lab.ways.points import Fastest, Point, fastest


@dataclass(frozen=True)
class Advice:
    """What is said of one library.

    Attributes
    ----------
    mpi : str
        The library.
    point : Point
        The message that was asked for.
    native : Fastest
        The fastest of what a program can do without the layer.
    since : int or None
        The smallest count measured from which on, without a gap up to this one, the same way is the fastest and
        decided; None if it is not decided here.
    to_layer : Interval or None
        How many times as long that takes as the datatype with the layer; None if the layer was not measured.
    with_layer : str
        ``faster`` or ``slower`` with the layer, proved; ``undecided``, or ``not measured``.
    """

    mpi: str
    point: Point
    native: Fastest
    since: int | None
    to_layer: Interval | None
    with_layer: str


def count_of(point: Point) -> int:
    """Return how many of the type a message has: its group is called so."""
    return int(point.name)


def advice_of(points: Sequence[Point], count: int) -> Advice | None:
    """Return the advice for such a count, from the points of one library; None if that was not measured."""
    ordered = sorted(points, key=count_of)
    point = next((point for point in ordered if count_of(point) == count), None)
    native = fastest(point, NATIVE) if point else None
    if point is None or native is None:
        return None
    to_layer = point.ratio(native.way, LAYER)
    return Advice(
        point.mpi, point, native, _since(ordered, point, native) if native.decided else None, to_layer,
        _with_layer(to_layer),
    )  # fmt: skip


def _since(ordered: Sequence[Point], point: Point, native: Fastest) -> int:
    since = count_of(point)
    for before in reversed(ordered[: ordered.index(point)]):
        found = fastest(before, NATIVE)
        if found is None or not found.decided or found.way != native.way:
            break
        since = count_of(before)
    return since


def _with_layer(ratio: Interval | None) -> str:
    if ratio is None:
        return "not measured"
    if ratio.low is not None and ratio.low > 1:
        return "faster"
    return "slower" if ratio.high is not None and ratio.high < 1 else "undecided"
