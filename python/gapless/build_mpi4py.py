"""Gapless's datatypes as mpi4py's, built by MPI's own constructors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gapless import constructors as make
from gapless.datatype import Datatype, as_datatype
from gapless.notation import fold

if TYPE_CHECKING:
    from mpi4py import MPI

NAMES = {
    "byte": "BYTE", "char": "CHAR", "packed": "PACKED", "bool": "C_BOOL", "wchar": "WCHAR", "int8": "INT8_T",
    "int16": "INT16_T", "int32": "INT32_T", "int64": "INT64_T", "uint8": "UINT8_T", "uint16": "UINT16_T",
    "uint32": "UINT32_T", "uint64": "UINT64_T", "float": "FLOAT", "double": "DOUBLE", "long_double": "LONG_DOUBLE",
    "float_complex": "C_FLOAT_COMPLEX", "double_complex": "C_DOUBLE_COMPLEX",
    "long_double_complex": "C_LONG_DOUBLE_COMPLEX", "aint": "AINT", "2int": "TWOINT", "short_int": "SHORT_INT",
    "long_int": "LONG_INT", "float_int": "FLOAT_INT", "double_int": "DOUBLE_INT", "long_double_int": "LONG_DOUBLE_INT",
}  # fmt: skip

Block = tuple[int, int, int]  # from which element on, how many blocks, of how many elements each


def _blocks(begin: int, end: int, blocklength: int, stride: int) -> Iterator[Block]:
    """Yield the elements t in [begin, end) with t mod stride < blocklength, as at most three vectors."""
    phase = begin % stride
    if phase != 0:
        piece = min(blocklength - phase, end - begin)
        if piece > 0:
            yield begin, 1, piece
        begin += stride - phase
    if begin >= end:
        return
    whole, rest = divmod(end - begin, stride)
    if whole > 0:
        yield begin, whole, blocklength
    if rest > 0:
        yield begin + whole * stride, 1, min(rest, blocklength)


def circular_blocks(total: int, start: int, bound: int, blocklength: int, stride: int) -> Iterator[Block]:
    """Yield the elements of a circular vector as at most six vectors; a bounded one has start 0 and total bound."""
    wrap = total - start
    for begin, end, shift in ((0, min(wrap, bound), start), (wrap, bound, -wrap)):
        for first, count, length in _blocks(begin, end, blocklength, stride) if begin < end else ():
            yield first + shift, count, length


# A type as MPI's, and as ours: its bounds say where MPI's would differ.
Both = tuple[Any, Datatype]


class _Builder:
    """Calls MPI's constructors, and knows what is to be freed."""

    def __init__(self) -> None:
        from mpi4py import MPI

        self.mpi = MPI
        self.made: list[MPI.Datatype] = []

    def keep(self, datatype: Any) -> Any:
        """Note that a type is to be freed."""
        self.made.append(datatype)
        return datatype

    def free(self, but: MPI.Datatype | None = None) -> None:
        """Free what was made on the way."""
        for datatype in self.made:
            if datatype is not but:
                datatype.Free()

    def build(self, name: str, arguments: list[Any]) -> Both:
        """Return what a named type or a constructor of the notation means; the old type is its last argument."""
        if not arguments:
            theirs = getattr(self.mpi, NAMES[name], self.mpi.DATATYPE_NULL)
            if theirs == self.mpi.DATATYPE_NULL:
                raise ValueError(f"this MPI library has no {NAMES[name]}")
            return theirs, make.named(name)
        if name == "struct":
            lengths, places = [member[0] for member in arguments[0]], [member[1] for member in arguments[0]]
            theirs = self.mpi.Datatype.Create_struct(lengths, places, [member[2][0] for member in arguments[0]])
            ours = make.struct(lengths, places, [member[2][1] for member in arguments[0]])
        else:
            *given, (old, our_old) = arguments
            theirs = getattr(self, f"_{name}", None)
            theirs = theirs(old, *given) if theirs else getattr(old, f"Create_{name}")(*given)
            if name in ("subarray", "darray"):
                ours = getattr(make, name)(*given[:-1], our_old, given[-1])
            else:
                ours = getattr(make, name)(*given, our_old)
        return self._bounded(self.keep(theirs), ours), ours

    def _bounded(self, theirs: Any, ours: Datatype) -> Any:
        """Return a type with our bounds: MPICH has its own for empty types, Open MPI rounds up more than structs."""
        if theirs.Get_extent() == (ours.lower_bound, ours.extent):
            return theirs
        return self.keep(theirs.Create_resized(ours.lower_bound, ours.extent))

    def _order(self, order: str) -> int:
        code: int = self.mpi.ORDER_C if order == "C" else self.mpi.ORDER_FORTRAN
        return code

    def _dup(self, old: Any) -> Any:
        return old.Dup()

    def _subarray(self, old: Any, sizes: list[int], subsizes: list[int], starts: list[int], order: str) -> Any:
        return old.Create_subarray(sizes, subsizes, starts, self._order(order))

    def _darray(
        self, old: Any, process_count: int, rank: int, sizes: list[int], distributions: list[Any], grid: list[int],
        order: str,
    ) -> Any:  # fmt: skip
        default = self.mpi.DISTRIBUTE_DFLT_DARG
        pairs = [entry if isinstance(entry, tuple) else (entry, default) for entry in distributions]
        kinds = [getattr(self.mpi, f"DISTRIBUTE_{word.upper()}") for word, _ in pairs]
        dargs = [argument for _, argument in pairs]
        return old.Create_darray(process_count, rank, sizes, kinds, dargs, grid, self._order(order))

    def _bucket(self, old: Any, stride: int, counts: list[int]) -> Any:
        return old.Create_indexed(counts, [slot * stride for slot in range(len(counts))])

    def _bounded_vector(self, old: Any, bound: int, blocklength: int, stride: int) -> Any:
        return self._circular_vector(old, bound, 0, bound, blocklength, stride)

    def _circular_vector(self, old: Any, total: int, start: int, bound: int, blocklength: int, stride: int) -> Any:
        extent = old.Get_extent()[1]
        parts: list[Any] = []
        places: list[int] = []
        for first, count, length in circular_blocks(total, start, bound, blocklength, stride):
            parts.append(self.keep(old.Create_vector(count, length, stride)))
            places.append(first * extent)
        return self.mpi.Datatype.Create_struct([1] * len(parts), places, parts)


def to_mpi4py(datatype: Datatype | str) -> MPI.Datatype:
    """Return a committed MPI datatype of the same layout and signature, made as this one was made.

    Bounded and circular vectors become structs of vectors, buckets become indexed. Where the MPI library would give a
    type other bounds, they are set to Gapless's with MPI_Type_create_resized. Fixed-width integers become MPI's
    (`int32` is MPI_INT32_T). The caller owns the result: `result.Free()`, unless MPI is finalised first. MPI must be
    initialised.

    Parameters
    ----------
    datatype : Datatype or str
        The type.

    Raises
    ------
    ValueError
        If the MPI library lacks a named type that is in it.
    """
    text = str(as_datatype(datatype))
    builder = _Builder()
    try:
        result: MPI.Datatype = fold(text, builder.build)[0]
        if not any(result is made for made in builder.made):  # a named type, which nobody may free
            result = builder.keep(result.Dup())
        result.Commit()
    except BaseException:
        builder.free()
        raise
    builder.free(but=result)
    return result
