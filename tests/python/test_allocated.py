"""Memory of MPI_Alloc_mem under the layer, and sends that are offered until they complete: nonblocking, persistent and
combined ones.
"""

from __future__ import annotations

import dataclasses
import random
import re
from pathlib import Path

import pytest
from conftest import Compiler, first_in_make_test
from killed import kill_one
from layered import NAMES, Layered, find_layered, ways_counted

SETTINGS = {"GAPLESS_SMALLEST_PAIRED": "8192", "GAPLESS_WAY": "direct", "GAPLESS_ALLOC_MEM": "shared"}

# argv: MEMORY (alloc, by GAPLESS_Alloc as gapless, with a hint as hint or hint_no), WHAT, ROUNDS (0: for ever). Both
# ranks send a column to each other and receive it as another one.
PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { kLength = 40000 };
static int rank, wrong, *out, *in;
static MPI_Datatype sent, received;
static const char *memory, *what;
static int is(const char *name) { return strcmp(what, name) == 0; }
static int kind(const char *name) { return strcmp(memory, name) == 0; }
static void *allocate(MPI_Aint bytes) {
  void *base = NULL;
  if (kind("gapless")) {
    int (*gapless)(MPI_Aint, void *) = (int (*)(MPI_Aint, void *))dlsym(RTLD_DEFAULT, "GAPLESS_Alloc");
    if (gapless == NULL || gapless(bytes, &base) != MPI_SUCCESS) puts("cannot allocate"), exit(3);
  } else {
    MPI_Info hints = MPI_INFO_NULL;
    if (strncmp(memory, "hint", 4) == 0) {
      MPI_Info_create(&hints);
      MPI_Info_set(hints, "gapless_shared", kind("hint") ? "true" : "false");
    }
    MPI_Alloc_mem(bytes, hints, &base);
    if (hints != MPI_INFO_NULL) MPI_Info_free(&hints);
  }
  return base;
}
static void give_back(void *base) {
  int (*gapless)(void *) = kind("gapless") ? (int (*)(void *))dlsym(RTLD_DEFAULT, "GAPLESS_Free") : MPI_Free_mem;
  wrong += gapless(base) != MPI_SUCCESS;
}
/* One by one, or in long runs. */
static int place(int j) { return getenv("LONG") != NULL ? j / 1000 * 2000 + j % 1000 : 2 * j; }
static void fill(int round) {
  for (int j = 0; j < kLength; ++j) out[place(j)] = 7 * round + j + rank;
  for (int j = 0; j < 3 * kLength; ++j) in[j] = -1;
}
static void check(int round) {
  for (int j = 0; j < 3 * kLength; ++j) wrong += in[j] != (j % 3 == 0 ? 7 * round + j / 3 + 1 - rank : -1);
}
/* What a fork makes of the memory. */
static void split(int round) {
  int ends[2], told = 0;
  int *const gap = out + (getenv("LONG") != NULL ? 1500 : 1);
  *gap = 1, fflush(stdout);
  if (pipe(ends) != 0) exit(3);
  const pid_t child = fork();
  if (child == 0) {
    while (read(ends[0], &told, sizeof told) != sizeof told) {}
    const int is_copy = told == 2 && *gap == 1 && out[0] == 7 * round + rank;
    *gap = 3;
    _exit(is_copy ? 0 : 1);
  }
  told = *gap = 2;
  if (write(ends[1], &told, sizeof told) != sizeof told) exit(3);
  waitpid(child, &told, 0);
  wrong += told != 0 || *gap != 2;
  close(ends[0]), close(ends[1]);
}
static void exchange(int round) {
  MPI_Request list[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, *receive = &list[0], *send = &list[1];
  const int peer = 1 - rank;
  int flag = 0, index = 0, count = 0, indices[2];
  fill(round);
  if (is("fork") && round == 10) split(round);
  if (is("fork") && round >= 10 && getenv("LONG") != NULL) {
    /* Rewritten by a process that has forked: what its peer has mapped is what it was before. */
    if (rank == 0) MPI_Send(out, 1, sent, peer, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 1, received, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, 1, sent, peer, 1, MPI_COMM_WORLD);
    return check(round);
  }
  if (is("sendrecv")) {
    MPI_Sendrecv(out, 1, sent, peer, 1, in, 1, received, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return check(round);
  }
  if (is("slow") && rank == 1) {
    /* Asks nothing of MPI while the other tests, waits, or has freed its request. */
    usleep(20000);
    if (round % 3 == 2) MPI_Barrier(MPI_COMM_WORLD);
  }
  if (!(is("slow") && rank == 1)) MPI_Isend(out, 1, sent, peer, 1, MPI_COMM_WORLD, send);
  if (is("slow") && rank == 0) {
    if (round % 3 == 0) while (flag == 0) MPI_Test(send, &flag, MPI_STATUS_IGNORE);
    if (round % 3 == 1) MPI_Wait(send, MPI_STATUS_IGNORE);
    if (round % 3 == 2) MPI_Request_free(send), MPI_Barrier(MPI_COMM_WORLD);
    wrong += *send != MPI_REQUEST_NULL;
    MPI_Recv(in, 1, received, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return check(round);
  }
  if (is("slow")) {
    MPI_Recv(in, 1, received, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, sent, peer, 1, MPI_COMM_WORLD);
    return check(round);
  }
  if (is("cancel")) MPI_Cancel(send);
  if (is("blocking receive")) {
    MPI_Recv(in, 1, received, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Irecv(in, 1, received, peer, 1, MPI_COMM_WORLD, receive);
  }
  switch (round % 9) {
    case 0: MPI_Waitall(2, list, MPI_STATUSES_IGNORE); break;
    case 1: MPI_Wait(receive, MPI_STATUS_IGNORE), MPI_Wait(send, MPI_STATUS_IGNORE); break;
    case 2: while (flag == 0) MPI_Testall(2, list, &flag, MPI_STATUSES_IGNORE); break;
    case 3: for (int k = 0; k < 2; ++k) MPI_Waitany(2, list, &index, MPI_STATUS_IGNORE); break;
    case 4: while (count != MPI_UNDEFINED) MPI_Waitsome(2, list, &count, indices, MPI_STATUSES_IGNORE); break;
    case 5: for (int k = 0; k < 2; k += flag) MPI_Testany(2, list, &index, &flag, MPI_STATUS_IGNORE); break;
    case 6: while (count != MPI_UNDEFINED) MPI_Testsome(2, list, &count, indices, MPI_STATUSES_IGNORE); break;
    case 7:
      while (flag == 0) MPI_Request_get_status(*send, &flag, MPI_STATUS_IGNORE);
      MPI_Waitall(2, list, MPI_STATUSES_IGNORE);
      break;
    default: MPI_Wait(send, MPI_STATUS_IGNORE), MPI_Wait(receive, MPI_STATUS_IGNORE);
  }
  wrong += *send != MPI_REQUEST_NULL || *receive != MPI_REQUEST_NULL;
  check(round);
}
int main(int argc, char **argv) {
  MPI_Request persistent[2];
  const int rounds = atoi(argv[3]);
  memory = argv[1], what = argv[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  out = allocate(2 * kLength * sizeof(int)), in = allocate(3 * kLength * sizeof(int));
  if (getenv("LONG") != NULL) {
    MPI_Type_vector(kLength / 1000, 1000, 2000, MPI_INT, &sent);
  } else {
    MPI_Type_vector(kLength, 1, 2, MPI_INT, &sent);
  }
  MPI_Type_vector(kLength, 1, 3, MPI_INT, &received);
  MPI_Type_commit(&sent);
  MPI_Type_commit(&received);
  if (is("persistent")) {
    MPI_Recv_init(in, 1, received, 1 - rank, 1, MPI_COMM_WORLD, &persistent[0]);
    MPI_Send_init(out, 1, sent, 1 - rank, 1, MPI_COMM_WORLD, &persistent[1]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; rounds == 0 || round < rounds; ++round) {
    if (is("persistent")) {
      fill(round);
      MPI_Startall(2, persistent);
      if (round % 2 == 0) MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
      for (int done = 0; round % 2 == 1 && done == 0;) MPI_Testall(2, persistent, &done, MPI_STATUSES_IGNORE);
      check(round);
    } else {
      exchange(round);
    }
    if (wrong != 0) printf("wrong %d in round %d\\n", wrong, round), fflush(stdout), exit(1);
    if (round == 5 && rank == 0) puts("runs"), fflush(stdout);
  }
  if (is("persistent")) MPI_Request_free(&persistent[0]), MPI_Request_free(&persistent[1]);
  if (is("freed at the end") && rank == 0) {
    MPI_Request request;
    fill(0);
    MPI_Isend(out, 1, sent, 1, 2, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Finalize();
    memset(out, 0, 2 * kLength * sizeof(int));  /* the program's again */
    puts("wrong 0");
    return 0;
  }
  if (is("freed at the end")) {
    usleep(20000);
    for (int j = 0; j < 3 * kLength; ++j) in[j] = -1;
    MPI_Recv(in, 1, received, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(0);
    printf("wrong %d\\n", wrong);
    MPI_Finalize();
    return wrong != 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  give_back(out), give_back(in);
  printf("wrong %d\\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
"""


@pytest.fixture(params=first_in_make_test(NAMES))
def layered(request: pytest.FixtureRequest, compile_c: Compiler) -> Layered:
    """Each library in turn, by a front that knows all of its procedures."""
    return dataclasses.replace(find_layered(request.param, compile_c), plain=False)


def run(layered: Layered, tmp_path: Path, *words: object, **settings: str) -> dict[str, int]:
    """Run the program; return what its processes count of the ways, together."""
    stats = tmp_path / "stats.json"
    stats.unlink(missing_ok=True)
    answer = layered.run(
        2, [layered.program("allocated", PROGRAM), *words], SETTINGS | {"GAPLESS_STATS": f"json:{stats}"} | settings
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert re.findall(r"wrong \d+|cannot", answer.stdout) == 2 * ["wrong 0"], answer.stdout
    return ways_counted(stats)


@pytest.mark.parametrize("what", ["", "persistent", "sendrecv", "blocking receive", "cancel", "slow"])
def test_each_message_is_copied_once_or_packed(layered: Layered, tmp_path: Path, what: str) -> None:
    """All but the first ones are offered, and none is lost, whenever its receiver begins."""
    rounds = 60
    counts = run(layered, tmp_path, "alloc", what, rounds)
    assert counts["allocated"] == 4
    assert counts["offered"] >= 2 * (rounds - 3)
    assert counts.get("direct", 0) + counts.get("taken_back", 0) == counts["offered"]
    assert counts.get("refused", 0) == 0
    # Open MPI's own send of a header waits for the receiver to look.
    if what == "slow" and layered.library.name != "openmpi":
        assert counts["taken_back"] >= 2 * rounds // 3 - 3  # what is freed its receiver copies by itself
    if what != "slow":
        assert counts["direct"] > 0


@pytest.mark.parametrize(
    ("memory", "setting", "allocated"),
    [
        ("alloc", "shared", 4),
        ("alloc", "library", 0),
        ("gapless", "auto", 4),
        ("gapless", "library", 0),
        ("hint", "auto", 4),
        ("hint_no", "shared", 0),
    ],
)
def test_who_says_which_memory_it_is(
    layered: Layered, tmp_path: Path, memory: str, setting: str, allocated: int
) -> None:
    """The user's word goes before the program's, and that before what the machine suggests."""
    counts = run(layered, tmp_path, memory, "", 10, GAPLESS_ALLOC_MEM=setting)
    assert counts.get("allocated", 0) == allocated
    assert ("offered" in counts) == (allocated > 0)


def test_the_log_says_whose_memory_it_is(layered: Layered, tmp_path: Path) -> None:
    """By itself the layer leaves a library its memory where that has huge pages, as Intel MPI's."""
    told = {}
    for setting in ("shared", "auto", "all"):
        log = tmp_path / setting
        run(layered, tmp_path, "alloc", "", 2, GAPLESS_ALLOC_MEM=setting, GAPLESS_LOG=str(log))
        told[setting] = set(re.findall(r"MPI_Alloc_mem: (.*)", log.read_text()))
    assert told["shared"] == {"memory that this node can map"}
    assert told["auto"] == told["all"] != set()
    assert all("huge pages" in line for line in told["auto"] - told["shared"])
    # A setting that there is not.
    assert "GAPLESS_ALLOC_MEM=all" in (tmp_path / "all").read_text()


def test_a_child_of_fork_has_a_copy(layered: Layered, tmp_path: Path) -> None:
    """Messages before it are copied once; after it the memory is private, and they are packed."""
    counts = run(layered, tmp_path, "alloc", "fork", 20)
    assert 2 * 7 <= counts["offered"] <= 2 * 10


@pytest.mark.parametrize("way", ["adaptive", "kernel", "direct"])
def test_what_is_sent_after_a_fork_is_what_the_sender_has(layered: Layered, tmp_path: Path, way: str) -> None:
    """Not what its peer has mapped, by whatever way it could be read."""
    run(layered, tmp_path, "alloc", "fork", 60, GAPLESS_WAY=way, LONG="1")


def test_what_is_freed_before_the_end_arrives(layered: Layered, tmp_path: Path) -> None:
    run(layered, tmp_path, "alloc", "freed at the end", 10)


@pytest.mark.parametrize("times", first_in_make_test((4, 40)))
def test_a_killed_rank_ends_the_job(layered: Layered, times: int) -> None:
    """Whatever it, or its peer, was copying; and no name is left of the memory."""
    program = layered.program("allocated", PROGRAM)
    draw = random.Random(times)
    for _ in range(times):
        kill_one(layered, 2, [program, "alloc", "", 0], SETTINGS, draw)


# Rank 0 sends layouts that rank 1 has not seen, while it waits for an answer and so packs nothing; rank 1 has no memory
# but what it keeps aside in a few small blocks.
STARVED = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
enum { kLayouts = 8, kBlocks = 4000, kStep = 6, kRoom = kBlocks * kStep, kAside = 32768 };
static int *in, *out;
static void starve(void) {
  char line[256];
  long kilobytes = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status) != NULL) sscanf(line, "VmSize: %ld kB", &kilobytes);
  fclose(status);
  void *const aside = malloc(kAside);
  const struct rlimit most = {(rlim_t)kilobytes << 10, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &most) != 0) puts("cannot limit"), exit(3);
  for (size_t bytes = 1 << 20; bytes >= 64; bytes /= 2) {
    while (malloc(bytes) != NULL) {}
  }
  free(aside);
}
int main(int argc, char **argv) {
  MPI_Datatype sent[kLayouts], received;
  int rank, wrong = 0, last, at[kBlocks];
  alarm(60);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Alloc_mem(kRoom * sizeof(int), MPI_INFO_NULL, &out);
  MPI_Alloc_mem(kRoom * sizeof(int), MPI_INFO_NULL, &in);
  for (int k = 0; k < kLayouts; ++k) {
    /* No two distances in a row are alike, and no two layouts. */
    srand(k + 1);
    for (int j = 0; j < kBlocks; ++j) at[j] = kStep * j + rand() % (kStep - 1);
    MPI_Type_create_indexed_block(kBlocks, 1, at, MPI_INT, &sent[k]);
    MPI_Type_commit(&sent[k]);
  }
  MPI_Type_vector(kBlocks, 1, 2, MPI_INT, &received);
  MPI_Type_commit(&received);
  for (int k = 0; k < kRoom; ++k) out[k] = k;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < kLayouts; ++round) {
    MPI_Request send;
    if (round == 3 && rank == 1) starve();  /* by then it has mapped the memory */
    if (rank == 0) {
      MPI_Isend(out, 1, sent[round], 1, 1, MPI_COMM_WORLD, &send);
      MPI_Recv(&last, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, 1, received, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      srand(round + 1);
      for (int j = 0; j < kBlocks; ++j) wrong += in[2 * j] != kStep * j + rand() % (kStep - 1);
      MPI_Send(&round, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
  }
  if (rank == 1) setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
  printf("wrong %d\\n", wrong);
  MPI_Finalize();
  return 0;
}
"""


def test_a_receiver_without_memory_for_a_layout_copies_all_the_same(layered: Layered, tmp_path: Path) -> None:
    """Its sender waits for the answer, and packs nothing: to refuse the message would be to wait for ever."""
    stats = tmp_path / "stats.json"
    settings = SETTINGS | {"GAPLESS_STATS": f"json:{stats}"}
    answer = layered.run(2, [layered.program("starved", STARVED)], settings)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert re.findall(r"wrong \d+|cannot", answer.stdout) == 2 * ["wrong 0"], answer.stdout
    counts = ways_counted(stats)
    assert counts["offered"] > 0 and counts.get("refused", 0) == 0
