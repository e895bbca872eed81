"""The bounds of a datatype as a picture: extent and true extent, and where in them data lie."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from gapless.picture.canvas import LEFT, SPAN, Canvas, number
from gapless.picture.colours import Colours
from gapless.picture.view import Document

MOST_ELEMENTS = 4
# In units of the picture. What is thinner than THIN is drawn so wide, and no gap is drawn thinner.
THIN = 1.0
BIN = 4 * THIN
MOST_APART = 0.25  # the shares of data in bins that may differ only by where bins begin


def draw_bounds(canvas: Canvas, document: Document, colours: Colours) -> None:
    """Draw the bounds of the first elements, and where in them data lie."""
    shown = min(document["count"], MOST_ELEMENTS)
    lb, extent, true_lb, true_extent = (document[key] for key in ("lb", "extent", "true_lb", "true_extent"))
    marks = [at + i * extent for i in range(max(shown, 1)) for at in (lb, lb + extent, true_lb, true_lb + true_extent)]
    low, high = min(marks), max(marks)
    of = "" if document["count"] <= 1 else f", the first {shown} of {number(document['count'])} elements"
    if shown == document["count"] > 1:
        of = f", {shown} elements"
    canvas.heading("Bounds", f"displacements in bytes{of}")
    if high == low:
        canvas.text(LEFT, canvas.y + 9, f"extent {extent}, true extent {true_extent}", size=9)
        canvas.y += 14
        return

    def x(at: int) -> float:
        return LEFT + SPAN * float((at - low) / (high - low))

    canvas.bracket(x(lb), x(lb + extent), f"extent {number(extent)}: {number(lb)} … {number(lb + extent)}", up=True)
    top = canvas.y
    with canvas.group("bounds"):
        for element in range(shown):
            begin = element * extent
            ends = sorted((x(lb + begin), x(lb + extent + begin)))
            canvas.rect(ends[0], canvas.y, ends[1] - ends[0], 8, gap=True)
            _coverage(canvas, document, x, begin, colours.element(element))
            canvas.y += 9.5
    _buffer_mark(canvas, x, low, high, top)
    if document["size"]:
        label = f"true extent {number(true_extent)}: {number(true_lb)} … {number(true_lb + true_extent)}"
        canvas.bracket(x(true_lb), x(true_lb + true_extent), label, up=False)
    canvas.y += 3


def _buffer_mark(canvas: Canvas, x: Callable[[int], float], low: int, high: int, top: float) -> None:
    """Mark where the buffer's address points to, if that is not where everything begins."""
    if low < 0 <= high:
        canvas.line(x(0), top - 2, x(0), canvas.y + 9, dashed=True)
        canvas.text(x(0), canvas.y + 17, "0: the buffer’s address", size=8.5, dim=True, middle=True)
        canvas.y += 18
    elif low > 0 or high < 0:
        side = "left" if low > 0 else "right"
        canvas.text(LEFT, canvas.y + 8, f"0, the buffer’s address, is to the {side} of this", size=8.5, dim=True)
        canvas.y += 11


def _coverage(canvas: Canvas, document: Document, x: Callable[[int], float], begin: int, colour: str) -> None:
    """Draw where an element has data: its runs where they can be told apart, else how dense they lie."""
    if document["coverage"] is None:
        if document["size"]:
            ends = document["true_lb"] + begin, document["true_lb"] + document["true_extent"] + begin
            canvas.text((x(ends[0]) + x(ends[1])) / 2, canvas.y + 7, "too many runs to draw", size=7.5, middle=True)
        return
    runs = _element_runs(document)
    if runs is not None and _are_apart(runs, x):
        stretches = [(at, end, 1.0) for at, end in runs]
    else:
        stretches = _densities(document, x(1) - x(0))
    for at, end, density in stretches:
        left, right = x(at + begin), x(end + begin)
        canvas.rect(left, canvas.y, max(right - left, THIN), 8, fill=colour, opacity=round(0.2 + 0.8 * density, 3))


def _element_runs(document: Document) -> list[tuple[int, int]] | None:
    """Return where the first element's data begin and end, from low to high; None where that is not listed."""
    low, high = document["true_lb"], document["true_lb"] + document["true_extent"]
    if document["count"] > 1 and document["extent"] < document["true_extent"]:
        return None  # other elements' data lie among its own
    below = document["lowest_runs_below"]
    if document["count"] == 0 or (below is not None and below < high):
        return None
    joined: list[tuple[int, int]] = []
    for at, length, *_ in sorted(document["lowest_runs"]):
        at, end = max(at, low), min(at + length, high)
        if joined and at <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif at < end:
            joined.append((at, end))
    return joined


def _are_apart(runs: list[tuple[int, int]], x: Callable[[int], float]) -> bool:
    """Say whether each gap stays one where runs are drawn, thin ones wider than they are."""
    scale = x(1) - x(0)
    drawn = [(at * scale, max(end * scale, at * scale + THIN)) for at, end in runs]
    return all(later[0] - earlier[1] >= THIN for earlier, later in zip(drawn, drawn[1:], strict=False))


def _densities(document: Document, scale: float) -> list[tuple[int, int, float]]:
    """Return stretches of an element and which part of each is data, in which a regular layout is one stretch.

    A bin that is no multiple of the layout's period holds now more of it, now less: drawn one by one, bins of a regular
    layout would show a pattern that is not there. So neighbours are one stretch as long as no two are further apart
    than that can make them: runs or gaps are thinner than `THIN`, or they would be drawn, and bins are four times as
    wide. A bin without data is a gap.

    Parameters
    ----------
    document : dict
        What the engine says.
    scale : float
        How wide a byte is drawn.
    """
    low = document["true_lb"]
    high = low + document["true_extent"]
    together = max(1, ceil(BIN / (document["coverage_bin_bytes"] * scale)))
    width = document["coverage_bin_bytes"] * together
    bins = [sum(document["coverage"][i : i + together]) for i in range(0, len(document["coverage"]), together)]
    stretches: list[tuple[int, int, float]] = []
    held: list[tuple[int, int]] = []  # of the stretch that grows: bytes of each bin, and which of them are data

    def end_stretch(end: int) -> None:
        bytes_ = sum(of for of, _ in held)
        if bytes_:
            stretches.append((end - bytes_, end, sum(filled for _, filled in held) / bytes_))
        held.clear()

    for index, covered in enumerate(bins):
        at = low + index * width
        of = min(width, high - at)
        filled = min(covered, of)
        shares = [part / whole for whole, part in [*held, (of, filled)]]
        # What is left at the end is too little to be told apart.
        if filled == 0 or (of == width and max(shares) - min(shares) > MOST_APART):
            end_stretch(at)
        if filled:
            held.append((of, filled))
    end_stretch(high)
    return stretches
