"""What goes through memory that processes share, to where the processor may not write: the library unpacks it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import Command, Compiler
from gapless.paths import Build

# The library's procedure, as it would be where it knows the device.
UNPACKING = """
#include <mpi.h>
#include <string.h>
int unpacked = 0;
void *device;
int PMPI_Unpack(const void *in, int bytes, int *at, void *out, int count, MPI_Datatype type, MPI_Comm comm) {
  memcpy(device, (const char *)in + *at, bytes);
  ++unpacked;
  return MPI_SUCCESS;
}
"""
# Rank 0 sends a strided block, and rank 1 receives it contiguous: where a runtime of the test's says that the memory is
# a device's, or by absolute addresses, which with a runtime may be a device's; or as ever.
TO_A_DEVICE = """
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
extern int unpacked;
extern void *device;
enum { kRows = 4096, kBlock = 16, kColumns = 64 };
static int from[kRows][kColumns];
static int to[kRows][kBlock] __attribute__((aligned(4096)));
int main(int argc, char **argv) {
  int rank, wrong = 0, counts[2][2] = {{0, 0}, {0, 0}}, places[2] = {0, 0}, all = kRows * kBlock;
  MPI_Datatype strided, types[2][2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int is_absolute = strcmp(argv[2], "absolute") == 0;
  device = to;
  void *runtime = dlopen(argv[1], RTLD_NOW);
  if (runtime == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  ((void (*)(const void *, const void *, const void *))dlsym(runtime, "test_regions"))(
      strcmp(argv[2], "device") == 0 ? to : NULL, NULL, NULL);
  ((void (*)(int))dlsym(runtime, "test_start"))(1);
  MPI_Type_vector(kRows, kBlock, kColumns, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  MPI_Aint address;
  MPI_Datatype absolute;
  MPI_Get_address(to, &address);
  MPI_Type_create_hindexed(1, &all, &address, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  for (int k = 0; k < 2; ++k) types[0][k] = strided, types[1][k] = is_absolute ? absolute : MPI_INT;
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) from[i][j] = i * kColumns + j;
  if (rank == 0) counts[0][1] = 1;
  if (rank == 1) counts[1][0] = is_absolute ? 1 : all;
  MPI_Alltoallw(from, counts[0], places, types[0], is_absolute ? MPI_BOTTOM : to, counts[1], places, types[1],
                MPI_COMM_WORLD);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kBlock; ++j) wrong += to[i][j] != (rank == 0 ? 0 : i * kColumns + j);
  if (rank == 1) printf("wrong %d, unpacked %d\\n", wrong, unpacked);
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(compile_c: Compiler) -> Path:
    unpacking = compile_c("libunpacking.so", UNPACKING, "-shared", "-fPIC")
    return compile_c("to_a_device", TO_A_DEVICE, str(unpacking), f"-Wl,-rpath,{unpacking.parent}")


@pytest.fixture
def runtime(repository: Path, tmp_path: Path) -> Path:
    """What the layer takes for CUDA."""
    library = tmp_path / "libcuda.so.1"
    command = ["cc", "-DCUDA", "-shared", "-fPIC", repository / "tests/unit/gpu_runtime.c", "-o", library]
    subprocess.run(list(map(str, command)), check=True, timeout=60)
    return library


@pytest.mark.parametrize("where", ["host", "device", "absolute"])
def test_the_library_unpacks_where_the_processor_may_not_write(
    where: str, gapless: Command, build: Build, program: Path, runtime: Path, tmp_path: Path
) -> None:
    stats = tmp_path / "stats.json"
    answer = gapless("run", f"--stats=json:{stats}", "--", build.mpiexec, "-n", 2, program, runtime, where)
    assert (answer.returncode, answer.stdout) == (0, f"wrong 0, unpacked {int(where != 'host')}\n"), answer.stderr
    counts = json.loads(stats.read_text())["procedures"]["MPI_Alltoallw"]
    assert (counts["paired_sent"], counts["paired_received"]) == (1, 1)
