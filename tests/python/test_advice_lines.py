"""The lines that send a datatype: written as expected, and compiled and run for every constructor and way."""

from __future__ import annotations

import doctest
import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gapless
import pytest
from gapless.lab.advice import fragment
from gapless.lab.advice import lines as module
from gapless.lab.advice.lines import WAYS, lines
from gapless.lab.advice.names import IN_FORTRAN
from gapless.paths import Build
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from typemap import Mapped, mapped_types

UNTOUCHED = 0xEE
USE = "  use mpi_f08\n"
SIGNATURE = "(void* buffer, int count, int peer, int tag, MPI_Comm comm)"
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
    bytes: int

    @classmethod
    def of(cls, text: str, count: int) -> Sent:
        datatype = gapless.Datatype(text)
        last = (count - 1) * datatype.extent
        low = datatype.true_lower_bound + min(last, 0)
        high = datatype.true_lower_bound + datatype.true_extent + max(last, 0)
        return cls(text, count, min(low, 0), high, 1 if "bool" in text else 255, datatype.size * count)

    def expected(self) -> bytes:
        """Return what the receiver's memory is to hold, and then the bytes of the message."""
        datatype, size = gapless.Datatype(self.text), self.high - self.low
        source = bytes((i * 37 + i // 256 * 11 + 5) & self.mask for i in range(size))
        arrived = bytearray([UNTOUCHED]) * size
        packed = datatype.pack(source, self.count, offset=-self.low)
        datatype.unpack(packed, arrived, self.count, offset=-self.low)
        return bytes(arrived) + packed


MAIN = """
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

@FUNCTIONS@

static void one(void function(void*, int, int, int, @COMM@), int count, long low, long high, int mask,
                int bytes) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned char* memory = malloc(high - low);
  for (long i = 0; i < high - low; ++i) memory[i] = rank == 0 ? (i * 37 + i / 256 * 11 + 5) & mask : 0xEE;
  function(memory - low, count, 1 - rank, 7, @WORLD@);
  if (rank == 1) fwrite(memory, 1, high - low, stdout);
  // Once more, to a receiver that sees the order of the bytes.
  if (rank == 0) {
    function(memory - low, count, 1, 7, @WORLD@);
  } else {
    unsigned char* message = malloc(bytes);
    MPI_Recv(message, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fwrite(message, 1, bytes, stdout);
    free(message);
  }
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
    calls = "\n".join(
        f"  one(case_{i}, {one.count}, {one.low}, {one.high}, {one.mask}, {one.bytes});" for i, one in enumerate(sent)
    )
    filled = {"FUNCTIONS": functions, "CALLS": calls, "COMM": comm, "WORLD": world}
    return re.sub("@([A-Z]+)@", lambda match: filled[match[1]], MAIN)


def check(command: Sequence[object], sent: Sequence[Sent], how: str) -> None:
    """Run a program and compare what each message's receiver holds."""
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    rest = done.stdout
    for i, one in enumerate(sent):
        expected = one.expected()
        arrived, rest = rest[: len(expected)], rest[len(expected) :]
        assert arrived == expected, f"case {i} {how}: {one.count} of {one.text}"
    assert rest == b""


def test_lines_of_c_send_what_the_engine_packs(build: Build, compile_c: Any) -> None:
    sent = [Sent.of(text, count) for text, count in MESSAGES]
    written = [(one, way) for way in WAYS for one in sent]
    functions = "\n".join(
        f"static void case_{i}{SIGNATURE} {{\n{lines(one.text, one.count, way, 'C')}}}"
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
            fragment = fragment.replace(USE, "")
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
        said = re.sub(r"\s+(// )?", " ", text[text.index("// displacements[i]: where block i begins") :])
        assert re.match(r"// displacements\[i\]: [^:]*: 0, 3, 9, 13, 20, 25, 31, 38, ... \(11 in all\) ", said)
        assert " 50" not in text
        functions.append(f"static void case_{i}{SIGNATURE} {{\n{filled(text, {'displacements': irregular})}}}")
    source = program("\n".join(functions), [one] * len(WAYS), "MPI_Comm", "MPI_COMM_WORLD")
    check([*build.launch(2), compile_c("advice_long", source)], [one] * len(WAYS), "filled")


@settings(max_examples=3, derandomize=True, deadline=None, database=None, phases=[Phase.generate])
@given(sent=st.lists(st.tuples(mapped_types, st.integers(1, 3)), min_size=50, max_size=50))
def test_loops_of_random_types(sent: list[tuple[Mapped, int]], build: Build, compile_c: Any) -> None:
    # Loops by hand agree with the engine even where MPI libraries have other bounds, or a byte is received twice.
    # An assignment moves no more than 10 bytes of a long double.
    texts = [(str(mapped.datatype), count) for mapped, count in sent]
    chosen = [Sent.of(text, count) for text, count in texts if "long_double" not in text]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fragment, "MOST_NUMBERS", 10**6)
        functions = "\n".join(
            f"static void case_{i}{SIGNATURE} {{\n{lines(one.text, one.count, 'by hand', 'C')}}}"
            for i, one in enumerate(chosen)
        )
    built = compile_c("advice_random", program(functions, chosen, "MPI_Comm", "MPI_COMM_WORLD"), "-std=c99")
    check([*build.launch(2), built], chosen, "by hand")


LARGE = [
    ("vector(3000000000, 1, 2, double)", 1),
    ("indexed([3000000000, 1], [0, 4000000000], double)", 2),
    ("struct([(3000000000, 0, int32), (1, 13000000000, vector(2, 1, 2, char))])", 1),
    ("hindexed([3000000000, 1], [-8, 80000000000], int32)", 1),
    ("indexed_block(3000000000, [0, 4000000000], char)", 1),
    ("hindexed_block(3000000000, [0, 4000000000], char)", 1),
    ("subarray([3000000000, 4], [2, 2], [1, 1], C, char)", 1),
    ("darray(2, 1, [3000000000, 4], [block, none], [2, 1], Fortran, char)", 2),
    ("circular_vector(6000000000, 4000000001, 5000000000, 1, 2, float)", 1),
    ("contiguous(3, struct([(1, 0, int32), (1, 4, float)]))", 3000000000),
    ("indexed_block(1, [0..40000000000:4000000000], char)", 2),
    ("resized(0, 10000000000, hvector(2, 1, 8000000000, int64))", 2),
    ("subarray([4, 5, 6, 7, 8, 9, 10], [2, 2, 2, 2, 2, 2, 2], [1, 1, 1, 1, 1, 1, 1], C, double)", 2),
]


def test_large_counts_in_c(compile_c: Any) -> None:
    written = [lines(text, count, way, "C") for text, count in LARGE for way in WAYS]
    assert "MPI_Type_vector_c(3000000000, 1, 2, MPI_DOUBLE, &newtype);" in written[0]
    assert "MPI_Send_c(packed, 3000000000, MPI_DOUBLE, peer, tag, comm);" in written[2]
    assert "MPI_Type_indexed_c(2, lengths, displacements, MPI_DOUBLE, &newtype);" in written[3]
    functions = "\n".join(
        f"void case_{i}{SIGNATURE.replace('int count', 'MPI_Count count')} {{\n{each}}}"
        for i, each in enumerate(written)
    )
    source = program(functions, [], "MPI_Comm", "MPI_COMM_WORLD").replace("static void one", "void one")
    compile_c("advice_large", source, "-std=c99", "-Wall", "-Werror")


def test_large_counts_in_fortran(tmp_path: Path) -> None:
    wrapper = fortran_wrapper(tmp_path)
    written = {
        (text, count): [lines(text, count, way, "Fortran") for way in ("datatype", "pack")] for text, count in LARGE
    }
    subroutines = [
        f"subroutine case_{i}_{j}(buffer, count, peer, tag, comm)\nreal, target :: buffer(*)\n"
        f"integer{'(MPI_COUNT_KIND)' if count > 2**31 else ''} :: count\ninteger :: peer, tag\n"
        f"type(MPI_Comm) :: comm\n{fragment.replace(USE, '')}end subroutine"
        for i, ((_, count), fragments) in enumerate(written.items())
        for j, fragment in enumerate(fragments)
    ]
    head = "module cases\nuse mpi_f08\nimplicit none\ncontains\n"
    (tmp_path / "large.f90").write_text(head + "\n".join([*subroutines, "end module", ""]), encoding="utf-8")
    step = [wrapper, "-std=f2018", "-c", "large.f90"]
    done = subprocess.run(list(map(str, step)), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_deepest_type_is_written() -> None:
    text = "int32"
    for depth in range(990):
        text = f"resized(0, {depth + 4}, {text})"
    written = lines(text, 2, "datatype", "C")
    assert written.count("MPI_Type_create_resized(") == 990
    assert written.count("MPI_Type_free(") == 990
    assert "MPI_Type_commit(&newtype)" in written


def test_a_type_that_occurs_twice_is_made_once() -> None:
    written = lines("struct([(1, 0, vector(2, 1, 3, char)), (1, 9, vector(2, 1, 3, char))])", 1, "datatype", "C")
    assert written.count("MPI_Type_vector") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("int32", 1, "by mail", "C"), "datatype, pack, by hand, not 'by mail'"),
        (("int32", 1, "pack", "Ada"), "C, Fortran, not 'Ada'"),
        (("int32", -1, "pack", "C"), "not -1"),
        (("int33", 1, "pack", "C"), "unknown type 'int33'"),
    ],
)
def test_what_cannot_be_written(arguments: tuple[str, int, str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        lines(*arguments)


def test_the_example_of_the_documentation() -> None:
    assert doctest.testmod(module).attempted > 0
    assert doctest.testmod(module).failed == 0


def test_loops_stand_around_a_list_that_is_too_long_to_be_read(build: Build, compile_c: Any) -> None:
    draw = random.Random(1)
    places = [3 * i + draw.randrange(2) for i in range(15000)]
    one = Sent.of(f"vector(3, 2, 4, resized(2, 90002, indexed_block(1, {places}, int16)))", 1)
    written = lines(one.text, 1, "by hand", "C")
    assert "(15000 in all)" in re.sub(r"\s+(// )?", " ", written)
    function = f"static void case_0{SIGNATURE} {{\n{filled(written, {'displacements': places})}}}"
    built = compile_c("advice_around", program(function, [one], "MPI_Comm", "MPI_COMM_WORLD"), "-std=c99")
    check([*build.launch(2), built], [one], "around a list")
