"""The page of the applications: one figure, and the table below it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from markupsafe import Markup

from gapless.lab.applications.catalogue import TITLES, WAYS
from gapless.lab.applications.judged import Row, answers_of
from gapless.lab.applications.measure import differing
from gapless.lab.applications.tables import answer_sentence, tsv
from gapless.lab.report.figures import COLOURS
from gapless.lab.report.page import embedded, page_environment, plotting_script, write_text
from gapless.lab.results import Line, of_kind

# A way, natively or under the layer, to its name and its colours on a light and a dark page.
BARS = {
    ("hand", False): ("by hand", ("#009E73", "#00B386")),
    ("vector", False): ("vector", COLOURS["native"]),
    ("subarray", False): ("subarray", COLOURS["pack"]),
    ("vector", True): ("vector, Gapless", COLOURS["gapless"]),
    ("subarray", True): ("subarray, Gapless", ("#CC79A7", "#CC79A7")),
}


def first_scale(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the scale that the figure shows: of two ranks if there are any, else the first."""
    scales = list(dict.fromkeys((row.ranks, row.size, row.weak) for row in rows))
    scale = next((scale for scale in scales if scale[0] == 2), scales[0])
    return [row for row in rows if (row.ranks, row.size, row.weak) == scale]


def figure(rows: Sequence[Row]) -> dict[str, Any]:
    """Return plotly's figure of each application's exchange, a line of bars for each library."""
    shown = first_scale(rows)
    libraries = list(dict.fromkeys(row.library for row in shown))
    traces, layout = [], {"barmode": "group", "height": 120 + 240 * len(libraries), "legend": {"orientation": "h"}}
    layout["grid"] = {"rows": len(libraries), "columns": 1, "pattern": "independent", "ygap": 0.35}
    for number, library in enumerate(libraries):
        axis = "" if number == 0 else str(number + 1)
        mine = [row for row in shown if row.library == library]
        for (way, layer), (name, colours) in BARS.items():
            of = [(row, (row.layer_us if layer else row.native_us).get(way)) for row in mine]
            of = [(row, us) for row, us in of if us is not None]
            traces.append({
                "type": "bar", "name": name, "legendgroup": name, "showlegend": number == 0, "xaxis": f"x{axis}",
                "yaxis": f"y{axis}", "marker": {"color": colours[0]}, "y": [us for _, us in of],
                "x": [[TITLES[row.program] for row, _ in of], [row.call for row, _ in of]],
            })  # fmt: skip
        layout[f"yaxis{axis}"] = {"title": {"text": f"{library} [µs]"}, "rangemode": "tozero"}
    return {"data": traces, "layout": layout}


# What the scaling shows: lines of these ways, one dash for each library; all three calls would be too many.
SCALED, CALL, DASHES = (("hand", False), ("vector", False), ("vector", True)), "waitall", ("solid", "dash", "dot")


def scaling(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Return plotly's figure of the exchange over ranks, strong and weak; None if there is one number of ranks only."""
    shown = [row for row in rows if row.call == CALL]
    if len({row.ranks for row in shown}) < 2:
        return None
    programs = [program for program in TITLES if any(row.program == program for row in shown)]
    kinds = [weak for weak in (False, True) if any(row.weak == weak for row in shown)]
    libraries = list(dict.fromkeys(row.library for row in shown))
    layout: dict[str, Any] = {"height": 120 + 260 * len(programs), "legend": {"orientation": "h"}}
    layout["grid"] = {"rows": len(programs), "columns": len(kinds), "pattern": "independent", "ygap": 0.3}
    traces = []
    for number, (program, weak) in enumerate(product(programs, kinds)):
        axis = "" if number == 0 else str(number + 1)
        for library, way in product(libraries, SCALED):
            name, colours = BARS[way]
            mine = sorted((row for row in shown if (row.program, row.weak, row.library) == (program, weak, library)),
                          key=lambda row: row.ranks)  # fmt: skip
            of = [(row.ranks, us) for row in mine if (us := (row.layer_us if way[1] else row.native_us).get(way[0]))]
            traces.append({
                "type": "scatter", "mode": "lines+markers", "name": f"{library}: {name}", "xaxis": f"x{axis}",
                "legendgroup": f"{library} {name}", "showlegend": number == 0, "yaxis": f"y{axis}",
                "line": {"color": colours[0], "dash": DASHES[libraries.index(library) % len(DASHES)]},
                "x": [ranks for ranks, _ in of], "y": [us for _, us in of],
            })  # fmt: skip
        title = f"ranks ({'as large a field on each' if weak else 'one field for all'})"
        layout[f"xaxis{axis}"] = {"title": {"text": title}, "dtick": 1}
        layout[f"yaxis{axis}"] = {"title": {"text": f"{TITLES[program]} [µs]"}, "rangemode": "tozero"}
    return {"data": traces, "layout": layout}


def render(lines: Sequence[Line], rows: Sequence[Row]) -> str:
    """Return the page.

    Parameters
    ----------
    lines : sequence of dict
        Of the run file.
    rows : sequence of Row
        What they say.
    """
    shown, head = first_scale(rows)[0], of_kind(list(lines), "environment")[0]
    figures = {"figure": figure(rows), "scaling": scaling(rows)}
    table = [line.split("\t") for line in tsv(rows).splitlines()]
    return page_environment().get_template("applications.html.j2").render(
        libraries=list(dict.fromkeys(row.library for row in rows)), shown=shown, head=head, ways=WAYS,
        answers=[answer_sentence(answer) for answer in answers_of(rows)], columns=table[0], cells=table[1:],
        problems=[line["reason"] for line in of_kind(list(lines), "launch") if line["reason"]] + differing(lines),
        figures=embedded(figures), call=CALL, scales=figures["scaling"] is not None, plotly=Markup(plotting_script()),
    )  # fmt: skip


def write_page(lines: Sequence[Line], rows: Sequence[Row], path: Path) -> None:
    """Write the page; GaplessError if the file cannot be written."""
    write_text(path, render(lines, rows))
