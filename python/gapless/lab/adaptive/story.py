"""What ways between two processes of a node say: the adaptive one against the best fixed, and where each is ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import geometric_mean
from typing import Any

from gapless.display import bytes_text, headline
from gapless.errors import GaplessError
from gapless.lab.adaptive import over_time
from gapless.lab.adaptive.chosen import (
    ADAPTIVE,
    DIRECT,
    ENTRIES,
    FIXED_WAYS,
    HOST,
    KERNEL,
    NATIVE,
    View,
    against_best,
    by_length,
    overtaking,
    pooled,
    short,
    views,
)
from gapless.lab.adaptive.heat import heat_map, judged
from gapless.lab.adaptive.kernels import is_kernel, kernel_plot, kernel_sentence, kernel_table
from gapless.lab.adaptive.near import heat_table, near_table
from gapless.lab.adaptive.settings import buffers_of
from gapless.lab.interval import interval_text
from gapless.lab.report.plots import Plot
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Run
from gapless.lab.ways.curves import curves, slow_down
from gapless.lab.ways.names import way_text
from gapless.lab.ways.points import Point
from gapless.lab.ways.report import Story, Told, WaysReport, by_library, rows_of

SHOWN = (NATIVE, ADAPTIVE, *FIXED_WAYS)
# The paper's small blocks [bytes].
SMALL = 64


def _adaptive(view: View) -> str | None:
    """Say how near the adaptive way is to the best fixed one."""
    found = judged(view.points)
    if not found:
        return None
    near, slower = sum(of.near for _, of in found), sum(of.slower for _, of in found)
    mean = geometric_mean(of.ratio.value for _, of in found)
    point, worst = max(found, key=lambda pair: pair[1].ratio.value)
    sure = f"{slower} proved" if slower else "none proved"
    return (
        f"adaptive is within 5 % of the best fixed way, or faster, at {near} of {len(found)} points "
        f"({near / len(found):.0%}; slower than that: {len(found) - near}, {sure}), {mean:.2f} of its time in the "
        f"mean; the worst is "
        f"{worst.text} at {_blocks(point)}, where {short(worst.way)} is best"
    )


def _blocks(point: Point) -> str:
    return f"{point.blocks} blocks of {bytes_text(point.block_bytes)}"


def _kernel(view: View) -> str | None:
    """Say where the kernel's way overtakes the host's."""
    found = overtaking(view.points, KERNEL, HOST)
    if found is None:
        return None
    ratio = interval_text(found.ratio)
    if found.length is None:
        return (
            f"kernel is nowhere proved faster than host (at best {ratio} of its time, blocks of {bytes_text(found.at)})"
        )
    return f"kernel is faster than host from blocks of {bytes_text(found.length)} on ({ratio} of its time there)"


def _entries(view: View) -> str | None:
    """Say how far entries are behind where blocks are small."""
    lengths = by_length(view.points)
    length = SMALL if SMALL in lengths else min(lengths)
    ratios = {
        short(way): ratio for way in (HOST, KERNEL) if (ratio := pooled(lengths[length], ENTRIES, way)) is not None
    }
    if not ratios:
        return None
    behind = " and ".join(f"{interval_text(ratio)} times as long as {way}" for way, ratio in ratios.items())
    return f"blocks of {bytes_text(length)}: entries take {behind}"


def _direct(view: View) -> str | None:
    """Compare the direct way with sending an array."""
    ratio = pooled(view.points, DIRECT, CONTIGUOUS_MEMBER)
    if ratio is None:
        return None
    each = [of for point in view.points if (of := point.ratio_to(DIRECT, CONTIGUOUS_MEMBER)) is not None]
    faster = sum(of.high is not None and of.high < 1 for of in each)
    return (
        f"direct takes {interval_text(ratio)} of the array's time in the mean (from {min(of.value for of in each):.2f} "
        f"to {max(of.value for of in each):.2f}), less at {faster} of {len(each)} points (proved)"
    )


def _apart(points: Sequence[Point]) -> tuple[list[Point], list[Point]]:
    """Return the points of blocks, and those of kernels."""
    return [p for p in points if not is_kernel(p.name)], [p for p in points if is_kernel(p.name)]


def is_over_time(points: Sequence[Point]) -> bool:
    """Say whether messages were sent in order, each told by itself.

    Raises
    ------
    GaplessError
        If this is so in one run and not in another.
    """
    traced = [bool(point.traces) for point in points]
    if any(traced) and not all(traced):
        raise GaplessError("a run over time and one of steady times have no page in common", "make a page of each")
    return any(traced)


def rows(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return the rows of each way, or, over time, of the first messages of each."""
    return over_time.rows_of(points) if is_over_time(points) else rows_of(points)


