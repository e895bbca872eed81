"""Datatype: a layout with a signature, and what moves data through it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from gapless.extension import engine

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Buffer, Self

    from gapless._engine import Type

    # NumPy says only from Python 3.12 on that its arrays are buffers.
    Memory: TypeAlias = Buffer | NDArray[Any]

MOST_REPR = 200  # characters of the notation


class Datatype:
    """An MPI datatype: bytes in memory, in an order, with a lower bound, an extent and a type signature.

    Immutable. Two are equal if they can stand for each other: the same bytes in the same order, the same bounds and the
    same signature, however each was described (`layout_equal` and `signature_equal` ask for one of these alone); equal
    ones have equal hashes. Pickled as text, in the notation, so any process with Gapless can read it.

    Where a method takes a `buffer`, it takes whatever has Python's buffer protocol and is one piece of memory (C- or
    Fortran-contiguous): a NumPy array, bytes, bytearray, memoryview, mmap, array. `offset` says how many bytes behind
    its beginning the type's displacement 0 is. All bytes of the message, of the whole one even if a part is moved, must
    lie inside; otherwise nothing moves and a ValueError says which would not. A view with gaps is refused:
    `gapless.layout_in_base` has the array that it is a view of, and the view's layout in that. Arrays of references to
    Python objects are refused. Other Python threads run while 64 KiB or more are moved.

    With `check_dtype=True` the buffer must be a NumPy array whose elements are what the message is made of: doubles for
    doubles, say, and for a structured array whole elements, field by field. Otherwise bytes are bytes.

    Parameters
    ----------
    text : str
        The type, in the notation of docs/notation.md.

    Raises
    ------
    ValueError
        If the text is no type: what was expected and where.
    OverflowError
        If a size or a displacement is beyond 63 bits.

    Examples
    --------
    >>> import gapless
    >>> every_second = gapless.Datatype("vector(3, 1, 2, int16)")
    >>> every_second.pack(b"aAbBcCdDeE")
    b'aAcCeE'
    """

    __slots__ = ("__weakref__", "_type")
    _type: Type

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a type's text is needed, not '{type(text).__name__}'")
        self._type = engine.parse(text)

    @classmethod
    def _of(cls, made: Type) -> Self:
        """Wrap a type of the engine."""
        self = object.__new__(cls)
        self._type = made
        return self

    @property
    def size(self) -> int:
        """Bytes of data in one element."""
        return self._type.size()

    @property
    def lower_bound(self) -> int:
        """Where an element begins, bounds set by `resized` counted [bytes]."""
        return self._type.bounds()[0]

    @property
    def extent(self) -> int:
        """How far apart the elements of a message are [bytes]."""
        return self._type.bounds()[1]

    @property
    def true_lower_bound(self) -> int:
        """The displacement of the first byte of data in memory."""
        return self._type.true_bounds()[0]

    @property
    def true_extent(self) -> int:
        """Bytes from the first to the last byte of data in memory."""
        return self._type.true_bounds()[1]

    @property
    def signature(self) -> Datatype:
        """The signature type: the basic types one after the other without a gap."""
        return Datatype._of(self._type.signature())

    def commit(self) -> Self:
        """Build the plan now, which the first use otherwise does, and return the type itself."""
        self._type.commit()
        return self

    def pack(
        self, buffer: Memory, count: int = 1, *, offset: int = 0, position: int = 0, budget: int | None = None,
        check_dtype: bool = False,
    ) -> bytes:  # fmt: skip
        """Return bytes of the packed stream of `count` elements, in type-map order.

        Parameters
        ----------
        buffer : buffer
            Where the elements are.
        count : int
            How many, one extent apart.
        offset : int
            Bytes from the beginning of the buffer to displacement 0 of the first element.
        position : int
            The first byte of the stream that is wanted.
        budget : int, optional
            How many bytes at most; the rest of the stream if left out.
        check_dtype : bool
            Refuse an array whose elements are of other types than the message.
        """
        if check_dtype:
            _require_dtype(buffer, "source", self, count)
        return self._type.pack(buffer, count, offset, position, budget)

    def pack_into(
        self, buffer: Memory, packed: Memory, count: int = 1, *, offset: int = 0, position: int = 0,
        check_dtype: bool = False,
    ) -> int:  # fmt: skip
        """Write the stream from a position on into a buffer, as much as fits; return how many bytes that were.

        Parameters
        ----------
        buffer : buffer
            Where the elements are.
        packed : buffer
            Where the byte at `position` goes, and what follows it. May overlap with `buffer`.
        count, offset, position, check_dtype
            As in `pack`.
        """
        if check_dtype:
            _require_dtype(buffer, "source", self, count)
        return self._type.pack_into(buffer, packed, count, offset, position)

    def unpack(
        self, packed: Memory, buffer: Memory, count: int = 1, *, offset: int = 0, position: int = 0,
        strict: bool = False, check_dtype: bool = False,
    ) -> int:  # fmt: skip
        """Write packed bytes to where the elements are; return how many of them there was room for.

        No byte outside the elements' runs is written. Where runs overlap, the last in type-map order wins.

        Parameters
        ----------
        packed : buffer
            Bytes of the stream from `position` on. What is behind the stream's end is ignored.
        buffer : buffer
            Where the elements are.
        count, offset, position, check_dtype
            As in `pack`.
        strict : bool
            Refuse packed bytes that are not exactly what the message has from `position` on: neither too few, which
            would leave elements as they were, nor too many.
        """
        if strict:
            self._require_size(packed, count, position)
        if check_dtype:
            _require_dtype(buffer, "destination", self, count)
        return self._type.unpack(packed, buffer, count, offset, position)

    def _require_size(self, packed: Memory, count: int, position: int) -> None:
        needed, given = max(self.size * count - position, 0), memoryview(cast("Buffer", packed)).nbytes
        if given != needed:
            over = f"{given - needed} are left over" if given > needed else f"{needed - given} are missing"
            raise ValueError(
                f"packed: {given} bytes, but the message of {self.size * count} has {needed} from position {position} "
                f"on: {over}"
            )

    def iov(self, count: int = 1, *, position: int = 0) -> Iterator[tuple[int, int]]:
        """Yield the runs of `count` elements as (displacement, bytes), in type-map order and maximally fused.

        Parameters
        ----------
        count : int
            How many elements, one extent apart.
        position : int
            The first byte of the packed stream that is wanted.
        """
        while True:
            runs, moved = self._type.runs(count, position)
            if not runs:
                return
            yield from runs
            position += moved

    def layout_equal(self, other: Datatype) -> bool:
        """Say whether both are the same bytes in the same order with the same bounds, whatever their signatures."""
        return self._type.layout_equal(_engine_type(other))

    def message_equal(self, other: Datatype, count: int = 1, other_count: int = 1) -> bool:
        """Say whether `count` of this and `other_count` of the other are the same bytes in the same order."""
        return self._type.message_equal(count, _engine_type(other), other_count)

    def signature_equal(self, other: Datatype, count: int = 1, other_count: int = 1) -> bool:
        """Say whether `count` of this and `other_count` of the other have the same sequence of basic types."""
        return self._type.signature_equal(count, _engine_type(other), other_count)

    def serialise(self) -> bytes:
        """Return the layout as bytes for another process: bounds and normal form, without the signature.

        A regular type takes tens of bytes. The text of the notation, which `pickle` uses, keeps the signature and the
        constructors.
        """
        return self._type.serialise()

    @classmethod
    def deserialise(cls, data: Memory) -> Self:
        """Return the layout that another process serialised; its basic types are bytes.

        Parameters
        ----------
        data : buffer
            All of what `serialise` returned. Any bytes are safe to read.

        Raises
        ------
        ValueError
            If the bytes are no serialised form: at which byte, and why.
        """
        return cls._of(engine.deserialise(data))

    def explain(self, count: int = 1) -> dict[str, Any]:
        """Return what the engine makes of `count` elements; docs/notation.md lists the fields."""
        document: dict[str, Any] = json.loads(self._type.explain(count))
        return document

    def _repr_html_(self) -> str:
        """Return the picture that a notebook shows."""
        from gapless.picture import html

        return html(self.explain())

    def __str__(self) -> str:
        """Return the type in the notation, complete. ValueError beyond 1 GiB."""
        return self._type.text()

    def __repr__(self) -> str:
        return f"gapless.Datatype({_abridged(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Datatype):
            return NotImplemented
        return self is other or (self.layout_equal(other) and self.signature_equal(other))

    def __hash__(self) -> int:
        return hash((self.size, self._type.bounds(), self._type.signature_hash(1)))

    def __reduce__(self) -> tuple[type[Datatype], tuple[str]]:
        return Datatype, (str(self),)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _engine_type(datatype: Datatype) -> Type:
    """Return the engine's type, or raise a TypeError that says what is needed."""
    if not isinstance(datatype, Datatype):
        raise TypeError(f"a gapless.Datatype is needed, not '{type(datatype).__name__}'")
    return datatype._type


