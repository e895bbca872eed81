"""A datatype as a picture: its bounds, its memory as rows and as cache lines, its packed stream, and what it costs.

Made of the document of `gapless_type_explain()` alone, in pure SVG: no script, no request, the same text for the same
document. Colours say what numbers and places say too.
"""

from __future__ import annotations

from html import escape
from typing import Any
from xml.etree import ElementTree

from gapless.picture_canvas import BYTE, LEFT, SPAN, WIDTH, Canvas, number
from gapless.picture_colours import Colours
from gapless.picture_view import (
    LINE_BYTES,
    MOST_LINES,
    MOST_LINES_BESIDE_ROWS,
    STREAM_LINES,
    Document,
    Lines,
    Matrix,
    Row,
    Run,
    lines_of,
    matrix_of,
    rows_of,
)

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<body>
{picture}
"""
MOST_ELEMENTS = 4  # in the picture of the bounds
MOST_TITLED = 300  # pieces that say what they are when pointed at
MOST_TRACED = 80  # pieces joined by a line in packing order
MOST_PLAN = 8  # lines of text
MOST_CHARACTERS = 62  # in a line of text
ROW_UNITS = 13.0  # height of a cache line


def _abridged(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _folded(text: str, lines: int) -> list[str]:
    """Return a text in lines that fit, broken behind commas and blanks where there are some; the last may be cut."""
    found = []
    while text and len(found) < lines:
        if len(text) <= MOST_CHARACTERS or len(found) == lines - 1:
            found.append(_abridged(text, MOST_CHARACTERS))
            break
        cut = text.rfind(" ", MOST_CHARACTERS // 2, MOST_CHARACTERS + 1)
        cut = MOST_CHARACTERS if cut < 0 else cut + 1
        found.append(text[:cut].rstrip())
        text = text[cut:]
    return found


def _name(document: Document) -> str:
    return document["type"] if document["count"] == 1 else f"{document['count']} × {document['type']}"


def _cache_lines(document: Document) -> tuple[int, bool]:
    """Return how many cache lines a message touches, and whether that is exact."""
    if document["cache_lines"] is not None:
        return document["cache_lines"], True
    return document["cache_lines_at_most"], False


def _ratio(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _cost(document: Document) -> str:
    """Return what touching the message costs at least, as a sentence."""
    data = document["bytes_touched"]
    if data == 0:
        return "No data: nothing is touched."
    lines, exact = _cache_lines(document)
    moved = lines * LINE_BYTES
    most = "" if exact else "at most "
    each = f"{_ratio(moved / data)} bytes for each byte of data"
    return f"Reading it moves {most}{number(lines)} cache line{'s' * (lines != 1)} = {number(moved)} bytes, {each}."


def _description(document: Document) -> str:
    runs = f"{'' if document['runs_exact'] else 'at most '}{number(document['runs'])} runs"
    return (
        f"{_name(document)[:300]}: {number(document['bytes_touched'])} bytes of data in {runs}; "
        f"of one element, lower bound {document['lb']}, extent {document['extent']}, true lower bound "
        f"{document['true_lb']}, true extent {document['true_extent']}. {_cost(document)}"
    )


def _head(canvas: Canvas, document: Document) -> None:
    for line in _folded(_name(document), 3):
        canvas.y += 13
        canvas.text(12, canvas.y, line, size=10, mono=True, bold=True)
    canvas.y += 10
    data, runs = document["bytes_touched"], document["runs"]
    lines, exact = _cache_lines(document)
    figures = [
        ("data", f"{number(data)} B"),
        ("runs", ("" if document["runs_exact"] else "≤ ") + number(runs)),
        ("mean run", f"{_ratio(data / runs)} B" if runs and runs < 10**15 else "none"),
        ("cache lines", ("" if exact else "≤ ") + number(lines)),
        ("bytes moved / data", f"{_ratio(lines * LINE_BYTES / data)}" if data else "none"),
    ]
    for index, (name, value) in enumerate(figures):
        x = 12 + index * (WIDTH - 24) / len(figures)
        canvas.text(x, canvas.y + 9, name, size=8.5, dim=True)
        canvas.text(x, canvas.y + 23, value, size=12 if len(value) < 13 else 8, bold=True)
    canvas.y += 30
    canvas.text(12, canvas.y + 8, _cost(document), size=8.5, dim=True)
    canvas.y += 12


def _bounds(canvas: Canvas, document: Document, colours: Colours) -> None:
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
        return LEFT + SPAN * ((at - low) / (high - low))

    canvas.bracket(x(lb), x(lb + extent), f"extent {number(extent)}: {number(lb)} … {number(lb + extent)}", up=True)
    top = canvas.y
    with canvas.group("bounds"):
        for element in range(shown):
            begin = element * extent
            ends = sorted((x(lb + begin), x(lb + extent + begin)))
            canvas.rect(ends[0], canvas.y, ends[1] - ends[0], 8, gap=True)
            _coverage(canvas, document, x, begin, colours.element(element))
            canvas.y += 9.5
    _buffer_mark(canvas, document, x, low, high, top)
    if document["size"]:
        label = f"true extent {number(true_extent)}: {number(true_lb)} … {number(true_lb + true_extent)}"
        canvas.bracket(x(true_lb), x(true_lb + true_extent), label, up=False)
    canvas.y += 3


def _buffer_mark(canvas: Canvas, document: Document, x: Any, low: int, high: int, top: float) -> None:
    """Mark where the buffer's address points to, if that is not where everything begins."""
    if low < 0 <= high:
        canvas.line(x(0), top - 2, x(0), canvas.y + 9, dashed=True)
        canvas.text(x(0), canvas.y + 17, "0: the buffer’s address", size=8.5, dim=True, middle=True)
        canvas.y += 18
    elif low > 0 or high < 0:
        canvas.text(LEFT, canvas.y + 8, f"the buffer’s address, 0, is {'left' if low > 0 else 'right'} of this", size=8.5,
                    dim=True)  # fmt: skip
        canvas.y += 11


