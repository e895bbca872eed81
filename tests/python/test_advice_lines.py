"""The lines that send a datatype: written as expected, and compiled and run for every constructor and way."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gapless
import pytest
from gapless.lab.advice.lines import WAYS, lines
from gapless.lab.advice.names import IN_FORTRAN
from gapless.paths import Build

UNTOUCHED = 0xEE
# Types and counts: every constructor, short and regular lists, holes, orders that go backwards, several base types.
MESSAGES = [
    ("double", 3),
    ("contiguous(5, int32)", 1),
    ("dup(vector(3, 2, 4, int16))", 2),
    ("vector(4, 1, -3, float)", 2),
    ("vector(30, 1, 2, uint8)", 1),
    ("hvector(3, 2, 40, double)", 2),
    ("hvector(3, 1, 5, int32)", 2),  # no place of an int32
    ("indexed([1, 2, 3], [9, 4, 0], int32)", 1),
    ("indexed([1, 2, 3, 1, 2], [30, 20, 13, 5, 0], int32)", 2),
    ("indexed([2*12], [0..66:6], int64)", 2),
    ("hindexed([1, 2], [-8, 16], double)", 2),
    ("indexed_block(2, [0, 3, 7, 12, 14], float)", 2),
    ("indexed_block(1, [0..44:4], uint16)", 1),
    ("hindexed_block(1, [0, 24, 8, 64], float_complex)", 2),
    ("struct([(1, 0, int32), (2, 8, double)])", 3),
    ("struct([(1, 0, vector(2, 1, 3, int32)), (1, 40, subarray([4, 4], [2, 2], [1, 1], C, int32))])", 1),
    ("struct([(1, 0, vector(2, 1, 3, int32)), (2, 40, vector(2, 1, 3, int32)), (1, 100, char)])", 2),
    ("struct([(1, 0, char), (1, 2, int16), (1, 4, int32), (1, 8, int64), (1, 16, float), (3, 24, double)])", 2),
    ("subarray([4, 5, 6], [2, 3, 4], [1, 1, 1], C, double)", 2),
    ("subarray([4, 5, 6], [2, 3, 4], [1, 1, 1], Fortran, float)", 1),
    ("darray(4, 1, [9, 8], [cyclic(2), block], [2, 2], C, int32)", 1),
    ("darray(6, 4, [9, 7, 5], [cyclic, none, block(4)], [3, 1, 2], Fortran, double)", 1),
    ("resized(-8, 48, vector(2, 1, 3, double))", 3),
    ("bounded_vector(13, 2, 5, int32)", 2),
    ("bounded_vector(12, 2, 5, double)", 2),
    ("bounded_vector(11, 2, 5, double)", 2),
    ("circular_vector(20, 7, 19, 2, 5, int32)", 2),
    ("circular_vector(12, 10, 12, 1, 4, int32)", 2),
    ("bucket(4, [1, 0, 2], int32)", 2),
    ("bucket(3, [1, 2], short_int)", 2),
    ("contiguous(2, double_int)", 2),
    ("vector(2, 2, 3, contiguous(2, hvector(2, 1, 24, resized(0, 16, indexed_block(1, [1, 0], int32)))))", 2),
    *((f"vector(3, 1, 2, {name})", 2) for name in IN_FORTRAN if not name.startswith("long_double")),
]


@dataclass(frozen=True)
class Sent:
    """A message whose bytes lie in one piece of memory from `low` to `high`; `mask` keeps bools 0 or 1."""

    text: str
    count: int
    low: int
    high: int
    mask: int

    @classmethod
    def of(cls, text: str, count: int) -> Sent:
        datatype = gapless.Datatype(text)
        last = (count - 1) * datatype.extent
        low = datatype.true_lower_bound + min(last, 0)
        high = datatype.true_lower_bound + datatype.true_extent + max(last, 0)
        return cls(text, count, min(low, 0), high, 1 if "bool" in text else 255)

    def expected(self) -> bytes:
        """Return what the receiver's memory is to hold."""
        datatype, size = gapless.Datatype(self.text), self.high - self.low
        source = bytes((i * 37 + i // 256 * 11 + 5) & self.mask for i in range(size))
        arrived = bytearray([UNTOUCHED]) * size
        packed = datatype.pack(source, self.count, offset=-self.low)
        datatype.unpack(packed, arrived, self.count, offset=-self.low)
        return bytes(arrived)


MAIN = """
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

@FUNCTIONS@

static void one(void function(void*, int, int, int, @COMM@), int count, long low, long high, int mask) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned char* memory = malloc(high - low);
  for (long i = 0; i < high - low; ++i) memory[i] = rank == 0 ? (i * 37 + i / 256 * 11 + 5) & mask : 0xEE;
  function(memory - low, count, 1 - rank, 7, @WORLD@);
  if (rank == 1) fwrite(memory, 1, high - low, stdout);
  free(memory);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
@CALLS@
  MPI_Finalize();
  return 0;
}
"""


def program(functions: str, sent: Sequence[Sent], comm: str, world: str) -> str:
    """Return a program that sends each message by its function, the receiver's memory to standard output."""
    calls = "\n".join(f"  one(case_{i}, {one.count}, {one.low}, {one.high}, {one.mask});" for i, one in enumerate(sent))
    filled = {"FUNCTIONS": functions, "CALLS": calls, "COMM": comm, "WORLD": world}
    return re.sub("@([A-Z]+)@", lambda match: filled[match[1]], MAIN)


def check(command: Sequence[object], sent: Sequence[Sent], how: str) -> None:
    """Run a program and compare what each message's receiver holds."""
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    rest = done.stdout
    for i, one in enumerate(sent):
        arrived, rest = rest[: one.high - one.low], rest[one.high - one.low :]
        assert arrived == one.expected(), f"case {i} {how}: {one.count} of {one.text}"
    assert rest == b""


def test_lines_of_c_send_what_the_engine_packs(build: Build, compile_c: Any) -> None:
    sent = [Sent.of(text, count) for text, count in MESSAGES]
    signature = "(void* buffer, int count, int peer, int tag, MPI_Comm comm)"
    written = [(one, way) for way in WAYS for one in sent]
    functions = "\n".join(
        f"static void case_{i}{signature} {{\n{lines(one.text, one.count, way, 'C')}}}"
        for i, (one, way) in enumerate(written)
    )
    assert "// displacements" not in functions and "// lengths" not in functions  # left to the reader
    both = [one for one, _ in written]
    source = program(functions, both, "MPI_Comm", "MPI_COMM_WORLD")
    built = compile_c("advice_lines", source, "-std=c99", "-Wall", "-Werror")
    check([*build.launch(2), built], both, "as C")


def fortran_wrapper(folder: Path) -> Path:
    """Return the mpifort that has mpi_f08; skip where there is none."""
    wrapper = shutil.which("mpifort")
    if wrapper is None:
        pytest.skip("no mpifort")
    (folder / "probe.f90").write_text("program probe\n  use mpi_f08\nend program\n", encoding="utf-8")
    probe = [wrapper, "-c", "probe.f90", "-o", "probe.o"]
    if subprocess.run(probe, cwd=folder, capture_output=True, timeout=60, check=False).returncode:
        pytest.skip(f"{wrapper} compiles no program that uses mpi_f08")
    return Path(wrapper)


def test_lines_of_fortran_send_what_the_engine_packs(tmp_path: Path) -> None:
    wrapper = fortran_wrapper(tmp_path)
    sent = [Sent.of(text, count) for text, count in MESSAGES]
    written = [(one, way) for way in WAYS for one in sent]
    subroutines = []
    for i, (one, way) in enumerate(written):
        fragment = lines(one.text, one.count, way, "Fortran")
        if i >= 2:  # reading mpi_f08 each time takes long: the module around does it for all others
            fragment = fragment.replace("  use mpi_f08\n", "", 1)
        element = re.search(r"! buffer is an array of (.*)", fragment)
        subroutines += [
            f"subroutine case_{i}(buffer, count, peer, tag, comm_number) bind(C)",
            f"{element[1] if element else 'integer(c_int8_t)'}, target :: buffer(*)",
            "integer, value :: count, peer, tag, comm_number",
            "type(MPI_Comm) :: comm",
            "comm%MPI_VAL = comm_number",
            fragment + "end subroutine",
        ]
    head = "module cases\nuse mpi_f08\nuse, intrinsic :: iso_c_binding\nimplicit none\ncontains\n"
    (tmp_path / "cases.f90").write_text(head + "\n".join([*subroutines, "end module", ""]), encoding="utf-8")
    both = [one for one, _ in written]
    functions = "\n".join(f"void case_{i}(void*, int, int, int, MPI_Fint);" for i in range(len(both)))
    source = program(functions, both, "MPI_Fint", "MPI_Comm_c2f(MPI_COMM_WORLD)")
    (tmp_path / "main.c").write_text(source, encoding="utf-8")
    for step in (
        [wrapper.with_name("mpicc"), "-c", "main.c"],
        [wrapper, "-std=f2018", "-c", "cases.f90"],
        [wrapper, "main.o", "cases.o", "-o", "program"],
    ):
        done = subprocess.run(list(map(str, step)), cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    check([wrapper.with_name("mpiexec"), "-n", 2, tmp_path / "program"], both, "as Fortran")


def filled(text: str, values: dict[str, Sequence[int]]) -> str:
    """Return lines of C whose comments are what they ask for: assignments to the array's elements."""
    for name, numbers in values.items():
        assigned = " ".join(f"{name}[{i}] = {number};" for i, number in enumerate(numbers))
        text, found = re.subn(rf"// {name}\[i\]: .*\n(// .*\n)*", assigned + "\n", text)
        assert found == 1
    return text


def test_long_lists_are_left_to_the_reader(build: Build, compile_c: Any) -> None:
    irregular = [0, 3, 9, 13, 20, 25, 31, 38, 40, 50, 51]  # two are neighbours
    one = Sent.of(f"indexed_block(1, {irregular}, int32)", 2)
    functions = []
    for i, way in enumerate(WAYS):
        text = lines(one.text, one.count, way, "C")
        assert re.search(
            r"// displacements\[i\]: where block i begins, in elements[^:]*: 0, 3, 9, 13, 20, 25,\s*(// )?31", text
        )
        assert "(11 in all)" in text
        assert "50" not in text
        functions.append(
            f"static void case_{i}(void* buffer, int count, int peer, int tag, MPI_Comm comm) {{\n"
            f"{filled(text, {'displacements': irregular})}}}"
        )
    source = program("\n".join(functions), [one] * len(WAYS), "MPI_Comm", "MPI_COMM_WORLD")
    check([*build.launch(2), compile_c("advice_long", source)], [one] * len(WAYS), "filled")
