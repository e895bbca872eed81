"""A message through shared memory is longer than its receive: its error goes where the library's goes, and so does what
its status counts."""

from __future__ import annotations

import pytest
from conftest import Compiler
from layered import NAMES, find_layered

# argv: the messages go over the world or over a duplicate; of MPI_COMM_SELF, too, there is a handler, or not. Each
# says whose it is, and the error's class.
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
static MPI_Comm duplicate;
static void handler(MPI_Comm* comm, int* code, ...) {
  int error = 0;
  MPI_Error_class(*code, &error);
  const char* who = *comm == MPI_COMM_WORLD ? "world" : *comm == duplicate ? "duplicate" : "self";
  printf("%s %d\\n", who, error == MPI_ERR_TRUNCATE ? 1 : error == MPI_ERR_IN_STATUS ? 2 : 0);
}
static void count(const MPI_Status* status) {
  int bytes = -1;
  MPI_Get_elements(status, MPI_BYTE, &bytes);
  printf("%d bytes from %d\\n", bytes, status->MPI_SOURCE);
}
int main(int argc, char** argv) {
  static int data[15000];
  int rank, index, done, indices[2];
  MPI_Datatype type, shorter;
  MPI_Errhandler said;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  MPI_Comm_create_errhandler(handler, &said);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, said);
  if (argc > 2) MPI_Comm_set_errhandler(MPI_COMM_SELF, said);
  MPI_Comm_set_errhandler(duplicate, said);
  MPI_Comm comm = argv[1][0] == 'd' ? duplicate : MPI_COMM_WORLD;
  MPI_Type_vector(3000, 2, 5, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_vector(750, 2, 5, MPI_INT, &shorter);
  MPI_Type_commit(&shorter);
  for (int call = 0; call < 9; ++call) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    if (rank == 0) {
      MPI_Send(data, 1, call == 8 ? shorter : type, 1, call, comm);
      continue;
    }
    printf("call %d\\n", call);
    if (call < 7) MPI_Irecv(data, 1500, MPI_INT, 0, call, comm, requests);
    index = done = 0;
    if (call == 0) MPI_Wait(requests, statuses);
    if (call == 1) MPI_Waitall(2, requests, statuses);
    if (call == 2) MPI_Waitany(2, requests, &index, statuses);
    if (call == 3) MPI_Waitsome(2, requests, &index, indices, statuses);
    if (call == 4)
      while (!done && requests[0] != MPI_REQUEST_NULL) MPI_Testany(2, requests, &index, &done, statuses);
    if (call == 5)
      while (index == 0) MPI_Testsome(2, requests, &index, indices, statuses);
    if (call == 6) {
      int code = MPI_SUCCESS, error = 0;
      while (!done && code == MPI_SUCCESS) code = MPI_Request_get_status(requests[0], &done, statuses);
      MPI_Error_class(code, &error);
      printf("told %d, ", error == MPI_ERR_TRUNCATE);
      count(statuses);
      MPI_Wait(requests, statuses);
    }
    if (call > 6) MPI_Recv(data, call == 7 ? 1500 : 1000, MPI_INT, 0, call, comm, statuses);
    count(statuses);
  }
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Errhandler_free(&said);
  MPI_Comm_free(&duplicate);
  MPI_Type_free(&shorter);
  MPI_Type_free(&type);
  return MPI_Finalize();
}
"""


@pytest.mark.parametrize("words", [["world"], ["duplicate"], ["duplicate", "self"]])
@pytest.mark.parametrize("name", NAMES)
def test_the_error_goes_where_the_librarys_goes(name: str, words: list[str], compile_c: Compiler) -> None:
    layered = find_layered(name, compile_c)
    command = [layered.program("truncated", PROGRAM), *words]
    settings = {"GAPLESS_FORCE": "1", "GAPLESS_SMALLEST_PAIRED": "1", "GAPLESS_STATS": "1"}
    plain, under = (layered.run(2, command, dict(settings, GAPLESS_DISABLE=off)) for off in ("1", "0"))
    assert plain.returncode == 0 and plain.stdout.count("call") == 9, plain
    assert plain.stdout.count("bytes from 0") == 10, plain.stdout
    assert (under.returncode, under.stdout) == (plain.returncode, plain.stdout), under.stderr
    # 24 KB each, and 6 KB, went through shared memory.
    assert "paired" in under.stderr, under.stderr
