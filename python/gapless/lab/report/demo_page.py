"""The report: the tables and plots of a result file as one HTML page that needs nothing from the network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader

from gapless.errors import GaplessError
from gapless.lab.guidelines import rows_of
from gapless.lab.halo import halo_rows
from gapless.lab.launch_facts import peer_lines_text
from gapless.lab.report.plots import halo_figure, ratio_figures
from gapless.lab.report.tables import (
    GUIDELINE_COLUMNS,
    HALO_COLUMNS,
    PINGPONG_COLUMNS,
    best_line,
    guideline_cells,
    halo_cells,
    heading,
    pingpong_cells,
)
from gapless.lab.results import Line, of_kind

PLOT_SETTINGS = {"displaylogo": False, "responsive": True}


def _figures_html(figures: Sequence[Any]) -> list[str]:
    """Return the figures as HTML; the first one brings the whole plotting script with it."""
    return [
        figure.to_html(full_html=False, include_plotlyjs=(i == 0), config=PLOT_SETTINGS)
        for i, figure in enumerate(figures)
    ]


def render(lines: Sequence[Line]) -> str:
    """Return the report of a result file as HTML."""
    rows, halo = rows_of(lines), halo_rows(lines)
    if not rows and not halo:
        raise GaplessError(
            "the result file holds neither ping-pong nor halo results", "name a file that the demo wrote"
        )
    figures = _figures_html([*ratio_figures(rows), *([halo_figure(halo)] if halo else [])])
    environment = (of_kind(lines, "environment") or [{}])[0]
    template = Environment(loader=PackageLoader("gapless.lab.report"), autoescape=True).get_template("report.html.j2")
    return template.render(
        environment={k: v for k, v in environment.items() if k not in ("schema", "kind")},
        heading=heading(lines),
        pingpong_columns=PINGPONG_COLUMNS,
        pingpong=pingpong_cells(rows),
        guideline_columns=GUIDELINE_COLUMNS,
        guidelines=guideline_cells(rows),
        best=best_line(lines) if rows else None,
        peers=peer_lines_text(lines),
        halo_columns=HALO_COLUMNS,
        halo=halo_cells(halo),
        figures=figures,
        rows=rows,
        skipped=list({(line["group"], line["reason"]): None for line in of_kind(lines, "skipped")}),
    )


def write_report(lines: Sequence[Line], path: Path) -> None:
    """Write the report of a result file."""
    page = render(lines)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise GaplessError(f"cannot write {path}: {error.strerror}", "choose another file with -o") from error
