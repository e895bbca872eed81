"""`gapless run` end to end: real programs under the embedded MPI."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Command, Compiler
from gapless.paths import REPOSITORY, Build

COLUMN = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  static int field[512][512];
  int rank;
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(512, 16, 512, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 512; ++i) for (int j = 0; j < 512; ++j) field[i][j] = rank == 0 ? i * 512 + j : -1;
  if (rank == 0) MPI_Send(field, 1, column, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(field, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int wrong = 0;
    for (int i = 0; i < 512; ++i)
      for (int j = 0; j < 512; ++j) wrong += field[i][j] != (j < 16 ? i * 512 + j : -1);
    printf("wrong %d\\n", wrong);
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""


@pytest.fixture(scope="module")
def column(compile_c: Compiler) -> Path:
    """A program that sends a column of a matrix."""
    return compile_c("column", COLUMN)


def test_the_layer_reaches_every_rank(gapless: Command, build: Build, column: Path) -> None:
    answer = gapless("run", "--", build.mpiexec, "-n", 2, column)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "wrong 0\n"
    assert "gapless: the layer reached 2 of 2 ranks (MPICH" in answer.stderr


def test_stats_count_the_calls(gapless: Command, build: Build, column: Path) -> None:
    answer = gapless("run", "--stats", "--", build.mpiexec, "-n", 2, column, GAPLESS_FORCE="1")
    assert answer.returncode == 0, answer.stderr
    rows = {line.split()[0]: line.split()[1:4] for line in answer.stderr.splitlines() if line.strip()[:4] == "MPI_"}
    assert rows["MPI_Send"] == ["1", "1", "32768"]
    assert rows["MPI_Recv"] == ["1", "1", "32768"]


def test_the_programs_own_exit_status_is_passed_on(gapless: Command, build: Build, column: Path) -> None:
    assert gapless("run", "--", build.mpiexec, "-n", 2, column, 7).returncode == 7


def test_the_program_itself_without_a_launcher(gapless: Command, column: Path) -> None:
    answer = gapless("run", "--", column)
    assert "the layer reached 1 of 1 ranks" in answer.stderr


def test_disabled_is_no_error(gapless: Command, build: Build, column: Path) -> None:
    answer = gapless("run", "--", build.mpiexec, "-n", 2, column, GAPLESS_DISABLE="1")
    assert answer.returncode == 0
    assert answer.stdout == "wrong 0\n"
    assert "the layer is disabled" in answer.stderr


def test_a_static_program_is_named_as_such(gapless: Command, build: Build, compile_c: Compiler) -> None:
    program = compile_c("static", "int main(void) { return 0; }\n", "-static", mpi=False)
    answer = gapless("run", "--", build.mpiexec, "-n", 2, program)
    assert answer.returncode == 3
    assert "static is a static program" in answer.stderr


def test_a_program_without_mpi(gapless: Command, build: Build) -> None:
    answer = gapless("run", "--", build.mpiexec, "-n", 2, "true")
    assert answer.returncode == 3
    assert "the program never called MPI_Init" in answer.stderr
    assert gapless("run", "--", build.mpiexec, "-n", 1, "sh", "-c", "exit 5").returncode == 5


def test_a_missing_program_is_one_line(gapless: Command, build: Build) -> None:
    answer = gapless("run", "--", "./no-such-program")
    assert answer.returncode == 2
    assert answer.stderr.startswith("gapless: error: cannot start ./no-such-program")
    assert "Traceback" not in answer.stderr


def test_stdin_reaches_the_program(build: Build) -> None:
    command = [sys.executable, "-m", "gapless.cli", "run", "--", "cat"]
    answer = subprocess.run(command, input="through\n", capture_output=True, text=True, timeout=60, check=False)
    assert answer.stdout == "through\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_children_and_leaves_nothing(tmp_path: Path, build: Build, number: int) -> None:
    ready = tmp_path / "ready"
    script = f"sleep 600 & echo $! > {tmp_path}/child; touch {ready}; wait"
    process = subprocess.Popen(
        [sys.executable, "-m", "gapless.cli", "run", "--", "sh", "-c", script],
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(REPOSITORY / "python")},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while not ready.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        child = int((tmp_path / "child").read_text())
        assert list(tmp_path.glob("gapless-run-*"))
        process.send_signal(number)
        assert process.wait(timeout=30) == 128 + number
        assert not list(tmp_path.glob("gapless-run-*"))
        # A shell lets its background children ignore SIGINT, so only SIGTERM must have ended this one.
        assert number == signal.SIGINT or not _runs(child)
    finally:
        process.kill()
        process.wait()
        if ready.exists() and _runs(child):
            os.kill(child, signal.SIGKILL)


def _runs(pid: int) -> bool:
    """Say whether a process still runs: one that nobody has reaped yet does not."""
    time.sleep(0.2)
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
