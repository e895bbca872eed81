"""The applications as tables: by library and test on a terminal, every row tab-separated in a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np
from rich.console import Console
from rich.table import Table

from gapless.display import plain_table, print_whole
from gapless.lab.apps.rows import PHASES, WAYS, AppRow, Summary, summary
from gapless.lab.interval import interval_text
from gapless.lab.report.texts import METHODS, us_text

SHORT = {
    "native": "datatype", "pack": "MPI_Pack", "hand_c": "loops in C", "hand_clang": "by clang",
    "hand_fortran": "in Fortran", "gapless": "+ Gapless", "native+type": "type made anew",
    "gapless+type": "anew + Gapless",
}  # fmt: skip
TSV_COLUMNS = (
    "library", "test", "case", "pattern", "data", "bytes", "launches", "contiguous_us",
    *(f"{way}_us" for way in WAYS),
    *(f"{way}_overhead{end}" for way in WAYS for end in ("", "_low", "_high")),
    "to_best", "ci_low", "ci_high", "best", "chosen",
    *(f"{way}_{phase}_us" for way in WAYS for phase in PHASES),
)  # fmt: skip


def _number(value: float | None, digits: str = ".4g") -> str:
    return "-" if value is None else f"{value:{digits}}"


def tsv(rows: Sequence[AppRow]) -> str:
    """Return every row, tab-separated, with a heading."""
    lines = ["\t".join(TSV_COLUMNS)]
    for row in rows:
        cells = [row.mpi, row.test, row.case, row.pattern, row.data, str(row.bytes), str(row.launches)]
        cells += [_number(row.us.get(way)) for way in ("contiguous", *WAYS)]
        for way in WAYS:
            of = row.overhead.get(way)
            cells += ["-"] * 3 if of is None else [_number(end, ".3f") for end in (of.value, of.low, of.high)]
        best = row.best
        cells += (
            ["-"] * 5
            if best is None
            else [
                *(f"{end:.3f}" for end in (best.ratio, best.ci_low, best.ci_high)),
                best.verdict,
                "/".join(row.chosen),
            ]
        )
        cells += [_number(row.phases.get(way, {}).get(phase)) for way in WAYS for phase in PHASES]
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def ways_of(rows: Sequence[AppRow]) -> list[str]:
    """Return the ways that some row has."""
    return [way for way in WAYS if any(way in row.us for row in rows)]


def _mean_ratio(rows: Sequence[AppRow], way: str) -> str:
    ratios = [row.us[way] / row.us["contiguous"] for row in rows if way in row.us]
    return f"{exp(float(np.mean(np.log(ratios)))):.2f}" if ratios else "-"


def summary_table(mpi: str, rows: Sequence[AppRow]) -> Table:
    """Return a line for each test of one library: geometric means over its sizes, as ratios to the contiguous send."""
    ways = ways_of(rows)
    table = plain_table(
        f"{mpi}: what one exchange takes, as a ratio to sending the same bytes as an array (means over the sizes)",
        ["test", "sizes", *(SHORT[way] for way in ways), "Gapless to best", "lost"], left=1,
    )  # fmt: skip
    for test in dict.fromkeys(row.test for row in rows):
        of = [row for row in rows if row.test == test]
        told = summary(mpi, of)
        stand = ["-", "-"] if told is None else [interval_text(told.ratio), f"{len(told.lost)} of {told.rows}"]
        table.add_row(test, str(len(of)), *(_mean_ratio(of, way) for way in ways), *stand)
    return table


def print_rows(out: Console, rows: Sequence[AppRow]) -> None:
    """Print everything that a terminal shows: a table for each library, what the layer is worth, and what it loses."""
    for mpi in dict.fromkeys(row.mpi for row in rows):
        print_whole(out, summary_table(mpi, [row for row in rows if row.mpi == mpi]))
    for told in sentences(rows):
        out.print(told, soft_wrap=True, markup=False)


def sentences(rows: Sequence[AppRow]) -> list[str]:
    """Return what the layer is worth on each library, and every row that it is proved to lose."""
    told = []
    for mpi in dict.fromkeys(row.mpi for row in rows):
        of = [row for row in rows if row.mpi == mpi]
        found = summary(mpi, of)
        if found:
            told.append(sentence(found))
            told += [lost_sentence(row) for row in of if row.lost]
    return told


def sentence(of: Summary) -> str:
    """Return the geometric mean of one library with its interval, and how many rows are lost."""
    return (
        f"{of.mpi}: with Gapless {interval_text(of.ratio, 3)} times as long as the best of datatype, MPI_Pack and "
        f"loops in C (geometric mean of {of.rows} rows, the best chosen on the other half of the launches); "
        f"proved more than 5 % slower: {len(of.lost)}, decided: {of.decided}"
    )


def lost_sentence(row: AppRow) -> str:
    """Return one row that is lost, by name."""
    assert row.best is not None
    best = " or ".join(dict.fromkeys(METHODS.get(way, way) for way in row.chosen))
    return (
        f"{row.mpi}: {row.case} ({row.bytes} bytes): {us_text(row.us['gapless'])} µs with Gapless, "
        f"×{row.best.ratio:.2f} ({row.best.ci_low:.2f} - {row.best.ci_high:.2f}) of {best}"
    )
