"""The processes of a node meet, and nothing of that stays: not after SIGKILL, not where no file can be made."""

from __future__ import annotations

import os
import struct
import subprocess
import time
from pathlib import Path

import pytest
from conftest import Compiler, first_in_make_test
from layered import NAMES, Layered, find_layered, needs_namespaces

# argv[1]: what happens to it. Ranks are known from the environment: MPI is not always initialised.
PROGRAM = """
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  const char *text = getenv("PMIX_RANK") ? getenv("PMIX_RANK") : getenv("PMI_RANK");
  const int rank = text ? atoi(text) : 0;
  if (strcmp(argv[1], "before") == 0 && rank == 1) { usleep(300000); kill(getpid(), SIGKILL); }
  if (strcmp(argv[1], "within") == 0) {
    if (rank == 1) usleep(1500000);
    else if (fork() == 0) { usleep(500000); kill(getppid(), SIGKILL); _exit(0); }
  }
  MPI_Init(&argc, &argv);
  if (strcmp(argv[1], "after") == 0 && rank == 1) kill(getpid(), SIGKILL);
  MPI_Finalize();
  return 0;
}
"""
# A /dev/shm and a table of sockets of its own: other jobs may run here. Then what is left of ours in either.
ALONE = """
mount -t tmpfs -o size=256m tmpfs /dev/shm && ip link set lo up && {before}
"$@"
code=$?
ls -A /dev/shm | grep gapless | sed 's/^/left: /'
grep -o '@gapless.*' /proc/net/unix | sed 's/^/left: /'
exit $code
"""


@pytest.fixture(params=first_in_make_test(NAMES))
def layered(request: pytest.FixtureRequest, compile_c: Compiler) -> Layered:
    """Each library in turn."""
    return find_layered(request.param, compile_c)


def alone(before: str = "true") -> list[str]:
    needs_namespaces()
    return ["unshare", "-mn", "sh", "-c", ALONE.format(before=before), "sh"]


def left(answer: subprocess.CompletedProcess[str]) -> list[str]:
    return [row.removeprefix("left: ") for row in answer.stdout.splitlines() if row.startswith("left: ")]


@pytest.mark.parametrize("ranks", [1, 3])
def test_nothing_stays_after_a_job(layered: Layered, ranks: int) -> None:
    answer = layered.run(ranks, [layered.program("dies", PROGRAM), "never"], first=alone())
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr.count("collectives as bytes") == ranks, answer.stderr
    assert left(answer) == []


@pytest.mark.parametrize("when", ["before", "within", "after"])
def test_nothing_stays_of_a_job_that_is_killed(layered: Layered, when: str) -> None:
    if (layered.library.name, when) == ("intel", "before"):
        pytest.skip("Intel MPI's launcher waits for ever then, with and without the layer")
    answer = layered.run(2, [layered.program("dies", PROGRAM), when], first=alone())
    assert answer.returncode != 0
    assert left(answer) == []


def test_no_file_is_needed(layered: Layered) -> None:
    """One that would be too long is cut off by SIGXFSZ, or refused."""
    if layered.library.name == "mpich":
        pytest.skip("MPICH makes a file of its own")
    program = layered.program("dies", PROGRAM)
    answer = layered.run(1, ["sh", "-c", 'ulimit -f 16; exec "$0" never', program], first=alone())
    assert answer.returncode == 0, answer.stderr
    assert "collectives as bytes (one process)" in answer.stderr
    assert left(answer) == []


def began(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def table(pid: int, began_at: int) -> bytes:
    """Return a table as version 0.10 left it: three counters, and who entered."""
    return struct.pack("<IIII", 0, 1, 0, 0) + struct.pack("<qQQ", pid, began_at, 7) + bytes(24 * 1023)


def test_what_earlier_versions_left_is_swept(compile_c: Compiler, tmp_path: Path) -> None:
    layered = find_layered("mpich", compile_c)
    user, hour = os.geteuid(), 3600
    names = {
        f"gapless-{user}-00000000000000aa": (table(2**22 + 1, 5), hour),
        f"gapless-{user}-00000000000000ab": (b"", hour),  # where posix_fallocate failed
        f"gapless-{user}-00000000000000ba": (table(os.getpid(), began(os.getpid())), hour),
        f"gapless-{user}-00000000000000bb": (table(2**22 + 1, 5), 0),
        f"gapless-{user + 1}-00000000000000bc": (table(2**22 + 1, 5), hour),
        f"gapless-{user}-somebody-elses": (b"", hour),
    }  # fmt: skip
    for name, (contents, age) in names.items():
        (tmp_path / name).write_bytes(contents)
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    command = [layered.program("dies", PROGRAM), "never"]
    answer = layered.run(1, command, first=alone(f"cp -p {tmp_path}/* /dev/shm"))
    assert answer.returncode == 0, answer.stderr
    assert left(answer) == sorted(list(names)[2:])
