"""MPI's type constructors, in its names and order, and three that it lacks.

An element of `old` is one extent of it. Every `old` is a Datatype or one's text: `vector(3, 1, 4, "int32")`.
All raise TypeError for what is no number or no type, ValueError for arguments that no type has, and OverflowError for
sizes and displacements beyond 63 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from gapless.datatype import Datatype, as_datatype
from gapless.extension import engine

ORDERS = {"C": False, "Fortran": True}
DISTRIBUTIONS = {"none": 0, "block": 1, "cyclic": 2}
DEFAULT_ARGUMENT = -1

TypeLike = Datatype | str


def named(name: str) -> Datatype:
    """Return a named type: "byte", "int8" to "uint64", "double", "2int" and so on (docs/notation.md)."""
    if not isinstance(name, str):
        raise TypeError(f"a named type's name is needed, not '{type(name).__name__}'")
    return Datatype._of(engine.named(name))


def parse(text: str) -> Datatype:
    """Return the type that a text of the notation means; the same as `Datatype(text)`."""
    return Datatype(text)


def contiguous(count: int, old: TypeLike) -> Datatype:
    """Return `count` elements of `old`, one behind the other."""
    return Datatype._of(engine.contiguous(count, as_datatype(old)._type))


def vector(count: int, blocklength: int, stride: int, old: TypeLike) -> Datatype:
    """Return `count` blocks of `blocklength` elements, `stride` elements apart."""
    return Datatype._of(engine.vector(count, blocklength, stride, as_datatype(old)._type))


def hvector(count: int, blocklength: int, stride_bytes: int, old: TypeLike) -> Datatype:
    """Return `count` blocks of `blocklength` elements, `stride_bytes` bytes apart."""
    return Datatype._of(engine.hvector(count, blocklength, stride_bytes, as_datatype(old)._type))


def indexed(blocklengths: Sequence[int], displacements: Sequence[int], old: TypeLike) -> Datatype:
    """Return blocks of `blocklengths` elements, each displaced by its number of elements."""
    return Datatype._of(engine.indexed(blocklengths, displacements, as_datatype(old)._type))


def hindexed(blocklengths: Sequence[int], displacements_bytes: Sequence[int], old: TypeLike) -> Datatype:
    """Return blocks of `blocklengths` elements, each displaced by its number of bytes."""
    return Datatype._of(engine.hindexed(blocklengths, displacements_bytes, as_datatype(old)._type))


def indexed_block(blocklength: int, displacements: Sequence[int], old: TypeLike) -> Datatype:
    """Return blocks of one length, each displaced by its number of elements."""
    return Datatype._of(engine.indexed_block(blocklength, displacements, as_datatype(old)._type))


def hindexed_block(blocklength: int, displacements_bytes: Sequence[int], old: TypeLike) -> Datatype:
    """Return blocks of one length, each displaced by its number of bytes."""
    return Datatype._of(engine.hindexed_block(blocklength, displacements_bytes, as_datatype(old)._type))


def struct(blocklengths: Sequence[int], displacements_bytes: Sequence[int], types: Sequence[TypeLike]) -> Datatype:
    """Return blocks of different types, each displaced by its number of bytes."""
    made = [as_datatype(old)._type for old in types]
    return Datatype._of(engine.struct(blocklengths, displacements_bytes, made))


def subarray(
    sizes: Sequence[int], subsizes: Sequence[int], starts: Sequence[int], old: TypeLike, order: str = "C"
) -> Datatype:
    """Return a box inside an array of `sizes`; the extent is the whole array's.

    Parameters
    ----------
    sizes, subsizes, starts : sequence of int
        Of the array, of the box, and where the box begins, dimension by dimension.
    old : Datatype or str
        The element.
    order : str
        "C" (the last dimension is dense) or "Fortran" (the first).
    """
    return Datatype._of(engine.subarray(sizes, subsizes, starts, _fortran(order), as_datatype(old)._type))


def darray(
    process_count: int,
    rank: int,
    sizes: Sequence[int],
    distributions: Sequence[str | tuple[str, int]],
    process_grid: Sequence[int],
    old: TypeLike,
    order: str = "C",
) -> Datatype:
    """Return what one process owns of an array that is dealt out to a grid of processes.

    Parameters
    ----------
    process_count, rank : int
        Of the processes; ranks are in C order in the grid.
    sizes : sequence of int
        Of the array, dimension by dimension.
    distributions : sequence of str or tuple
        For each dimension "none", "block", "cyclic", or a pair of such a word and the elements of a block.
    process_grid : sequence of int
        Processes along each dimension.
    old : Datatype or str
        The element.
    order : str
        "C" or "Fortran", of the array.
    """
    codes, arguments = [], []
    for entry in distributions:
        word, argument = (entry, DEFAULT_ARGUMENT) if isinstance(entry, str) else entry
        if word not in DISTRIBUTIONS:
            raise ValueError(
                f"no distribution is called {word!r}: {', '.join(DISTRIBUTIONS)}, or a pair of one and a number"
            )
        codes.append(DISTRIBUTIONS[word])
        arguments.append(argument)
    return Datatype._of(
        engine.darray(
            process_count, rank, sizes, codes, arguments, process_grid, _fortran(order), as_datatype(old)._type
        )
    )


def bounded_vector(bound: int, blocklength: int, stride: int, old: TypeLike) -> Datatype:
    """Return the elements t in [0, bound) with t mod stride < blocklength, each at t. MPI lacks it."""
    return Datatype._of(engine.bounded_vector(bound, blocklength, stride, as_datatype(old)._type))


def circular_vector(total: int, start: int, bound: int, blocklength: int, stride: int, old: TypeLike) -> Datatype:
    """Return a bounded vector's elements, each at (start + t) mod total; the extent is `total`. MPI lacks it."""
    return Datatype._of(engine.circular_vector(total, start, bound, blocklength, stride, as_datatype(old)._type))


def bucket(stride: int, counts: Sequence[int], old: TypeLike) -> Datatype:
    """Return slots of `stride` elements, each filled from its beginning with its number of them. MPI lacks it."""
    return Datatype._of(engine.bucket(stride, counts, as_datatype(old)._type))


def resized(lower_bound: int, extent: int, old: TypeLike) -> Datatype:
    """Return `old` with another lower bound and extent [bytes]."""
    return Datatype._of(engine.resized(lower_bound, extent, as_datatype(old)._type))


def dup(old: TypeLike) -> Datatype:
    """Return a duplicate, which the notation shows as one."""
    return Datatype._of(engine.dup(as_datatype(old)._type))


def _fortran(order: str) -> bool:
    if order not in ORDERS:
        raise ValueError(f"the order is 'C' or 'Fortran', not {order!r}")
    return ORDERS[order]
