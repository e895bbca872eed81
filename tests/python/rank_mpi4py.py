"""Run under an MPI library by test_extension_mpi4py.py: types there and back, and the bytes that MPI sends of them."""

from __future__ import annotations

import random
import sys

import gapless
import numpy as np
from hypothesis import HealthCheck, given, settings
from mpi4py import MPI
from typemap import Mapped, mapped_types

TEXTS = [
    "int32", "2int", "long_double_int", "short_int", "packed", "wchar", "bool", "aint", "float_complex",
    "long_double_complex", "contiguous(0, byte)", "struct([])", "dup(hvector(2, 1, -8, wchar))",
    "struct([(1, 0, int8), (2, 8, double), (0, 4, int16)])",
    "resized(-4, 40, indexed([1, 2], [3, 0], float_int))",
    "hindexed_block(2, [16, 0], 2int)", "indexed_block(2, [5, 0], contiguous(3, int16))",
    "hindexed([1, 3], [9, 0], byte)",
    "subarray([4, 6], [2, 3], [1, 2], Fortran, int16)", "subarray([4, 6, 2], [2, 3, 1], [1, 2, 1], C, double)",
    "darray(4, 1, [8, 8], [block, cyclic(2)], [2, 2], C, double)",
    "darray(6, 4, [9, 7, 5], [cyclic, none, block(4)], [3, 1, 2], Fortran, int32)",
    "bounded_vector(7, 2, 3, int32)", "bounded_vector(7, 2, 3, resized(-1, 5, int32))",
    "bounded_vector(1, 2, 3, int32)",
    "circular_vector(10, 8, 7, 2, 3, int32)", "circular_vector(0, 0, 0, 1, 2, byte)",
    "circular_vector(9, 4, 9, 3, 4, resized(0, 16, double))", "bucket(4, [1, 0, 3], double)", "bucket(0, [], byte)",
]  # fmt: skip


def check(datatype: gapless.Datatype) -> None:
    """Go to MPI and back, and compare the bytes that MPI sends of a message of three."""
    theirs = gapless.to_mpi4py(datatype)
    try:
        again = gapless.from_mpi4py(theirs)
        assert again.layout_equal(datatype), f"{datatype} became {again}"
        assert again.signature_equal(datatype), f"{datatype} became {again}"
        # Not the true bounds: MPICH counts the place of an empty member of a struct.
        ours = (datatype.size, datatype.lower_bound, datatype.extent)
        assert (theirs.Get_size(), *theirs.Get_extent()) == ours, f"{datatype}: MPI's bounds"
        count = 3
        runs = list(datatype.iov(count))
        low, high = min((at for at, _ in runs), default=0), max((at + n for at, n in runs), default=0)
        memory = np.frombuffer(random.Random(1).randbytes(high - low), np.uint8)
        stream = datatype.pack(memory, count, offset=-low)
        # By address, so that a type may begin before its buffer, and received as packed bytes, which match any type.
        there = MPI.Datatype.Create_struct([count], [memory.ctypes.data - low], [theirs]).Commit()
        packed = bytearray(len(stream))
        MPI.COMM_SELF.Sendrecv([MPI.BOTTOM, 1, there], 0, 0, [packed, len(packed), MPI.PACKED], 0, 0)
        there.Free()
        assert packed == stream, f"{datatype}: MPI sends other bytes"
    finally:
        theirs.Free()


@settings(max_examples=150, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(mapped_types)
def check_random_types(mapped: Mapped) -> None:
    """Check a random type."""
    check(mapped.datatype)


def check_what_mpi_built() -> None:
    """Read types of MPI's own, predefined ones and those of its large-count and Fortran constructors."""
    for theirs, text in [(MPI.INT, "int32"), (MPI.UNSIGNED_CHAR, "uint8"), (MPI.LONG, "int64"), (MPI.DOUBLE, "double")]:
        assert str(gapless.from_mpi4py(theirs)) == text
    f90 = MPI.Datatype.Create_f90_real(15, 307)
    assert gapless.from_mpi4py(f90).size == 8
    large = MPI.INT.Create_vector(3, 1, 1 << 33) if MPI.Get_version() >= (4, 0) else None
    if large is not None:
        assert str(gapless.from_mpi4py(large)) == f"vector(3, 1, {1 << 33}, int32)"
        large.Free()
    for wrong, error in [(MPI.DATATYPE_NULL, ValueError), ("double", TypeError), (None, TypeError)]:
        try:
            gapless.from_mpi4py(wrong)
        except error:
            continue
        raise AssertionError(f"{wrong} was read")


for text in TEXTS:
    check(gapless.Datatype(text))
check_random_types()
check_what_mpi_built()
print(f"{len(TEXTS)} types and random ones on {MPI.Get_library_version().splitlines()[0]}")
sys.stdout.flush()
