"""What a picture of a datatype shows: which rows, lines and bytes of the memory, and which runs lie in them.

Everything here is taken from the document of `gapless_type_explain()` (docs/notation.md), nothing is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]

LINE_BYTES = 64
MOST_LINES = 16  # cache lines drawn
MOST_LINES_BESIDE_ROWS = 8  # where the same memory is drawn as rows, too
MOST_ROWS = 64
MOST_SLICES = 4
MOST_PIECES = 1000  # of runs, drawn in rows
MOST_LINE_PIECES = 500  # of runs, drawn in cache lines
STREAM_LINES = 3  # of 64 packed bytes
MOST_ALIKE = 3  # lines in the middle of one run that are drawn one by one


@dataclass(frozen=True)
class Run:
    """A maximally fused run of a message."""

    at: int  # displacement [bytes]
    bytes: int
    order: int  # in the packed stream, from 0
    position: int  # where it begins there [bytes]

    @property
    def end(self) -> int:
        """The displacement behind it."""
        return self.at + self.bytes


@dataclass(frozen=True)
class Piece:
    """The part of a run that lies in one row: bytes [begin, end) of the row."""

    run: Run
    begin: int
    end: int
    lane: int = 0  # of `lanes`: pieces that share bytes lie in different ones
    lanes: int = 1


@dataclass(frozen=True)
class Row:
    """Some bytes of memory side by side, and what lies in them."""

    at: int  # displacement of its first byte
    pieces: tuple[Piece, ...]
    alike: int = 0  # so many lines before it are left out, all inside the run of its first piece
    untouched: int = 0  # so many lines before it are left out because no run touches them


@dataclass(frozen=True)
class Lines:
    """The cache lines that are drawn."""

    rows: tuple[Row, ...]
    drawn: int  # lines, with those left out inside a run
    complete: bool  # every line that the message touches is drawn
    cut: bool  # runs of the last row are left out


@dataclass(frozen=True)
class Matrix:
    """The memory as rows of equal length, in slices side by side where the rows come in equal groups."""

    pitch: int  # bytes of a row
    slices: tuple[tuple[Row, ...], ...]
    rows: int  # of the whole message (of a slice, if there are several)
    slice_count: int  # of the whole message

    @property
    def shown(self) -> int:
        """The number of rows that are drawn (of a slice)."""
        return len(self.slices[0])


def lowest_runs(document: Document) -> list[Run]:
    """Return the listed runs by displacement, lowest first."""
    runs = [Run(*run) for run in document["lowest_runs"]]
    return sorted(runs, key=lambda run: (run.at, run.order))


def _in_lanes(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Return the pieces of one row so that no two of one lane share a byte, in packing order."""
    ends: list[int] = []
    lanes = []
    for piece in sorted(pieces, key=lambda piece: (piece.begin, piece.run.order)):
        lane = next((lane for lane, end in enumerate(ends) if end <= piece.begin), len(ends))
        if lane == len(ends):
            ends.append(0)
        ends[lane] = piece.end
        lanes.append(lane)
    placed = [
        Piece(piece.run, piece.begin, piece.end, lane, len(ends))
        for piece, lane in zip(sorted(pieces, key=lambda piece: (piece.begin, piece.run.order)), lanes, strict=True)
    ]
    return tuple(sorted(placed, key=lambda piece: piece.run.order))


def rows_of(runs: Iterable[Run], starts: Sequence[int], length: int) -> tuple[Row, ...]:
    """Return rows of `length` bytes from `starts` on, which are sorted and do not overlap, with what lies in them."""
    pieces: dict[int, list[Piece]] = {start: [] for start in starts}
    by_start = sorted(runs, key=lambda run: run.at)
    longest = max((run.bytes for run in by_start), default=0)
    begin = 0
    for start in starts:
        while begin < len(by_start) and by_start[begin].at + longest <= start:
            begin += 1
        for run in by_start[begin:]:
            if run.at >= start + length:
                break
            if run.end > start:
                pieces[start].append(Piece(run, max(run.at - start, 0), min(run.end - start, length)))
    return tuple(Row(start, _in_lanes(found)) for start, found in pieces.items())


