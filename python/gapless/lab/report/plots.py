"""The report's plots."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gapless.lab.guidelines import Row
from gapless.lab.halo import HaloRow
from gapless.lab.report.tables import TITLES, bytes_text

# Okabe and Ito's palette: tells apart for colour-blind readers too.
COLOURS = {"manual": "#999999", "pack": "#E69F00", "native": "#D55E00", "gapless": "#0072B2"}
RATIO_TICKS = [0.5, 1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100]
SYMBOLS = {"basic": "circle", "contiguous_subtype": "square", "tiled_vector": "diamond", "vector_tiled": "cross"}


def ratio_figures(rows: Sequence[Row]) -> list[go.Figure]:
    """Return one figure per message size: ratio to the contiguous send over A, one panel per layout."""
    return [
        _ratio_figure([row for row in rows if row.size == size], size) for size in sorted({r.size for r in rows})[::-1]
    ]


def _ratio_figure(rows: Sequence[Row], size: int) -> go.Figure:
    layouts = len({row.layout for row in rows})
    panels = sorted(dict.fromkeys((row.layout, row.variant) for row in rows), key=lambda panel: panel[1])
    columns = min(4, layouts)
    figure = make_subplots(
        rows=-(-len(panels) // columns),
        cols=columns,
        shared_yaxes="all",
        subplot_titles=[f"{layout}, variant {variant}" for layout, variant in panels],
    )
    named: set[str] = set()
    for i, panel in enumerate(panels):
        for method, colour in COLOURS.items():
            of_method = [row for row in rows if (row.layout, row.variant) == panel and row.method == method]
            for description in dict.fromkeys(row.description for row in of_method):
                if method == "manual" and description != "basic":
                    continue
                points = [row for row in of_method if row.description == description]
                figure.add_trace(
                    go.Scatter(
                        x=[f"A={row.A}" for row in points],
                        y=[row.ratio_to_contiguous for row in points],
                        customdata=[[row.description, row.median_us, row.type] for row in points],
                        hovertemplate="%{customdata[0]}<br>%{y:.2f} × contiguous, %{customdata[1]:.4g} µs"
                        "<br>%{customdata[2]}",
                        mode="lines+markers",
                        name=TITLES[method],
                        legendgroup=method,
                        showlegend=method not in named,
                        marker={"color": colour, "symbol": SYMBOLS.get(description, "x"), "size": 8},
                        line={"color": colour, "width": 1},
                    ),
                    row=i // columns + 1,
                    col=i % columns + 1,
                )
                named.add(method)
    figure.update_yaxes(type="log", tickvals=RATIO_TICKS, ticktext=[f"{tick:g}" for tick in RATIO_TICKS])
    figure.update_layout(
        title=f"Messages of {bytes_text(size)}: time as a ratio to the contiguous send",
        template="plotly_white",
        height=320 * -(-len(panels) // columns) + 120,
        legend={"orientation": "h", "y": -0.08},
    )
    return figure


def halo_figure(rows: Sequence[HaloRow]) -> go.Figure:
    """Return the halo exchange's times per step, split into exchange and the rest, one panel per grid."""
    figure = make_subplots(rows=1, cols=max(1, len(rows)), subplot_titles=[f"{row.n} x {row.n}" for row in rows])
    for i, row in enumerate(rows):
        exchange = [row.exchange_plain_ms, row.exchange_gapless_ms]
        rest = [row.total_plain_ms - exchange[0], row.total_gapless_ms - exchange[1]]
        for name, parts, colour in (("exchange", exchange, "native"), ("the rest", rest, "manual")):
            bar = go.Bar(
                x=["native", "+ Gapless"],
                y=[max(part, 0) * 1000 / row.iterations for part in parts],
                name=name,
                legendgroup=name,
                showlegend=i == 0,
                marker_color=COLOURS[colour],
            )
            figure.add_trace(bar, row=1, col=i + 1)
    figure.update_yaxes(title="µs a step")
    figure.update_layout(title="halo2d: time a step", barmode="stack", template="plotly_white", height=420)
    return figure
