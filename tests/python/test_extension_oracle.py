"""The extension against the type map, expanded byte by byte in Python: results, bounds, and arguments of any kind."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import extension_needed  # noqa: F401
import gapless
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typemap import Mapped, mapped_types

often = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
sizes = st.integers(0, 700)
counts = st.integers(0, 3)


def memory(size: int) -> bytearray:
    """Return bytes that differ from their neighbours."""
    return bytearray(i * 37 % 251 for i in range(size))


def placed(mapped: Mapped, count: int, size: int, offset: int) -> list[int] | None:
    """Return where the bytes of a message are in a buffer, or None if one is outside."""
    places = [offset + byte for byte in mapped.message(count)]
    return places if all(0 <= place < size for place in places) else None


@st.composite
def messages(draw: st.DrawFn) -> tuple[Mapped, int, int, int]:
    """Draw a message, a buffer's size and an offset, such that the message often fits, and often only just."""
    mapped, count = draw(mapped_types), draw(counts)
    places = mapped.message(count) or (0,)
    low, high = min(places), max(places) + 1
    offset = draw(st.one_of(st.just(-low), st.integers(-low - 2, -low + 40)))
    size = max(0, offset + high + draw(st.integers(-2, 2)))
    return mapped, count, size, offset


@often
@given(messages(), st.integers(0, 60), st.one_of(st.none(), st.integers(0, 60)))
def test_pack_is_the_type_map(message: tuple[Mapped, int, int, int], position: int, budget: int | None) -> None:
    mapped, count, size, offset = message
    buffer = memory(size)
    places = placed(mapped, count, size, offset)
    if places is None:
        with pytest.raises(ValueError, match="would touch"):
            mapped.datatype.pack(buffer, count, offset=offset, position=position, budget=budget)
        return
    stream = bytes(buffer[place] for place in places)
    end = len(stream) if budget is None else position + budget
    assert mapped.datatype.pack(buffer, count, offset=offset) == stream
    assert mapped.datatype.pack(buffer, count, offset=offset, position=position, budget=budget) == stream[position:end]
    if budget is not None:
        packed = bytearray(budget)
        moved = mapped.datatype.pack_into(buffer, packed, count, offset=offset, position=position)
        assert packed[:moved] == stream[position:end] and not any(packed[moved:])


@often
@given(messages(), st.integers(0, 60), st.integers(0, 200))
def test_unpack_is_the_type_map(message: tuple[Mapped, int, int, int], position: int, budget: int) -> None:
    mapped, count, size, offset = message
    buffer, packed = memory(size), bytes(range(256))[:budget]
    expected = bytearray(buffer)
    places = placed(mapped, count, size, offset)
    if places is None:
        with pytest.raises(ValueError, match="would touch"):
            mapped.datatype.unpack(packed, buffer, count, offset=offset, position=position)
        assert buffer == expected
        return
    moved = 0
    for place, byte in zip(places[position:], packed, strict=False):
        expected[place] = byte
        moved += 1
    assert mapped.datatype.unpack(packed, buffer, count, offset=offset, position=position) == moved
    assert buffer == expected


@often
@given(mapped_types, counts, st.integers(0, 60))
def test_iov_is_the_type_map_fused(mapped: Mapped, count: int, position: int) -> None:
    runs = list(mapped.datatype.iov(count, position=position))
    assert [at + i for at, length in runs for i in range(length)] == list(mapped.message(count)[position:])
    assert all(at + length != then for (at, length), (then, _) in itertools.pairwise(runs))


@often
@given(mapped_types)
def test_sizes_and_bounds(mapped: Mapped) -> None:
    datatype = mapped.datatype
    assert datatype.size == len(mapped.bytes)
    if mapped.bytes:
        low, high = min(mapped.bytes), max(mapped.bytes) + 1
        assert (datatype.true_lower_bound, datatype.true_extent) == (low, high - low)
    assert datatype.signature.size == datatype.signature.extent == datatype.size
    assert datatype.signature_equal(datatype.signature)
    assert datatype.explain(2)["bytes_touched"] == 2 * datatype.size


@often
@given(mapped_types, mapped_types)
def test_equality(one: Mapped, other: Mapped) -> None:
    def bounds(datatype: gapless.Datatype) -> tuple[int, int]:
        return datatype.lower_bound, datatype.extent

    same = one.bytes == other.bytes and bounds(one.datatype) == bounds(other.datatype)
    assert one.datatype.layout_equal(other.datatype) == same
    assert one.datatype.message_equal(other.datatype) == (one.bytes == other.bytes)
    if one.datatype == other.datatype:
        assert same and hash(one.datatype) == hash(other.datatype)
    again = pickle.loads(pickle.dumps(one.datatype))
    assert again == one.datatype and hash(again) == hash(one.datatype) and str(again) == str(one.datatype)
    assert gapless.dup(one.datatype) == one.datatype
    assert gapless.Datatype.deserialise(one.datatype.serialise()).layout_equal(one.datatype)


