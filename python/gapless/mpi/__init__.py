"""What MPI lacks, on mpi4py's handles: types, typed copy, packing at a position, and all-to-all by name.

    >>> from gapless import mpi                                              # doctest: +SKIP
    >>> columns = mpi.type_create_vector_bounded(1000, 2, 10, MPI.DOUBLE)    # an MPI.Datatype    # doctest: +SKIP
    >>> mpi.copy(field, 1, columns.Commit(), packed, 200, MPI.DOUBLE)        # doctest: +SKIP

The functions of `gapless_mpi.h` but the w-form, with their definitions and costs there. Needs mpi4py and an
initialised MPI. Errors are `mpi4py.MPI.Exception`, as MPI's own; a buffer that is too small for what the call
describes is a `ValueError`. Buffers are whatever mpi4py takes: NumPy arrays, bytes, `MPI.BOTTOM`; a buffer that is
written must be writable.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gapless.mpi.library import Handle, Memory, call, count_of, counts_of, library

if TYPE_CHECKING:
    from mpi4py import MPI


def _datatypes() -> Handle:
    from mpi4py import MPI

    return Handle(MPI.Datatype)


def _new_type(function: str, *arguments: Any) -> MPI.Datatype:
    from mpi4py import MPI

    made = MPI.Datatype()
    call(function, *arguments, ctypes.byref(_datatypes().of(made)))
    return made


def type_create_vector_bounded(bound: int, blocklength: int, stride: int, oldtype: MPI.Datatype) -> MPI.Datatype:
    """Return the type of the elements t in [0, bound) with t mod stride < blocklength, each at t extents of `oldtype`.

    Parameters
    ----------
    bound, blocklength, stride : int
        [elements] 0 <= bound, 1 <= blocklength <= stride.
    oldtype : mpi4py.MPI.Datatype

    Returns
    -------
    mpi4py.MPI.Datatype
        To be committed, and freed by the caller. Source: Träff et al., ICS 2014.
    """
    return _new_type(
        "GAPLESS_Type_create_vector_bounded", count_of(bound), count_of(blocklength), count_of(stride),
        _datatypes().of(oldtype),
    )  # fmt: skip


def type_create_vector_circular(
    total: int, start: int, bound: int, blocklength: int, stride: int, oldtype: MPI.Datatype
) -> MPI.Datatype:
    """Return the type of a bounded vector's elements, each at (start + t) mod total.

    Parameters
    ----------
    total, start, bound, blocklength, stride : int
        [elements] bound <= total, 0 <= start < total. The extent is `total`.
    oldtype : mpi4py.MPI.Datatype
    """
    return _new_type(
        "GAPLESS_Type_create_vector_circular", count_of(total), count_of(start), count_of(bound), count_of(blocklength),
        count_of(stride), _datatypes().of(oldtype),
    )  # fmt: skip


def type_create_bucket(stride: int, counts: Sequence[int], oldtype: MPI.Datatype) -> MPI.Datatype:
    """Return the type of counts[b] elements from b * stride on, 0 <= counts[b] <= stride [elements]."""
    return _new_type(
        "GAPLESS_Type_create_bucket",
        count_of(len(counts)),
        count_of(stride),
        counts_of(counts),
        _datatypes().of(oldtype),
    )


def type_signature(datatype: MPI.Datatype) -> MPI.Datatype:
    """Return the type of `datatype`'s basic types in order and without gaps."""
    return _new_type("GAPLESS_Type_signature", _datatypes().of(datatype))


def type_normalize(datatype: MPI.Datatype) -> MPI.Datatype:
    """Return a type of the same type map and bounds, made by the fewest constructors that Gapless knows for it."""
    return _new_type("GAPLESS_Type_normalize", _datatypes().of(datatype))


def type_equal(a: MPI.Datatype, b: MPI.Datatype) -> bool:
    """Return whether two types have the same type map, lower bound and extent, however they were made."""
    equal = ctypes.c_int(0)
    call("GAPLESS_Type_equal", _datatypes().of(a), _datatypes().of(b), ctypes.byref(equal))
    return bool(equal.value)