def sentences(points: Sequence[Point]) -> list[str]:
    """Return what is found on one library."""
    if is_over_time(points):
        return over_time.sentences(points)
    mpi, told = points[0].mpi, []
    blocks, kernels = _apart(points)
    for view in views(blocks):
        adaptive = _adaptive(view)
        if adaptive:
            told.append(f"{mpi}, {view.name}: {adaptive}")
        others = [text for say in (_kernel, _entries, _direct) if (text := say(view))]
        if others:
            told.append(f"{mpi}, {view.name}: {'; '.join(others)}")
    of_kernels = [kernel_sentence(f"{mpi}, {view.name}", view.points) for view in views(kernels)]
    return told + [text for text in of_kernels if text]


def _ratios(mpi: str, points: Sequence[Point]) -> Told:
    """Return the table of every ratio to the array, and of the adaptive way to the best fixed one."""
    cells = []
    for point in sorted(points, key=lambda p: (p.block_bytes, p.blocks)):
        against = against_best(point)
        ratios = [point.ratio(member) for member in SHOWN]
        cells.append([
            bytes_text(point.block_bytes), str(point.blocks), point.row.data, buffers_of(point.name),
            *("-" if ratio is None else f"{ratio.value:.2f}" for ratio in ratios),
            *(("-", "-") if against is None else (short(against.way), against.text)),
        ])  # fmt: skip
    heads = ["block", "blocks", "data", "buffers", "native", *map(short, SHOWN[1:]), "best fixed way", "adaptive to it"]
    return Told(f"{mpi}: ratios to an array", heads, cells)


def tables(points: Sequence[Point]) -> list[Told]:
    """Return for each library how near the adaptive way is to the best fixed one, and every ratio to the array."""
    if is_over_time(points):
        return over_time.tables(points)
    found = []
    for mpi, both in by_library(points).items():
        of, kernels = _apart(both)
        if kernels:
            found.append(kernel_table(mpi, kernels))
        if not of:
            continue
        maps = [told for view in views(of) if (told := heat_table(mpi, view)) is not None]
        found += [*([near_table(mpi, views(of), "data and buffers")] if maps else []), *maps, _ratios(mpi, of)]
    return found


def _of_one_size(view: View) -> list[Point]:
    """Return the points of the message size that most lengths of a block have; of several such, the longest."""
    sizes = Counter(point.bytes for point in view.points if point.mpi == view.points[0].mpi)
    size = max(sizes, key=lambda one: (sizes[one], one))
    return [point for point in view.points if point.bytes == size]


def plots(points: Sequence[Point], names: dict[str, str], runs: Sequence[Run]) -> list[Plot]:
    """Return the heat maps, then the slow-down of each way over the length of a block at one size; kernels first."""
    if is_over_time(points):
        return over_time.plots(points, names)

    def length(point: Point) -> float:
        return point.block_bytes

    blocks, kernels = _apart(points)
    made = [kernel_plot(view.name, view.points, names) for view in views(kernels)]
    made += [plot for view in views(blocks) if (plot := heat_map(view, names)) is not None]
    for view in views(blocks):
        of = _of_one_size(view)
        title = headline(f"{view.name}, messages of {bytes_text(of[0].bytes)}: the ratio to an array")
        made.append(
            curves(title, of, names, slow_down, "ratio to an array", length, "block [bytes]",
                   [member for member in SHOWN if any(member in point.times for point in of)])
        )  # fmt: skip
    return made


STORY = Story(
    "Ways between two processes of a node: fixed and adaptive",
    "A vector of doubles, or what kernels of applications exchange, sent and received as such between two processes of "
    "a node: by the library, and by the layer in each of its ways, and in the one that it chooses.",
    "Each length and number of blocks, with fresh or constant data, in the heap or in memory of "
    "MPI_Win_allocate_shared or MPI_Alloc_mem, is a group: all ways in turn, the same bytes each time; launches are "
    "the replicates. Half of a round trip is shown, or an exchange of both. "
    f"{way_text(HOST)}: packed into memory that both share; kernel: read by the kernel out of the sender's memory, "
    "close blocks at once; entries: the same, each block by itself; direct: copied by loads and stores. A way that "
    "cannot be taken is the host's. The best fixed way of a point is chosen on the odd launches, and the adaptive one "
    "compared with it on the even ones. Fresh data are written by the sender before each message, which is left out; "
    "where it is said, that counts as well: a way that reads the sender's own memory makes the next writing slower. "
    "Over time, all messages of a way come in a row, from the first one on, the layer as it chooses before its fixed "
    "ways; each time is a median over launches, with the writing of fresh data.",
    sentences,
    tables,
    plots,
    rows,
)
REPORT = WaysReport(STORY)
