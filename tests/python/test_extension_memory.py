"""Which memory the extension touches: any buffer in one piece, inside its bounds, writable where it is written to."""

from __future__ import annotations

import array
import ctypes
import mmap
import threading
from typing import Any

import extension_needed  # noqa: F401
import gapless
import numpy as np
import pytest

PAIRS = gapless.vector(3, 1, 2, "int16")
DATA = bytes(range(10))
PACKED = bytes([0, 1, 4, 5, 8, 9])


@pytest.mark.parametrize(
    "buffer",
    [
        DATA, bytearray(DATA), memoryview(DATA), array.array("h", DATA), np.frombuffer(DATA, np.int16),
        np.frombuffer(DATA, np.int16).reshape(5, 1), np.asfortranarray(np.frombuffer(DATA, np.uint8).reshape(5, 2)),
        (ctypes.c_char * 10)(*DATA), np.frombuffer(DATA, [("a", "u1"), ("O", "u1")]),
    ],
)  # fmt: skip
def test_whatever_has_a_buffer_is_packed(buffer: Any) -> None:
    flat = memoryview(buffer).cast("B") if memoryview(buffer).c_contiguous else buffer.tobytes("F")
    assert PAIRS.pack(buffer) == bytes(np.frombuffer(bytes(flat), np.int16)[::2].tobytes())


def test_arrays_are_unpacked_into() -> None:
    matrix = np.zeros((4, 5))
    column = gapless.vector(4, 1, 5, "double")
    assert column.unpack(np.arange(4.0), matrix, offset=8 * 2) == 32
    assert matrix[:, 2].tolist() == [0, 1, 2, 3] and np.count_nonzero(matrix) == 3
    packed = bytearray(20)
    assert column.pack_into(matrix, packed, offset=8 * 2, position=8) == 20
    assert packed == np.arange(1.0, 4.0).tobytes()[:20]


def test_a_mapped_file(tmp_path: Any) -> None:
    (tmp_path / "file").write_bytes(bytes(10))
    with (tmp_path / "file").open("r+b") as file, mmap.mmap(file.fileno(), 10) as memory:
        assert PAIRS.unpack(b"aabbcc", memory) == 6
        assert memory[:] == b"aa\0\0bb\0\0cc"
    with (tmp_path / "file").open("rb") as file, mmap.mmap(file.fileno(), 10, access=mmap.ACCESS_READ) as memory:
        assert PAIRS.pack(memory) == b"aabbcc"
        with pytest.raises(ValueError, match="read-only"):
            PAIRS.unpack(b"aabbcc", memory)


def test_what_is_no_memory_is_refused() -> None:
    for nothing in (3, "text", [1, 2], object()):
        with pytest.raises(TypeError, match="source: what has a buffer is needed"):
            PAIRS.pack(nothing)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        PAIRS.pack(None)  # type: ignore[arg-type]
    for frozen in (DATA, memoryview(DATA), np.frombuffer(DATA, np.uint8)[:0]):
        with pytest.raises(ValueError, match="destination: the buffer of .* is read-only"):
            PAIRS.unpack(PACKED, frozen)
    with pytest.raises(ValueError, match="references to Python objects"):
        PAIRS.pack(np.zeros(9, object))
    with pytest.raises(ValueError, match="references to Python objects"):
        PAIRS.unpack(PACKED, np.zeros(9, [("x", "i4"), ("y", object)]))
    with pytest.raises(ValueError, match="references to Python objects"):
        PAIRS.unpack(PACKED, (ctypes.py_object * 4)())
    with pytest.raises(TypeError, match="no usable buffer"):
        PAIRS.pack(np.zeros(9, "datetime64[s]"))


def test_views_with_gaps_are_refused_and_have_a_layout() -> None:
    matrix = np.arange(24, dtype=np.int32).reshape(4, 6)
    view = matrix[::-1, 1::2]
    with pytest.raises(ValueError, match="layout_in_base"):
        PAIRS.pack(view)
    layout, base, offset = gapless.layout_in_base(view)
    assert base is matrix.base or base is matrix
    assert layout.pack(base, offset=offset) == view.tobytes()
    layout.unpack(np.zeros(12, np.int32), base, offset=offset)
    assert not view.any() and np.count_nonzero(matrix) == 11
    scattered = np.lib.stride_tricks.as_strided(np.zeros(9), (2,), (24,))
    with pytest.raises(ValueError, match="gaps itself"):
        gapless.layout_in_base(scattered)


