"""What making a type costs by constructor and size, natively and with the layer, and how many messages pay for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf

from gapless.lab.report.plots import Plot
from gapless.lab.report.texts import us_text
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Run
from gapless.lab.ways.curves import curves, members_of, messages_of
from gapless.lab.ways.names import parts, way_text
from gapless.lab.ways.points import Point
from gapless.lab.ways.report import Story, Told, WaysReport, by_library

ONCE = ("create", "commit", "free")
SAID = {
    "never": "a vector is not faster than copying by hand, however often it is sent",
    "not decided": "whether a vector beats copying by hand is not decided",
}
FROM = "a vector beats copying by hand from message {} on"


@dataclass(frozen=True)
class Pays:
    """From how many messages on a type beats packing by hand.

    Attributes
    ----------
    messages : float
        What making and freeing it takes, over what each message saves; infinite if it saves nothing.
    low, high : float
        The same by the ends of the 95 % interval of the ratio of the two messages; 0 and infinite after one launch.
    """

    messages: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The number, ``never``, or ``not decided``."""
        if self.low == inf:
            return "never"
        if self.high == inf:
            return "not decided"
        low, high = (max(1, ceil(end)) for end in (self.low, self.high))
        return f"{max(1, ceil(self.messages))}" if low == high else f"{max(1, ceil(self.messages))} ({low} - {high})"


def by_hand(point: Point) -> str | None:
    """Return the member that packs by hand."""
    return next((member for member in point.times if parts(member)[1] == "hand_c"), None)


def once_ns(point: Point, member: str) -> float | None:
    """Return what constructing, committing and freeing a type takes [ns]."""
    of = point.phases.get(member, {})
    return sum(of[name] for name in ONCE) if all(name in of for name in ONCE) else None


def pays(point: Point, member: str) -> Pays | None:
    """Return from how many messages on the type of a member beats packing by hand; None if one was not measured."""
    hand = by_hand(point)
    once = once_ns(point, member)
    ratio = point.ratio(member, hand) if hand else None
    if hand is None or once is None or ratio is None:
        return None
    hand_ns = point.us(hand) * 1000

    def messages(of: float) -> float:
        return inf if of >= 1 else once / (hand_ns * (1 - of))

    if ratio.low is None or ratio.high is None:
        return Pays(messages(ratio.value), 0, inf)
    return Pays(messages(ratio.value), messages(ratio.low), messages(ratio.high))


def _typed(points: Sequence[Point]) -> list[str]:
    return [m for m in members_of(points) if m != CONTIGUOUS_MEMBER and parts(m)[1] in ("native", "gapless")]


def sentences(points: Sequence[Point]) -> list[str]:
    """Return what is found on one library."""
    mpi, told = points[0].mpi, []
    for point in points:
        typed = _typed([point])
        for method, name in (("native", "natively"), ("gapless", "with Gapless")):
            costs = {m: cost for m in typed if parts(m)[1] == method and (cost := once_ns(point, m)) is not None}
            if not costs:
                continue
            cheapest, dearest = min(costs, key=costs.__getitem__), max(costs, key=costs.__getitem__)
            told.append(
                f"{mpi}, {point.blocks} blocks, {name}: making, committing and freeing takes "
                f"{us_text(costs[cheapest] / 1000)} µs ({parts(cheapest)[0]}) to {us_text(costs[dearest] / 1000)} µs "
                f"({parts(dearest)[0]})"
            )
        found = {m: pays(point, m) for m in typed}
        for method, name in (("native", "natively"), ("gapless", "with Gapless")):
            of = [one for m, one in found.items() if one is not None and parts(m) == ("vector", method, "")]
            if of:
                told.append(f"{mpi}, {point.blocks} blocks, {name}: {SAID.get(of[0].text, FROM.format(of[0].text))}")
    return told


def tables(points: Sequence[Point]) -> list[Told]:
    """Return what each constructor costs on each library, again and for the first time, and when it pays."""
    found = []
    for mpi, of in by_library(points).items():
        cells = []
        for point in of:
            for member in _typed([point]):
                again, first = point.phases.get(member, {}), point.firsts.get(member, {})
                use = pays(point, member)
                cells.append([
                    str(point.blocks), way_text(member),
                    *(us_text(again[name] / 1000) if name in again else "-" for name in ONCE),
                    *(us_text(first[name] / 1000) if name in first else "-" for name in ONCE),
                    us_text(point.us(member)), "-" if use is None else use.text,
                ])  # fmt: skip
        found.append(Told(
            f"{mpi}: what making a type takes [µs]",
            ["blocks", "type", *ONCE, *(f"first {name}" for name in ONCE), "message", "pays from"], cells,
        ))  # fmt: skip
    return found


def plots(points: Sequence[Point], names: dict[str, str], runs: Sequence[Run]) -> list[Plot]:
    """Return what making a type takes over its number of blocks, for each constructor."""

    def once_us(point: Point, member: str) -> float | None:
        cost = once_ns(point, member)
        return None if not cost else cost / 1000

    def blocks(point: Point) -> float:
        return point.blocks

    members = _typed(points)
    return [
        curves(f"{message}: constructing, committing and freeing", points, names, once_us, "µs", blocks, "blocks",
               [member for member in members if parts(member)[0] == message])
        for message in messages_of(members)
    ]  # fmt: skip


STORY = Story(
    "What making a datatype costs",
    "Every second double of an array, described by each constructor: constructing, committing and freeing it, and"
    " sending it.",
    "Each number of blocks is a group. The constructors' calls, the commit and the free are timed one by one, "
    "without what makes their arguments ready; “first” is the first time in a group, without the layer and with"
    " it. A type pays from so many messages on: what making and freeing it takes, over what each message saves "
    "against copying by hand; with the ends of the 95 % interval of the two messages' ratio. Messages are half of"
    " a round trip.",
    sentences,
    tables,
    plots,
)
REPORT = WaysReport(STORY)
