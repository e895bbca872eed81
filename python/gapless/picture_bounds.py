"""The bounds of a datatype as a picture: extent and true extent, and where in them data lie."""

from __future__ import annotations

from collections.abc import Callable

from gapless.picture_canvas import LEFT, SPAN, Canvas, number
from gapless.picture_colours import Colours
from gapless.picture_view import Document

MOST_ELEMENTS = 4


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
    if document["coverage"] is None:
        if document["size"]:
            ends = document["true_lb"] + begin, document["true_lb"] + document["true_extent"] + begin
            canvas.text((x(ends[0]) + x(ends[1])) / 2, canvas.y + 7, "too many runs to draw", size=7.5, middle=True)
        return
    width = document["coverage_bin_bytes"]
    end = document["true_lb"] + document["true_extent"]
    pending: tuple[int, int, int] | None = None  # begin, end, opacity of 8
    for index, filled in enumerate([*document["coverage"], 0]):
        at = document["true_lb"] + index * width
        opacity = -(-min(filled, width) * 8 // max(1, min(width, end - at)))
        opacity = min(opacity, 8)
        if pending and (opacity, at) == (pending[2], pending[1]):
            pending = (pending[0], min(at + width, end), opacity)
            continue
        if pending and pending[2]:
            left, right = x(pending[0] + begin), x(pending[1] + begin)
            canvas.rect(left, canvas.y, max(right - left, 1), 8, fill=colour, opacity=0.2 + pending[2] / 10)
        pending = (at, min(at + width, end), opacity)