def as_datatype(old: Datatype | str) -> Datatype:
    """Return a type that is given as itself or in the notation.

    Parameters
    ----------
    old : Datatype or str
        The type.
    """
    if isinstance(old, Datatype):
        return old
    if isinstance(old, str):
        return Datatype(old)
    numpy_type = _numpy_type(old)
    if numpy_type is not None:
        raise TypeError(f"{numpy_type} is a NumPy type, no datatype: write gapless.from_dtype({numpy_type})")
    raise TypeError(f"a gapless.Datatype, or one's text such as 'double', is needed, not '{type(old).__name__}'")


def _numpy_type(value: object) -> str | None:
    """Return how a NumPy type is written, None for anything else; NumPy is not loaded for the answer."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(value, numpy.dtype):
        return f"numpy.{value!r}"
    return f"numpy.{value.__name__}" if isinstance(value, type) and issubclass(value, numpy.generic) else None


def _require_dtype(buffer: Memory, name: str, datatype: Datatype, count: int) -> None:
    """Raise unless an array's elements, a whole number of them, have the basic types of a message."""
    dtype: np.dtype[Any] | None = getattr(buffer, "dtype", None)
    if dtype is None:
        raise TypeError(f"{name}: check_dtype needs a NumPy array, and '{type(buffer).__name__}' has no dtype")
    from gapless.arrays import from_dtype

    element = from_dtype(dtype)
    elements, rest = divmod(datatype.size * count, element.size) if element.size else (0, datatype.size * count)
    if rest or not datatype.signature_equal(element, count, elements):
        raise ValueError(
            f"{name}: the array holds {dtype}, but the message consists of {_abridged(datatype.signature)}; make them "
            "agree, or move bytes as bytes without check_dtype"
        )


