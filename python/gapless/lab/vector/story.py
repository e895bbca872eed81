"""What vectors say: from where on packing beats the direct send, what fresh types and buffers cost, jumps at 1024."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np

from gapless.display import bytes_text
from gapless.lab.interval import Interval, interval_text, ratio_of
from gapless.lab.report.plots import Plot
from gapless.lab.run_file import Run
from gapless.lab.ways.curves import curves, slow_down
from gapless.lab.ways.names import way_text
from gapless.lab.ways.points import Point, fastest
from gapless.lab.ways.report import Story, Told, WaysReport, by_library

DIRECT, PACKED, BY_HAND, LAYER = "vector:native", "vector:pack", "vector:hand_c", "vector:gapless"
STEADY = (DIRECT, PACKED, BY_HAND, LAYER)
FRESH = tuple(f"vector:{method}+{what}" for what in ("type", "buffer") for method in ("native", "pack", "gapless"))
# MPICH 5 changes its way there.
CHANGE = 1024


def _lengths(points: Sequence[Point]) -> dict[int, list[Point]]:
    """Return the points of each length of a block, by number of blocks."""
    ordered = sorted(points, key=lambda point: point.blocks)
    return {
        length: [p for p in ordered if p.block_bytes == length] for length in sorted({p.block_bytes for p in points})
    }


def _winner(ratio: Interval | None) -> str:
    """Return who is proved faster, of direct and packed; ``?`` if nobody is."""
    if ratio is None or ratio.low is None or ratio.high is None:
        return "?"
    return "packed" if ratio.low > 1 else "direct" if ratio.high < 1 else "?"


def _crossover(points: Sequence[Point]) -> str:
    """Say between which numbers of blocks the faster one of direct and packed changes."""
    told: list[str] = []
    last = ""
    for point in points:
        winner = _winner(point.ratio(DIRECT, PACKED))
        if winner in ("?", last):
            continue
        named = "the direct send" if winner == "direct" else "MPI_Pack"
        told.append(f"{named} from {point.blocks} on")
        last = winner
    return ", ".join(told) or "not decided anywhere"


def _mean(points: Sequence[Point], member: str, to: str) -> float | None:
    ratios = [log(ratio.value) for point in points if (ratio := point.ratio(member, to)) is not None]
    return exp(float(np.mean(ratios))) if ratios else None


def _first(points: Sequence[Point], member: str) -> float | None:
    """Return how many times as long as a steady message the first one takes, as a geometric mean."""
    ratios = [
        log(point.firsts[member]["message"] / 1000 / (point.share * point.us(member)))
        for point in points
        if member in point.times and point.firsts.get(member, {}).get("message", 0) > 0
    ]
    return exp(float(np.mean(ratios))) if ratios else None


def _jump(points: Sequence[Point], member: str) -> Interval | None:
    """Return how the time of a block changes from the last number up to 1024 to the first one beyond."""
    before = [p for p in points if CHANGE // 2 < p.blocks <= CHANGE and member in p.times]
    behind = [p for p in points if CHANGE < p.blocks <= 2 * CHANGE and member in p.times]
    if not before or not behind:
        return None
    one, other = before[-1], behind[0]
    launches = sorted(one.times[member].keys() & other.times[member].keys())
    logs = [log(other.times[member][n] / other.blocks / (one.times[member][n] / one.blocks)) for n in launches]
    return ratio_of(np.array(logs)) if logs else None


def sentences(points: Sequence[Point]) -> list[str]:
    """Return what is found on one library."""
    mpi = points[0].mpi
    told = []
    for length, of in _lengths(points).items():
        told.append(f"{mpi}, blocks of {bytes_text(length)}: faster is {_crossover(of)} [blocks]")
        jump = _jump(of, DIRECT)
        if jump is not None and (jump.low is not None and (jump.low > 1.1 or (jump.high or 1) < 0.9)):
            told.append(
                f"{mpi}, blocks of {bytes_text(length)}: beyond {CHANGE} blocks each takes {interval_text(jump)} times "
                "as long natively as just below"
            )
    for name, of_what, member in (("type", "round trip", "+type"), ("buffer", "message", "+buffer")):
        costs = [
            f"{cost:.2f} {'natively' if base == DIRECT else 'with Gapless'}"
            for base in (DIRECT, LAYER)
            if (cost := _mean(points, base + member, base)) is not None
        ]
        if costs:
            told.append(
                f"{mpi}: another {name} for each {of_what} costs {' and '.join(costs)} times the same again (means)"
            )
    firsts = [
        f"{first:.1f} {'natively' if member == DIRECT else 'with Gapless'}"
        for member in (DIRECT, LAYER)
        if (first := _first(points, member)) is not None
    ]
    if firsts:
        told.append(
            f"{mpi}: the first message of a group takes {' and '.join(firsts)} times as long as later ones (means)"
        )
    return told


def tables(points: Sequence[Point]) -> list[Told]:
    """Return for each library what each message takes, and which way without Gapless is the fastest."""
    found = []
    for mpi, of in by_library(points).items():
        cells = []
        for length, points_of in _lengths(of).items():
            for point in points_of:
                best = fastest(point, (DIRECT, PACKED, BY_HAND))
                ratios = [point.ratio(member) for member in (*STEADY, *FRESH)]
                cells.append([
                    bytes_text(length), str(point.blocks), *("-" if r is None else f"{r.value:.2f}" for r in ratios),
                    "-" if best is None else way_text(best.way) + ("" if best.decided else " (not decided)"),
                ])  # fmt: skip
        heads = ["block", "blocks", *map(way_text, (*STEADY, *FRESH)), "fastest without Gapless"]
        found.append(Told(f"{mpi}: ratios to an array", heads, cells))
    return found


def plots(points: Sequence[Point], names: dict[str, str], runs: Sequence[Run]) -> list[Plot]:
    """Return the slow-down over the number of blocks, for each length of a block; then what is fresh."""

    def blocks(point: Point) -> float:
        return point.blocks

    made = [
        curves(f"Blocks of {bytes_text(length)}: the ratio to an array", of, names, slow_down, "ratio to an array",
               blocks, "blocks", STEADY)
        for length, of in _lengths(points).items()
    ]  # fmt: skip
    return made + [
        curves(f"Blocks of {bytes_text(length)}, a fresh type or buffer for each message", of, names, slow_down,
               "ratio to an array", blocks, "blocks", FRESH)
        for length, of in _lengths(points).items()
        if any(member in point.times for point in of for member in FRESH)
    ]  # fmt: skip


STORY = Story(
    "Blocks of a vector: how long, how many, how often",
    "A vector of doubles, sent and received as such, directly and packed, by the same type and buffer again or by"
    " others.",
    "Each length and number of blocks is a group: all ways in turn, the same bytes each time; launches are the "
    "replicates. Half of a round trip is shown. With a fresh type both ranks construct, commit and free it within"
    " each round trip; with a fresh buffer each message has another one of several. The first message of a way is"
    " the first in its group: other groups may have come before it in the process.",
    sentences,
    tables,
    plots,
)
REPORT = WaysReport(STORY)
