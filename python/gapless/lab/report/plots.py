"""Plots of experiments as plotly's JSON: what the pages' script dresses, arranges and draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gapless.lab.report.panels import plain

Colours = Mapping[str, tuple[str, str]]
NARROWEST, WIDE = 330, 900  # [pixels] that a subplot needs, and one that has a line of the page to itself
LIBRARY_COLOURS = 6
LIBRARIES = {f"library {i}": pair for i, pair in enumerate((
    ("#0072B2", "#56B4E9"), ("#D55E00", "#E8743B"), ("#009E73", "#00B386"), ("#E69F00", "#E69F00"),
    ("#CC79A7", "#CC79A7"), ("#6A3D9A", "#B794E6")))}  # fmt: skip


@dataclass(frozen=True)
class Plot:
    """One plot with its data.

    Attributes
    ----------
    title : str
        What it shows.
    figure : dict
        Traces and layout.
    columns, cells : sequence
        The same as a table.
    narrowest, foot : int
        What a subplot needs in width, and below it for its labels [pixels].
    """

    title: str
    figure: dict[str, Any]
    columns: Sequence[str]
    cells: Sequence[Sequence[str]]
    narrowest: int = NARROWEST
    foot: int = 52

    @property
    def libraries(self) -> list[str]:
        """One for each subplot, which the page gives so much room."""
        return [head["text"] for head in self.figure["layout"]["annotations"]]

    def as_json(self) -> dict[str, Any]:
        """Return what the page's script needs."""
        return {
            "title": self.title, "figure": self.figure, "columns": list(self.columns), "cells": list(self.cells),
            "narrowest": self.narrowest, "foot": self.foot,
        }  # fmt: skip


class Figure:
    """A figure with one subplot for each head; a trace's name is in the legend once.

    Parameters
    ----------
    heads : sequence of str
        What stands above each subplot.
    x, y : dict
        Of plotly's axes, alike in all subplots.
    colours : dict
        Role of a trace to its colour on a light and on a dark page.
    **layout
        What else plotly's layout says.
    """

    def __init__(
        self, heads: Sequence[str], x: dict[str, Any], y: dict[str, Any], colours: Colours, **layout: Any
    ) -> None:
        self._colours = colours
        self.traces: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {"annotations": [], "bargap": 0.15, **layout}
        self._named: set[str] = set()
        for number, head in enumerate(heads):
            axis = self.axis(number)
            self.layout[f"xaxis{axis}"] = {"anchor": f"y{axis}", "fixedrange": True, "showgrid": False} | x
            matching = {"matches": "y"} if number else {}
            self.layout[f"yaxis{axis}"] = {"anchor": f"x{axis}", "fixedrange": True} | y | matching
            self.layout["annotations"].append(
                {"xref": f"x{axis} domain", "yref": f"y{axis} domain", "x": 0, "y": 1, "xanchor": "left",
                 "text": f"<b>{plain(head)}</b>", "yanchor": "bottom", "showarrow": False}
            )  # fmt: skip

    @staticmethod
    def axis(number: int) -> str:
        """Return what plotly appends to the names of a subplot's axes."""
        return "" if number == 0 else str(number + 1)

    def add(
        self, number: int, role: str, name: str, x: Sequence[Any], y: Sequence[float], hovers: Sequence[str],
        ends: Sequence[tuple[float | None, float | None]] = (), **more: Any,
    ) -> None:  # fmt: skip
        """Add a trace; `ends` are those of the intervals around y."""
        if not y:
            return
        axis = self.axis(number)
        whole = [(at if low is None else low, at if high is None else high)
                 for at, (low, high) in zip(y, ends, strict=False)]  # fmt: skip
        self.traces.append(
            {
                "type": "bar", "name": plain(name), "legendgroup": name, "showlegend": name not in self._named,
                "x": x, "y": list(y), "customdata": ["<br>".join(map(plain, text.split("\n"))) for text in hovers],
                "hovertemplate": "%{customdata}<extra></extra>", "meta": role, "xaxis": f"x{axis}", "yaxis": f"y{axis}",
                "marker": {"color": self._colours[role][0], "pattern": {"shape": "", "fillmode": "overlay", "size": 6,
                                                                  "solidity": 0.3}},
                "error_y": {
                    "type": "data", "symmetric": False, "visible": bool(whole), "thickness": 1, "width": 2,
                    "array": [high - at for at, (_, high) in zip(y, whole, strict=False)],
                    "arrayminus": [at - low for at, (low, _) in zip(y, whole, strict=False)],
                },
            } | more
        )  # fmt: skip
        self._named.add(name)

    def json(self) -> dict[str, Any]:
        """Return what plotly draws."""
        return {"data": self.traces, "layout": self.layout}


class Placed:
    """Plots in the order in which a page shows them, numbered as its data have them."""

    def __init__(self) -> None:
        self.plots: list[Plot] = []

    def add(self, plots: Sequence[Plot | None]) -> list[dict[str, object]]:
        """Return what the template needs to place such plots; None is left out."""
        entries: list[dict[str, object]] = []
        for plot in plots:
            if plot is not None:
                # A wide one has a line of the page to itself.
                libraries = 1 if plot.narrowest > NARROWEST else len(plot.libraries)
                entries.append({"number": len(self.plots), "title": plot.title, "libraries": libraries})
                self.plots.append(plot)
        return entries

    def data(self, judged: Sequence[dict[str, object]], colours: Colours) -> dict[str, object]:
        """Return what the page's script reads."""
        columns = list(judged[0]) if judged else []
        return {
            "columns": columns,
            "rows": [[row[name] for name in columns] for row in judged],
            "panels": [plot.as_json() for plot in self.plots],
            "dark": {role: dark for role, (_, dark) in colours.items()},
        }
