"""Messages by each way between two processes of a node (GAPLESS_WAY): that it is taken, that no sender waits for a
receiver that does not receive, and what becomes of them where the way is forbidden or a process is killed.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import Compiler, first_in_make_test
from layered import NAMES, Layered, find_layered
from test_paired_faults import processes_of

SETTINGS = {"GAPLESS_SMALLEST_PAIRED": "8192"}

# argv: MEMORY (heap, window), WHAT and ROUNDS (0: for ever). Rank 0 sends a column, rank 1 receives it as another
# one, and answers.
PROGRAM = """
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { kLength = 40000, kGroup = 1000 };
static int rank, *out, *in;
static MPI_Datatype sent, received;
static const char *what;
static int is(const char *name) { return strcmp(what, name) == 0; }
/* Whether a sender sends when its receiver is about to receive. */
static int waits(void) { return !is("sleeps") && !is("barrier") && !is("split"); }
static void forbid(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {4, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    puts("cannot forbid"), exit(3);
  }
}
/* Where the j-th int is sent from: in groups with long gaps between, or one by one. */
static int place(int j) { return is("groups") ? j / kGroup * 4 * kGroup + 2 * (j % kGroup) : 2 * j; }
static void send_one(int round) {
  for (int j = 0; j < kLength; ++j) out[place(j)] = 7 * round + j;
  if (waits()) MPI_Recv(NULL, 0, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double began = MPI_Wtime();
  MPI_Send(out, 1, sent, 1 - rank, 1, MPI_COMM_WORLD);
  if (MPI_Wtime() - began > 1) printf("late %f\\n", MPI_Wtime() - began);
}
static int receive_one(int round) {
  const int length = is("cut") ? kLength / 2 : kLength;
  int wrong = 0, class = MPI_SUCCESS;
  for (int j = 0; j < 3 * kLength; ++j) in[j] = -1;
  if (waits()) MPI_Send(NULL, 0, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD);
  MPI_Error_class(MPI_Recv(in, 1, received, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
  wrong += class != (is("cut") ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  for (int j = 0; j < 3 * kLength; ++j) wrong += in[j] != (j % 3 == 0 && j / 3 < length ? 7 * round + j / 3 : -1);
  return wrong;
}
int main(int argc, char **argv) {
  MPI_Win window = MPI_WIN_NULL;
  const size_t bytes = kLength * sizeof(int);
  int found = 0, rounds = atoi(argv[3]);
  what = argv[2];
  if (is("forbidden")) forbid();
  if (is("limited")) {  /* rank 0 gets no memory to share */
    const char *mine = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    const struct rlimit most = {1L << 46, 1L << 46};
    if (mine == NULL || (atoi(mine) == 0 && setrlimit(RLIMIT_AS, &most) != 0)) puts("cannot limit"), exit(3);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(argv[1], "window") == 0) {
    MPI_Win_allocate_shared(8 * bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &out, &window);
  } else {
    out = malloc(8 * bytes);
  }
  in = out + 4 * kLength;
  MPI_Type_vector(is("groups") ? kGroup : kLength, 1, 2, MPI_INT, &sent);
  if (is("groups")) {
    MPI_Datatype group = sent;
    MPI_Type_create_hvector(kLength / kGroup, 1, 4 * kGroup * sizeof(int), group, &sent);
    MPI_Type_free(&group);
  }
  MPI_Type_vector(is("cut") ? kLength / 2 : kLength, 1, 3, MPI_INT, &received);
  if (is("cut")) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_commit(&sent);
  MPI_Type_commit(&received);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; rounds == 0 || round < rounds; ++round) {
    if (round == 5 && is("forbidden later")) forbid();
    if (rank == 0) send_one(round);
    if (rank == 1 && is("sleeps")) usleep(1500000);
    if (is("barrier")) MPI_Barrier(MPI_COMM_WORLD);
    if (is("split")) {
      MPI_Comm half;
      MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &half);
      MPI_Comm_free(&half);
    }
    if (rank == 1) found += receive_one(round), send_one(round);
    if (rank == 0) found += receive_one(round);
    if (found != 0) printf("wrong %d\\n", found), fflush(stdout);
    if (round == 5 && rank == 0) puts("runs"), fflush(stdout);
  }
  if (found == 0) puts("wrong 0");
  if (window != MPI_WIN_NULL) MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(params=first_in_make_test(NAMES))
def layered(request: pytest.FixtureRequest, compile_c: Compiler) -> Layered:
    """Each library in turn."""
    return find_layered(request.param, compile_c)


def run(layered: Layered, tmp_path: Path, way: str, *words: object) -> dict[str, int]:
    """Run the program; return what its processes count of the ways, together."""
    stats = tmp_path / "stats.json"
    settings = SETTINGS | {"GAPLESS_WAY": way, "GAPLESS_STATS": f"json:{stats}"}
    answer = layered.run(2, [layered.program("ways", PROGRAM), *words], settings)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert re.findall(r"wrong \d+|late|cannot", answer.stdout) == 2 * ["wrong 0"], answer.stdout
    counts: dict[str, int] = {}
    for line in stats.read_text().splitlines():
        for name, n in json.loads(line)["stats"]["shared_memory"].get("ways", {}).items():
            counts[name] = counts.get(name, 0) + n
    return counts


@pytest.mark.parametrize(
    ("way", "memory", "taken"),
    [
        ("kernel", "heap", "kernel"),
        ("entries", "heap", "kernel"),
        ("direct", "window", "direct"),
        ("kernel", "window", "kernel"),
    ],
)
def test_a_way_is_taken(layered: Layered, tmp_path: Path, way: str, memory: str, taken: str) -> None:
    """But by messages before the first from the other side, and by those whose receiver comes late."""
    counts = run(layered, tmp_path, way, memory, "", 40)
    assert counts["offered"] >= 2 * 38
    assert counts[taken] + counts.get("taken_back", 0) == counts["offered"]
    assert counts.get("refused", 0) == 0
    # Both ends show what they send, and read the other's; where both copy, what they receive, too.
    assert counts["layout_new"] in ({4, 6, 8} if taken == "direct" else {4})
    assert counts["layout_known"] >= 2 * 36


@pytest.mark.parametrize(("way", "memory"), [("kernel", "heap"), ("entries", "heap"), ("direct", "window")])
@pytest.mark.parametrize("what", ["groups", "cut"])
def test_the_data_are_right(layered: Layered, tmp_path: Path, way: str, memory: str, what: str) -> None:
    """Of spans with long gaps between, several of which are read at a time; and of messages that are too long."""
    counts = run(layered, tmp_path, way, memory, what, 20)
    assert counts["direct" if way == "direct" else "kernel"] > 0


@pytest.mark.parametrize("way", ["host", "direct"])
def test_nothing_is_offered(layered: Layered, tmp_path: Path, way: str) -> None:
    """By host; and by direct, where nobody has mapped the memory."""
    assert run(layered, tmp_path, way, "heap", "", 10) == {}


def test_a_window_is_made_where_one_process_shares_no_memory(layered: Layered, tmp_path: Path) -> None:
    """Its members tell each other where their parts are: all of them, or those that do wait for ever."""
    assert run(layered, tmp_path, "direct", "window", "limited", 5) == {}


@pytest.mark.parametrize(("way", "memory"), [("kernel", "heap"), ("direct", "window")])
@pytest.mark.parametrize("what", ["sleeps", "barrier", "split"])
def test_no_sender_waits_for_who_does_not_receive(
    layered: Layered, tmp_path: Path, way: str, memory: str, what: str
) -> None:
    """It packs its message, and goes on."""
    if layered.library.name == "openmpi" and what == "sleeps":
        pytest.skip("Open MPI's own MPI_Send of the header waits for the receiver to look")
    counts = run(layered, tmp_path, way, memory, what, 2)
    assert counts["taken_back"] >= 1


def test_without_permission_messages_are_packed(layered: Layered, tmp_path: Path) -> None:
    assert run(layered, tmp_path, "kernel", "heap", "forbidden", 10) == {}


def test_a_permission_that_is_lost_loses_no_message(layered: Layered, tmp_path: Path) -> None:
    counts = run(layered, tmp_path, "kernel", "heap", "forbidden later", 40)
    assert counts["refused"] + counts.get("taken_back", 0) >= 2 * 34


@pytest.mark.parametrize("times", first_in_make_test((4, 40)))
@pytest.mark.parametrize(("way", "memory"), [("kernel", "heap"), ("direct", "window")])
def test_a_killed_rank_ends_the_job(layered: Layered, times: int, way: str, memory: str) -> None:
    """Whatever it, or its peer, was copying."""
    program = layered.program("ways", PROGRAM)
    draw = random.Random(times)
    for _ in range(times):
        launch = layered.launch(2, [program, memory, "", 0], SETTINGS | {"GAPLESS_WAY": way})
        with subprocess.Popen(
            launch.command, env=launch.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, errors="replace",
        ) as job:  # fmt: skip
            assert job.stdout is not None
            try:
                assert "runs" in job.stdout.readline()
                time.sleep(draw.uniform(0, 0.05))
                ranks = sorted(processes_of(program))
                os.kill(draw.choice(ranks), signal.SIGKILL)
                said, _ = job.communicate(timeout=30)
            finally:
                job.kill()
                for process in processes_of(program):
                    os.kill(process, signal.SIGKILL)
        assert "wrong" not in said, said
        assert job.returncode != 0