def type_serialise(datatype: MPI.Datatype) -> bytes:
    """Return the layout of `datatype` as bytes: what `gapless.Datatype.deserialise` reads, in any process."""
    needed, capacity = ctypes.c_int64(0), 512
    while True:
        room = ctypes.create_string_buffer(capacity)
        call("GAPLESS_Type_serialise", _datatypes().of(datatype), room, count_of(capacity), ctypes.byref(needed))
        if needed.value <= capacity:
            return room.raw[: needed.value]
        capacity = needed.value


def copy(
    source: Any, source_count: int, source_type: MPI.Datatype, target: Any, target_count: int,
    target_type: MPI.Datatype,
) -> None:  # fmt: skip
    """Copy between two layouts of one signature, as if sent by the first and received by the second.

    The sizes in bytes must be equal and the memory apart. Both types are committed.
    """
    out, into = Memory(source, writable=False), Memory(target, writable=True)
    out.must_hold(source_count, source_type, "source")
    into.must_hold(target_count, target_type, "target")
    types = _datatypes()
    call(
        "GAPLESS_Copy", out.argument(), count_of(source_count), types.of(source_type), into.argument(),
        count_of(target_count), types.of(target_type),
    )  # fmt: skip


def pack_at(source: Any, count: int, datatype: MPI.Datatype, position: int, packed: Any) -> int:
    """Pack the bytes from `position` on of the packed data of `count` elements, as many as `packed` has room for.

    Returns
    -------
    int
        How many were packed [bytes].
    """
    out, into, moved = Memory(source, writable=False), Memory(packed, writable=True), ctypes.c_int64(0)
    out.must_hold(count, datatype, "source")
    call(
        "GAPLESS_Pack_at", out.argument(), count_of(count), _datatypes().of(datatype), count_of(position),
        into.argument(), count_of(into.size or 0), ctypes.byref(moved),
    )  # fmt: skip
    return moved.value


def unpack_at(packed: Any, position: int, target: Any, count: int, datatype: MPI.Datatype) -> int:
    """Store the bytes of `packed`, which stand at `position` of the packed data of `count` elements.

    Returns
    -------
    int
        How many were stored [bytes].
    """
    out, into, moved = Memory(packed, writable=False), Memory(target, writable=True), ctypes.c_int64(0)
    into.must_hold(count, datatype, "target")
    call(
        "GAPLESS_Unpack_at", out.argument(), count_of(out.size or 0), count_of(position), into.argument(),
        count_of(count), _datatypes().of(datatype), ctypes.byref(moved),
    )  # fmt: skip
    return moved.value


Regular = tuple[Any, int, Any]  # buffer, count for each process, datatype
Irregular = tuple[Any, Sequence[int], Sequence[int], Any]  # buffer, counts, displacements [extents], datatype


def _regular(given: Regular, ranks: int, writable: bool, name: str) -> tuple[Memory, list[Any]]:
    buffer, count, datatype = given
    memory = Memory(buffer, writable)
    memory.must_hold(count * ranks, datatype, name)
    return memory, [memory.argument(), count_of(count), _datatypes().of(datatype)]


def _irregular(given: Irregular, ranks: int, writable: bool, name: str) -> tuple[Memory, list[Any]]:
    buffer, counts, places, datatype = given
    memory = Memory(buffer, writable)
    if not memory.is_in_place:
        if (len(counts), len(places)) != (ranks, ranks):
            raise ValueError(f"{name}: {len(counts)} counts and {len(places)} displacements for {ranks} processes")
        extent = datatype.Get_extent()[1]
        for count, place in zip(counts, places, strict=True):
            memory.must_hold(count, datatype, name, place * extent)
    return memory, [memory.argument(), counts_of(counts), counts_of(places), _datatypes().of(datatype)]


Side = Callable[[Any, int, bool, str], tuple[Memory, list[Any]]]


