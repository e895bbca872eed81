"""Ranks that exchange data through shared memory, or their launcher, are killed; they cannot see one another, or are on
two nodes.

KILLS=500 in the environment: how many jobs with messages the long tests kill, for each library.
"""

from __future__ import annotations

import dataclasses
import os
import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import Compiler, first_in_make_test
from gapless.launch.listener import Listener
from gapless.targets.two_nodes import Nodes, on_two_nodes
from killed import Killed, kill_one
from layered import LOGS, NAMES, Layered, find_layered, needs_namespaces

RANKS = 3
SETTINGS = LOGS | {"GAPLESS_SMALLEST_PAIRED": "1"}
QUIET = SETTINGS | {"GAPLESS_LOG": "0"}
THROUGH = re.compile(r"rank (\d+): MPI_(\w+): through shared memory: (\d+) blocks of \d+ bytes sent")

# argv: ROUNDS (0: for ever) and how many ms rank 1 comes late to each. All ranks of the world, then each half of them.
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { kLength = 3000, kMost = 8 };
static int out[kMost][2 * kLength], in[kMost][3 * kLength];
static int wrong(MPI_Comm comm, int round) {
  int rank, size, found = 0, ones[kMost], from[kMost], to[kMost];
  MPI_Datatype gapped, wide, sent[kMost], received[kMost];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Type_vector(kLength, 1, 2, MPI_INT, &gapped);
  MPI_Type_vector(kLength, 1, 3, MPI_INT, &wide);
  MPI_Type_commit(&gapped);
  MPI_Type_commit(&wide);
  for (int k = 0; k < size; ++k) {
    ones[k] = 1, from[k] = k * (int)sizeof out[0], to[k] = k * (int)sizeof in[0], sent[k] = gapped, received[k] = wide;
    for (int j = 0; j < 2 * kLength; ++j) out[k][j] = j + 10 * rank + k + round;
    for (int j = 0; j < 3 * kLength; ++j) in[k][j] = -1;
  }
  MPI_Alltoallw(out, ones, from, sent, in, ones, to, received, comm);
  for (int k = 0; k < size; ++k) {
    for (int j = 0; j < 3 * kLength; ++j)
      found += in[k][j] != (j % 3 == 0 && j / 3 < kLength ? j / 3 * 2 + 10 * k + rank + round : -1);
  }
  MPI_Bcast(in[round % size == rank ? 1 : 0], 1, wide, round % size, comm);
  MPI_Type_free(&gapped);
  MPI_Type_free(&wide);
  return found;
}
int main(int argc, char **argv) {
  int rank, found = 0;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  for (int round = 0; atoi(argv[1]) == 0 || round < atoi(argv[1]); ++round) {
    if (argc > 2 && rank == 1) usleep(1000 * atoi(argv[2]));
    found += wrong(MPI_COMM_WORLD, round) + wrong(half, round);
    if (round == 5 && rank == 0) puts("runs"), fflush(stdout);
  }
  printf("wrong %d\\n", found);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
"""

# argv: WAY (send, isend, start), ROUNDS (0: for ever) and how far on each message goes (1). Messages of several lengths
# go round in a ring.
MESSAGES = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { kSizes = 4, kMost = 1 << 18 };
static const int lengths[kSizes] = {3000, 1000, 20000, kMost};
static int out[kSizes][2 * kMost], in[kSizes][3 * kMost];
static MPI_Datatype sent[kSizes], received[kSizes];
static int rank, size, from, to;
static int value(int sender, int round, int which) { return 1000 * round + 10 * sender + which; }
static void write_all(int round) {
  for (int k = 0; k < kSizes; ++k) {
    for (int j = 0; j < lengths[k]; ++j) out[k][2 * j] = value(rank, round, k) + j;
    for (int j = 0; j < 3 * lengths[k]; ++j) in[k][j] = -1;
  }
}
static int wrong(int round) {
  int found = 0;
  for (int k = 0; k < kSizes; ++k)
    for (int j = 0; j < 3 * lengths[k]; ++j) found += in[k][j] != (j % 3 == 0 ? value(from, round, k) + j / 3 : -1);
  return found;
}
int main(int argc, char **argv) {
  int found = 0, isends;
  MPI_Request requests[2 * kSizes];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int step = argc > 3 ? atoi(argv[3]) : 1;
  to = (rank + step) % size, from = (rank + size - step) % size, isends = strcmp(argv[1], "isend") == 0;
  for (int k = 0; k < kSizes; ++k) {
    MPI_Type_vector(lengths[k], 1, 2, MPI_INT, &sent[k]);
    MPI_Type_vector(lengths[k], 1, 3, MPI_INT, &received[k]);
    MPI_Type_commit(&sent[k]);
    MPI_Type_commit(&received[k]);
    MPI_Recv_init(in[k], 1, received[k], from, k, MPI_COMM_WORLD, &requests[k]);
    MPI_Send_init(out[k], 1, sent[k], to, k, MPI_COMM_WORLD, &requests[kSizes + k]);
  }
  MPI_Barrier(MPI_COMM_WORLD);  /* nothing is paired with a process that is still in MPI_Init */
  for (int round = 0; atoi(argv[2]) == 0 || round < atoi(argv[2]); ++round) {
    write_all(round);
    if (strcmp(argv[1], "start") == 0) {
      MPI_Startall(2 * kSizes, requests);
      MPI_Waitall(2 * kSizes, requests, MPI_STATUSES_IGNORE);
    } else if (isends) {
      MPI_Request own[2 * kSizes];
      for (int k = 0; k < kSizes; ++k) {
        MPI_Irecv(in[k], 1, received[k], from, k, MPI_COMM_WORLD, &own[k]);
        MPI_Isend(out[k], 1, sent[k], to, k, MPI_COMM_WORLD, &own[kSizes + k]);
      }
      MPI_Waitall(2 * kSizes, own, MPI_STATUSES_IGNORE);
    } else {
      for (int k = 0; k < kSizes; ++k) {
        if (rank == 0) MPI_Send(out[k], 1, sent[k], to, k, MPI_COMM_WORLD);
        MPI_Recv(in[k], 1, received[k], from, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0) MPI_Send(out[k], 1, sent[k], to, k, MPI_COMM_WORLD);
      }
    }
    found += wrong(round);
    if (found != 0) printf("wrong %d\\n", found), fflush(stdout);
    if (round == 5 && rank == 0) puts("runs"), fflush(stdout);
  }
  for (int k = 0; k < kSizes; ++k) {
    MPI_Type_free(&sent[k]);
    MPI_Type_free(&received[k]);
    MPI_Request_free(&requests[k]);
    MPI_Request_free(&requests[kSizes + k]);
  }
  if (found == 0) puts("wrong 0");
  MPI_Finalize();
  return 0;
}
"""
WAYS = ("send", "isend", "start")


@pytest.fixture(params=first_in_make_test(NAMES))
def layered(request: pytest.FixtureRequest, compile_c: Compiler) -> Layered:
    """Each library in turn."""
    return find_layered(request.param, compile_c)


def ours_in_shared_memory() -> set[str]:
    return {name for name in os.listdir("/dev/shm") if "gapless" in name}


@pytest.mark.parametrize("times", first_in_make_test((4, 20)))
def test_a_killed_rank_ends_the_job(layered: Layered, times: int) -> None:
    program = layered.program("exchanges", PROGRAM)
    before, draw = ours_in_shared_memory(), random.Random(times)
    lived = [kill_one(layered, RANKS, [program, 0], QUIET, draw).lived_s for _ in range(times)]
    print(f"{layered.library.name}: the others lived on for up to {max(lived):.2f} s")
    assert ours_in_shared_memory() <= before


@pytest.mark.parametrize("times", first_in_make_test((6, int(os.environ.get("KILLS", "30")))))
def test_a_kill_ends_a_job_with_messages(layered: Layered, times: int) -> None:
    """Of each four times once it is the launcher that is killed. It says what it says without the layer."""
    program = layered.program("messages", MESSAGES)
    before, draw = ours_in_shared_memory(), random.Random(times)
    without = kill_one(layered, RANKS, [program, WAYS[0], 0], {"GAPLESS_DISABLE": "1"}, draw)
    killed: dict[bool, list[Killed]] = {False: [], True: []}
    for k in range(times):
        launcher = k % 4 == 3
        killed[launcher].append(kill_one(layered, RANKS, [program, WAYS[k % len(WAYS)], 0], QUIET, draw, launcher))
    assert ours_in_shared_memory() <= before
    assert {job.code for job in killed[False]} == {without.code}
    for launcher, jobs in killed.items():
        name = "launcher" if launcher else "rank"
        codes = sorted({job.code for job in jobs})
        lived_s = max(job.lived_s for job in jobs)
        print(f"{layered.library.name}: {len(jobs)} times a {name}: codes {codes}, up to {lived_s:.2f} s")


@pytest.mark.parametrize("way", WAYS)
def test_the_messages_of_these_jobs_go_through_shared_memory(layered: Layered, way: str) -> None:
    assert paired(layered.run(RANKS, [layered.program("messages", MESSAGES), way, 3], SETTINGS)) >= RANKS * 3 * 4


def paired(answer: subprocess.CompletedProcess[str]) -> int:
    """Return how many calls went through shared memory; the data are right."""
    assert answer.returncode == 0, answer.stderr
    assert set(re.findall(r"wrong \d+", answer.stdout)) == {"wrong 0"}, answer.stdout
    return len(THROUGH.findall(answer.stderr))


BOTH_PROGRAMS: tuple[tuple[object, ...], ...] = (("exchanges", PROGRAM, 2, 200), ("messages", MESSAGES, "isend", 3))


def compiled(layered: Layered, words: Sequence[object]) -> list[object]:
    """Return the command that a program's name, source and arguments are."""
    name, source, *arguments = words
    return [layered.program(str(name), str(source)), *arguments]


def run_or_skip(
    layered: Layered, command: Sequence[object], first: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a command under the layer; skip the test where it does not work without."""
    if layered.run(RANKS, command, {"GAPLESS_DISABLE": "1"}, first).returncode != 0:
        pytest.skip("the library does not work so")
    return layered.run(RANKS, command, SETTINGS, first)


def test_a_late_rank_is_waited_for(layered: Layered) -> None:
    assert paired(layered.run(RANKS, [layered.program("exchanges", PROGRAM), 2, 200], SETTINGS)) > 0


@pytest.mark.parametrize("own_proc", [True, False])
def test_ranks_that_cannot_see_one_another_do_not_pair(layered: Layered, own_proc: bool) -> None:
    """A PID namespace for each, as containers have: nobody could tell whether another one has ended."""
    needs_namespaces()
    inside = ["unshare", "-pf", "--kill-child", *(["--mount-proc"] if own_proc else [])]
    for words in BOTH_PROGRAMS:
        answer = run_or_skip(layered, [*inside, *compiled(layered, words)])
        assert paired(answer) == 0
        assert answer.stderr.count("shared memory: none (") == RANKS, answer.stderr


@pytest.mark.parametrize(("folder", "pairs"), [("/dev/shm", True), ("/proc", False)])
def test_a_folder_is_missing(layered: Layered, folder: str, pairs: bool) -> None:
    """Nothing fits into /dev/shm, which is none of our memory; or nobody can ask in /proc who runs."""
    needs_namespaces()
    hidden = f'mount -t tmpfs -o size=4k none {folder} && exec "$@"'
    for words in BOTH_PROGRAMS:
        answer = run_or_skip(layered, compiled(layered, words), ["unshare", "-m", "sh", "-c", hidden, "sh"])
        assert (paired(answer) > 0) == pairs, answer.stderr
        assert pairs or answer.stderr.count("shared memory: none (") == RANKS, answer.stderr


def test_two_nodes_pair_within_each(compile_c: Compiler) -> None:
    """Ranks take turns on the nodes, so that each half of the world is on one of them."""
    needs_namespaces()
    for name in NAMES[:2]:
        found = find_layered(name, compile_c)
        with Nodes() as nodes, Listener(Path(f"/proc/{nodes.pids[0]}/ns/net")) as listener:
            listener.start()
            layered = dataclasses.replace(found, library=on_two_nodes(found.library, nodes))
            rounds, settings = 3, SETTINGS | listener.settings
            answer = layered.run(4, [layered.program("exchanges", PROGRAM), rounds], settings)
            messages = layered.program("messages", MESSAGES)
            sent = {step: layered.run(4, [messages, "isend", rounds, step], settings) for step in (1, 2)}
        calls = THROUGH.findall(answer.stderr)
        assert paired(answer) == 4 * 2 * rounds, answer.stderr
        # One block to the other one of the half; of a broadcast the receiver sends none.
        assert {(call, blocks) for _, call, blocks in calls} == {("Alltoallw", "1"), ("Bcast", "1"), ("Bcast", "0")}
        # Messages to the next rank leave the node, those to the one behind it stay; each is logged by its receiver.
        assert paired(sent[1]) == 0
        assert paired(sent[2]) == 4 * rounds * 4
