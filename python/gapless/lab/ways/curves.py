"""Curves of ways over sizes: time, bandwidth, slow-down, a subplot for each library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gapless.display import bytes_text
from gapless.lab.interval import interval_text
from gapless.lab.report.plots import NARROWEST, Figure, Plot
from gapless.lab.report.texts import us_text
from gapless.lab.run_file import CONTIGUOUS_MEMBER
from gapless.lab.ways.names import COLOURS, DASHES, parts, role, way_text
from gapless.lab.ways.points import Point
from gapless.lab.ways.report import by_library

FEW_DECADES = 100
# Of a point and a member: the value that is drawn, or None.
Value = Callable[[Point, str], float | None]


def time_us(point: Point, member: str) -> float | None:
    """Return what one message took [us]."""
    return point.us(member) if member in point.times else None


def megabytes_per_second(point: Point, member: str) -> float | None:
    """Return the bandwidth."""
    return point.bytes / point.us(member) if member in point.times else None


def slow_down(point: Point, member: str) -> float | None:
    """Return the ratio to an array."""
    ratio = point.ratio(member)
    return ratio.value if ratio else None


def members_of(points: Sequence[Point]) -> list[str]:
    """Return every way that some point has, in the order of the plan."""
    return list(dict.fromkeys(member for point in points for member in point.times))


def curves(
    title: str, points: Sequence[Point], names: Mapping[str, str], value: Value, of: str,
    at: Callable[[Point], float] = lambda point: point.bytes, along: str = "message [bytes]",
    members: Sequence[str] | None = None, marks: Mapping[str, float] | None = None,
) -> Plot:  # fmt: skip
    """Return a plot, both axes logarithmic.

    Parameters
    ----------
    title, of, along : str
        What it shows, and what stands beside its axes.
    points : sequence of Point
        Of all libraries.
    names : mapping
        Label of a library to its name with version.
    value, at : callable
        What is drawn, and where on the horizontal axis.
    members : sequence of str
        Which ways; all, if it is None.
    marks : mapping
        Library to a place on the horizontal axis that a line marks, for example its eager limit.
    """
    libraries = by_library(points)
    shown = members_of(points) if members is None else list(members)
    x = {"type": "log", "title": {"text": f"{along}, log scale"}, "tickformat": "~s", "dtick": 1}
    drawn_all = [drawn for point in points for member in shown if (drawn := value(point, member)) is not None]
    # Where the axis has no two powers of ten, those between are named.
    narrow = not drawn_all or max(drawn_all) < FEW_DECADES * min(drawn_all)
    y = {"type": "log", "title": {"text": f"{of}, log scale"}, "tickformat": "~g", "dtick": "D2" if narrow else 1}
    figure = Figure([names.get(mpi, mpi) for mpi in libraries], x, y, COLOURS)
    if marks:
        figure.layout["shapes"] = [
            {"type": "line", "xref": f"x{Figure.axis(i)}", "yref": f"y{Figure.axis(i)} domain", "x0": marks[mpi],
             "x1": marks[mpi], "y0": 0, "y1": 1, "line": {"color": "#999999", "dash": "dot", "width": 1}}
            for i, mpi in enumerate(libraries) if mpi in marks
        ]  # fmt: skip
    cells = []
    for number, (mpi, all_of) in enumerate(libraries.items()):
        for member in shown:
            has = [(point, drawn) for point in all_of if (drawn := value(point, member)) is not None]
            drawn_values = [drawn for _, drawn in has]
            dash = DASHES[_number_of(member, shown) % len(DASHES)]
            figure.add(
                number, role(member), way_text(member), [at(point) for point, _ in has], drawn_values,
                [_hover(point, member, f"{of}: {drawn:.4g}") for point, drawn in has],
                type="scatter", mode="lines+markers", marker={"color": COLOURS[role(member)][0]}, line={"dash": dash},
            )  # fmt: skip
            cells += [
                [mpi, way_text(member), point.name, str(point.bytes), str(point.block_bytes), f"{drawn:.4g}"]
                for point, drawn in has
            ]
    return Plot(title, figure.json(), ["library", "way", "message", "bytes", "block bytes", of], cells, NARROWEST)


def _number_of(member: str, shown: Sequence[str]) -> int:
    """Return the number of a member among those of its colour."""
    alike = [other for other in shown if role(other) == role(member)]
    return alike.index(member)


def _hover(point: Point, member: str, told: str) -> str:
    lines = [f"{point.mpi}, {bytes_text(point.bytes)}", way_text(member), told, f"{us_text(point.us(member))} µs"]
    ratio = point.ratio(member) if member != CONTIGUOUS_MEMBER else None
    return "\n".join([*lines, *([f"to an array: {interval_text(ratio)}"] if ratio else [])])


def messages_of(members: Sequence[str]) -> list[str]:
    """Return the descriptions that members send."""
    return list(dict.fromkeys(parts(member)[0] for member in members))