@often
@given(mapped_types, mapped_types, st.integers(0, 50), st.one_of(st.none(), st.integers(0, 50)), st.data())
def test_copy_is_unpack_of_pack(one: Mapped, other: Mapped, position: int, budget: int | None, data: Any) -> None:
    # Of equal sizes: as many bytes as the other has elements, and the other way round.
    source = Mapped(gapless.contiguous(len(other.bytes), one.datatype), one.message(len(other.bytes)))
    target = Mapped(gapless.contiguous(len(one.bytes), other.datatype), other.message(len(one.bytes)))
    if len(source.bytes) > 2000:
        return
    ends = [
        (-min(m.bytes, default=0), max(m.bytes, default=-1) + 1 - min(m.bytes, default=0)) for m in (source, target)
    ]
    (source_offset, source_size), (offset, size) = ends
    here, there = memory(source_size), bytearray(b"\xff" * size)
    expected = bytearray(there)
    part = source.datatype.pack(here, offset=source_offset, position=position, budget=budget)
    target.datatype.unpack(part, expected, offset=offset, position=position)
    moved = gapless.copy(
        here, source.datatype, there, target.datatype, source_offset=source_offset, destination_offset=offset,
        position=position, budget=budget, strict=False,
    )  # fmt: skip
    assert (moved, there) == (len(part), expected)


PAGE = mmap.PAGESIZE
PROT_NONE, PROT_READ_WRITE = 0, 3


@pytest.fixture(scope="module")
def guarded() -> Iterator[int]:
    """Return the address of a page between two that may not be touched."""
    libc = ctypes.CDLL(None, use_errno=True)
    memory = mmap.mmap(-1, 3 * PAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page, protection in ((0, PROT_NONE), (2, PROT_NONE)):
        assert libc.mprotect(ctypes.c_void_p(address + page * PAGE), ctypes.c_size_t(PAGE), protection) == 0
    yield address + PAGE
    for page in (0, 2):
        assert libc.mprotect(ctypes.c_void_p(address + page * PAGE), ctypes.c_size_t(PAGE), PROT_READ_WRITE) == 0


@often
@given(messages(), st.booleans())
def test_no_byte_outside_the_buffer_is_touched(
    guarded: int, message: tuple[Mapped, int, int, int], at_end: bool
) -> None:
    mapped, count, size, offset = message
    if size > PAGE or size == 0:
        return
    # Against the page behind or the one in front: what goes outside ends the process.
    buffer = (ctypes.c_ubyte * size).from_address(guarded + PAGE - size if at_end else guarded)
    places = placed(mapped, count, size, offset)
    if places is None:
        with pytest.raises(ValueError, match="would touch"):
            mapped.datatype.unpack(b"", buffer, count, offset=offset)
        return
    stream = bytes(i * 91 % 256 for i in range(len(places)))
    mapped.datatype.unpack(stream, buffer, count, offset=offset)
    assert mapped.datatype.pack(buffer, count, offset=offset) == bytes(buffer[place] for place in places)


junk = st.one_of(
    st.sampled_from([-(1 << 70), -(1 << 63), -(1 << 40), -1, 0, 1, 3, 1 << 40, (1 << 63) - 1, 1 << 63, 1 << 70]),
    st.sampled_from([None, 1.5, "3", "", "double", "vector(2,", b"", b"bytes", [], [1, 2], [None], {}, True, object]),
    st.lists(st.integers(-(1 << 64), 1 << 64), max_size=3),
    st.builds(lambda n: bytearray(n), st.integers(0, 64)),
    st.sampled_from(
        [np.zeros(8), np.zeros((4, 4))[:, 1], np.arange(3), np.zeros(2, object), np.float32(2), np.int8(2)]
    ),
    st.sampled_from([gapless.double, gapless.parse("hvector(3, 1, -9, int32)"), gapless.resized(0, 0, "byte")]),
)
FUNCTIONS = [
    gapless.named, gapless.contiguous, gapless.vector, gapless.hvector, gapless.indexed, gapless.hindexed,
    gapless.indexed_block, gapless.hindexed_block, gapless.struct, gapless.subarray, gapless.darray, gapless.resized,
    gapless.dup, gapless.bounded_vector, gapless.circular_vector, gapless.bucket, gapless.parse, gapless.from_dtype,
    gapless.copy, gapless.Datatype.pack, gapless.Datatype.pack_into, gapless.Datatype.unpack,
    gapless.Datatype.deserialise, gapless.Datatype.layout_equal, gapless.Datatype.message_equal,
    gapless.Datatype.signature_equal,
    lambda *given: list(itertools.islice(gapless.Datatype.iov(*given), 5)),
]  # fmt: skip


@settings(max_examples=4000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(FUNCTIONS), st.lists(junk, max_size=7))
def test_any_argument_is_refused_or_right(function: Callable[..., Any], arguments: list[Any]) -> None:
    try:
        result = function(*arguments)
    except (TypeError, ValueError, OverflowError, MemoryError):
        return
    except AttributeError:  # a method of something that is no Datatype
        assert not (arguments and isinstance(arguments[0], gapless.Datatype))
        return
    if isinstance(result, gapless.Datatype):
        assert gapless.parse(str(result)) == result
