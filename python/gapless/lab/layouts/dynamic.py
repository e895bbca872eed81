"""The dynamic layouts: one type for the whole message, which is sent once."""

from __future__ import annotations

from typing import Any

from gapless.lab.layouts.layout import Message, Parameters, find_layout, layout
from gapless.lab.layouts.notation import (
    Base,
    contiguous,
    hvector,
    indexed,
    indexed_block,
    resized,
    struct,
    vector,
)  # fmt: skip
from gapless.lab.layouts.static import fixed_blocks, tile


def contiguous_subtype(name: str, parameters: Parameters, n: int, base: Base) -> Message:
    """Return Contiguous-subtype: one contiguous type of all units of a static layout."""
    inner = find_layout(name).message(parameters, n, base)
    return Message(1, contiguous(inner.count, inner.type))


# Which static layout is inside, and its parameters, come with the description: see lab/catalogue.py.
@layout("contig_type", "", "Contiguous-subtype", lambda p: 1, lambda p: True, "", dynamic=True)
def contig_type(_: Any, n: int, base: Base) -> Message:
    """One contiguous type of n base types."""
    return Message(1, contiguous(n, base.type))


@layout("tiled_vector", "A B", "Tiled-vector", lambda p: p.A, lambda p: p.A <= p.B, "A <= B", dynamic=True)
def tiled_vector(p: Any, n: int, base: Base) -> Message:
    """Tiles as one vector."""
    return Message(1, resized(0, n // p.A * p.B * base.bytes, vector(n // p.A, p.A, p.B, base.type)))


@layout(
    "vector_tiled", "A B S", "Vector-tiled", lambda p: p.S * p.A, lambda p: p.A < p.B and p.S > 1, "A < B and S > 1",
    units=lambda p: 2, dynamic=True,
)  # fmt: skip
def vector_tiled(p: Any, n: int, base: Base) -> Message:
    """Tiles as a vector of vectors of S tiles."""
    return Message(1, hvector(n // (p.S * p.A), 1, p.S * p.B * base.bytes, vector(p.S, p.A, p.B, base.type)))


def _starts(pairs: int, first: int, second: int) -> list[int]:
    """Return 0, first, first + second, ...: the starts of two blocks in each of so many pairs."""
    extent = first + second
    return [start for pair in range(pairs) for start in (pair * extent, pair * extent + first)]


# The paper's list may end in the middle of a pair; ours has whole pairs, so that Block says the same.
@layout(
    "block_indexed", "A B1 B2", "Block-indexed", lambda p: 2 * p.A, lambda p: min(p.B1, p.B2) >= p.A, "B1, B2 >= A",
    dynamic=True,
)  # fmt: skip
def block_indexed(p: Any, n: int, base: Base) -> Message:
    """Every block of Block in one list."""
    return Message(1, indexed_block(p.A, _starts(n // (2 * p.A), p.B1, p.B2), base.type))


@layout(
    "alternating_indexed", "A1 A2 B1 B2", "Alternating-indexed", lambda p: p.A1 + p.A2,
    lambda p: p.B1 >= p.A1 and p.B2 >= p.A2, "B1 >= A1 and B2 >= A2", dynamic=True,
)  # fmt: skip
def alternating_indexed(p: Any, n: int, base: Base) -> Message:
    """Every block of Alternating in one list."""
    pairs = n // (p.A1 + p.A2)
    return Message(1, indexed([p.A1, p.A2] * pairs, _starts(pairs, p.B1, p.B2), base.type))


def _two(_: Any) -> int:
    return 2


@layout(
    "alternating_repeated", "A1 A2 B", "Alternating-repeated", lambda p: p.A1 + p.A2, lambda p: max(p.A1, p.A2) <= p.B,
    "B >= A1, A2", units=_two, dynamic=True,
)  # fmt: skip
def alternating_repeated(p: Any, n: int, base: Base) -> Message:
    """A1 at 0 and A2 at B in their natural extent: the next A1 follows an A2 directly."""
    return Message(1, contiguous(n // (p.A1 + p.A2), indexed((p.A1, p.A2), (0, p.B), base.type)))


@layout(
    "alternating_struct", "A1 A2 B", "Alternating-struct", lambda p: p.A1 + p.A2, lambda p: max(p.A1, p.A2) <= p.B,
    "B >= A1, A2", units=_two, dynamic=True,
)  # fmt: skip
def alternating_struct(p: Any, n: int, base: Base) -> Message:
    """The same with the blocks that meet written as one, in a vector between the first A1 and the last A2."""
    units, stride = n // (p.A1 + p.A2), p.A2 + p.B
    last = (units - 1) * stride + p.B
    seams = vector(units - 1, p.A1 + p.A2, stride, base.type)
    members = struct(
        (p.A1, 0, base.type), (1, p.B * base.bytes, seams), (p.A2, last * base.bytes, base.type)
    )  # fmt: skip
    return Message(1, resized(-p.A2 * base.bytes, units * stride * base.bytes, members))


def _row_column(name: str, paper: str) -> Any:
    return layout(name, "A", paper, lambda p: 1, lambda p: True, "", units=lambda p: p.A + 1, dynamic=True)


@_row_column("rowcol_full_indexed", "RowCol-fully-indexed")
def rowcol_full_indexed(p: Any, n: int, base: Base) -> Message:
    """The first row of A elements and the first column of the others, element by element."""
    return Message(1, indexed_block(1, [*range(p.A), *range(p.A, (n - p.A) * p.A + 1, p.A)], base.type))


@_row_column("rowcol_contiguous_and_indexed", "RowCol-contiguous-and-indexed")
def rowcol_contiguous_and_indexed(p: Any, n: int, base: Base) -> Message:
    """The row as one block, the column as a list."""
    return Message(1, indexed([p.A, *[1] * (n - p.A)], range(0, (n - p.A) * p.A + 1, p.A), base.type))


@_row_column("rowcol_struct", "RowCol-struct")
def rowcol_struct(p: Any, n: int, base: Base) -> Message:
    """The row as one block, the column as a vector."""
    column = vector(n - p.A, 1, p.A, base.type)
    return Message(1, struct((p.A, 0, base.type), (1, p.A * base.bytes, column)))


@layout(
    "blocks", "A B l", "", lambda p: p.A * (p.l // p.A), lambda p: p.B > p.A and p.l >= p.A, "B > A and l >= A",
    dynamic=True,
)  # fmt: skip
def blocks(p: Any, n: int, base: Base) -> Message:
    """A vector whose blocks and gaps are as many tiles long as fit into l."""
    times = p.l // p.A
    return Message(1, vector(n // (p.A * times), p.A * times, p.B * times, base.type))


@layout(
    "tiled_struct_indexed_all", "A B", "", lambda p: p.A, lambda p: p.A <= p.B and p.A > 1, "1 < A <= B", units=_two,
    dynamic=True,
)  # fmt: skip
def tiled_struct_indexed_all(p: Any, n: int, base: Base) -> Message:
    """Tiles as a struct that cuts the first and the last one in the middle; what lies between is one list."""
    tiles, rest = n // p.A, p.A // 2
    first = p.A - rest
    inner = indexed(
        (rest, *[p.A] * (tiles - 2), rest), (0, *[i * p.B - first for i in range(1, tiles)]), base.type
    )  # fmt: skip
    end = (tiles - 1) * p.B + rest
    members = struct(
        (first, 0, base.type), (1, first * base.bytes, resized(0, (end - first) * base.bytes, inner)),
        (first, end * base.bytes, base.type),
    )  # fmt: skip
    return Message(1, members)


@layout(
    "tiled_struct_indexed_Sblocks", "A B S", "", lambda p: p.A * p.S, lambda p: 2 <= p.A <= p.B and p.S > 1,
    "2 <= A <= B and S > 1", units=_two, dynamic=True,
)  # fmt: skip
def tiled_struct_indexed_s_blocks(p: Any, n: int, base: Base) -> Message:
    """Tiles as a struct of lists of S tiles that begin one element late."""
    groups = n // (p.A * p.S)
    inner = indexed(
        (p.A - 1, *[p.A] * (p.S - 1), 1), (0, *[i * p.B - 1 for i in range(1, p.S)], p.S * p.B - 1), base.type
    )  # fmt: skip
    size, extent = base.bytes, p.S * p.B
    last = extent * (groups - 1)
    members = struct(
        (1, 0, base.type),
        (groups - 1, size, resized(0, extent * size, inner)),
        (p.A - 1, (last + 1) * size, base.type),
        (p.S - 1, (last + p.B) * size, tile(p.A, p.B, base)),
    )
    return Message(1, resized(0, n // p.A * p.B * size, members))


@layout(
    "contig_alternating_indexed_fixed", "A1 A2 B S", "", lambda p: (p.S - 1) * (p.A1 + p.A2),
    lambda p: p.S >= 2 and p.B >= p.A1 + p.A2, "S >= 2 and B >= A1 + A2", dynamic=True,
)  # fmt: skip
def contig_alternating_indexed_fixed(p: Any, n: int, base: Base) -> Message:
    """One contiguous type of alternating_indexed_fixed, its lower bound one A2 before the first element."""
    units = n // ((p.S - 1) * (p.A1 + p.A2))
    extent = units * (p.S - 1) * p.B * base.bytes
    return Message(1, resized(-p.A2 * base.bytes, extent, contiguous(units, fixed_blocks(p, base))))
