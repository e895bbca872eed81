"""What the send schemes say: slow-downs by size, the fastest way, where direct sends drop, the layer from 64 KB on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

import numpy as np

from gapless.display import bytes_text
from gapless.lab.interval import interval_text, ratio_of
from gapless.lab.report.plots import Plot
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Run
from gapless.lab.ways.curves import curves, megabytes_per_second, members_of, slow_down, time_us
from gapless.lab.ways.names import parts, way_text
from gapless.lab.ways.points import Point, fastest
from gapless.lab.ways.report import Story, Told, WaysReport, by_library

# From here on the layer is to be close to an array [bytes].
LARGE_BYTES = 65_536
# The paper finds direct sends alike up to some ten megabytes, and slower beyond [bytes].
MIDDLE, BEYOND = (100_000, 5_000_000), 30_000_000
DROP = 1.2


def native_ways(point: Point) -> list[str]:
    """Return the ways that a program has without the layer and the engine."""
    return [
        member
        for member in point.times
        if member != CONTIGUOUS_MEMBER and parts(member)[1] not in ("gapless", "engine_send") and "+" not in member
    ]


def _directly_and_packed(point: Point) -> str | None:
    """Return the message that was sent both directly and by MPI_Pack; None if either took too long to be measured."""
    messages = (parts(member)[0] for member in point.times if parts(member)[1] == "pack_send")
    return next((message for message in messages if f"{message}:native" in point.times), None)


def _drop(points: Sequence[Point]) -> str | None:
    """Say whether direct sends lose against MPI_Pack beyond some ten megabytes; None without such sizes."""
    known = [(point, message, point.logs(f"{message}:native", f"{message}:pack_send"))
             for point in points if (message := _directly_and_packed(point))]  # fmt: skip
    middle = [of for point, _, of in known if MIDDLE[0] <= point.bytes <= MIDDLE[1]]
    beyond = [one for one in known if one[0].bytes >= BEYOND]
    if not middle or not beyond:
        return None
    usual = exp(float(np.mean([of.mean() for of in middle])))
    point, message, of = max(beyond, key=lambda one: one[0].bytes)
    ratio = ratio_of(of)
    # Dropped, if it is proved to have lost more than a fifth of what it had, launch by launch.
    number = min(len(logs) for logs in (of, *middle))
    lost = ratio_of(of[:number] - np.mean([logs[:number] for logs in middle], axis=0))
    proved = lost.low is not None and lost.low > DROP
    refuted = lost.high is not None and lost.high < DROP
    verdict = "re-found" if proved else "refuted" if refuted else "not decided"
    return (
        f"the drop of direct sends beyond some ten megabytes is {verdict}: the {message} takes "
        f"{interval_text(ratio)} times as long as MPI_Pack and send at {bytes_text(point.bytes)}, and "
        f"{usual:.2f} times at 100 KB to 5 MB"
    )


def sentences(points: Sequence[Point]) -> list[str]:
    """Return what is found on one library."""
    mpi = points[0].mpi
    told = []
    for point in points:
        found = fastest(point, native_ways(point))
        if found is None or found.lead is None or found.second is None:
            continue
        if found.decided:
            said = f"{way_text(found.way)} is the fastest way without Gapless"
        else:
            said = f"the fastest way without Gapless is not decided ({way_text(found.way)} in these launches)"
        told.append(
            f"{mpi}, {bytes_text(point.bytes)}: {said}; the next one, {way_text(found.second)}, takes "
            f"{interval_text(found.lead)} times as long"
        )
    drop = _drop(points)
    if drop:
        told.append(f"{mpi}: {drop}")
    large = [
        (point, ratio)
        for point in points
        if point.bytes >= LARGE_BYTES
        for member in point.times
        if parts(member)[1:] == ("gapless", "") and parts(member)[0] in ("vector", "list")
        and (ratio := point.ratio(member)) is not None
    ]  # fmt: skip
    if large:
        mean = exp(float(np.mean([log(ratio.value) for _, ratio in large])))
        each = ", ".join(f"{interval_text(ratio)} at {bytes_text(point.bytes)}" for point, ratio in large)
        told.append(f"{mpi}: with Gapless {mean:.2f} times an array from 64 KB on (geometric mean): {each}")
    return told


def tables(points: Sequence[Point]) -> list[Told]:
    """Return the slow-downs of each library by size."""
    found = []
    for mpi, of in by_library(points).items():
        members = [member for member in members_of(of) if member != CONTIGUOUS_MEMBER]
        cells = []
        for point in of:
            ratios = (point.ratio(member) for member in members)
            told = ["-" if ratio is None else f"{ratio.value:.2f}" for ratio in ratios]
            cells.append([bytes_text(point.bytes), f"{point.us(CONTIGUOUS_MEMBER):.4g}", *told])
        heads = ["message", "array µs", *map(way_text, members)]
        found.append(Told(f"{mpi}: how many times as long as an array each way takes", heads, cells))
    return found


def plots(points: Sequence[Point], names: dict[str, str], runs: Sequence[Run]) -> list[Plot]:
    """Return time, bandwidth and slow-down over size, the eager limit marked."""
    marks: Mapping[str, float] = {
        mpi: limit for run in runs for mpi, limit in run.eager_limits.items() if limit and mpi in names
    }
    return [
        curves("Slow-down: the ratio to an array (dotted upright: the eager limit)", points, names, slow_down,
               "ratio to an array", marks=marks),
        curves("Time of one message", points, names, time_us, "µs", marks=marks),
        curves("Bandwidth", points, names, megabytes_per_second, "MB/s", marks=marks),
    ]  # fmt: skip


STORY = Story(
    "Every way to send what a vector describes",
    "A layout with gaps, sent by one rank and received as an array by another, in every way that a program has.",
    "Each size is a group: all ways in turn, in an order drawn anew for each repetition, the same bytes each "
    "time; launches are the replicates. A ping-pong carries the message in both directions, and its half is "
    "shown; by the paper's protocol the answer is empty, a sample is one message, and a launch's value is the "
    "mean of the samples within one standard deviation. A fastest way is decided if both halves of the launches "
    "choose it and it is proved faster than each other.",
    sentences,
    tables,
    plots,
)
REPORT = WaysReport(STORY)
