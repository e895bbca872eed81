"""`gapless bench serialise`, and a reader of the form in another language, written from docs/serialised.md alone."""

from __future__ import annotations

import ctypes
import json
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Command
from gapless.paths import Build

Runs = list[tuple[int, int]]


class Reader:
    """What docs/serialised.md says, node by node, written out run by run."""

    def __init__(self, form: bytes) -> None:
        assert form[:4] == b"GAP\x01"
        assert zlib.crc32(form[:-4]) == int.from_bytes(form[-4:], "little")
        self.rest = iter(form[4:-4])
        self.size, self.lower_bound, self.extent = self.number(), self.signed(), self.signed()
        self.runs: Runs = []
        if self.size > 0:
            origin, count = self.signed(), self.number()
            nodes: list[Runs] = []
            for _ in range(count):
                nodes.append(list(self.node(nodes)))
            self.runs = fused((origin + at, length) for at, length in nodes[-1])
        assert next(self.rest, None) is None

    def number(self) -> int:
        value = shift = 0
        while (byte := next(self.rest)) >= 128:
            value |= (byte - 128) << shift
            shift += 7
        return value | byte << shift

    def signed(self) -> int:
        number = self.number()
        return -(number // 2) - 1 if number % 2 else number // 2

    def steps(self, count: int) -> list[int]:
        unit, places = self.number(), [0]
        for _ in range(count - 1):
            places.append(places[-1] + unit * self.signed())
        return places

    def node(self, nodes: list[Runs]) -> Iterator[tuple[int, int]]:
        kind, number = next(self.rest), self.number()
        if kind == 1:
            yield 0, number
        elif kind == 2:
            stride, body = self.signed(), nodes[self.number()]
            yield from ((i * stride + at, length) for i in range(number) for at, length in body)
        elif kind == 3:
            body = nodes[self.number()]
            yield from ((place + at, length) for place in self.steps(number) for at, length in body)
        elif kind == 4:
            unit = self.number()
            lengths = [unit * self.number() for _ in range(number)]
            yield from zip(self.steps(number), lengths, strict=True)
        else:
            assert kind == 5
            place = 0
            for i in range(number):
                place += self.signed() if i > 0 else 0
                yield from ((place + at, length) for at, length in nodes[self.number()])


def fused(runs: Iterator[tuple[int, int]]) -> Runs:
    """Return the runs, neighbours in memory made one."""
    out: Runs = []
    for at, length in runs:
        if out and sum(out[-1]) == at:
            out[-1] = (out[-1][0], out[-1][1] + length)
        else:
            out.append((at, length))
    return out


@pytest.fixture(scope="module")
def library(build: Build) -> ctypes.CDLL:
    return ctypes.CDLL(str(build.program("src/libgapless.so")))


def serialised(library: ctypes.CDLL, text: str) -> bytes:
    handle, needed = ctypes.c_void_p(), ctypes.c_size_t()
    assert library.gapless_type_parse(text.encode(), ctypes.byref(handle)) == 0
    room = ctypes.create_string_buffer(4096)
    assert library.gapless_type_serialise(handle, room, ctypes.c_size_t(len(room)), ctypes.byref(needed)) == 0
    library.gapless_type_free(ctypes.byref(handle))
    assert needed.value <= len(room)
    return room.raw[: needed.value]


@pytest.mark.parametrize(
    "text",
    [
        "vector(10, 2, 4, int32)",
        "resized(-8, 16, contiguous(0, int32))",
        "hvector(5, 1, -24, vector(3, 1, 2, int16))",
        "indexed_block(1, [0, 3, 9, 1, 20, 33, 18, 7], double)",
        "indexed([1*5, 2, 3, 1, 4, 2*30, 7], [0..40:10, 201, 207, 213, 218, 231..666:15, 700], int32)",
        "struct([(1, 0, vector(40, 1, 2, int32)), (1, 1000, vector(50, 3, 7, int16)), (1, 5000, vector(40, 1, 2, "
        "int32)), (1, 9000, hindexed_block(5, [1, 20, 90, 35, 250], byte))])",
    ],
)
def test_the_page_is_enough_to_write_a_reader(gapless: Command, library: ctypes.CDLL, text: str) -> None:
    read = Reader(serialised(library, text))
    said = json.loads(gapless("explain", text, "--json").stdout)
    assert (read.size, read.lower_bound, read.extent) == (said["size"], said["lb"], said["extent"])
    assert len(read.runs) == said["runs"]
    low, high = said["memory_from"], said["memory_from"] + said["memory_bytes"]
    shown = [[max(at, low), min(at + length, high) - max(at, low), i] for i, (at, length) in enumerate(read.runs)]
    assert [run for run in shown if run[1] > 0] == said["memory"]


def test_every_description_is_printed(gapless: Command, tmp_path: Path) -> None:
    listed: subprocess.CompletedProcess[str] = gapless(
        "bench", "serialise", "--case", "tiled/v1/A=2", "--sizes", "32768", "--tsv", str(tmp_path / "rows.tsv")
    )
    assert "tiled/v1/A=2" in listed.stdout
    assert "largest: layout " in listed.stdout
    lines = (tmp_path / "rows.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 2
    assert lines[0].split("\t")[0] == "case"


def test_a_regular_layout_takes_tens_of_bytes(gapless: Command) -> None:
    rows = json.loads(gapless("bench", "serialise", "--case", "tiled/*", "--sizes", "2560000", "--json").stdout)
    assert rows
    assert all(0 < row["serialised_bytes"] < 100 for row in rows)
    assert {row["nominal_bytes"] for row in rows} == {2560000}


def test_a_case_that_does_not_exist_is_said_so(gapless: Command) -> None:
    answer = gapless("bench", "serialise", "--case", "nothing/*")
    assert answer.returncode != 0
    assert "no case" in answer.stderr + answer.stdout
