"""The page of the applications: one figure, and the table below it."""

from __future__ import annotations

from collections.abc import Sequence
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
    table = [line.split("\t") for line in tsv(rows).splitlines()]
    return page_environment().get_template("applications.html.j2").render(
        libraries=list(dict.fromkeys(row.library for row in rows)), shown=shown, head=head, ways=WAYS,
        answers=[answer_sentence(answer) for answer in answers_of(rows)], columns=table[0], cells=table[1:],
        problems=[line["reason"] for line in of_kind(list(lines), "launch") if line["reason"]] + differing(lines),
        figure=embedded(figure(rows)), plotly=Markup(plotting_script()),
    )  # fmt: skip


def write_page(lines: Sequence[Line], rows: Sequence[Row], path: Path) -> None:
    """Write the page; GaplessError if the file cannot be written."""
    write_text(path, render(lines, rows))
