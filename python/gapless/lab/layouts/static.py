"""The static layouts: one small type, as many of it as the message holds."""

from __future__ import annotations

from typing import Any

from gapless.lab.layouts.layout import Message, layout
from gapless.lab.layouts.notation import Base, contiguous, indexed, indexed_block, resized, struct

# The types of Tiled-heterogeneous; 15 bytes of payload for each A.
MIXED = (("char", 1), ("int32", 4), ("double", 8), ("int16", 2))
MIXED_BYTES = sum(size for _, size in MIXED)


@layout("basetype", "", "Contiguous", lambda p: 1, lambda p: True, "")
def basetype(_: Any, n: int, base: Base) -> Message:
    """The base type itself."""
    return Message(n, base.type)


def tile(a: int, b: int, base: Base) -> str:
    """Return the type of A elements in an extent of B."""
    return resized(0, b * base.bytes, contiguous(a, base.type))


@layout("tiled", "A B", "Tiled", lambda p: p.A, lambda p: p.A <= p.B, "A <= B")
def tiled(p: Any, n: int, base: Base) -> Message:
    """A elements in every B."""
    return Message(n // p.A, tile(p.A, p.B, base))


@layout("block", "A B1 B2", "Block", lambda p: 2 * p.A, lambda p: min(p.B1, p.B2) >= p.A, "B1, B2 >= A")
def block(p: Any, n: int, base: Base) -> Message:
    """A elements, at distances B1 and B2 in turn."""
    unit = indexed_block(p.A, (0, p.B1), base.type)
    return Message(n // (2 * p.A), resized(0, (p.B1 + p.B2) * base.bytes, unit))


@layout("bucket", "A1 A2 B", "Bucket", lambda p: p.A1 + p.A2, lambda p: max(p.A1, p.A2) <= p.B, "B >= A1, A2")
def bucket(p: Any, n: int, base: Base) -> Message:
    """A1 and A2 elements in turn, at the distance B."""
    unit = indexed((p.A1, p.A2), (0, p.B), base.type)
    return Message(n // (p.A1 + p.A2), resized(0, 2 * p.B * base.bytes, unit))


def _pairs_fit(p: Any) -> bool:
    return bool(p.B1 >= p.A1 and p.B2 >= p.A2)


@layout("alternating", "A1 A2 B1 B2", "Alternating", lambda p: p.A1 + p.A2, _pairs_fit, "B1 >= A1 and B2 >= A2")
def alternating(p: Any, n: int, base: Base) -> Message:
    """A1 and A2 elements in turn, at distances B1 and B2 in turn."""
    unit = indexed((p.A1, p.A2), (0, p.B1), base.type)
    return Message(n // (p.A1 + p.A2), resized(0, (p.B1 + p.B2) * base.bytes, unit))


@layout("alternating_aligned", "A1 A2 B1 B2", "", lambda p: p.A1 + p.A2, _pairs_fit, "B1 >= A1 and B2 >= A2")
def alternating_aligned(p: Any, n: int, base: Base) -> Message:
    """The same with its lower bound one B2 before the first element."""
    unit = indexed((p.A1, p.A2), (0, p.B1), base.type)
    return Message(n // (p.A1 + p.A2), resized(-p.B2 * base.bytes, (p.B1 + p.B2) * base.bytes, unit))


@layout(
    "tiled_heterogeneous", "A B", "Tiled-heterogeneous", lambda p: MIXED_BYTES * p.A, lambda p: p.A <= p.B, "A <= B"
)  # fmt: skip
def tiled_heterogeneous(p: Any, n: int, _: Base) -> Message:
    """A elements each of char, int, double and short, B of the type before apart; n counts bytes.

    Not resized: the extent is MPI's own, rounded up to the alignment of double.
    """
    members, at = [], 0
    for name, size in MIXED:
        members.append((p.A, at, name))
        at += p.B * size
    return Message(n // (MIXED_BYTES * p.A), struct(*members))


@layout("tiled_struct", "A B S1 S2", "Tiled-struct", lambda p: (p.S1 + p.S2) * p.A, lambda p: p.A <= p.B, "A <= B")
def tiled_struct(p: Any, n: int, base: Base) -> Message:
    """S1 + S2 tiles as a struct of two contiguous types."""
    tiles, extent = tile(p.A, p.B, base), p.B * base.bytes
    unit = struct((1, 0, contiguous(p.S1, tiles)), (1, p.S1 * extent, contiguous(p.S2, tiles)))
    return Message(n // ((p.S1 + p.S2) * p.A), resized(0, (p.S1 + p.S2) * extent, unit))


def fixed_blocks(p: Any, base: Base) -> str:
    """Return S - 1 units of A1 and A2 elements whose seams are written as one block."""
    lengths = (p.A1, *[p.A1 + p.A2] * (p.S - 2), p.A2)
    second = p.B - p.A2
    return indexed(lengths, (0, *[second + i * p.B for i in range(p.S - 1)]), base.type)


@layout(
    "alternating_indexed_fixed", "A1 A2 B S", "", lambda p: (p.S - 1) * (p.A1 + p.A2),
    lambda p: p.S >= 2 and p.B >= p.A1 + p.A2, "S >= 2 and B >= A1 + A2",
)  # fmt: skip
def alternating_indexed_fixed(p: Any, n: int, base: Base) -> Message:
    """Alternating-repeated with S - 1 units in one indexed type whose seams are fused."""
    return Message(n // ((p.S - 1) * (p.A1 + p.A2)), fixed_blocks(p, base))
