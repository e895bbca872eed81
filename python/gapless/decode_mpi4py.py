"""mpi4py's datatypes as Gapless's, by what MPI says of how they were made (MPI_Type_get_contents)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from gapless import constructors as make
from gapless.basic_types import byte
from gapless.datatype import Datatype

if TYPE_CHECKING:
    from mpi4py import MPI

# MPI's names for what has a name of its own here; MPI_LONG and its kin are told by their size.
NAMES = {
    "BYTE": "byte", "PACKED": "packed", "CHAR": "char", "CHARACTER": "char", "WCHAR": "wchar", "C_BOOL": "bool",
    "CXX_BOOL": "bool", "AINT": "aint", "COUNT": "aint", "OFFSET": "aint", "FLOAT": "float", "REAL": "float",
    "REAL4": "float", "DOUBLE": "double", "DOUBLE_PRECISION": "double", "REAL8": "double",
    "LONG_DOUBLE": "long_double", "C_FLOAT_COMPLEX": "float_complex", "CXX_FLOAT_COMPLEX": "float_complex",
    "COMPLEX": "float_complex", "COMPLEX8": "float_complex", "C_DOUBLE_COMPLEX": "double_complex",
    "CXX_DOUBLE_COMPLEX": "double_complex", "DOUBLE_COMPLEX": "double_complex", "COMPLEX16": "double_complex",
    "C_LONG_DOUBLE_COMPLEX": "long_double_complex", "CXX_LONG_DOUBLE_COMPLEX": "long_double_complex",
    "FLOAT_INT": "float_int", "DOUBLE_INT": "double_int", "LONG_INT": "long_int", "TWOINT": "2int",
    "SHORT_INT": "short_int", "LONG_DOUBLE_INT": "long_double_int",
}  # fmt: skip
SIGNED = (
    "SIGNED_CHAR SHORT INT LONG LONG_LONG INT8_T INT16_T INT32_T INT64_T INTEGER INTEGER1 INTEGER2 INTEGER4 INTEGER8"
)
UNSIGNED = "UNSIGNED_CHAR UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG UNSIGNED_LONG_LONG UINT8_T UINT16_T UINT32_T UINT64_T"
# Fortran's logicals have no named type here: the bytes of one.
LOGICAL = "LOGICAL LOGICAL1 LOGICAL2 LOGICAL4 LOGICAL8"


@cache
def _named_types() -> list[tuple[MPI.Datatype, Datatype]]:
    from mpi4py import MPI

    names = dict(NAMES)
    for prefix, listed in (("int", SIGNED), ("uint", UNSIGNED), ("int", LOGICAL)):
        for name in listed.split():
            known = getattr(MPI, name, MPI.DATATYPE_NULL)
            if known != MPI.DATATYPE_NULL:
                names[name] = f"{prefix}{8 * known.Get_size()}"
    found = []
    for name, ours in names.items():
        theirs = getattr(MPI, name, MPI.DATATYPE_NULL)
        if theirs == MPI.DATATYPE_NULL:
            continue
        datatype = make.named(ours)
        # A Fortran compiler may have made its own sizes the default.
        if (theirs.Get_size(), theirs.Get_extent()[1]) == (datatype.size, datatype.extent):
            found.append((theirs, datatype))
    return found


def _named(datatype: MPI.Datatype) -> Datatype:
    for theirs, ours in _named_types():
        if datatype == theirs:
            return ours
    size, (lower_bound, extent) = datatype.Get_size(), datatype.Get_extent()
    if (lower_bound, extent) != (0, size):
        raise ValueError(f"MPI's type {datatype.Get_name() or '?'} has gaps that nothing tells the place of")
    return make.contiguous(size, byte)


class _Contents:
    """The arguments of a constructor in order, from whichever of the lists holds them."""

    def __init__(self, integers: list[int], addresses: list[int], counts: list[int]) -> None:
        # What a large-count constructor made has its counts, strides and displacements all in `counts`.
        self._small = iter(integers)
        self._integer: Iterator[int] = iter(counts) if counts else self._small
        self._address: Iterator[int] = self._integer if counts else iter(addresses)

    def small(self) -> int:
        """Return an argument that is an int in every constructor."""
        return next(self._small)

    def smalls(self, n: int) -> list[int]:
        return [next(self._small) for _ in range(n)]

    def integer(self) -> int:
        """Return a count, a block length, an index."""
        return next(self._integer)

    def integers(self, n: int) -> list[int]:
        return [next(self._integer) for _ in range(n)]

    def address(self) -> int:
        """Return a length in bytes."""
        return next(self._address)

    def addresses(self, n: int) -> list[int]:
        return [next(self._address) for _ in range(n)]


def _indexed(make_type: Callable[..., Datatype], in_bytes: bool) -> Callable[[_Contents, list[Datatype]], Datatype]:
    def decode(given: _Contents, old: list[Datatype]) -> Datatype:
        count = given.integer()
        lengths = given.integers(count)
        return make_type(lengths, given.addresses(count) if in_bytes else given.integers(count), old[0])

    return decode


def _indexed_block(
    make_type: Callable[..., Datatype], in_bytes: bool
) -> Callable[[_Contents, list[Datatype]], Datatype]:
    def decode(given: _Contents, old: list[Datatype]) -> Datatype:
        count, length = given.integer(), given.integer()
        return make_type(length, given.addresses(count) if in_bytes else given.integers(count), old[0])

    return decode


def _vector(given: _Contents, old: list[Datatype]) -> Datatype:
    return make.vector(given.integer(), given.integer(), given.integer(), old[0])


def _hvector(given: _Contents, old: list[Datatype]) -> Datatype:
    return make.hvector(given.integer(), given.integer(), given.address(), old[0])


def _struct(given: _Contents, old: list[Datatype]) -> Datatype:
    count = given.integer()
    return make.struct(given.integers(count), given.addresses(count), old)


def _order(code: int) -> str:
    from mpi4py import MPI

    return "C" if code == MPI.ORDER_C else "Fortran"


def _subarray(given: _Contents, old: list[Datatype]) -> Datatype:
    n = given.small()
    sizes, subsizes, starts = given.integers(n), given.integers(n), given.integers(n)
    return make.subarray(sizes, subsizes, starts, old[0], _order(given.small()))


def _darray(given: _Contents, old: list[Datatype]) -> Datatype:
    from mpi4py import MPI

    words = {MPI.DISTRIBUTE_NONE: "none", MPI.DISTRIBUTE_BLOCK: "block", MPI.DISTRIBUTE_CYCLIC: "cyclic"}
    process_count, rank, n = given.small(), given.small(), given.small()
    sizes = given.integers(n)
    kinds, arguments, grid = given.smalls(n), given.smalls(n), given.smalls(n)
    distributions = [
        (words[kind], make.DEFAULT_ARGUMENT if argument == MPI.DISTRIBUTE_DFLT_DARG else argument)
        for kind, argument in zip(kinds, arguments, strict=True)
    ]
    return make.darray(process_count, rank, sizes, distributions, grid, old[0], _order(given.small()))


def _resized(given: _Contents, old: list[Datatype]) -> Datatype:
    return make.resized(given.address(), given.address(), old[0])


def _value_index(given: _Contents, old: list[Datatype]) -> Datatype:
    """Return the C struct {value; index;}: with the holes that alignment makes, which a named type's explain tells."""
    value, index = old
    alignment, last = index.explain(0)["alignment"], value.explain(0)["alignment"]
    place = -(-value.extent // alignment) * alignment
    both = max(alignment, last)
    inner = make.struct([1, 1], [0, place], [value, index])
    return make.resized(0, -(-(place + index.extent) // both) * both, inner)


def _decoders() -> dict[int, Callable[[_Contents, list[Datatype]], Datatype]]:
    from mpi4py import MPI

    known: dict[str, Callable[[_Contents, list[Datatype]], Datatype]] = {
        "DUP": lambda given, old: make.dup(old[0]),
        "CONTIGUOUS": lambda given, old: make.contiguous(given.integer(), old[0]),
        "VECTOR": _vector,
        "HVECTOR": _hvector,
        "INDEXED": _indexed(make.indexed, in_bytes=False),
        "HINDEXED": _indexed(make.hindexed, in_bytes=True),
        "INDEXED_BLOCK": _indexed_block(make.indexed_block, in_bytes=False),
        "HINDEXED_BLOCK": _indexed_block(make.hindexed_block, in_bytes=True),
        "STRUCT": _struct,
        "SUBARRAY": _subarray,
        "DARRAY": _darray,
        "RESIZED": _resized,
        "VALUE_INDEX": _value_index,
    }
    return {
        getattr(MPI, f"COMBINER_{name}"): decode for name, decode in known.items() if hasattr(MPI, f"COMBINER_{name}")
    }


def from_mpi4py(datatype: MPI.Datatype) -> Datatype:
    """Return an MPI datatype's layout and signature.

    MPI must be initialised. The MPI datatype stays the caller's and may be freed afterwards. Types that MPI names and
    Gapless does not (of Fortran, mostly) are read as the integers or bytes of their size.

    Parameters
    ----------
    datatype : mpi4py.MPI.Datatype
        Committed or not.

    Raises
    ------
    ValueError
        If it is null, or made in a way that this version does not know.
    """
    from mpi4py import MPI

    if not isinstance(datatype, MPI.Datatype):
        raise TypeError(f"an mpi4py.MPI.Datatype is needed, not '{type(datatype).__name__}'")
    if datatype == MPI.DATATYPE_NULL:
        raise ValueError("the datatype is MPI.DATATYPE_NULL")
    combiner = datatype.Get_envelope()[-1]
    predefined: set[Any] = {
        MPI.COMBINER_NAMED,
        MPI.COMBINER_F90_INTEGER,
        MPI.COMBINER_F90_REAL,
        MPI.COMBINER_F90_COMPLEX,
    }
    if combiner in predefined:
        return _named(datatype)
    decode = _decoders().get(combiner)
    if decode is None:
        raise ValueError(f"MPI's combiner {combiner} is not known to Gapless")
    integers, addresses, counts, old = datatype.Get_contents()
    try:
        return decode(_Contents(integers, addresses, counts), [from_mpi4py(each) for each in old])
    finally:
        for each in old:
            # MPI 4.1, 5.1.13: a returned handle is a new reference exactly if it is not of a predefined type.
            if each.Get_envelope()[-1] not in predefined:
                each.Free()
