"""Verdicts as text: tables for a terminal, Markdown, CSV, TSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from gapless.display import bytes_text
from gapless.lab.run_file import Row
from gapless.lab.verdicts import Judged, not_measured_json

TESTS = {
    "ET1": "Layouts with gaps against the same bytes without",
    "ET2": "A struct of unlike base types against the same bytes without gaps",
    "ET3": "A datatype against MPI_Pack, sending the packed bytes, and MPI_Unpack",
    "ET4": "One contiguous type of many units against many units",
    "ET5": "Tiled, said as a struct, against tiled",
    "ET6": "Tiled, said as a vector, against tiled",
    "ET7": "Tiled, said as vectors of vectors, against tiled",
    "ET8": "Block, said with a list of indices, against block",
    "ET9": "Alternating, said with a list of indices, against alternating",
    "ET10": "Alternating, said as a struct, against alternating repeated",
    "ET11": "The first row and column of a matrix, said in three ways",
    "X": "Further descriptions of the same layouts",
    "own": "Comparisons of one's own",
    "layer": "The layer against the other ways",
    "plant": "The lab's test of itself: slowed down on purpose, against the same message as it is",
}
GUIDELINES = {
    "baseline": "no guideline: what gaps cost",
    "alignment": "a struct without gaps ⪯ the same bytes",
    "GL1": "MPI_X(c, t) ≃ MPI_X(1, contiguous(c, t))",
    "GL2": "MPI_X(c, t) ⪯ MPI_Pack(c, t) + MPI_X(packed)",
    "GL3": "MPI_Y(c, t) ⪯ MPI_Y(packed) + MPI_Unpack(c, t)",
    "GL2+GL3": "datatype ⪯ MPI_Pack + send + MPI_Unpack",
    "GL4": "any description ⪯ the best one of the same layout",
    "own": "as asked for",
    "native": "datatype with Gapless ⪯ the same datatype without",
    "packed": "datatype with Gapless ⪯ MPI_Pack + send + MPI_Unpack without",
    "local": "datatype with Gapless ⪯ the same without shared memory",
    "planted": "the slow-down that was planted",
    "overhead": "datatype against the same bytes as an array",
    "by hand": "datatype ⪯ the application's own loops",
}
PATTERNS = {"pingpong": "ping-pong", "bcast": "broadcast", "allgather": "allgather", "alltoall": "all-to-all"}
METHODS = {
    "native": "native",
    "gapless": "with Gapless",
    "local": "with Gapless, without shared memory",
    "pack": "MPI_Pack and MPI_Unpack",
    "pack_send": "MPI_Pack at the sender",
    "unpack_receive": "MPI_Unpack at the receiver",
    "hand_c": "loops in C",
    "hand_clang": "loops in C, by clang",
    "hand_fortran": "loops in Fortran",
}
BASELINE = "baseline"
MARKS = {"holds": "✓", "violated": "✗", "undecided": "?"}


def test_order(test: str) -> tuple[int, str]:
    """Return a key that sorts the tests: ET1 to ET11, X, own, and then what is not known."""
    names = list(TESTS)
    return (names.index(test), "") if test in TESTS else (len(names), test)


def member_text(member: str) -> str:
    """Return a member as people read it: ``tiled_vector, with Gapless``."""
    message, _, method = member.partition(":")
    return f"{message}, {METHODS.get(method, method)}"


def us_text(us: float) -> str:
    """Return a time [µs] with four digits and no exponent."""
    return f"{us:.0f}" if us >= 1000 else f"{us:.4g}"


def factor_text(factor: float) -> str:
    """Return how many times slower: ``×1.83`` or ``×33``."""
    return f"×{factor:.2f}" if factor < 10 else f"×{factor:.0f}"


def factor_interval(one: Judged) -> tuple[float, float]:
    """Return the interval of the factor: that of the ratio, turned over where the faster side is the compared one."""
    if one.row.expectation == "similar" and one.ratio < 1:
        return 1 / one.ci_high, 1 / one.ci_low if one.ci_low > 0 else inf
    return one.ci_low, one.ci_high


def interval_text(one: Judged) -> str:
    """Return ``×1.83 [1.75, 1.91]``; after a single launch there is no interval."""
    low, high = factor_interval(one)
    if not isfinite(high):
        return f"{factor_text(one.factor)} [one launch]"
    digits = 2 if one.factor < 10 else 0
    return f"{factor_text(one.factor)} [{low:.{digits}f}, {high:.{digits}f}]"


def verdict_text(one: Judged) -> str:
    """Return the verdict with what says how sure it is."""
    return f"{one.verdict} {interval_text(one)}"


@dataclass(frozen=True)
class Counts:
    """How many rows hold, are violated, are undecided, or have no verdict; and the worst violation."""

    holds: int = 0
    violated: int = 0
    undecided: int = 0
    missing: int = 0
    worst: Judged | None = None

    @property
    def total(self) -> int:
        """All rows."""
        return self.holds + self.violated + self.undecided + self.missing

    @property
    def worst_text(self) -> str:
        """The factor of the worst violation, or nothing."""
        return factor_text(self.worst.factor) if self.worst else ""


def count(judged: Iterable[Judged], missing: int = 0) -> Counts:
    """Count verdicts."""
    rows = list(judged)
    number = {verdict: sum(one.verdict == verdict for one in rows) for verdict in MARKS}
    violated = [one for one in rows if one.verdict == "violated"]
    worst = max(violated, key=lambda one: one.factor, default=None)
    return Counts(number["holds"], number["violated"], number["undecided"], missing, worst)


Place = tuple[str, str]


def place(row: Row) -> Place:
    """Return the line of the summary that a row belongs to: its test and guideline."""
    return row.test, row.guideline


@dataclass(frozen=True)
class Matrix:
    """The summary: lines are tests, cells are libraries without and with the layer.

    Attributes
    ----------
    libraries : list of str
        Labels.
    places : list of (str, str)
        Test and guideline of each line.
    layers : list of bool
        Which of native (False) and layer (True) were asked for.
    cells : dict
        (library, place, layer) to counts; a combination without rows is absent.
    """

    libraries: list[str]
    places: list[Place]
    layers: list[bool]
    cells: dict[tuple[str, Place, bool], Counts]


def matrix(judged: Sequence[Judged], missing: Sequence[tuple[str, Row]] = (), libraries: Sequence[str] = ()) -> Matrix:
    """Count verdicts for each library, test, guideline, and side of the layer."""
    found: dict[tuple[str, Place, bool], list[Judged]] = {}
    lacking: dict[tuple[str, Place, bool], int] = {}
    for one in judged:
        found.setdefault((one.mpi, place(one.row), one.row.layer), []).append(one)
    for mpi, row in missing:
        at = (mpi, place(row), row.layer)
        lacking[at] = lacking.get(at, 0) + 1
    every = [*found, *(at for at in lacking if at not in found)]
    return Matrix(
        list(dict.fromkeys([*libraries, *(mpi for mpi, _, _ in every)])),
        sorted({at[1] for at in every}, key=lambda line: (test_order(line[0]), line[1])),
        sorted({at[2] for at in every}),
        {at: count(found.get(at, []), lacking.get(at, 0)) for at in every},
    )


_STYLES = {"holds": "green", "violated": "red", "undecided": "yellow"}


def _count_cells(counts: Counts | None) -> list[str]:
    if counts is None:
        return ["-"] * 4
    numbers = {"holds": counts.holds, "violated": counts.violated, "undecided": counts.undecided}
    cells = [f"[{_STYLES[verdict]}]{n}[/]" if n else "0" for verdict, n in numbers.items()]
    return [*cells, counts.worst_text or ("not measured" if counts.missing == counts.total else "")]


def data_text(rows: Iterable[Row]) -> str:
    """Return whose data the messages carried: "fresh data", "constant data" or both."""
    return " and ".join(sorted({row.data for row in rows} or {"no"})) + " data"


def summary_table(
    judged: Sequence[Judged], missing: Sequence[tuple[str, Row]] = (), libraries: Sequence[str] = ()
) -> Table:
    """Return the summary for a terminal: for each library and test how many rows hold, natively and with the layer.

    Parameters
    ----------
    judged : sequence of Judged
        The verdicts.
    missing, libraries
        As of `gapless.lab.report.collected.Collected`; without them, only what was judged is shown.
    """
    of = matrix(judged, missing, libraries)
    table = Table(
        title=f"Verdicts, native and with Gapless, {data_text(one.row for one in judged)}",
        title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True,
    )  # fmt: skip
    for name in ("library", "test", "guideline"):
        table.add_column(name, no_wrap=True)
    for layer in of.layers:
        for name in ("holds", "violated", "undecided", "worst"):
            table.add_column(f"{'Gapless' if layer else 'native'}\n{name}", justify="right", no_wrap=True)
    for mpi in of.libraries:
        _add_library(table, of, mpi)
    return table


def _add_library(table: Table, of: Matrix, mpi: str) -> None:
    first = True
    for line in of.places:
        sides = [of.cells.get((mpi, line, layer)) for layer in of.layers]
        if any(sides):
            cells = [cell for counts in sides for cell in _count_cells(counts)]
            table.add_row(escape(mpi) if first else "", escape(line[0]), escape(line[1]), *cells)
            first = False
    table.add_section()


def rows_table(judged: Sequence[Judged]) -> Table:
    """Return every row for a terminal; a long case goes on in the next line."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in ("library", "test", "case", "pattern", "size", "side"):
        table.add_column(name, no_wrap=name != "case", overflow="fold")
    table.add_column("µs", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for one in judged:
        row = one.row
        test = row.test if row.guideline == row.test else f"{row.test} {row.guideline}"
        texts = [one.mpi, test, row.case, row.pattern, bytes_text(row.bytes), side_text(row.layer)]
        verdict = f"[{_STYLES[one.verdict]}]{escape(verdict_text(one))}[/]"
        table.add_row(*map(escape, texts), us_text(one.compared_us), verdict)
    return table


def side_text(layer: bool) -> str:
    """Return which side of the layer a row is about."""
    return "Gapless" if layer else "native"


def _all_rows(judged: Sequence[Judged], missing: Sequence[tuple[str, Row]]) -> list[dict[str, Any]]:
    return [one.as_json() for one in judged] + [not_measured_json(mpi, row) for mpi, row in missing]


def as_json(judged: Sequence[Judged], missing: Sequence[tuple[str, Row]] = ()) -> str:
    """Return the rows as a JSON list; what was planned and not measured comes last."""
    return json.dumps(_all_rows(judged, missing), ensure_ascii=False, indent=1) + "\n"


def as_separated(judged: Sequence[Judged], delimiter: str, missing: Sequence[tuple[str, Row]] = ()) -> str:
    """Return the rows as CSV or TSV, numbers with all their digits; truth values are ``true`` and ``false``."""
    out = io.StringIO()
    rows = _all_rows(judged, missing)
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    names = list(rows[0]) if rows else []
    writer.writerow(names)
    writer.writerows([_csv_cell(row[name]) for name in names] for row in rows)
    return out.getvalue()


def _csv_cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def _markdown_line(cells: Iterable[str]) -> str:
    safe = (cell.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(safe)} |\n"


def markdown_table(columns: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    rule = _markdown_line("---" for _ in columns)
    return _markdown_line(columns) + rule + "".join(_markdown_line(row) for row in cells)


def counts_text(counts: Counts | None) -> str:
    """Return counts as one text: ``12 hold, 3 violated (worst ×33), 1 undecided``."""
    if counts is None:
        return "-"
    worst = f" (worst {counts.worst_text})" if counts.worst else ""
    parts = [
        f"{counts.holds} {'holds' if counts.holds == 1 else 'hold'}" if counts.holds else "",
        f"{counts.violated} violated{worst}" if counts.violated else "",
        f"{counts.undecided} undecided" if counts.undecided else "",
        f"{counts.missing} not measured" if counts.missing else "",
    ]
    return ", ".join(filter(None, parts))


ROW_COLUMNS = (
    "library", "test", "guideline", "case", "pattern", "size", "side", "µs", "reference", "reference µs", "verdict",
)  # fmt: skip


def row_cells(one: Judged) -> list[str]:
    """Return a row's cells, as of `ROW_COLUMNS`."""
    row = one.row
    return [
        one.mpi, row.test, row.guideline, row.case, row.pattern, bytes_text(row.bytes), side_text(row.layer),
        us_text(one.compared_us), row.reference, us_text(one.reference_us), verdict_text(one),
    ]  # fmt: skip


def as_markdown(
    judged: Sequence[Judged], missing: Sequence[tuple[str, Row]] = (), libraries: Sequence[str] = ()
) -> str:
    """Return the summary and all rows as Markdown."""
    of = matrix(judged, missing, libraries)
    columns = ["test", "guideline", *(f"{mpi}, {side_text(layer)}" for mpi in of.libraries for layer in of.layers)]
    cells = [
        [*line, *(counts_text(of.cells.get((mpi, line, layer))) for mpi in of.libraries for layer in of.layers)]
        for line in of.places
    ]
    rows = markdown_table(ROW_COLUMNS, (row_cells(one) for one in judged))
    return f"## Verdicts\n\n{markdown_table(columns, cells)}\n## Rows\n\n{rows}"
