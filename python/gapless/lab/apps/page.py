"""The report of the applications: a page that holds all it needs, and the same as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console

from gapless.errors import GaplessError
from gapless.lab.apps.figures import COLOURS, bandwidth, opening, overheads, phases
from gapless.lab.apps.rows import AppRow, Summary, rows_of, summary
from gapless.lab.apps.tables import lost_sentence, print_rows, sentence, tsv
from gapless.lab.report.collected import Collected
from gapless.lab.report.page import embedded, render_template
from gapless.lab.report.plots import Placed

FORMATS = ("html", "json", "tsv", "csv")


def app_rows(collected: Collected) -> list[AppRow]:
    """Return the rows of all runs, called by their library's label."""
    label = {(id(library.run), library.mpi): library.label for library in collected.libraries}
    return [replace(row, mpi=label[id(run), row.mpi]) for run in collected.runs for row in rows_of(run)]


def summaries(rows: Sequence[AppRow]) -> list[Summary]:
    """Return what the layer is worth on each library that has it."""
    found = (summary(mpi, [row for row in rows if row.mpi == mpi]) for mpi in dict.fromkeys(row.mpi for row in rows))
    return [one for one in found if one is not None]


def _compilers(collected: Collected) -> list[str]:
    """Return what compiled the loops, as the launches say."""
    told = {
        f"{method.removeprefix('hand_')}: {version}"
        for run in collected.runs
        for line in run.launches
        for method, version in line.get("facts", {}).get("loops", {}).items()
    }
    return sorted(told)


def render(collected: Collected) -> str:
    """Return the page.

    Parameters
    ----------
    collected : Collected
        One or several runs of the applications.
    """
    rows = app_rows(collected)
    if not rows:
        raise GaplessError("the run measured nothing", "see what its launches say, and measure again")
    names = {library.label: library.name for library in collected.libraries}
    tests = list(dict.fromkeys(row.test for row in rows))
    placed = Placed()
    first, side_by_side = placed.add([opening(rows, names)]), placed.add(overheads(rows, names))
    sections = [
        {
            "test": test,
            "phases": placed.add([phases(rows, test, names)]),
            "bandwidth": placed.add([bandwidth(rows, test, names)]),
        }
        for test in tests
    ]
    judged = [one.as_json() for one in collected.judged]
    table = [line.split("\t") for line in tsv(rows).splitlines()]
    return render_template(
        "apps.html.j2", collected, names=names, opening=first, side_by_side=side_by_side, sections=sections,
        told=[(one, sentence(one), [lost_sentence(row) for row in rows if row.mpi == one.mpi and row.lost])
              for one in summaries(rows)],
        rows=rows, compilers=_compilers(collected), table_columns=table[0], table_cells=table[1:],
        data=embedded(placed.data(judged, COLOURS)),
    )  # fmt: skip


def as_text(collected: Collected, kind: str) -> str:
    """Return every row as json, tsv or csv.

    Raises
    ------
    GaplessError
        If there is no such form.
    """
    rows = app_rows(collected)
    if kind == "json":
        return json.dumps([row.as_json() for row in rows], indent=1) + "\n"
    if kind in ("tsv", "csv"):
        # No cell has a comma or a quote.
        return tsv(rows) if kind == "tsv" else tsv(rows).replace("\t", ",")
    raise GaplessError(f"--format {kind}: a run of the applications has none", f"there are {', '.join(FORMATS)}")


def show(out: Console, collected: Collected) -> None:
    """Print the tables by library and test, and what the layer is worth."""
    print_rows(out, app_rows(collected))
