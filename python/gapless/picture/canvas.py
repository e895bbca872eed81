"""What pictures are drawn with: an SVG of fixed width that grows downwards."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from xml.etree.ElementTree import Element, SubElement

WIDTH = 420.0  # units: about a pixel on a phone
LEFT = 52.0  # where memory begins, right of the displacements
BYTE = 5.6  # width of a byte of a cache line
SPAN = 64 * BYTE
STROKE = {"stroke": "currentColor", "stroke-opacity": ".6", "stroke-width": ".8"}
LABEL = 8.5  # font size of the numbers of runs
SHORTEST_ARROW = 25
LARGEST = 640  # pixels: wider than this the picture is not shown

SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# Everything without a colour of its own has currentColor. A file is shown on a page of which it knows nothing (as an
# image it cannot see it): it brings a background.
NARROWER = "max-width:100%;height:auto"  # where the page is
THEME = (
    f"@media screen{{svg{{{NARROWER}}}}}svg{{color:#1f2328}}.page{{fill:#fff}}"
    "@media (prefers-color-scheme:dark){svg{color:#e6edf3}.page{fill:#0d1117}}"
)


def number(value: int) -> str:
    """Return an integer with its digits in groups of three."""
    return f"{value:,}".replace(",", "\u202f").replace("-", "\u2212")


def rounded(value: int) -> str:
    """Return an integer, a large one with four digits."""
    return number(value) if abs(value) < 10**11 else f"{value:.3e}".replace("-", "\u2212").replace("e+", "e")


def _units(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Canvas:
    """An SVG that is written from the top down; `y` is where it has got to."""

    def __init__(self, title: str, description: str, standalone: bool) -> None:
        self.y = 6.0
        self.row_units = SPAN  # width of a row of memory
        self._standalone = standalone
        self._root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
        SubElement(self._root, "title").text = title
        SubElement(self._root, "desc").text = description
        if standalone:
            # Attributes for viewers that ignore styles.
            self._root.set("color", "#1f2328")
            SubElement(self._root, "style").text = THEME
            self._page = SubElement(self._root, "rect", {"class": "page", "rx": "6", "fill": "#fff"})
        self._into = SubElement(self._root, "g", {"fill": "currentColor", "font-family": SANS})

    def finish(self) -> Element:
        """Return the picture."""
        height = math.ceil(self.y + 8)
        self._root.set("viewBox", f"0 0 {_units(WIDTH)} {height}")
        self._root.set("width", str(LARGEST))
        self._root.set("height", str(round(height * LARGEST / WIDTH)))
        if not self._standalone:
            self._root.set("style", NARROWER)
        else:
            self._page.set("width", _units(WIDTH))
            self._page.set("height", str(height))
        return self._root

    @contextmanager
    def group(self, name: str) -> Iterator[None]:
        """Put what is drawn meanwhile into a group, labels on top of it."""
        outer = self._into
        self._into = SubElement(outer, "g", {"class": name})
        shared = {"class": "labels", "font-family": MONO, "font-size": _units(LABEL), "text-anchor": "middle"}
        self._labels = Element("g", shared)
        yield
        if len(self._labels):
            self._into.append(self._labels)
        self._into = outer

    def label(self, x: float, y: float, text: str, height: float, fill: str) -> None:
        """Write a short text into the middle of a piece of this height, within a group."""
        size = min(LABEL, height - 0.5)
        attributes = {"x": _units(x), "y": _units(y + size * 0.35), "fill": fill}
        if size < LABEL:
            attributes["font-size"] = _units(size)
        SubElement(self._labels, "text", attributes).text = text

    def rect(
        self, x: float, y: float, width: float, height: float, *, fill: str = "", gap: bool = False,
        opacity: float = 1.0, run: int | None = None, title: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a rectangle: memory that is not touched (`gap`), or a run."""
        attributes = {"x": _units(x), "y": _units(y), "width": _units(width), "height": _units(height)}
        if fill:
            attributes["fill"] = fill
        if gap:
            opacity = 0.12
        if opacity < 1:
            attributes["fill-opacity"] = _units(opacity)
        if run is not None:
            attributes["data-run"] = str(run)
        drawn = SubElement(self._into, "rect", attributes)
        if title:
            SubElement(drawn, "title").text = title

    def text(
        self, x: float, y: float, text: str, *, size: float, mono: bool = False, bold: bool = False, dim: bool = False,
        middle: bool = False, end: bool = False, fill: str = "",
    ) -> None:  # fmt: skip
        """Write a line of text; in the middle of x (and within the picture), or ending there."""
        attributes = {"x": _units(x), "y": _units(y), "font-size": _units(size)}
        if middle:
            half = 0.29 * size * len(text)
            attributes["x"] = _units(min(max(x, half + 4), max(half + 4, WIDTH - half - 4)))
            attributes["text-anchor"] = "middle"
        if end:
            attributes["text-anchor"] = "end"
        if mono:
            attributes["font-family"] = MONO
        if bold:
            attributes["font-weight"] = "600"
        if dim:
            attributes["fill-opacity"] = ".75"
        if fill:
            attributes["fill"] = fill
        SubElement(self._into, "text", attributes).text = text

    def heading(self, text: str, note: str) -> None:
        """Begin a part of the picture."""
        self.y += 10
        self.text(12, self.y + 10, text, size=10, bold=True)
        left = 12 + 6 * len(text) + 10
        room = int((WIDTH - left) / (8.5 * 0.53))
        here, _, below = (note, "", "") if len(note) <= room else note.partition("; ")
        if here:
            self.text(left, self.y + 10, here, size=8.5, dim=True)
        if below:
            self.y += 11
            self.text(left, self.y + 10, below, size=8.5, dim=True)
        self.y += 16

    def address(self, y: float, text: str) -> None:
        """Write a displacement into the margin."""
        self.text(LEFT - 5, y, text, size=8, end=True, dim=True)

    def line(self, x1: float, y1: float, x2: float, y2: float, *, dashed: bool = False) -> None:
        """Draw a thin line."""
        ends = {"x1": _units(x1), "y1": _units(y1), "x2": _units(x2), "y2": _units(y2)}
        dashes = {"stroke-dasharray": "2 2"} if dashed else {}
        SubElement(self._into, "line", ends | STROKE | dashes)

    def path(self, steps: str, *, filled: bool = False) -> None:
        """Draw a path: a thin line, or filled."""
        SubElement(self._into, "path", {"d": steps} | ({} if filled else {"fill": "none"} | STROKE))

    def bracket(self, x1: float, x2: float, label: str, *, up: bool) -> None:
        """Draw a bracket over (`up`) or under what is between two places, with a label."""
        x1, x2 = sorted((x1, x2))
        if up:
            self.text((x1 + x2) / 2, self.y + 8, label, size=8.5, middle=True)
            self.path(f"M{_units(x1)} {_units(self.y + 16)}v-4H{_units(x2)}v4")
            self.y += 18
        else:
            self.path(f"M{_units(x1)} {_units(self.y + 1)}v4H{_units(x2)}v-4")
            self.text((x1 + x2) / 2, self.y + 14, label, size=8.5, middle=True)
            self.y += 17

    def trace(self, places: Sequence[tuple[float, float] | None]) -> None:
        """Join places with a line, None interrupting it, with arrows in the longest parts."""
        parts = [(a, b) for a, b in zip(places, places[1:], strict=False) if a and b]
        if not parts:
            return
        self.path("".join(f"M{_units(a[0])} {_units(a[1])}L{_units(b[0])} {_units(b[1])}" for a, b in parts))
        for (x0, y0), (x1, y1) in parts:
            length = math.hypot(x1 - x0, y1 - y0)
            if length < SHORTEST_ARROW:
                continue
            x, y, dx, dy = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / length * 3, (y1 - y0) / length * 3
            corners = [(x + dx, y + dy), (x - dx - dy, y - dy + dx), (x - dx + dy, y - dy - dx)]
            self.path("M" + "L".join(f"{_units(a)} {_units(b)}" for a, b in corners) + "z", filled=True)