def _abridged(datatype: Datatype) -> str:
    text = str(json.loads(datatype._type.explain(0))["type"])
    return text if len(text) <= MOST_REPR else text[:MOST_REPR] + "..."


def copy(
    source: Memory,
    source_type: Datatype | str,
    destination: Memory,
    destination_type: Datatype | str,
    source_count: int = 1,
    destination_count: int = 1,
    *,
    source_offset: int = 0,
    destination_offset: int = 0,
    position: int = 0,
    budget: int | None = None,
    strict: bool = True,
    check_dtype: bool = False,
) -> int:
    """Copy from one layout to another without packing in between; return how many bytes were moved.

    Parameters
    ----------
    source, destination : buffer
        Where the elements are, and where they go; bounds are checked as for `Datatype.pack`.
    source_type, destination_type : Datatype or str
        Their layouts.
    source_count, destination_count : int
        How many elements of each.
    source_offset, destination_offset : int
        Bytes from the beginning of the buffers to displacement 0.
    position : int
        The first byte of the packed stream, which both have in common, that is copied.
    budget : int, optional
        How many bytes of it at most; the rest if left out.
    strict : bool
        Refuse messages of unequal signatures, doubles into integers, say. If False, their bytes must only be as many.
    check_dtype : bool
        Refuse arrays whose elements are of other types than their message.

    Raises
    ------
    ValueError
        If the signatures, or without `strict` the sizes in bytes, are not equal.
    """
    here, there = as_datatype(source_type), as_datatype(destination_type)
    if strict and not here.signature_equal(there, source_count, destination_count):
        raise ValueError(
            "the messages have different signatures: make them equal, or copy bytes as bytes with strict=False"
        )
    if check_dtype:
        _require_dtype(source, "source", here, source_count)
        _require_dtype(destination, "destination", there, destination_count)
    return engine.copy(
        source, here._type, source_count, source_offset, destination, there._type, destination_count,
        destination_offset, position, budget,
    )  # fmt: skip
