"""The heat map of the adaptive way against the best fixed one: length of a block by number of blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gapless.display import headline
from gapless.lab.adaptive.chosen import NEAR, AgainstBest, View, against_best, short
from gapless.lab.report.plots import Figure, Plot
from gapless.lab.ways.points import Point
from gapless.lab.ways.report import by_library

# Up to these ratios; told apart by those who see no red, too: blue is good. The text is black on all of them.
COLOURS = ((1 / NEAR, "#6BAED6"), (NEAR, "#C6DBEF"), (1.1, "#FEE391"), (1.25, "#FEC44F"), (1.5, "#FE9929"))
WORST = "#EC7014"
ROLE = "heat"
# What the page would put in place of a trace's colour on a dark page it does not know: the squares keep theirs.
_ROLES: Mapping[str, tuple[str, str]] = {ROLE: (WORST, WORST)}
SQUARE = 44  # [pixels]


def colour(ratio: float) -> str:
    """Return the colour of a ratio."""
    return next((shade for most, shade in COLOURS if ratio <= most), WORST)


def judged(
    points: Sequence[Point], judge: Callable[[Point], AgainstBest | None] = against_best
) -> list[tuple[Point, AgainstBest]]:
    """Return the points that can be judged, and what is found of each."""
    return [(point, found) for point in points if (found := judge(point)) is not None]


def heat_map(
    view: View, names: Mapping[str, str], judge: Callable[[Point], AgainstBest | None] = against_best
) -> Plot | None:
    """Return the heat map of a view, a subplot for each library; None if nothing of it can be judged."""
    found = judged(view.points, judge)
    if not found:
        return None
    lengths, counts = (sorted({value(p) for p, _ in found}) for value in (_length, _count))
    libraries = by_library([point for point, _ in found])
    x, y = _axis("blocks", counts), _axis("block [bytes]", lengths)
    figure = Figure([names.get(mpi, mpi) for mpi in libraries], x, y, _ROLES)
    cells = []
    for number, mpi in enumerate(libraries):
        of = [(point, against) for point, against in found if point.mpi == mpi]
        blocks: list[Any] = [str(point.blocks) for point, _ in of]
        lengths_of: list[Any] = [str(point.block_bytes) for point, _ in of]
        figure.add(
            number, ROLE, "adaptive", blocks, lengths_of,
            [f"{p.name}\nadaptive to {short(a.way)}: {a.text}" for p, a in of],
            type="scatter", mode="markers+text", showlegend=False, text=[f"{a.ratio.value:.2f}" for _, a in of],
            textfont={"color": "#000000", "size": 12}, error_y={"visible": False},
            marker={"color": [colour(a.ratio.value) for _, a in of], "symbol": "square", "size": SQUARE},
        )  # fmt: skip
        cells += [[mpi, str(p.block_bytes), str(p.blocks), short(a.way), f"{a.ratio.value:.3f}", a.text] for p, a in of]
    columns = ["library", "block [bytes]", "blocks", "best fixed way", "adaptive to it", "with its interval"]
    return Plot(headline(f"{view.name}: adaptive to the best fixed way"), figure.json(), columns, cells)


def _length(point: Point) -> int:
    return point.block_bytes


def _count(point: Point) -> int:
    return point.blocks


def _axis(title: str, values: Sequence[int]) -> dict[str, Any]:
    shown = [str(value) for value in values]
    return {"type": "category", "categoryorder": "array", "categoryarray": shown, "title": {"text": title},
            "range": [-0.5, len(shown) - 0.5]}  # fmt: skip
