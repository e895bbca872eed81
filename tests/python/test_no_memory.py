"""Calls for which the layer gets no memory: data arrive, or the call says so, and nothing ends the program."""

from __future__ import annotations

import dataclasses
import re

import pytest
from conftest import Compiler, first_in_make_test
from layered import NAMES, Layered, find_layered

SETTINGS = {"GAPLESS_SMALLEST_PAIRED": "8192", "GAPLESS_SMALLEST_BYTES": "0"}

# argv: WHAT, and which allocation of the layer fails from there on, the only one. Rank 0 sends columns, rank 1 receives
# them.
PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { kLength = 10000, kMany = 20 };
void *__libc_malloc(size_t bytes);
static uintptr_t low, high;  /* of the layer's backend */
static long left = -1;       /* allocations until one fails; -1: none does */
static int failed;
static int fails(const void *caller) {
  const uintptr_t at = (uintptr_t)caller;
  if (left < 0 || at < low || at >= high || left-- > 0) return 0;
  errno = ENOMEM;
  return failed = 1;
}
void *malloc(size_t bytes) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes); }
static int find(struct dl_phdr_info *object, size_t size, void *data) {
  if (strstr(object->dlpi_name, "libgapless_be_") == NULL) return 0;
  low = object->dlpi_addr;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const uintptr_t end = low + object->dlpi_phdr[k].p_vaddr + object->dlpi_phdr[k].p_memsz;
    if (object->dlpi_phdr[k].p_type == PT_LOAD && end > high) high = end;
  }
  return 1;
}
static int out[2 * kLength], in[kMany][3 * kLength], wrong;
/* One that the layer has not seen. */
static MPI_Datatype column(int step, int count) {
  MPI_Datatype type;
  MPI_Type_vector(count, 1, step, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}
static void check(const int *data, int step, int count) {
  for (int j = 0; j < count; ++j) wrong += data[step * j] != j;
}
int main(int argc, char **argv) {
  int rank, code = MPI_SUCCESS, class = MPI_SUCCESS;
  MPI_Request list[kMany];
  const int is_early = strcmp(argv[1], "sent before") == 0, is_contiguous = strcmp(argv[1], "contiguous") == 0;
  alarm(60);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  dl_iterate_phdr(find, NULL);
  for (int j = 0; j < kLength; ++j) out[2 * j] = j;
  if (strcmp(argv[1], "many") == 0) {
    const int count = kLength / kMany * 10;
    MPI_Datatype type = column(2, count);
    for (int k = 0; k < kMany && rank == 1; ++k) MPI_Irecv(in[k], 1, type, 0, k, MPI_COMM_WORLD, &list[k]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < kMany && rank == 0; ++k) MPI_Isend(out, 1, type, 1, k, MPI_COMM_WORLD, &list[k]);
    left = rank == 1 ? atol(argv[2]) : -1;
    code = MPI_Waitall(kMany, list, MPI_STATUSES_IGNORE);
    left = -1;
    MPI_Error_class(code, &class);
    if (class == MPI_ERR_NO_MEM) code = MPI_Waitall(kMany, list, MPI_STATUSES_IGNORE), puts("again");
    for (int k = 0; k < kMany && rank == 1; ++k) check(in[k], 2, count);
  } else {
    MPI_Datatype sent = column(2, kLength), received = column(3, kLength);
    if (rank == 0 && is_early) MPI_Isend(out, 1, sent, 1, 1, MPI_COMM_WORLD, list);
    MPI_Barrier(MPI_COMM_WORLD);
    left = rank == 1 ? atol(argv[2]) : -1;
    if (rank == 1 && is_contiguous) MPI_Irecv(in[0], kLength, MPI_INT, 0, 1, MPI_COMM_WORLD, list);
    if (rank == 1 && !is_contiguous) MPI_Irecv(in[0], 1, received, 0, 1, MPI_COMM_WORLD, list);
    left = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && !is_early) MPI_Isend(out, 1, sent, 1, 1, MPI_COMM_WORLD, list);
    code = MPI_Wait(list, MPI_STATUS_IGNORE);
    if (rank == 1) check(in[0], is_contiguous ? 1 : 3, kLength);
  }
  printf("wrong %d%s\\n", wrong + (code != MPI_SUCCESS), failed ? ", failed" : "");
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(params=first_in_make_test(NAMES))
def layered(request: pytest.FixtureRequest, compile_c: Compiler) -> Layered:
    """Each library in turn, by a front that knows all of its procedures."""
    return dataclasses.replace(find_layered(request.param, compile_c), plain=False)


def outcome(layered: Layered, what: str, number: int) -> str:
    """Run the program; return what it says but for data that are right."""
    answer = layered.run(2, [layered.program("no_memory", PROGRAM), what, number], SETTINGS)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert re.findall(r"wrong \d+", answer.stdout) == 2 * ["wrong 0"], answer.stdout
    return re.sub(r"wrong 0,?", "", answer.stdout)


@pytest.mark.parametrize("what", ["sent before", "sent after", "contiguous"])
def test_a_receive_whose_type_cannot_be_decoded(layered: Layered, what: str) -> None:
    """It gets the data of a message that went through shared memory before the sender knew."""
    told = [outcome(layered, what, number) for number in (0, 3, 9)]
    assert any("failed" in one for one in told)


def test_more_requests_than_there_is_room_for(layered: Layered) -> None:
    """The call says so, before any has completed, and may be made again."""
    told = [outcome(layered, "many", number) for number in range(4)]
    assert all("failed" in one and "again" in one for one in told), told
