"""Calls with the layer against the same calls without it: the table of docs/results/collectives.md, and its counts.

Reads runs that were measured with --against-native, such as

    gapless measure guidelines --tests ET1,ET3 --pattern bcast,allgather --against-native --tolerance 0.05 --launches 7

and prints in Markdown:

* the time with the layer as a part of the native typed call's, for each pattern, message size and block length A (in
  elements of the base type), in a column for each library: the geometric mean over all layouts, their variants and
  descriptions, base types and states of the caches that were measured (lowest - highest);
* the lines of that table where the mean of a library is beyond the tolerance, with the median of the differences of
  the two times;
* how many messages are proved not to be slower by more than the tolerance, against the native typed call and against
  MPI_Pack + call + MPI_Unpack, and how many keep GL2 and GL3, with the layer and without it.

A ratio is the geometric mean over launches, a verdict that of `gapless report`. The tolerance is the one that the first
run was measured for. Exit status: 0, printed; 2, a run cannot be read, or compares nothing with the calls without the
layer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from gapless.errors import GaplessError
from gapless.lab.report.collected import Collected, collect
from gapless.lab.run_file import read_run
from gapless.lab.verdicts import HOLDS, UNDECIDED, VIOLATED, Judged

COLUMNS = {"mpich": "MPICH", "openmpi": "Open MPI", "intel": "Intel MPI"}
NATIVE, PACKED = "native", "packed"
PACKING_GUIDELINES = ("GL2", "GL3", "GL2+GL3")

# Pattern, message size [bytes], A.
Place = tuple[str, int, int]
# Of a place, the rows of each library.
Cells = dict[Place, dict[str, list[Judged]]]


def size_text(count: int) -> str:
    """Return a message size as the document has it: 3200 B, 64 KB, 2.56 MB."""
    if count < 10_000:
        return f"{count} B"
    return f"{count / 1e3:.3g} KB" if count < 1_000_000 else f"{count / 1e6:.3g} MB"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _against(collected: Collected, guideline: str) -> list[Judged]:
    """Return the rows that compare the layer with one of the ways without it."""
    return [one for one in collected.judged if one.row.test == "layer" and one.row.guideline == guideline]


def cells_of(rows: Iterable[Judged]) -> Cells:
    """Return the rows by place and library: patterns in the order of the rows, sizes and A ascending."""
    cells: Cells = {}
    for one in rows:
        cells.setdefault((one.row.pattern, one.row.bytes, one.row.A), {}).setdefault(one.mpi, []).append(one)
    patterns = list(dict.fromkeys(pattern for pattern, _, _ in cells))
    return dict(sorted(cells.items(), key=lambda cell: (patterns.index(cell[0][0]), *cell[0][1:])))


def _mean(rows: Sequence[Judged]) -> float:
    return float(np.exp(np.mean([np.log(one.ratio) for one in rows])))


def _part(rows: Sequence[Judged]) -> str:
    ratios = [one.ratio for one in rows]
    return f"{_mean(rows):.2f} ({min(ratios):.2f} - {max(ratios):.2f})" if rows else "not measured"


def table(cells: Cells) -> str:
    """Return the table in Markdown: a line for each place, a column for each library."""
    libraries = list(dict.fromkeys(mpi for of in cells.values() for mpi in of))
    lines = ["| | message | A | " + " | ".join(COLUMNS.get(mpi, mpi) for mpi in libraries) + " |"]
    lines.append("|---" * (3 + len(libraries)) + "|")
    for (pattern, size, a), of in cells.items():
        parts = [_part(of.get(mpi, [])) for mpi in libraries]
        lines.append(f"| {pattern} | {size_text(size)} | {a} | " + " | ".join(parts) + " |")
    return "\n".join(lines)


def slower(cells: Cells, tolerance: float) -> str:
    """Return a line for each cell of the table whose mean is beyond the tolerance."""
    lines = []
    for (pattern, size, a), of in cells.items():
        for mpi, rows in of.items():
            if _mean(rows) > 1 + tolerance:
                more_us = float(np.median([one.compared_us - one.reference_us for one in rows]))
                proved = sum(one.verdict == VIOLATED for one in rows)
                lines.append(
                    f"* {COLUMNS.get(mpi, mpi)}, {pattern}, {size_text(size)}, A = {a}: {_part(rows)}, "
                    f"{more_us:+.3g} us; proved for {proved} of {len(rows)}"
                )
    return "\n".join([f"Slower by more than {_percent(tolerance)} in the mean:", "", *lines]) if lines else ""


def _counts(rows: Sequence[Judged]) -> str:
    found = [sum(one.verdict == verdict for one in rows) for verdict in (HOLDS, UNDECIDED, VIOLATED)]
    return f"{found[0]} of {len(rows)} hold, {found[1]} undecided, {found[2]} violated"


def verdicts(collected: Collected) -> str:
    """Return the counts: the layer against both ways without it, GL2 and GL3 with the layer and natively."""
    packing = [one for one in collected.judged if one.row.guideline in PACKING_GUIDELINES]
    counted = [
        ("against the native type", _against(collected, NATIVE)),
        ("against MPI_Pack + call + MPI_Unpack", _against(collected, PACKED)),
        ("GL2 and GL3 under the layer", [one for one in packing if one.row.layer]),
        ("GL2 and GL3 natively", [one for one in packing if not one.row.layer]),
    ]
    lines = [f'Verdicts on "not slower by more than {_percent(collected.tolerance)}", messages on all libraries:', ""]
    lines += [f"* {what}: {_counts(rows)}" for what, rows in counted if rows]
    if collected.missing:
        lines.append(f"* not measured, because no launch got there: {len(collected.missing)} rows")
    return "\n".join(lines)


def report(collected: Collected) -> str:
    """Return everything that the command prints.

    Raises
    ------
    GaplessError
        If a run has no rows that compare the layer with the native typed call.
    """
    for run in collected.runs:
        if not any(row.test == "layer" and row.guideline == NATIVE for row in run.rows):
            raise GaplessError(
                f"{run.path} compares nothing with the calls without the layer",
                "measure it with 'gapless measure guidelines --against-native'",
            )
    cells = cells_of(_against(collected, NATIVE))
    if not cells:
        raise GaplessError("no launch measured anything", "'gapless report RUN' says why")
    parts = (table(cells), slower(cells, collected.tolerance), verdicts(collected))
    return "\n\n".join(filter(None, parts))


def main(arguments: Sequence[str]) -> int:
    """Print what the runs in the folders say."""
    parser = argparse.ArgumentParser(
        prog="tools/against_native.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", type=Path,
        help="folder or run.jsonl; of a library that is in several, each has a column",
    )  # fmt: skip
    try:
        print(report(collect([read_run(path) for path in parser.parse_args(arguments).runs])))
    except GaplessError as error:
        print(f"gapless: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
