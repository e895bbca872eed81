"""The oracle of the extension's tests: types with their type maps, byte by byte, expanded as MPI 4.1, 5.1 reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import gapless
from hypothesis import strategies as st

MOST_BYTES = 400
NAMED = {"byte": 1, "int16": 2, "int32": 4, "double": 8, "short_int": 0, "double_int": 0}
PAIRS = {"short_int": [*range(2), *range(4, 8)], "double_int": [*range(12)]}


@dataclass(frozen=True)
class Mapped:
    """A type, and the displacements of its bytes in type-map order."""

    datatype: gapless.Datatype
    bytes: tuple[int, ...]

    def elements(self, displacements: Iterable[int]) -> tuple[int, ...]:
        """Return the bytes of elements at some displacements."""
        return tuple(at + byte for at in displacements for byte in self.bytes)

    def message(self, count: int) -> tuple[int, ...]:
        """Return the bytes of `count` elements."""
        return self.elements(i * self.datatype.extent for i in range(count))


def blocks(places: Iterable[int], lengths: Iterable[int], extent: int) -> list[int]:
    """Return the displacements of the elements of blocks [bytes]."""
    return [place + i * extent for place, length in zip(places, lengths, strict=True) for i in range(length)]


small = st.integers(0, 4)
signed = st.integers(-6, 6)
in_bytes = st.integers(-40, 40)


def named(name: str) -> Mapped:
    """Return a named type."""
    return Mapped(gapless.named(name), tuple(PAIRS.get(name, range(NAMED[name]))))


@st.composite
def derived(draw: st.DrawFn, olds: st.SearchStrategy[Mapped]) -> Mapped:
    """Draw a constructor, its arguments, and its old type."""
    old = draw(olds)
    extent, make = old.datatype.extent, gapless
    kind = draw(st.sampled_from(CONSTRUCTORS))
    count, length, stride = draw(small), draw(small), draw(signed)
    if kind == "contiguous":
        return Mapped(make.contiguous(count, old.datatype), old.message(count))
    if kind in ("vector", "hvector"):
        unit = extent if kind == "vector" else 1
        stride = stride if kind == "vector" else draw(in_bytes)
        places = blocks([i * stride * unit for i in range(count)], [length] * count, extent)
        return Mapped(getattr(make, kind)(count, length, stride, old.datatype), old.elements(places))
    if kind in ("indexed", "hindexed"):
        unit, numbers = (extent, signed) if kind == "indexed" else (1, in_bytes)
        lengths = draw(st.lists(small, max_size=4))
        at = draw(st.lists(numbers, min_size=len(lengths), max_size=len(lengths)))
        places = blocks([unit * each for each in at], lengths, extent)
        return Mapped(getattr(make, kind)(lengths, at, old.datatype), old.elements(places))
    if kind in ("indexed_block", "hindexed_block"):
        unit, numbers = (extent, signed) if kind == "indexed_block" else (1, in_bytes)
        at = draw(st.lists(numbers, max_size=4))
        places = blocks([unit * each for each in at], [length] * len(at), extent)
        return Mapped(getattr(make, kind)(length, at, old.datatype), old.elements(places))
    if kind == "struct":
        other = draw(olds)
        lengths, at = [length, count], [draw(in_bytes), draw(in_bytes)]
        one = old.elements(blocks(at[:1], lengths[:1], extent))
        two = other.elements(blocks(at[1:], lengths[1:], other.datatype.extent))
        return Mapped(make.struct(lengths, at, [old.datatype, other.datatype]), one + two)
    if kind == "resized":
        return Mapped(make.resized(draw(in_bytes), draw(in_bytes), old.datatype), old.bytes)
    if kind == "subarray":
        sizes = [draw(st.integers(1, 4)) for _ in range(2)]
        subsizes = [draw(st.integers(1, size)) for size in sizes]
        starts = [draw(st.integers(0, size - part)) for size, part in zip(sizes, subsizes, strict=True)]
        order = draw(st.sampled_from(["C", "Fortran"]))
        rows, columns = (range(start, start + part) for start, part in zip(starts, subsizes, strict=True))
        cells = (
            [i * sizes[1] + j for i in rows for j in columns]
            if order == "C"
            else [i + j * sizes[0] for j in columns for i in rows]
        )
        made = make.subarray(sizes, subsizes, starts, old.datatype, order)
        return Mapped(made, old.elements(cell * extent for cell in cells))
    if kind == "bucket":
        stride, counts = 4, draw(st.lists(small, max_size=4))
        places = blocks([slot * stride * extent for slot in range(len(counts))], counts, extent)
        return Mapped(make.bucket(stride, counts, old.datatype), old.elements(places))
    bound, length = draw(st.integers(0, 9)), draw(st.integers(1, 3))
    stride = length + draw(small)
    chosen = [t for t in range(bound) if t % stride < length]
    if kind == "bounded_vector":
        made = make.bounded_vector(bound, length, stride, old.datatype)
        return Mapped(made, old.elements(t * extent for t in chosen))
    total = bound + draw(st.integers(1, 4))
    start = draw(st.integers(0, total - 1))
    made = make.circular_vector(total, start, bound, length, stride, old.datatype)
    return Mapped(made, old.elements((start + t) % total * extent for t in chosen))


CONSTRUCTORS = [
    "contiguous", "vector", "hvector", "indexed", "hindexed", "indexed_block", "hindexed_block", "struct", "resized",
    "subarray", "bucket", "bounded_vector", "circular_vector",
]  # fmt: skip
mapped_types = st.recursive(st.sampled_from(sorted(NAMED)).map(named), derived, max_leaves=4).filter(
    lambda mapped: len(mapped.bytes) <= MOST_BYTES
)