def _all_to_all(side: Side, send: Any, receive: Any, comm: MPI.Comm, algorithm: str | None) -> tuple[Any, list[Any]]:
    from mpi4py import MPI

    ranks = comm.Get_size()
    out, sent = side(send, ranks, False, "send")
    into, received = side(receive, ranks, True, "receive")
    name = None if algorithm is None else algorithm.encode()
    return (out, into), [*sent, *received, Handle(MPI.Comm).of(comm), ctypes.c_char_p(name)]


def alltoall(send: Regular, receive: Regular, comm: MPI.Comm, algorithm: str | None = None) -> None:
    """Send a block to each process and receive one from each, by an algorithm of `alltoall_algorithms()`.

    Parameters
    ----------
    send, receive : (buffer, int, mpi4py.MPI.Datatype)
        What holds the blocks one after the other, and how many elements each block has. `MPI.IN_PLACE` as the first
        buffer: the blocks to send stand in the other one, and the count is not looked at.
    comm : mpi4py.MPI.Comm
    algorithm : str, optional
        The same on all processes. By default what the model says is fastest.
    """
    kept, arguments = _all_to_all(_regular, send, receive, comm, algorithm)
    call("GAPLESS_Alltoall", *arguments)
    del kept


def alltoallv(send: Irregular, receive: Irregular, comm: MPI.Comm, algorithm: str | None = None) -> None:
    """Send as many elements to each process as `counts` says, by one of `alltoall_algorithms(irregular=True)`.

    Parameters
    ----------
    send, receive : (buffer, counts, displacements, mpi4py.MPI.Datatype)
        Counts and displacements for each process, the latter in extents of the datatype.
    comm, algorithm
        As for `alltoall`.
    """
    kept, arguments = _all_to_all(_irregular, send, receive, comm, algorithm)
    call("GAPLESS_Alltoallv", *arguments)
    del kept


class PersistentAlltoall:
    """An all-to-all whose types, plans, buffers and algorithm are bound once; a context manager that frees it."""

    def __init__(self, handle: ctypes.c_void_p, kept: Any) -> None:
        self._handle, self._kept = handle, kept

    def start(self) -> None:
        """Begin; the rounds run in this call and in `wait`."""
        call("GAPLESS_Start", self._handle)

    def wait(self) -> None:
        """End what `start` began."""
        call("GAPLESS_Wait", self._handle)

    def free(self) -> None:
        """Free it, not between `start` and `wait`."""
        call("GAPLESS_Request_free", ctypes.byref(self._handle))
        self._kept = None

    def __enter__(self) -> PersistentAlltoall:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        # Between start and wait it cannot be freed, and the exception that led here says more than that one would.
        with contextlib.suppress(*(() if kind is None else (Exception,))):
            self.free()


def _persistent(function: str, side: Side, send: Any, receive: Any, comm: MPI.Comm, algorithm: str | None) -> Any:
    kept, arguments = _all_to_all(side, send, receive, comm, algorithm)
    handle = ctypes.c_void_p()
    call(function, *arguments, ctypes.byref(handle))
    return PersistentAlltoall(handle, kept)


def alltoall_init(send: Regular, receive: Regular, comm: MPI.Comm, algorithm: str | None = None) -> PersistentAlltoall:
    """Return a persistent `alltoall`."""
    made: PersistentAlltoall = _persistent("GAPLESS_Alltoall_init", _regular, send, receive, comm, algorithm)
    return made


def alltoallv_init(
    send: Irregular, receive: Irregular, comm: MPI.Comm, algorithm: str | None = None
) -> PersistentAlltoall:
    """Return a persistent `alltoallv`."""
    made: PersistentAlltoall = _persistent("GAPLESS_Alltoallv_init", _irregular, send, receive, comm, algorithm)
    return made


def alltoall_algorithms(irregular: bool = False) -> list[str]:
    """Return the names that `alltoall`, or `alltoallv`, takes."""
    function = library().GAPLESS_Alltoall_algorithm
    function.restype = ctypes.c_char_p
    names: list[str] = []
    while (name := function(int(irregular), len(names))) is not None:
        names.append(name.decode())
    return names