def _coverage(canvas: Canvas, document: Document, x: Any, begin: int, colour: str) -> None:
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


def _says(run: Run) -> str:
    last = run.position + run.bytes - 1
    return f"run {run.order}: bytes {run.at} to {run.end - 1}, packed {run.position} to {last}"


def _pieces(canvas: Canvas, row: Row, x0: float, scale: float, height: float, colours: Colours, titled: bool) -> None:
    """Draw the pieces of one row, whose first byte is at x0; narrow ones at least 1.6 units wide."""
    for piece in row.pieces:
        lane = height / piece.lanes
        width = max((piece.end - piece.begin) * scale, 1.6)
        x = min(x0 + piece.begin * scale, x0 + max(0.0, canvas.row_units - width))
        fill = colours.run(piece.run)
        canvas.rect(x, canvas.y + piece.lane * lane, width, lane, fill=fill, run=piece.run.order,
                    title=_says(piece.run) if titled else None)  # fmt: skip
        label = str(piece.run.order)
        if lane >= 6 and width >= 5.1 * len(label) + 0.4:
            size = min(8.5, lane - 0.5)
            canvas.text(x + width / 2, canvas.y + (piece.lane + 0.5) * lane + size * 0.35, label, size=size, mono=True,
                        middle=True, fill=Colours.on(fill))  # fmt: skip


def _addresses(canvas: Canvas, starts: list[int]) -> int:
    """Return what is taken off the displacements in the margin: 0, unless they are too long for it."""
    if all(len(number(start)) <= 10 for start in starts):
        return 0
    base = starts[0]
    canvas.text(LEFT, canvas.y + 8, f"displacements from {number(base)} on", size=8.5, dim=True)
    canvas.y += 12
    return base


