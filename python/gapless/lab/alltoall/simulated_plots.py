"""Curves of simulated all-to-alls as SVG: time over the size of a block, both axes logarithmic; dotted, the model."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

from gapless.lab.alltoall.names import COLOURS

if TYPE_CHECKING:
    from gapless.lab.alltoall.simulation import Simulated

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 860, 460, 70, 40, 190, 50


class Axis:
    """Powers of ten between two ends in pixels."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        self.low, self.high = floor(log10(min(values))), ceil(log10(max(values)))
        self.high = max(self.high, self.low + 1)
        self._first, self._scale = first, (last - first) / (self.high - self.low)

    def at(self, value: float) -> float:
        """Return where a value is [pixels]."""
        return round(self._first + (log10(value) - self.low) * self._scale, 1)

    def powers(self) -> list[float]:
        """Return what is marked."""
        return [10.0**exponent for exponent in range(self.low, self.high + 1)]


def svg(title: str, found: Sequence[Simulated]) -> str:
    """Return a drawing of the curves of all ways."""
    x = Axis([one.bytes for one in found], LEFT, WIDTH - RIGHT)
    y = Axis([one.us for one in found], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15" font-weight="bold">{escape(title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">block [bytes]</text>',
        f'<text transform="translate(18 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">simulated time [µs]</text>',
    ]
    for value in x.powers():
        parts.append(_line(x.at(value), TOP, x.at(value), HEIGHT - BOTTOM))
        parts.append(f'<text x="{x.at(value)}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{value:g}</text>')
    for value in y.powers():
        parts.append(_line(LEFT, y.at(value), WIDTH - RIGHT, y.at(value)))
        parts.append(f'<text x="{LEFT - 6}" y="{y.at(value) + 4}" text-anchor="end">{value:g}</text>')
    for number, way in enumerate(dict.fromkeys(one.way for one in found)):
        of = sorted((one for one in found if one.way == way), key=lambda one: one.bytes)
        colour = COLOURS[way.partition(":")[0]][0]
        dash = ' stroke-dasharray="7 4"' if ":" in way else ""
        points = " ".join(f"{x.at(one.bytes)},{y.at(one.us)}" for one in of)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')
        parts += [f'<circle cx="{x.at(one.bytes)}" cy="{y.at(one.us)}" r="2.5" fill="{colour}"/>' for one in of]
        modelled = " ".join(f"{x.at(one.bytes)},{y.at(one.model_us)}" for one in of if one.model_us)
        if modelled:
            parts.append(f'<polyline points="{modelled}" fill="none" stroke="{colour}" stroke-dasharray="1 3"/>')
        at = TOP + 10 + 20 * number
        parts.append(
            f'<line x1="{WIDTH - RIGHT + 12}" y1="{at}" x2="{WIDTH - RIGHT + 36}" y2="{at}" stroke="{colour}" '
            f'stroke-width="2"{dash}/><text x="{WIDTH - RIGHT + 42}" y="{at + 4}">{escape(way)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#ddd"/>'


def write_plots(found: Sequence[Simulated], folder: Path) -> list[Path]:
    """Write a drawing for each number of processes and problem, and return the files."""
    written = []
    for problem, text in (("regular", "MPI_Alltoall"), ("random", "MPI_Alltoallv, random blocks")):
        for processes in sorted({one.processes for one in found}):
            of = [one for one in found if one.problem == problem and one.processes == processes]
            if of:
                written.append(folder / f"simulated-{problem}-{processes}.svg")
                written[-1].write_text(svg(f"{text}, {processes} simulated processes", of), encoding="utf-8")
    return written