@pytest.mark.parametrize(
    ("text", "count", "offset", "size", "first", "end"),
    [
        ("vector(3, 1, 2, int16)", 1, 0, 9, 0, 10),
        ("vector(3, 1, 2, int16)", 1, -1, 20, -1, 9),
        ("vector(3, 1, 2, int16)", 2, 0, 19, 0, 20),
        ("hvector(3, 1, -8, int32)", 1, 15, 40, -1, 19),
        ("hindexed([1], [-4], int32)", 1, 0, 40, -4, 0),
        ("resized(0, -8, int32)", 3, 15, 40, -1, 19),
        ("byte", 1, 1 << 62, 40, 1 << 62, (1 << 62) + 1),
        ("byte", 1 << 62, 40, 1, 40, (1 << 62) + 40),
        ("resized(0, 4611686018427387904, byte)", 1 << 40, 0, 40, 0, ((1 << 40) - 1 << 62) + 1),
        ("resized(0, -4611686018427387904, byte)", 1 << 40, 0, 40, -((1 << 40) - 1 << 62), 1),
    ],
)
def test_bounds(text: str, count: int, offset: int, size: int, first: int, end: int) -> None:
    datatype = gapless.Datatype(text)
    said = f"would touch the bytes from {first} to {end} of a buffer of {size} "
    for call in (
        lambda: datatype.pack(bytes(size), count, offset=offset),
        lambda: datatype.pack(bytes(size), count, offset=offset, budget=0),
        lambda: datatype.pack_into(bytes(size), bytearray(9), count, offset=offset),
        lambda: datatype.unpack(bytes(9), bytearray(size), count, offset=offset),
        lambda: gapless.copy(bytes(size), datatype, bytearray(size), datatype, count, count, source_offset=offset),
        lambda: gapless.copy(bytes(size), "byte", bytearray(size), datatype, 1, count, destination_offset=offset,
                             strict=False),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            call()


def test_gaps_may_lie_outside() -> None:
    padded = gapless.resized(-100, 300, "int32")
    assert padded.pack(b"abcd") == b"abcd"
    assert gapless.contiguous(0, "double").pack(b"", 5, offset=-(1 << 60)) == b""
    assert gapless.double.pack(b"", 0, offset=7) == b""
    assert gapless.hvector(2, 1, -4, "int32").pack(b"abcdefgh", offset=4) == b"efghabcd"


def test_numbers_that_no_message_has() -> None:
    with pytest.raises(ValueError, match="count is negative"):
        PAIRS.pack(DATA, -1)
    with pytest.raises(ValueError, match="position is negative"):
        PAIRS.pack(DATA, position=-1)
    with pytest.raises(ValueError, match="budget is negative"):
        PAIRS.pack(DATA, budget=-1)
    with pytest.raises(OverflowError, match="63 bits"):
        gapless.resized(0, 0, "double").pack(bytes(8), 1 << 62)
    with pytest.raises(MemoryError):
        gapless.resized(0, 0, "double").pack(bytes(8), 1 << 50)
    with pytest.raises(OverflowError, match="63 bits"):
        next(gapless.double.iov(1 << 62))


def test_overlapping_sides_are_read_first() -> None:
    memory = bytearray(DATA)
    assert PAIRS.pack_into(memory, memoryview(memory)[1:7]) == 6
    assert memory == DATA[:1] + PACKED + DATA[7:]


def test_signatures_are_kept_in_copies() -> None:
    source, destination = np.arange(6.0), np.zeros(6)
    assert gapless.copy(source, "vector(3, 1, 2, double)", destination, "contiguous(3, double)") == 24
    assert destination.tolist() == [0, 2, 4, 0, 0, 0]
    with pytest.raises(ValueError, match="different signatures"):
        gapless.copy(source, "double", destination, "int64")
    assert gapless.copy(source[1:2], "double", destination, "int64", strict=False) == 8
    with pytest.raises(ValueError):
        gapless.copy(source, "double", destination, "float", strict=False)
    with pytest.raises(ValueError, match="read-only"):
        gapless.copy(source, "double", bytes(8), "double")


def test_a_buffer_in_use_cannot_be_resized_and_other_threads_run() -> None:
    memory, wide = bytearray(1 << 25), gapless.vector(1 << 24, 1, 2, "byte")
    seen: list[str] = []

    def shrink() -> None:
        while not stop.is_set():
            try:
                memory.extend(b"x")
                memory.pop()
                seen.append("free")
            except BufferError:
                seen.append("held")

    stop = threading.Event()
    thread = threading.Thread(target=shrink)
    thread.start()
    for _ in range(50):
        assert len(wide.pack(memory)) == 1 << 24
        if "held" in seen:
            break
    stop.set()
    thread.join()
    assert "held" in seen


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ("i4", "int32"), ("?", "bool"), ("u8", "uint64"), ("f4", "float"), ("c16", "double_complex"),
        ("g", "long_double"), ("f2", "contiguous(2, byte)"), ("S3", "contiguous(3, char)"),
        ("U2", "contiguous(2, uint32)"), ("M8[s]", "int64"), ("(2,3)i2", "contiguous(2, contiguous(3, int16))"),
        ([("a", "i1"), ("b", "f8")], "resized(0, 9, struct([(1, 0, int8), (1, 1, double)]))"),
        (np.dtype([("a", "i1"), ("b", "f8")], align=True), "resized(0, 16, struct([(1, 0, int8), (1, 8, double)]))"),
    ],
)  # fmt: skip
def test_dtypes(dtype: Any, text: str) -> None:
    made = gapless.from_dtype(dtype)
    assert str(made) == text
    assert made.size <= made.extent == np.dtype(dtype).itemsize


def test_dtypes_that_are_no_layout() -> None:
    with pytest.raises(TypeError, match="Python objects"):
        gapless.from_dtype([("a", object)])
    with pytest.raises(ValueError, match="swapped"):
        gapless.from_dtype(np.dtype("i4").newbyteorder())