def _matrix(canvas: Canvas, document: Document, matrix: Matrix, colours: Colours) -> None:
    count, several = len(matrix.slices), len(matrix.slices) > 1
    rows = f"the first {matrix.shown} of {number(matrix.rows)}" if matrix.shown < matrix.rows else f"all {matrix.rows}"
    planes = ""
    if several:
        planes = f" of {'the first ' * (count < matrix.slice_count)}{count} of {number(matrix.slice_count)} slices"
    canvas.heading(f"As rows of {number(matrix.pitch)} bytes", f"{rows}{planes}; colour: packing order")
    base = _addresses(canvas, [rows[0].at for rows in matrix.slices])
    gap = 8.0 * several
    canvas.row_units = (SPAN - gap * (count - 1)) / count
    scale = canvas.row_units / matrix.pitch
    height = max(4.0, min(ROW_UNITS, 240 / matrix.shown))
    if several:
        for index, slice_rows in enumerate(matrix.slices):
            x = LEFT + index * (canvas.row_units + gap)
            canvas.text(x, canvas.y + 7, f"from {number(slice_rows[0].at - base)}", size=8, dim=True)
        canvas.y += 10
    top, labelled = canvas.y, -99.0
    centres: dict[int, tuple[float, float]] = {}
    with canvas.group("rows"):
        for index in range(matrix.shown):
            if canvas.y - labelled >= 10:
                at = matrix.slices[0][index].at - (matrix.slices[0][0].at if several else base)
                canvas.address(canvas.y + min(height / 2 + 3, 9), f"{'+' * several}{number(at)}")
                labelled = canvas.y
            for place, slice_rows in enumerate(matrix.slices):
                x, row = LEFT + place * (canvas.row_units + gap), slice_rows[index]
                canvas.rect(x, canvas.y, canvas.row_units, height - 0.8, gap=True)
                _pieces(canvas, row, x, scale, height - 0.8, colours, False)
                for piece in row.pieces:
                    middle = x + (piece.begin + piece.end) / 2 * scale, canvas.y + height / 2
                    centres.setdefault(piece.run.order, middle)
            canvas.y += height
    if 1 < len(centres) <= MOST_TRACED and height >= 6:
        canvas.trace([centres.get(order) for order in range(min(centres), max(centres) + 1)])
    _notes(canvas, document, matrix, scale, top)


def _notes(canvas: Canvas, document: Document, matrix: Matrix, scale: float, top: float) -> None:
    pieces = [piece for rows in matrix.slices for row in rows for piece in row.pieces]
    if any((piece.end - piece.begin) * scale < 1.6 for piece in pieces):
        canvas.text(LEFT, canvas.y + 8, "runs are drawn wider than they are, to be seen", size=8.5, dim=True)
        canvas.y += 11


def _cache_line_rows(canvas: Canvas, document: Document, lines: Lines, colours: Colours) -> None:
    touched, exact = _cache_lines(document)
    if lines.complete:
        share = f"all {lines.drawn} touched"
    else:
        share = f"the first {lines.drawn} of {'' if exact else 'at most '}{number(touched)} touched"
    if lines.drawn == 1 and lines.complete:
        share = "one is touched"
    canvas.heading("Cache lines of 64 bytes", f"{share}; numbers: runs in packing order")
    base = _addresses(canvas, [row.at for row in lines.rows])
    titled = sum(len(row.pieces) for row in lines.rows) <= MOST_TITLED
    shared = False
    canvas.row_units = SPAN
    with canvas.group("lines"):
        for row in lines.rows:
            if row.alike:
                canvas.text(LEFT + SPAN / 2, canvas.y + 8, f"⋮ {number(row.alike)} lines more of run "
                            f"{row.pieces[0].run.order}", size=8.5, dim=True, middle=True)  # fmt: skip
                canvas.y += 12
            elif row.untouched:
                canvas.line(LEFT, canvas.y + 1.5, LEFT + SPAN, canvas.y + 1.5, dashed=True)
                canvas.y += 4
            canvas.address(canvas.y + 9, number(row.at - base))
            canvas.rect(LEFT, canvas.y, SPAN, ROW_UNITS - 1.5, gap=True)
            _pieces(canvas, row, LEFT, BYTE, ROW_UNITS - 1.5, colours, titled)
            shared = shared or any(piece.lanes > 1 for piece in row.pieces)
            canvas.y += ROW_UNITS
    notes = ["dashed: lines that are not touched"] * any(row.untouched for row in lines.rows)
    notes += ["runs on top of each other share bytes"] * shared
    notes += ["not all runs of the last line are drawn"] * lines.cut
    if not document["runs_exact"]:
        notes.append("of the first million runs")
    if notes:
        canvas.text(LEFT, canvas.y + 9, "; ".join(notes), size=8.5, dim=True)
        canvas.y += 12


