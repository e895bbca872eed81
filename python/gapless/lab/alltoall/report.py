"""The report of `gapless measure alltoall`: a page, every time as text, tables on a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console

from gapless.errors import GaplessError
from gapless.lab.alltoall.names import COLOURS, way_text
from gapless.lab.alltoall.points import Point, points_of
from gapless.lab.alltoall.story import by_library, plots, sentences, tables, warning
from gapless.lab.alltoall.theorems import HEADS, sentence, table_of
from gapless.lab.report.collected import Collected
from gapless.lab.report.page import embedded, render_template
from gapless.lab.report.plots import Placed
from gapless.lab.run_file import Run
from gapless.lab.ways.report import FORMATS, Story, Told, print_tables

COLUMNS = (
    "library", "problem", "block_bytes", "way", "ranks", "ranks_have_cores", "launches", "us", "us_low", "us_high",
    "to_library", "ci_low", "ci_high",
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
    lambda _: [],
    lambda _: [],
    lambda *_: [],
)


def rows_of(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return a row for each way of each point: the time [us], and the ratio to the library's call."""
    rows = []
    for point in points:
        for member in point.times:
            us = point.us(member)
            ratio = point.ratio(member, point.library)
            values = (
                point.mpi, point.problem, point.bytes, way_text(member), point.ranks, point.is_counted,
                len(point.times[member]), us.value, us.low, us.high,
                *((ratio.value, ratio.low, ratio.high) if ratio else (None,) * 3),
            )  # fmt: skip
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def tsv(points: Sequence[Point]) -> str:
    """Return every row, tab-separated, with a heading."""

    def cell(value: object) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

    rows = ["\t".join(map(cell, row.values())) for row in rows_of(points)]
    return "\n".join(["\t".join(COLUMNS), *rows]) + "\n"


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


class AlltoallReport:
    """The report of runs, as `gapless.lab.report.kinds` wants it."""

    def points(self, collected: Collected) -> list[Point]:
        """Return the points of all runs, called by their library's label."""
        label = {(id(library.run), library.mpi): library.label for library in collected.libraries}
        return [replace(point, mpi=label[id(run), point.mpi]) for run in collected.runs for point in points_of(run)]

    def render(self, collected: Collected) -> str:
        """Return the page.

        Raises
        ------
        GaplessError
            If the run measured nothing.
        """
        points = self.points(collected)
        if not points:
            raise GaplessError("the run measured nothing", "see what its launches say, and measure again")
        names = {library.label: library.name for library in collected.libraries}
        placed = Placed()
        entries = placed.add(plots(points, names))
        judged = [one.as_json() for one in collected.judged]
        table = [line.split("\t") for line in tsv(points).splitlines()]
        return render_template(
            "ways.html.j2", collected, names=names, story=STORY, plots_placed=entries, note=warning(points),
            told=[(mpi, sentences(of)) for mpi, of in by_library(points).items()],
            tables=[*tables(points), *counted_tables(collected.runs)],
            data_kinds=list(dict.fromkeys(point.row.data for point in points)),
            table_columns=table[0], table_cells=table[1:], data=embedded(placed.data(judged, COLOURS)),
        )  # fmt: skip

    def as_text(self, collected: Collected, kind: str) -> str:
        """Return every row as json, tsv or csv.

        Raises
        ------
        GaplessError
            If there is no such form.
        """
        points = self.points(collected)
        if kind == "json":
            return json.dumps(rows_of(points), indent=1) + "\n"
        if kind in ("tsv", "csv"):
            # Names of ways have commas.
            text = tsv(points)
            return text if kind == "tsv" else text.replace(",", ";").replace("\t", ",")
        raise GaplessError(f"--format {kind}: such a run has none", f"there are {', '.join(FORMATS)}")

    def show(self, out: Console, collected: Collected) -> None:
        """Print the tables and what is found."""
        print_report(out, self.points(collected), collected.runs)


REPORT = AlltoallReport()