def _touched_lines(runs: Sequence[Run]) -> Iterator[tuple[int, int]]:
    """Yield each touched line's displacement, lowest first, and how many lines before it are left out inside a run."""
    overlap = any(a.end > b.at for a, b in zip(runs, runs[1:], strict=False))
    after: int | None = None  # lines before this one are done
    for run in runs:
        first, last = (at // LINE_BYTES * LINE_BYTES for at in (run.at, run.end - 1))
        if after is not None:
            first = max(first, after)
        count = (last - first) // LINE_BYTES + 1
        if count > MOST_ALIKE + 4 and not overlap:
            yield from ((first, 0), (first + LINE_BYTES, 0), (last - LINE_BYTES, count - 4), (last, 0))
        else:
            yield from ((line, 0) for line in range(first, last + 1, LINE_BYTES))
        after = last + LINE_BYTES if after is None else max(after, last + LINE_BYTES)


def lines_of(document: Document, most: int) -> Lines:
    """Return the first cache lines that the message touches; long stretches inside one run are left out."""
    runs = lowest_runs(document)
    below = document["lowest_runs_below"]
    chosen: list[tuple[int, int]] = []
    complete = document["runs_exact"]
    for line, alike in _touched_lines(runs):
        if len(chosen) == most or (chosen and below is not None and line + LINE_BYTES > below):
            complete = False
            break
        chosen.append((line, alike))
    else:
        complete = complete and below is None
    rows: list[Row] = []
    left = MOST_LINE_PIECES
    # Of a line at the end of what is listed, there may be more runs.
    cut = bool(chosen) and below is not None and chosen[0][0] + LINE_BYTES > below
    for (line, alike), row in zip(chosen, rows_of(runs, [line for line, _ in chosen], LINE_BYTES), strict=True):
        if left == 0:
            complete = False
            break
        pieces = row.pieces[:left]
        cut = cut or len(pieces) < len(row.pieces)
        left -= len(pieces)
        gap = 0 if not rows else (line - rows[-1].at) // LINE_BYTES - 1 - alike
        rows.append(Row(line, pieces, alike, gap))
    return Lines(tuple(rows), len(rows) + sum(row.alike for row in rows), complete and not cut, cut)


def _fits(runs: Sequence[Run], origin: int, pitch: int) -> bool:
    """Whether no run crosses from row to row."""
    return all((run.at - origin) % pitch + run.bytes <= pitch for run in runs)


def _most_common_step(at: Sequence[int]) -> int:
    """Return the distance that is between most neighbours; 0 if none is between more than half of them."""
    steps = Counter(abs(b - a) for a, b in zip(at, at[1:], strict=False))
    step, times = steps.most_common(1)[0]
    return step if 2 * times > len(at) - 1 else 0


def _period(at: Sequence[int]) -> int:
    """Return the distance after which the displacements repeat, in three comparisons or more; 0 if they do not."""
    for length in range(1, min(len(at) // 2, len(at) - 3) + 1):
        step = at[length] - at[0]
        if all(b - a == step for a, b in zip(at, at[length:], strict=False)):
            return step
    return 0


def _rows_apart(document: Document, runs: Sequence[Run]) -> tuple[int, int]:
    """Return the displacement and the length of the first row, such that the runs lie in rows as in a matrix; or 0, 0.

    A row is longer than a cache line: what repeats within less is seen in the lines themselves.
    """
    at = [run.at for run in runs]
    packed = [run[0] for run in document["first_runs"]]
    for pitch in (_most_common_step(at), _most_common_step(packed), _period(at)):
        if pitch <= LINE_BYTES:
            continue
        for zero in (document["lb"], at[0]):
            origin = zero + (at[0] - zero) // pitch * pitch
            if _fits(runs, origin, pitch) and len({(start - origin) // pitch for start in at}) > 1:
                return origin, pitch
    return 0, 0


def _slices(rows: Sequence[int]) -> tuple[int, list[int]]:
    """Return how many rows apart the equal groups of touched rows are, and the first row of each; 0, [] if none are."""
    starts = [row for before, row in zip([rows[0] - 2, *rows], rows, strict=False) if row != before + 1]
    steps = {b - a for a, b in zip(starts, starts[1:], strict=False)}
    if len(steps) != 1 or len(rows) < 2 * len(starts) - 1:
        return 0, []
    return steps.pop(), starts


def matrix_of(document: Document) -> Matrix | None:
    """Return the memory as rows, if the runs lie in it as the elements of a matrix do."""
    below = document["lowest_runs_below"]
    runs = [run for run in lowest_runs(document) if below is None or run.end <= below]
    if len(runs) < 3 or any(a.end > b.at for a, b in zip(runs, runs[1:], strict=False)):
        return None
    origin, pitch = _rows_apart(document, runs)
    if pitch == 0:
        return None
    everything = below is None and document["runs_exact"]
    beyond = max(0, (document["count"] - 1) * document["extent"])
    end = document["true_lb"] + document["true_extent"] + beyond
    touched_rows = -(-(end - origin) // pitch)  # the last of them, from the first on
    lb, ub = document["lb"], document["lb"] + document["extent"] + beyond
    if (origin - lb) % pitch == 0 and lb <= origin and end <= ub <= lb + MOST_ROWS * pitch:
        touched_rows += (origin - lb) // pitch
        origin, end = lb, ub  # a part of a matrix that can be drawn as a whole
    total = -(-(end - origin) // pitch)
    known = total if everything else (runs[-1].end - origin) // pitch
    apart, groups = _slices(sorted({(run.at - origin) // pitch for run in runs}))
    shown, bases, count = min(known, MOST_ROWS), [0], 1
    if apart:
        # Planes begin where the extent's do, if it consists of such planes and one can be drawn as a whole.
        above, rest = divmod(origin - lb, pitch)
        whole = apart <= MOST_ROWS and rest == 0 <= above and (ub - lb) % (apart * pitch) == 0
        first = (groups[0] + above) // apart * apart - above if whole else groups[0]
        shown, total = min(apart, MOST_ROWS), apart
        starts = range(first, groups[-1] + 1, apart)
        bases = [base for base in starts if base + shown <= known or everything][:MOST_SLICES]
        count = len(groups) if everything else -(-(touched_rows - first) // apart)
    if not bases:
        return None
    while shown > 1:
        slices = tuple(
            rows_of(runs, [origin + row * pitch for row in range(base, base + shown)], pitch) for base in bases
        )
        if sum(len(row.pieces) for rows in slices for row in rows) <= MOST_PIECES:
            return Matrix(pitch, slices, total, count)
        shown = shown * 3 // 4
    return None
