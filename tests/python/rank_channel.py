"""One process of a job, started by test_channel.py: rank_channel.py SCENARIO RANK PROCESSES MEETING."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import gapless
import numpy as np
from gapless.channel import Channel
from gapless.errors import GaplessError

SCENARIO, RANK, PROCESSES, MEETING = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
PEER = 1 - RANK
GAP = 0xA5


def refused(kind: type[Exception], call: Callable[[], object]) -> str:
    """Return the text of the exception that the call raises; fail unless it is of this kind."""
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def opened(**options: Any) -> Channel:
    return Channel(**{"rank": RANK, "processes": PROCESSES, "meeting": MEETING, "timeout": 20, **options})


def filled(dtype: Any, shape: tuple[int, ...], seed: int) -> np.ndarray[Any, Any]:
    """Return the same array in both processes, bytes that differ from GAP mostly."""
    size = int(np.dtype(dtype).itemsize * np.prod(shape, dtype=np.int64))
    return np.frombuffer(np.random.default_rng(seed).bytes(size), dtype).reshape(shape)


def gaps(dtype: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    array = np.empty(shape, dtype)
    array.reshape(-1).view(np.uint8)[:] = GAP
    return array


PARTICLE = np.dtype([("kind", "u1"), ("place", "f4", (3,)), ("mass", "f8")])
# What is sent, and what of the receiver's memory it is received into: views of as many elements.
View = Callable[[Any], Any]
Case = tuple[Any, tuple[int, ...], View, tuple[int, ...], View]
CASES: list[Case] = [
    ("f8", (7, 9), lambda a: a[:, 3], (40,), lambda a: a[2:37:5]),
    ("f8", (300, 400), lambda a: a[::3, 1::4], (100, 100, 3), lambda a: a[:, :, 1]),
    ("i4", (50, 60), lambda a: a[::-1, ::-2], (1500, 2), lambda a: a[::-1, 0]),
    ("c16", (8, 9, 10), lambda a: a.transpose(2, 0, 1), (720,), lambda a: a),
    ("u1", (90_000,), lambda a: a[::3], (30_000,), lambda a: a),
    ("f4", (40_000,), lambda a: a, (200, 400), lambda a: a[:, ::2]),
    (PARTICLE, (900,), lambda a: a["place"][::2], (450, 7), lambda a: a["place"][:, 3]),
    (PARTICLE, (90,), lambda a: a[::9], (10,), lambda a: a),
    ("f8", (5, 5), lambda a: a[2, 2], (3,), lambda a: a[1:2]),
    ("f8", (5, 5), lambda a: a[:0], (3,), lambda a: a[3:]),
    ("i2", (), lambda a: a, (), lambda a: a),
]
# Too many runs for lists and segments to be quick.
LARGE: list[Case] = [("f8", (1000, 600), lambda a: a[:, ::2], (300_000,), lambda a: a[::-1])]


def both_ways(channel: Channel, out: np.ndarray[Any, Any], into: np.ndarray[Any, Any], first: int) -> int:
    """Send from process `first` to the other."""
    return (channel.send(out, PEER) if first == RANK else channel.receive(into, PEER)).wait()


def views() -> None:
    for way in ("adaptive", "host", "lists", "segments"):
        with opened(way=way) as channel:
            assert channel.provider.startswith("tcp")
            cases = CASES if way in ("lists", "segments") else CASES + LARGE
            for k, (dtype, shape, sent, room, place) in enumerate(cases):
                whole, expected = filled(dtype, shape, k), gaps(dtype, room)
                place(expected)[...] = sent(whole).reshape(np.shape(place(expected)))
                for first in (0, 1):
                    memory = gaps(dtype, room)
                    moved = both_ways(channel, np.asarray(sent(whole)), place(memory), first)
                    assert moved == np.asarray(sent(whole)).nbytes
                    if first != RANK:
                        assert memory.tobytes() == expected.tobytes(), (way, k)
            assert channel.counters.frames_refused == 0


def datatypes() -> None:
    column = gapless.vector(50, 1, 40, "double")
    with opened() as channel:
        matrix = np.arange(2000.0).reshape(50, 40)
        if RANK == 0:
            for _ in range(3):
                channel.send(matrix, 1, column, offset=3 * 8).wait()
            channel.send(matrix, 1, "resized(0, 8, vector(50, 1, 40, double))", 4).wait()
            channel.send(b"a text", 1).wait()
            channel.send(bytearray(b"abcdefgh"), 1, "vector(4, 1, 2, byte)").wait()
            channel.send(memoryview(matrix)[7:8], 1).wait()
        else:
            for _ in range(3):
                got = np.zeros(50)
                assert channel.receive(got, 0).wait() == 400 and (got == matrix[:, 3]).all()
            columns = np.zeros((4, 50))
            assert channel.receive(columns, 0).wait() == 1600 and (columns == matrix.T[:4]).all()
            text = bytearray(8)
            assert channel.receive(text, 0).wait() == 6 and text == b"a text\0\0"
            assert channel.receive(memoryview(text)[2:], 0, gapless.vector(2, 2, 3, "byte")).wait() == 4
            assert text == b"a ac\0eg\0"[:4] + text[4:] and text[5:7] == b"eg"
            row = np.zeros(40)
            assert channel.receive(row, 0).wait() == 320 and (row == matrix[7]).all()


def prefix() -> None:
    with opened() as channel:
        for elements in (5, 60_000):  # within one frame, and not
            if RANK == 0:
                channel.send(np.arange(elements), 1).wait()
            else:
                room = np.full((100_000, 2), -1)
                assert channel.receive(room[:, 1], 0).wait() == elements * 8
                assert (room[:elements, 1] == np.arange(elements)).all()
                assert (room[elements:] == -1).all() and (room[:, 0] == -1).all()


def too_long() -> None:
    with opened() as channel:
        big, small = np.arange(100_000), np.zeros(7, np.int64)
        transfer = channel.send(big, 1) if RANK == 0 else channel.receive(small, 0)
        for _ in range(2):  # it says it again
            assert "bytes" in refused(GaplessError, transfer.wait)
        # The next message is received.
        assert (channel.send(big[:7], 1) if RANK == 0 else channel.receive(small, 0)).wait() == 56
        assert RANK == 0 or small.tolist() == list(range(7))


def counters() -> None:
    with opened(way="host") as channel:
        numbers = np.zeros((1000, 300))
        for _ in range(4):
            (channel.send(numbers[:, ::2], 1) if RANK == 0 else channel.receive(numbers[:, 1::2], 0)).wait()
            (channel.send(numbers[0, :9], 1) if RANK == 0 else channel.receive(numbers[1, :9], 0)).wait()
        now = channel.counters
        sends = (4, 4, 4 * (1_200_000 + 72)) if RANK == 0 else (0, 0, 0)
        assert (now.eager, now.host, now.bytes) == sends
        assert (now.lists, now.segments, now.frames_refused, now.endpoints) == (0, 0, 0, 1)
        assert now.memory_bytes > now.peer_bytes > 0


def many() -> None:
    """Several transfers at once, waited for in any order; nobody else keeps what is sent."""
    with opened() as channel:
        sizes = [10, 100_000, 3, 70_000, 1]
        rooms = [np.zeros(2 * size) for size in sizes]
        outs = [channel.send(np.full(2 * size, RANK + size / 7)[::2], PEER) for size in sizes]
        ins = [channel.receive(room[1::2], PEER) for room in rooms]
        gc.collect()
        filler = [np.full(100_000, -1.0) for _ in range(8)]
        for transfer, size in zip(ins[::-1], sizes[::-1], strict=True):
            assert transfer.wait() == 8 * size
        for transfer, size in zip(outs, sizes, strict=True):
            assert transfer.wait() == 8 * size == transfer.wait()
        for room, size in zip(rooms, sizes, strict=True):
            assert (room[1::2] == PEER + size / 7).all() and not room[::2].any()
        del filler


def secret() -> None:
    began = time.monotonic()
    if RANK == 0:
        refused((TimeoutError, PermissionError), lambda: opened(secret="right", timeout=3))  # type: ignore[arg-type]
    else:
        refused(PermissionError, lambda: opened(secret="wrong"))
    assert time.monotonic() - began < 10


def late() -> None:
    with opened() as channel:
        got = np.zeros(10)
        if RANK == 0:
            transfer = channel.receive(got, 1)
            refused(TimeoutError, lambda: transfer.wait(0))
            began = time.monotonic()
            assert "rank 1" in refused(TimeoutError, lambda: transfer.wait(0.25))
            assert 0.2 < time.monotonic() - began < 5
            channel.send(got, 1).wait()
            assert transfer.wait() == 80 and got.tolist() == [7.0] * 10
        else:
            channel.receive(got, 0).wait()
            channel.send(np.full(10, 7.0), 0).wait()


def alone() -> None:
    """The other one never comes to the meeting."""
    if RANK == 0:
        refused(TimeoutError, lambda: opened(timeout=0.5))


def ends() -> None:
    channel = opened()
    numbers = np.zeros(1_000_000)
    if RANK == 1:
        channel.receive(numbers[:1], 0).wait()
        os._exit(0)
    channel.send(numbers[:1], 1).wait()
    out, into = channel.send(numbers, 1), channel.receive(numbers, 1)
    assert "rank 1" in refused(ConnectionError, into.wait)
    refused(ConnectionError, out.wait)
    channel.close()


def closes() -> None:
    with opened() as channel:
        if RANK == 1:
            channel.receive(np.zeros(1), 0).wait()
            return
        channel.send(np.zeros(1), 1).wait()
        refused(ConnectionError, channel.receive(np.zeros(1), 1).wait)


globals()[SCENARIO]()
print("passed")
