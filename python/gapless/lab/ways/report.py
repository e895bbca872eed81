"""The report of an experiment that sends one layout in many ways: a page, every time as text, tables on a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from rich.console import Console

from gapless.display import plain_table, print_whole
from gapless.errors import GaplessError
from gapless.lab.interval import Interval
from gapless.lab.report.collected import Collected
from gapless.lab.report.page import embedded, render_template
from gapless.lab.report.plots import Placed, Plot
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Run
from gapless.lab.ways.names import COLOURS, way_text
from gapless.lab.ways.points import MemberTimes, Point, points_of

Kind = TypeVar("Kind", bound=MemberTimes)

FORMATS = ("html", "json", "tsv", "csv")
COLUMNS = (
    "library", "group", "way", "bytes", "block_bytes", "blocks", "data", "launches", "us", "to_array", "ci_low",
    "ci_high", "first_us", "first_create_us", "first_commit_us", "create_us", "commit_us", "free_us",
)  # fmt: skip


@dataclass(frozen=True)
class Told:
    """A table of a report: its title, its columns, and its cells as text."""

    title: str
    columns: Sequence[str]
    cells: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Story(Generic[Kind]):
    """What an experiment makes of its points.

    Attributes
    ----------
    heading, about, method : str
        The page's title, its first sentence, and how it was measured.
    sentences : callable
        Points of one library to what is found on it.
    tables : callable
        Points of all libraries to tables.
    plots : callable
        Points and the libraries' names to plots; and the runs, for what is marked in them.
    rows : callable, optional
        Points to rows, where they are others than those of each way.
    """

    heading: str
    about: str
    method: str
    sentences: Callable[[Sequence[Kind]], list[str]]
    tables: Callable[[Sequence[Kind]], list[Told]]
    plots: Callable[[Sequence[Kind], dict[str, str], Sequence[Run]], list[Plot]]
    rows: Callable[[Sequence[Kind]], list[dict[str, Any]]] | None = None


def by_library(points: Sequence[Kind]) -> dict[str, list[Kind]]:
    """Return the points of each library."""
    return {mpi: [point for point in points if point.mpi == mpi] for mpi in dict.fromkeys(p.mpi for p in points)}


def rows_of(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return a row for each way of each point: times [us], the ratio to the array with its 95 % interval."""
    rows: list[dict[str, Any]] = []
    for point in points:
        for member in point.times:
            ratio = Interval(1.0, 1.0, 1.0) if member == CONTIGUOUS_MEMBER else point.ratio(member)
            first, phases = point.firsts.get(member, {}), point.phases.get(member, {})

            def us(of: dict[str, float], name: str) -> float | None:
                return of[name] / 1000 if name in of else None

            values = (
                point.mpi, point.name, way_text(member), point.bytes, point.block_bytes, point.blocks, point.row.data,
                point.launches, point.us(member), *((ratio.value, ratio.low, ratio.high) if ratio else (None,) * 3),
                first["message"] / point.share / 1000 if first else None, us(first, "create"), us(first, "commit"),
                *(us(phases, name) for name in ("create", "commit", "free")),
            )  # fmt: skip
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def rows_tsv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """Return rows, tab-separated, with a heading: their names, or `columns` where there is no row."""
    columns = list(rows[0]) if rows else columns

    def cell(value: object) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

    lines = ["\t".join(cell(value) for value in row.values()) for row in rows]
    return "\n".join(["\t".join(columns), *lines]) + "\n"


def print_tables(out: Console, tables: Sequence[Told]) -> None:
    """Print tables."""
    for told in tables:
        table = plain_table(told.title, list(told.columns), left=1)
        for cells in told.cells:
            table.add_row(*cells)
        print_whole(out, table)


def print_story(out: Console, story: Story[Kind], points: Sequence[Kind]) -> None:
    """Print the tables, and what is found on each library."""
    print_tables(out, story.tables(points))
    for of in by_library(points).values():
        for sentence in story.sentences(of):
            out.print(sentence, soft_wrap=True, markup=False)


class PointsReport(Generic[Kind]):
    """The report of runs of one experiment that has points, as `gapless.lab.report.kinds` wants it.

    Parameters
    ----------
    story : Story
        What it makes of them.
    points_of, rows_of : callable
        A run to its points; points to rows, of which `columns` are the names.
    colours : mapping
        Role to its colours, as the page's plots want them.
    """

    def __init__(
        self,
        story: Story[Kind],
        points_of: Callable[[Run], list[Kind]],
        rows_of: Callable[[Sequence[Kind]], list[dict[str, Any]]],
        columns: Sequence[str],
        colours: Any = COLOURS,
    ) -> None:
        self.story = story
        self._points_of, self._rows_of, self._columns, self._colours = points_of, rows_of, columns, colours

    def note(self, points: Sequence[Kind]) -> str:
        """Return what the page says before anything else; an empty text: nothing."""
        return ""

    def tables(self, points: Sequence[Kind], runs: Sequence[Run]) -> list[Told]:
        """Return the page's tables."""
        return self.story.tables(points)

    def points(self, collected: Collected) -> list[Kind]:
        """Return the points of all runs, called by their library's label."""
        label = {(id(library.run), library.mpi): library.label for library in collected.libraries}
        return [
            replace(point, mpi=label[id(run), point.mpi]) for run in collected.runs for point in self._points_of(run)
        ]

    def tsv(self, points: Sequence[Kind]) -> str:
        """Return every row, tab-separated, with a heading."""
        return rows_tsv(self._columns, self._rows_of(points))

    def render(self, collected: Collected) -> str:
        """Return the page.

        Raises
        ------
        GaplessError
            If the run measured nothing.
        """
        points = self.points(collected)
        tables = self.tables(points, collected.runs)
        if not points and not tables:
            raise GaplessError("the run measured nothing", "see what its launches say, and measure again")
        names = {library.label: library.name for library in collected.libraries}
        placed = Placed()
        entries = placed.add(self.story.plots(points, names, collected.runs))
        judged = [one.as_json() for one in collected.judged]
        table = [line.split("\t") for line in self.tsv(points).splitlines()]
        return render_template(
            "ways.html.j2", collected, names=names, story=self.story, plots_placed=entries, note=self.note(points),
            told=[(mpi, self.story.sentences(of)) for mpi, of in by_library(points).items()],
            tables=tables,
            data_kinds=list(dict.fromkeys(point.row.data for point in points)),
            table_columns=table[0], table_cells=table[1:], data=embedded(placed.data(judged, self._colours)),
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
            return json.dumps(self._rows_of(points), indent=1) + "\n"
        if kind in ("tsv", "csv"):
            # Names of ways have commas.
            text = self.tsv(points)
            return text if kind == "tsv" else text.replace(",", ";").replace("\t", ",")
        raise GaplessError(f"--format {kind}: such a run has none", f"there are {', '.join(FORMATS)}")

    def show(self, out: Console, collected: Collected) -> None:
        """Print the tables and what is found."""
        print_story(out, self.story, self.points(collected))


class WaysReport(PointsReport[Point]):
    """That of an experiment that sends one layout in many ways."""

    def __init__(self, story: Story[Point]) -> None:
        super().__init__(story, points_of, story.rows or rows_of, COLUMNS)
