"""What the package is given wrongly is refused with a sentence; checks that are asked for."""

from __future__ import annotations

from collections.abc import Callable

import extension_needed  # noqa: F401
import gapless
import numpy as np
import pytest

COLUMN = gapless.vector(3, 1, 4, "double")
MATRIX = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: COLUMN.pack(None), "source"),
        (lambda: COLUMN.pack_into(MATRIX, None), "packed"),
        (lambda: COLUMN.unpack(None, MATRIX), "packed"),
        (lambda: COLUMN.unpack(bytes(24), None), "destination"),
        (lambda: gapless.copy(None, COLUMN, MATRIX, COLUMN), "source"),
        (lambda: gapless.copy(MATRIX, COLUMN, None, COLUMN), "destination"),
        (lambda: gapless.Datatype.deserialise(None), "data"),
    ],
)
def test_no_buffer_is_a_sentence(call: Callable[[], object], what: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == f"{what}: what has a buffer is needed, not 'NoneType'"


@pytest.mark.parametrize("dtype", [np.float64, np.dtype("f8"), np.dtype([("a", "i4"), ("b", "f8")])])
def test_a_numpy_type_as_an_old_type_is_a_sentence(dtype: object) -> None:
    for call in (
        lambda: gapless.vector(3, 1, 4, dtype),
        lambda: gapless.struct([1], [0], [dtype]),
        lambda: gapless.copy(MATRIX, dtype, MATRIX, COLUMN),
    ):
        sentence = r"^numpy\.\S.* is a NumPy type, no datatype: write gapless.from_dtype\("
        with pytest.raises(TypeError, match=sentence) as error:
            call()
        # What it says to write is right.
        advice = str(error.value).partition("write ")[2]
        assert eval(advice, {"gapless": gapless, "numpy": np}) == gapless.from_dtype(dtype)


def test_no_old_type_is_a_sentence() -> None:
    with pytest.raises(TypeError, match="such as 'double', is needed, not 'type'"):
        gapless.vector(3, 1, 4, float)  # type: ignore[arg-type]


def test_the_dtype_is_checked_where_that_is_asked_for() -> None:
    floats, out = MATRIX.astype("f4"), np.zeros(3)
    assert COLUMN.pack(MATRIX, check_dtype=True) == MATRIX[:, 0].tobytes()
    assert len(COLUMN.pack(np.zeros(24, "f4"))) == 24, "bytes are bytes, without"
    wrong = r"the array holds float32, but the message consists of contiguous\(3, double\)"
    with pytest.raises(ValueError, match="source: " + wrong):
        COLUMN.pack(floats, check_dtype=True)
    with pytest.raises(ValueError, match="source: " + wrong):
        COLUMN.pack_into(floats, out, check_dtype=True)
    with pytest.raises(ValueError, match="destination: " + wrong):
        COLUMN.unpack(bytes(24), np.zeros(24, "f4"), check_dtype=True)
    with pytest.raises(ValueError, match="destination: the array holds int64"):
        gapless.copy(MATRIX, COLUMN, out.view("i8"), "contiguous(3, double)", check_dtype=True)
    assert gapless.copy(MATRIX, COLUMN, out, "contiguous(3, double)", check_dtype=True) == 24
    with pytest.raises(TypeError, match="check_dtype needs a NumPy array, and 'bytes' has no dtype"):
        COLUMN.pack(bytes(96), check_dtype=True)


def test_structured_arrays_are_checked_as_whole_elements() -> None:
    pairs = np.zeros(4, [("a", "i4"), ("b", "f8")])
    element = gapless.from_dtype(pairs.dtype)
    assert len(element.pack(pairs, 4, check_dtype=True)) == 48
    with pytest.raises(ValueError, match="the message consists of"):
        gapless.hvector(4, 1, 12, "int32").pack(pairs, check_dtype=True)


def test_a_strict_unpack_takes_exactly_the_message() -> None:
    out = np.zeros(12)
    assert COLUMN.unpack(bytes(32), out) == 24, "what is behind the end is ignored, without"
    assert COLUMN.unpack(bytes(24), out, strict=True) == 24
    assert COLUMN.unpack(np.zeros(2), out, position=8, strict=True) == 16
    with pytest.raises(ValueError, match="32 bytes, but the message of 24 has 24 from position 0 on: 8 are left over"):
        COLUMN.unpack(bytes(32), out, strict=True)
    with pytest.raises(ValueError, match="8 bytes, but the message of 24 has 16 from position 8 on: 8 are missing"):
        COLUMN.unpack(np.ones(1), out, position=8, strict=True)
    assert not out.any(), "nothing was moved"
