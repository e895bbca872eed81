"""What an advice says: a sentence or two for each library, a table of all counts, and one of the ways."""

from __future__ import annotations

from collections.abc import Sequence

from gapless.display import bytes_text
from gapless.lab.advice.settings import LAYER, NATIVE
from gapless.lab.advice.verdict import Advice, advice_of, count_of
from gapless.lab.interval import interval_text
from gapless.lab.report.plots import Plot
from gapless.lab.report.texts import us_text
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Run
from gapless.lab.ways.curves import curves, slow_down
from gapless.lab.ways.points import Point
from gapless.lab.ways.report import Story, Told, WaysReport, by_library

# Member to what a scientist does.
DOES = {
    NATIVE[0]: "send the datatype", NATIVE[1]: "pack it by MPI_Pack and send that", NATIVE[2]: "pack it by hand",
    LAYER: "send the datatype under 'gapless run'",
}  # fmt: skip
HEADS = {NATIVE[0]: "datatype", NATIVE[1]: "MPI_Pack", NATIVE[2]: "by hand", LAYER: "datatype + Gapless"}


def sentences_of(advice: Advice) -> list[str]:
    """Return what is said of one library."""
    native, point = advice.native, advice.point
    size = bytes_text(point.bytes)
    if native.lead is None or native.second is None:
        told = [f"{advice.mpi}, {size}: only one way could be measured: {DOES[native.way]}"]
    elif native.decided:
        told = [
            f"{advice.mpi}, {size}: {DOES[native.way]}; the next best, '{DOES[native.second]}', takes "
            f"{interval_text(native.lead)} times as long"
        ]
        if advice.since is not None and advice.since < count_of(point):
            told[0] += f"; so it is from a count of {advice.since} on"
    else:
        told = [
            f"{advice.mpi}, {size}: not decided: '{DOES[native.way]}' and '{DOES[native.second]}' differ by "
            f"{interval_text(native.lead)} times: write what reads best"
        ]
    if advice.to_layer is not None:
        ratio = interval_text(advice.to_layer)
        told.append({
            "faster": f"{advice.mpi}, {size}: under 'gapless run', send the datatype: {ratio} times as fast as that",
            "slower": f"{advice.mpi}, {size}: the datatype is slower under 'gapless run': that takes {ratio} of it",
            "undecided": f"{advice.mpi}, {size}: whether the datatype under 'gapless run' is faster is not decided "
                         f"({ratio})",
        }[advice.with_layer])  # fmt: skip
    return told


def sentences(points: Sequence[Point]) -> list[str]:
    """Return the sentences for every count of one library, the largest last."""
    found = (advice_of(points, count_of(point)) for point in sorted(points, key=count_of))
    return [sentence for advice in found if advice is not None for sentence in sentences_of(advice)]


def tables(points: Sequence[Point]) -> list[Told]:
    """Return for each library what one message takes by count [us], and the ratio to an array."""
    found = []
    for mpi, of in by_library(points).items():
        cells = []
        for point in sorted(of, key=count_of):
            told = [
                f"{us_text(point.us(member))} (x{ratio.value:.2f})" if (ratio := point.ratio(member)) else "-"
                for member in HEADS
            ]
            cells.append([point.name, bytes_text(point.bytes), us_text(point.us(CONTIGUOUS_MEMBER)), *told])
        found.append(Told(f"{mpi}: one message [µs], and its ratio to an array",
                          ["count", "size", "array", *HEADS.values()], cells))  # fmt: skip
    return found


def plots(points: Sequence[Point], names: dict[str, str], runs: Sequence[Run]) -> list[Plot]:
    """Return the ratio to an array over the size."""
    return [curves("The ratio to an array", points, names, slow_down, "ratio to an array")]


STORY = Story(
    "Which way to send a datatype",
    "One datatype, sent and received as such, through MPI_Pack, and packed by loops as by hand, at several counts.",
    "Each count is a group: all ways in turn, the same bytes each time; launches are the replicates; half of a round"
    " trip. A way is the fastest if both halves of the launches choose it and it is proved faster than each other.",
    sentences,
    tables,
    plots,
)
REPORT = WaysReport(STORY)
