"""The plots as plotly's JSON: one figure a panel, one subplot a library, bars of what each member took, over A.

They are made without a template and without sizes: the page's script adds the colours of the reader's scheme, puts the
subplots beside or below one another as the window is wide, and draws a figure when it comes into view.
"""

from __future__ import annotations

from typing import Any

from gapless.lab.report.panels import Panel, plain
from gapless.lab.report.texts import member_text, us_text
from gapless.lab.run_file import CONTIGUOUS_MEMBER

# Okabe and Ito's palette, the same meaning as in the older report: tells apart for colour-blind readers too. The
# second colour is for a dark background.
COLOURS = {
    "contiguous": ("#999999", "#a8a8a8"),
    "native": ("#D55E00", "#E8743B"),
    "gapless": ("#0072B2", "#56B4E9"),
    "local": ("#56B4E9", "#2F8FD0"),
    "pack": ("#E69F00", "#E69F00"),
    "pack_send": ("#CC79A7", "#CC79A7"),
    "unpack_receive": ("#009E73", "#00B386"),
}
SHAPES = ("", "/", "x", ".", "-", "+", "\\", "|")
# From this ratio of the longest to the shortest time on, short bars cannot be read on a linear axis.
LOG_FROM = 12.0


def role(member: str) -> str:
    """Return which colour a member has."""
    method = member.partition(":")[2]
    return "contiguous" if member == CONTIGUOUS_MEMBER else method if method in COLOURS else "native"


def shape(panel: Panel, member: str) -> str:
    """Return the hatching of a member: one for each message."""
    messages = list(dict.fromkeys(name.partition(":")[0] for name in panel.members if name != CONTIGUOUS_MEMBER))
    return "" if member == CONTIGUOUS_MEMBER else SHAPES[messages.index(member.partition(":")[0]) % len(SHAPES)]


def _hover(panel: Panel, library: str, category: str, member: str) -> str:
    times = panel.times[library, category, member]
    told = panel.verdict_text((library, category, member))
    lines = [
        f"{library}, {category if panel.own else f'A = {category}'}",
        member_text(member),
        f"{us_text(times.median)} µs ({us_text(times.low)} to {us_text(times.high)} over {times.launches} launches)",
        *(told.split("; ") if told else []),
    ]
    return "<br>".join(map(plain, lines))


def _bars(panel: Panel, library: str, number: int, member: str, named: set[str]) -> dict[str, Any] | None:
    points = [(category, panel.times.get((library, category, member))) for category in panel.categories]
    found = [(category, times) for category, times in points if times]
    if not found:
        return None
    axis = "" if number == 0 else str(number + 1)
    trace = {
        "type": "bar",
        "name": plain(member_text(member)),
        "legendgroup": member,
        "showlegend": member not in named,
        "x": [plain(category) for category, _ in found],
        "y": [times.median for _, times in found],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [times.high - times.median for _, times in found],
            "arrayminus": [times.median - times.low for _, times in found],
            "thickness": 1,
            "width": 2,
        },
        "customdata": [_hover(panel, library, category, member) for category, _ in found],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {
            "color": COLOURS[role(member)][0],
            "pattern": {"shape": shape(panel, member), "fillmode": "overlay", "size": 6, "solidity": 0.3},
        },
        "meta": role(member),
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
    }
    named.add(member)
    return trace


def _axes(panel: Panel, number: int, logarithmic: bool) -> dict[str, Any]:
    axis = "" if number == 0 else str(number + 1)
    of = "elements of each base type" if panel.base == "mixed" else f"elements of {panel.base}"
    x = {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": [plain(category) for category in panel.categories],
        "title": {"text": "" if panel.own else plain(f"A [{of}]")},
        "anchor": f"y{axis}",
        "fixedrange": True,
        "showgrid": False,
    }
    y = {
        "type": "log" if logarithmic else "linear",
        "rangemode": "tozero",
        "title": {"text": "round trip [µs]" if panel.pattern == "pingpong" else "one call [µs]"},
        "anchor": f"x{axis}",
        "fixedrange": True,
    }
    if logarithmic:
        y["title"]["text"] += ", log scale"
        y |= {"dtick": "D2" if _spread(panel) < 200 else 1, "tickformat": "~g"}
    if number > 0:
        y["matches"] = "y"
    return {f"xaxis{axis}": x, f"yaxis{axis}": y}


def _spread(panel: Panel) -> float:
    medians = [times.median for times in panel.times.values()]
    return max(medians) / min(medians) if min(medians) > 0 else 1.0


def figure(panel: Panel, names: dict[str, str]) -> dict[str, Any]:
    """Return a panel as a figure of plotly.

    Parameters
    ----------
    panel : Panel
        What to draw.
    names : dict
        Label of a library to its name with version, which heads its subplot.
    """
    logarithmic = _spread(panel) >= LOG_FROM
    named: set[str] = set()
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"barmode": "group", "bargap": 0.15, "annotations": []}
    for number, library in enumerate(panel.libraries):
        axis = "" if number == 0 else str(number + 1)
        bars = (_bars(panel, library, number, member, named) for member in panel.members)
        traces += [trace for trace in bars if trace]
        layout |= _axes(panel, number, logarithmic)
        head = {"xref": f"x{axis} domain", "yref": f"y{axis} domain", "x": 0, "y": 1, "xanchor": "left"}
        text = {"text": f"<b>{plain(names.get(library, library))}</b>", "yanchor": "bottom", "showarrow": False}
        layout["annotations"].append(head | text)
    return {"data": traces, "layout": layout}
