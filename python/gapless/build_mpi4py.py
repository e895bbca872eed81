"""Gapless's datatypes as mpi4py's, built by MPI's own constructors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

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


class _Builder:
    """Calls MPI's constructors, and knows what is to be freed."""

    def __init__(self) -> None:
        from mpi4py import MPI

        self.mpi = MPI
        self.made: list[MPI.Datatype] = []

    def keep(self, datatype: MPI.Datatype) -> MPI.Datatype:
        self.made.append(datatype)
        return datatype

    def free(self, but: MPI.Datatype | None = None) -> None:
        for datatype in self.made:
            if datatype is not but:
                datatype.Free()

    def circular(self, start: int, wrap: int, bound: int, blocklength: int, stride: int, old: Any) -> Any:
        """Return the elements t of [0, bound) that lie in blocks, each at start + t, from t = wrap on at t - wrap."""
        extent = old.Get_extent()[1]
        parts: list[Any] = []
        places: list[int] = []
        for begin, end, shift in ((0, min(wrap, bound), start), (wrap, bound, -wrap)):
            for first, count, length in _blocks(begin, end, blocklength, stride) if begin < end else ():
                parts.append(self.keep(old.Create_vector(count, length, stride)))
                places.append((first + shift) * extent)
        whole = self.keep(self.mpi.Datatype.Create_struct([1] * len(parts), places, parts))
        if not parts:
            return whole
        # A struct may be padded to its alignment, a vector never.
        bounds = [part.Get_extent() for part in parts]
        lower = min(place + lb for place, (lb, _) in zip(places, bounds, strict=True))
        upper = max(place + lb + extent for place, (lb, extent) in zip(places, bounds, strict=True))
        return self.keep(whole.Create_resized(lower, upper - lower))

    def build(self, name: str, arguments: list[Any]) -> Any:
        """Return what a constructor of the notation means; the old type is its last argument."""
        if not arguments:
            found = getattr(self.mpi, NAMES[name], self.mpi.DATATYPE_NULL)
            if found == self.mpi.DATATYPE_NULL:
                raise ValueError(f"this MPI library has no {NAMES[name]}")
            return found
        if name == "struct":
            lengths, places, types = (
                (list(each) for each in zip(*arguments[0], strict=True)) if arguments[0] else ([], [], [])
            )
            return self.keep(self.mpi.Datatype.Create_struct(lengths, places, types))
        *given, old = arguments
        return getattr(self, f"_{name}")(old, *given)

    def _contiguous(self, old: Any, count: int) -> Any:
        return self.keep(old.Create_contiguous(count))

    def _vector(self, old: Any, count: int, blocklength: int, stride: int) -> Any:
        return self.keep(old.Create_vector(count, blocklength, stride))

    def _hvector(self, old: Any, count: int, blocklength: int, stride: int) -> Any:
        return self.keep(old.Create_hvector(count, blocklength, stride))

    def _indexed(self, old: Any, blocklengths: list[int], displacements: list[int]) -> Any:
        return self.keep(old.Create_indexed(blocklengths, displacements))

    def _hindexed(self, old: Any, blocklengths: list[int], displacements: list[int]) -> Any:
        return self.keep(old.Create_hindexed(blocklengths, displacements))

    def _indexed_block(self, old: Any, blocklength: int, displacements: list[int]) -> Any:
        return self.keep(old.Create_indexed_block(blocklength, displacements))

    def _hindexed_block(self, old: Any, blocklength: int, displacements: list[int]) -> Any:
        return self.keep(old.Create_hindexed_block(blocklength, displacements))

    def _subarray(self, old: Any, sizes: list[int], subsizes: list[int], starts: list[int], order: str) -> Any:
        return self.keep(old.Create_subarray(sizes, subsizes, starts, self._order(order)))

    def _darray(
        self, old: Any, process_count: int, rank: int, sizes: list[int], distributions: list[Any], grid: list[int],
        order: str,
    ) -> Any:  # fmt: skip
        pairs = [
            entry if isinstance(entry, tuple) else (entry, self.mpi.DISTRIBUTE_DFLT_DARG) for entry in distributions
        ]
        kinds = [getattr(self.mpi, f"DISTRIBUTE_{word.upper()}") for word, _ in pairs]
        dargs = [argument for _, argument in pairs]
        return self.keep(old.Create_darray(process_count, rank, sizes, kinds, dargs, grid, self._order(order)))

    def _order(self, order: str) -> int:
        return self.mpi.ORDER_C if order == "C" else self.mpi.ORDER_FORTRAN

    def _resized(self, old: Any, lower_bound: int, extent: int) -> Any:
        return self.keep(old.Create_resized(lower_bound, extent))

    def _dup(self, old: Any) -> Any:
        return self.keep(old.Dup())

    def _bounded_vector(self, old: Any, bound: int, blocklength: int, stride: int) -> Any:
        return self.circular(0, bound, bound, blocklength, stride, old)

    def _circular_vector(self, old: Any, total: int, start: int, bound: int, blocklength: int, stride: int) -> Any:
        inner = self.circular(start, total - start, bound, blocklength, stride, old)
        return self.keep(inner.Create_resized(0, total * old.Get_extent()[1]))

    def _bucket(self, old: Any, stride: int, counts: list[int]) -> Any:
        inner = self.keep(old.Create_indexed(counts, [slot * stride for slot in range(len(counts))]))
        return self.keep(inner.Create_resized(0, len(counts) * stride * old.Get_extent()[1]))


def to_mpi4py(datatype: Datatype | str) -> MPI.Datatype:
    """Return a committed MPI datatype of the same layout and signature, made as this one was made.

    Bounded and circular vectors become structs of vectors, buckets become indexed. Fixed-width integers become MPI's
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
        result = fold(text, builder.build)
        if result not in builder.made:  # a named type, which nobody may free
            result = builder.keep(result.Dup())
        result.Commit()
    except BaseException:
        builder.free()
        raise
    builder.free(but=result)
    return result