def stream_rows(document: Document) -> tuple[Row, ...]:
    """Return the beginning of the packed stream as rows of 64 bytes; the displacement of a row is its position."""
    position, runs = 0, []
    most = STREAM_LINES * LINE_BYTES
    for order, (_, length) in enumerate(document["first_runs"]):
        if position >= most:
            break
        runs.append(Run(position, length, order, position))
        position += length
    shown = min(position, most)
    return rows_of(runs, range(0, shown, LINE_BYTES), LINE_BYTES)


def _stream(canvas: Canvas, document: Document, colours: Colours) -> None:
    rows, total = stream_rows(document), document["bytes_touched"]
    shown = max(row.pieces[-1].end + row.at for row in rows)
    share = f"all {number(total)} bytes" if shown == total else f"the first {shown} of {number(total)} bytes"
    canvas.heading("Packed", f"{share}, runs as above")
    canvas.row_units = SPAN
    with canvas.group("packed"):
        for row in rows:
            canvas.address(canvas.y + 9, number(row.at))
            _pieces(canvas, row, LEFT, BYTE, ROW_UNITS - 1.5, colours, False)
            canvas.y += ROW_UNITS


def _engine(canvas: Canvas, document: Document) -> None:
    """Write what the engine makes of one element."""
    canvas.heading("Normal form", "")
    for line in _folded(document["normal_form"], 2):
        canvas.text(12, canvas.y + 9, line, size=8.5, mono=True)
        canvas.y += 12
    plan = document["plan"] or ["nothing to do"]
    canvas.heading("Plan", f"kernels for {document['isa']}")
    shown = plan if len(plan) <= MOST_PLAN else plan[: MOST_PLAN - 1]
    for line in shown:
        indent = len(line) - len(line.lstrip())
        canvas.text(12 + 5 * indent, canvas.y + 9, _abridged(line.strip(), 74 - indent), size=8.5, mono=True)
        canvas.y += 12
    if len(shown) < len(plan):
        canvas.text(12, canvas.y + 9, f"… {len(plan) - len(shown)} lines more", size=8.5, dim=True)
        canvas.y += 12


def draw(document: Document, standalone: bool) -> ElementTree.Element:
    """Return the picture as an element tree; a standalone one has a background of its own."""
    canvas = Canvas(_name(document)[:300], _description(document), standalone)
    matrix = matrix_of(document)
    lines = lines_of(document, MOST_LINES_BESIDE_ROWS if matrix else MOST_LINES)
    rows = [row for rows in matrix.slices for row in rows] if matrix else []
    colours = Colours(document, [piece.run for row in [*rows, *lines.rows] for piece in row.pieces])
    _head(canvas, document)
    _bounds(canvas, document, colours)
    if matrix:
        _matrix(canvas, document, matrix, colours)
    if lines.rows:
        _cache_line_rows(canvas, document, lines, colours)
        _stream(canvas, document, colours)
    _engine(canvas, document)
    return canvas.finish()


def svg(document: Document) -> str:
    """Return the picture as an SVG file, readable on light and on dark pages.

    Parameters
    ----------
    document : Document
        What the engine said about a message; docs/notation.md lists the fields.
    """
    return ElementTree.tostring(draw(document, True), encoding="unicode") + "\n"


def html(document: Document) -> str:
    """Return the picture as a piece of HTML, which takes the colour of the text around it: for notebooks.

    Parameters
    ----------
    document : Document
        What the engine said about a message; docs/notation.md lists the fields.
    """
    return ElementTree.tostring(draw(document, False), encoding="unicode")


def page(document: Document) -> str:
    """Return the picture as a page of its own.

    Parameters
    ----------
    document : Document
        What the engine said about a message; docs/notation.md lists the fields.
    """
    return PAGE.format(title=escape(_abridged(_name(document), 80)), picture=html(document))
