"""The report of `gapless measure alltoall`: a page, every time as text, tables on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from gapless.lab.alltoall.names import COLOURS, PERSISTENT, parts, way_text
from gapless.lab.alltoall.points import Point, points_of
from gapless.lab.alltoall.story import plots, reference, sentences, tables, warning
from gapless.lab.alltoall.theorems import HEADS, sentence, table_of
from gapless.lab.report.collected import Collected
from gapless.lab.run_file import Run
from gapless.lab.ways.report import PointsReport, Story, Told, by_library, print_tables, rows_tsv

COLUMNS = (
    "library", "problem", "block_bytes", "way", "ranks", "ranks_have_cores", "launches", "us", "us_low", "us_high",
    "to_library", "ci_low", "ci_high", "to_counterpart", "counterpart_low", "counterpart_high",
)  # fmt: skip

STORY = Story(
    "All-to-all by every algorithm",
    "MPI_Alltoall and MPI_Alltoallv of integers, by the MPI library and by each algorithm of libgapless_mpi, once and"
    " persistent.",
    "The ways of a group do the same all-to-all in turns, in an order drawn anew each time, a call that is not timed"
    " before each; a time is that of the rank that took longest, behind a barrier of the lab's own. Times include"
    " making and freeing of datatypes, where a way makes any. Blocks are compared with known values before and after."
    " Launches are the replicates: medians of launches, Student's interval on logarithms; by the preset paper:"
    " repetitions up to Tukey's upper fence, their mean with its interval.",
    sentences,
    tables,
    lambda points, names, _: plots(points, names),
)


def rows_of(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return a row for each way of each point: the time [us], and the ratio to the library's call.

    And to its counterpart: the library's call of the same kind, which is its persistent one for what is persistent.
    """
    rows = []
    for point in points:
        for member in point.times:
            us = point.us(member)
            counterpart = reference(point, PERSISTENT if parts(member)[2] == PERSISTENT else "")
            ratios = [point.ratio(member, other) for other in (point.library, counterpart)]
            values = (
                point.mpi, point.problem, point.bytes, way_text(member), point.ranks, point.is_counted,
                len(point.times[member]), us.value, us.low, us.high,
                *(end for of in ratios for end in ((of.value, of.low, of.high) if of else (None,) * 3)),
            )  # fmt: skip
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def tsv(points: Sequence[Point]) -> str:
    """Return every row, tab-separated, with a heading."""
    return rows_tsv(COLUMNS, rows_of(points))


def counted_tables(runs: Sequence[Run]) -> list[Told]:
    """Return the counts of the schedules beside their theorems, of the first run that has them."""
    lines = next((run.counts for run in runs if run.counts), [])
    return [Told(f"Counted: {sentence(lines)}", HEADS, table_of(lines))] if lines else []


def print_report(out: Console, points: Sequence[Point], runs: Sequence[Run]) -> None:
    """Print the tables, and what is found on each library."""
    print_tables(out, tables(points))
    for mpi, of in by_library(points).items():
        for text in sentences(of):
            out.print(f"{mpi}: {text}", soft_wrap=True, markup=False)
    for told in counted_tables(runs):
        out.print(told.title, soft_wrap=True, markup=False)


class AlltoallReport(PointsReport[Point]):
    """With what is counted, and with a warning where times do not count."""

    def note(self, points: Sequence[Point]) -> str:
        """Say that there were more ranks than cores, if it is so."""
        return warning(points)

    def tables(self, points: Sequence[Point], runs: Sequence[Run]) -> list[Told]:
        """Return the times, and the schedules beside their theorems."""
        return [*super().tables(points, runs), *counted_tables(runs)]

    def show(self, out: Console, collected: Collected) -> None:
        """Print the tables and what is found."""
        print_report(out, self.points(collected), collected.runs)


REPORT = AlltoallReport(STORY, points_of, rows_of, COLUMNS, COLOURS)
