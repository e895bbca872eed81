"""A datatype as a picture: its bounds, its memory as rows and as cache lines, its packed stream, and what it costs.

Made of the document of `gapless_type_explain()` alone, in pure SVG: no script, no request, the same text for the same
document. Colours say what numbers and places say too.
"""

from __future__ import annotations

import textwrap
from html import escape
from xml.etree import ElementTree

from gapless.picture.bounds import draw_bounds
from gapless.picture.canvas import BYTE, LEFT, SPAN, WIDTH, Canvas, number, rounded
from gapless.picture.colours import Colours
from gapless.picture.view import (
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
MOST_TITLED = 300  # pieces that say what they are when pointed at
MOST_TRACED = 80  # pieces joined by a line in packing order
MOST_PLAN = 8  # lines of text
MOST_CHARACTERS = 62  # in a line of text
ROW_UNITS = 13.0  # height of a cache line
MOST_LANES = 6  # at full height
SEAM = 0.5
NARROWEST = 1.6


def _abridged(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _folded(text: str, lines: int, characters: int = MOST_CHARACTERS) -> list[str]:
    """Return a text in lines of so many characters, broken at blanks where there are some; the last may be cut."""
    found = textwrap.wrap(text, characters, break_on_hyphens=False)
    if len(found) > lines:
        found = [*found[: lines - 1], _abridged(" ".join(found[lines - 1 :]), characters)]
    return found


def _name(document: Document) -> str:
    return document["type"] if document["count"] == 1 else f"{document['count']} × {document['type']}"


def _cache_lines(document: Document) -> tuple[int, bool]:
    """Return how many cache lines a message touches, and whether that is exact."""
    if document["cache_lines"] is not None:
        return document["cache_lines"], True
    return document["cache_lines_at_most"], False


def _ratio(value: float) -> str:
    return rounded(round(value)) if value >= 100 else f"{value:.3g}"


def _cost(document: Document) -> str:
    """Return what touching the message costs at least, as a sentence."""
    data = document["bytes_touched"]
    if data == 0:
        return "No data: nothing is touched."
    lines, exact = _cache_lines(document)
    moved = lines * LINE_BYTES
    most = "" if exact else "at most "
    return (
        f"Whoever reads it moves {most}{rounded(lines)} cache line{'s' * (lines != 1)}: {rounded(moved)} bytes, "
        f"{_ratio(moved / data)} × the data."
    )


def _description(document: Document) -> str:
    runs = f"{'' if document['runs_exact'] else 'at most '}{rounded(document['runs'])} runs"
    return (
        f"{_name(document)[:300]}: {rounded(document['bytes_touched'])} bytes of data in {runs}; "
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
        ("data", f"{rounded(data)} B"),
        ("runs", ("" if document["runs_exact"] else "≤ ") + rounded(runs)),
        ("mean run", f"{_ratio(data / runs)} B" if runs and runs < 10**15 else "none"),
        ("cache lines", ("" if exact else "≤ ") + rounded(lines)),
        ("bytes moved / data", f"{_ratio(lines * LINE_BYTES / data)}" if data else "none"),
    ]
    for index, (name, value) in enumerate(figures):
        x = 12 + index * (WIDTH - 24) / len(figures)
        canvas.text(x, canvas.y + 9, name, size=8.5, dim=True)
        canvas.text(x, canvas.y + 23, value, size=min(12, 120 / len(value)), bold=True)
    canvas.y += 30
    for line in _folded(_cost(document), 2, 90):
        canvas.text(12, canvas.y + 8, line, size=8.5, dim=True)
        canvas.y += 12


def _says(run: Run) -> str:
    last = run.position + run.bytes - 1
    return f"run {run.order}: bytes {run.at} to {run.end - 1}, packed {run.position} to {last}"


def _pieces(canvas: Canvas, row: Row, x0: float, scale: float, height: float, colours: Colours, titled: bool) -> None:
    """Draw the pieces of one row, whose first byte is at x0; narrow ones wider than they are."""
    for piece in row.pieces:
        lane = height / piece.lanes
        width = max((piece.end - piece.begin) * scale, NARROWEST)
        x = min(x0 + piece.begin * scale, x0 + max(0.0, canvas.row_units - width))
        fill = colours.run(piece.run)
        seam = SEAM if width > 4 * SEAM else 0  # so that neighbours stay two
        canvas.rect(x + seam / 2, canvas.y + piece.lane * lane, width - seam, lane, fill=fill, run=piece.run.order,
                    title=_says(piece.run) if titled else None)  # fmt: skip
        label = str(piece.run.order)
        if lane >= 6 and width >= 5.1 * len(label) + 0.4:
            y = canvas.y + (piece.lane + 0.5) * lane
            canvas.label(x + width / 2, y, label, lane, Colours.on(fill))


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
    share = f"the first {matrix.shown} of {number(matrix.rows)}" if matrix.shown < matrix.rows else f"all {matrix.rows}"
    if several:
        of = f"the first {count} of {number(matrix.slice_count)}" if count < matrix.slice_count else f"all {count}"
        share = f"{of} slices of {number(matrix.rows)}"
        share += f", {matrix.shown} of each" * (matrix.shown < matrix.rows)
    canvas.heading(f"Rows of {number(matrix.pitch)} bytes", f"{share}; {colours.legend}")
    base = _addresses(canvas, [rows[0].at for rows in matrix.slices])
    gap = 8.0 * several
    canvas.row_units = (SPAN - gap * (count - 1)) / count
    scale = canvas.row_units / matrix.pitch
    height = max(3.6, min(ROW_UNITS, 240 / matrix.shown))
    if several:
        for index, slice_rows in enumerate(matrix.slices):
            x = LEFT + index * (canvas.row_units + gap)
            canvas.text(x, canvas.y + 7, f"from {number(slice_rows[0].at - base)}", size=8, dim=True)
        canvas.y += 10
    top, labelled = canvas.y, -99.0
    left = [LEFT + index * (canvas.row_units + gap) for index in range(count)]
    with canvas.group("behind"):
        for index in range(matrix.shown):
            y = top + index * height
            if y - labelled >= 10:
                at = matrix.slices[0][index].at - (matrix.slices[0][0].at if several else base)
                canvas.address(y + min(height / 2 + 3, 9), f"{'+' * several}{number(at)}")
                labelled = y
            for x in left:
                canvas.rect(x, y, canvas.row_units, height - 0.8, gap=True)
    canvas.trace(_centres(matrix, left, top, scale, height))
    with canvas.group("rows"):
        for index in range(matrix.shown):
            for x, rows in zip(left, matrix.slices, strict=True):
                _pieces(canvas, rows[index], x, scale, height - 0.8, colours, False)
            canvas.y += height
    pieces = [piece for rows in matrix.slices for row in rows for piece in row.pieces]
    if any((piece.end - piece.begin) * scale < NARROWEST for piece in pieces):
        canvas.text(LEFT, canvas.y + 8, "runs are drawn wider than they are, to be seen", size=8.5, dim=True)
        canvas.y += 11


def _centres(
    matrix: Matrix, left: list[float], top: float, scale: float, height: float
) -> list[tuple[float, float] | None]:
    """Return the middles of the runs in packing order, None where some are not drawn; nothing if they are many."""
    centres: dict[int, tuple[float, float]] = {}
    for x, rows in zip(left, matrix.slices, strict=True):
        for index, row in enumerate(rows):
            for piece in row.pieces:
                middle = x + (piece.begin + piece.end) / 2 * scale, top + (index + 0.5) * height
                centres.setdefault(piece.run.order, middle)
    orders = sorted(centres)
    if len(orders) > MOST_TRACED:
        return []
    traced: list[tuple[float, float] | None] = []
    for before, order in zip([-1, *orders], orders, strict=False):
        traced += [None] * (order != before + 1) + [centres[order]]
    return traced


def _cache_line_rows(canvas: Canvas, document: Document, lines: Lines, colours: Colours) -> None:
    touched, exact = _cache_lines(document)
    if lines.complete:
        share = f"all {number(lines.drawn)} touched"
    else:
        share = f"the first {lines.drawn} of {'' if exact else '≤ '}{number(touched)} touched"
    if lines.drawn == 1 and lines.complete:
        share = "one is touched"
    canvas.heading("Cache lines", f"{share}; numbers: packing order")
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
            lanes = max((piece.lanes for piece in row.pieces), default=1)
            height = max(ROW_UNITS - 1.5, 8.0 * min(lanes, MOST_LANES))
            canvas.rect(LEFT, canvas.y, SPAN, height, gap=True)
            _pieces(canvas, row, LEFT, BYTE, height, colours, titled)
            shared = shared or lanes > 1
            canvas.y += height + 1.5
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
    for line in _folded(document["normal_form"], 2, 74):
        canvas.text(12, canvas.y + 9, line, size=8.5, mono=True)
        canvas.y += 12
    plan = document["plan"] or ["nothing to do"]
    canvas.heading("Plan", f"kernels for {document['isa']}")
    shown = plan if len(plan) <= MOST_PLAN else plan[: MOST_PLAN - 1]
    for line in shown:
        indent = 2 * ((len(line) - len(line.lstrip())) // 2)
        for index, part in enumerate(_folded(line.strip(), 2, 74 - indent)):
            canvas.text(12 + 5 * indent + 15 * (index > 0), canvas.y + 9, part, size=8.5, mono=True)
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
    draw_bounds(canvas, document, colours)
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
