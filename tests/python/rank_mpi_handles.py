"""Run under an MPI library by test_mpi_handles.py: each function of gapless.mpi, on values known beforehand."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
from gapless import Datatype, from_mpi4py, mpi
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
RANK, RANKS = WORLD.Get_rank(), WORLD.Get_size()


def refused(kind: type[Exception], call: Callable[[], object]) -> None:
    """Fail unless the call raises this."""
    try:
        call()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


def picked(datatype: MPI.Datatype, elements: int) -> list[int]:
    """Return what a type picks of 0, 1, 2, ..."""
    out = np.full(elements, -1, np.int32)
    assert mpi.pack_at(np.arange(64, dtype=np.int32), 1, datatype.Commit(), 0, out) == out.nbytes
    return out.tolist()


def test_types() -> None:
    bounded = mpi.type_create_vector_bounded(8, 2, 3, MPI.INT32_T)
    assert picked(bounded, 6) == [0, 1, 3, 4, 6, 7]
    circular = mpi.type_create_vector_circular(8, 5, 6, 2, 3, MPI.INT32_T)
    assert picked(circular, 4) == [5, 6, 0, 1] and circular.Get_extent() == (0, 32)
    bucket = mpi.type_create_bucket(4, [1, 0, 2], MPI.INT32_T)
    assert picked(bucket, 3) == [0, 8, 9] and bucket.Get_extent() == (0, 48)
    signature = mpi.type_signature(bounded)
    assert picked(signature, 6) == [0, 1, 2, 3, 4, 5]
    normal = mpi.type_normalize(bounded)
    assert mpi.type_equal(bounded, normal) and not mpi.type_equal(bounded, circular)
    for made in (bounded, circular, MPI.INT32_T.Create_indexed([1] * 999, [i * i for i in range(999)])):
        assert Datatype.deserialise(mpi.type_serialise(made)).layout_equal(from_mpi4py(made))
    refused(MPI.Exception, lambda: mpi.type_create_vector_bounded(8, 0, 3, MPI.INT32_T))
    refused(MPI.Exception, lambda: mpi.type_serialise(MPI.DATATYPE_NULL))
    refused(MPI.Exception, lambda: mpi.type_signature(MPI.DATATYPE_NULL))
    refused(OverflowError, lambda: mpi.type_create_vector_bounded(2**63, 1, 1, MPI.INT32_T))
    for made in (bounded, circular, bucket, signature, normal):
        made.Free()


def test_data() -> None:
    column = MPI.INT32_T.Create_vector(4, 1, 4).Commit()
    field = np.arange(16, dtype=np.int32).reshape(4, 4)
    out = np.full(4, -1, np.int32)
    mpi.copy(field, 1, column, out, 4, MPI.INT32_T)
    assert out.tolist() == [0, 4, 8, 12]
    assert mpi.unpack_at(np.array([7, 8], np.int32), 4, field, 1, column) == 8
    assert field[:, 0].tolist() == [0, 7, 8, 12]
    refused(ValueError, lambda: mpi.copy(field[:3], 1, column, out, 4, MPI.INT32_T))
    refused(ValueError, lambda: mpi.copy(field, 1, column, out[:3], 4, MPI.INT32_T))
    refused(MPI.Exception, lambda: mpi.copy(field, 1, column, out, 3, MPI.INT32_T))
    refused((BufferError, ValueError, TypeError), lambda: mpi.unpack_at(out, 0, b"01234567", 2, MPI.INT32_T))
    column.Free()


def value(source: int, dest: int) -> int:
    return 1000 * source + dest


def test_alltoall() -> None:
    sent = np.array([value(RANK, i) for i in range(RANKS)], np.int32)
    want = [value(i, RANK) for i in range(RANKS)]
    for name in (None, *mpi.alltoall_algorithms()):
        received = np.full(RANKS, -1, np.int32)
        mpi.alltoall((sent, 1, MPI.INT32_T), (received, 1, MPI.INT32_T), WORLD, name)
        assert received.tolist() == want, name
    received = sent.copy()
    mpi.alltoall((MPI.IN_PLACE, 0, MPI.INT32_T), (received, 1, MPI.INT32_T), WORLD)
    assert received.tolist() == want
    refused(MPI.Exception, lambda: mpi.alltoall((sent, 1, MPI.INT32_T), (received, 1, MPI.INT32_T), WORLD, "none"))
    refused(ValueError, lambda: mpi.alltoall((sent, 2, MPI.INT32_T), (received, 2, MPI.INT32_T), WORLD))
    with mpi.alltoall_init((sent, 1, MPI.INT32_T), (received, 1, MPI.INT32_T), WORLD) as request:
        for _ in range(2):
            received[:] = -1
            gc.collect()
            request.start()
            request.wait()
            assert received.tolist() == want


def test_alltoallv() -> None:
    counts = [RANK + i for i in range(RANKS)]
    places = [sum(counts[:i]) for i in range(RANKS)]
    sent = np.array([value(RANK, i) for i in range(RANKS) for _ in range(counts[i])] + [0], np.int32)
    want = [value(i, RANK) for i in range(RANKS) for _ in range(counts[i])]
    for name in (None, *mpi.alltoall_algorithms(irregular=True)):
        received = np.full(len(sent), -1, np.int32)
        mpi.alltoallv((sent, counts, places, MPI.INT32_T), (received, counts, places, MPI.INT32_T), WORLD, name)
        assert received.tolist() == [*want, -1], name
    short = counts[:-1]
    refused(ValueError, lambda: mpi.alltoallv(
        (sent, short, places, MPI.INT32_T), (sent, counts, places, MPI.INT32_T), WORLD))  # fmt: skip
    both = (sent, counts, places, MPI.INT32_T), (received, counts, places, MPI.INT32_T)
    with mpi.alltoallv_init(*both, WORLD) as request:
        for _ in range(2):
            received[:] = -1
            request.start()
            request.wait()
            assert received.tolist() == [*want, -1]


test_types()
test_data()
test_alltoall()
test_alltoallv()
if RANK == 0:
    print(f"passed on {MPI.Get_library_version().splitlines()[0]}")
