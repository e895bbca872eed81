"""Messages by each way between two processes of a node (GAPLESS_WAY): that it is taken, that no sender waits for a
receiver that does not receive, and what becomes of them where the way is forbidden or a process is killed.
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

CAP_SYS_PTRACE = 19  # linux/capability.h
SETTINGS = {"GAPLESS_SMALLEST_PAIRED": "8192"}

# argv: MEMORY (heap, alloc, window, or window_c, where rank 0 makes it by MPI_Win_allocate_shared_c), WHAT, ROUNDS (0:
# for ever), and where runs are to be long ones: "long runs", or "long runs sent" by their sender alone. Rank 0 sends a
# column, rank 1 receives it as another one, and answers.
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
enum { kLength = 40000, kGroup = 1000, kPrompt = 150 };
/* Not all headers and libraries have it. */
int MPI_Win_allocate_shared_c(MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void *, MPI_Win *) __attribute__((weak));
static int rank, *out, *in;
static MPI_Datatype sent, received;
static const char *what;
static int has_long_runs, receives_long_runs;
static int is(const char *name) { return strcmp(what, name) == 0; }
static int is_late(int round) { return is("turns late") && round >= kPrompt; }
/* Whether a sender sends when its receiver is about to receive. */
static int waits(int round) { return !is("sleeps") && !is("barrier") && !is("split") && !is_late(round); }
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
/* Rank 1 is nobody's, until it ends: it may not read what belongs to root. */
static void become(uid_t user) {
  if (rank == 1 && setresuid(user, user, 0) != 0) puts("cannot become another user"), exit(3);
}
/* Where the j-th int is sent from: in groups with long gaps between, or one by one; or in long runs. */
static int place(int j) {
  if (has_long_runs) return j / kGroup * 2 * kGroup + j % kGroup;
  return is("groups") ? j / kGroup * 4 * kGroup + 2 * (j % kGroup) : 2 * j;
}
/* Which int is received at the j-th place, or -1. */
static int received_at(int j) {
  const int run = receives_long_runs ? kGroup : 1;
  return j % (3 * run) < run ? j / (3 * run) * run + j % run : -1;
}
static void send_one(int round) {
  for (int j = 0; j < kLength; ++j) out[place(j)] = 7 * round + j;
  if (waits(round)) MPI_Recv(NULL, 0, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double began = MPI_Wtime();
  MPI_Send(out, 1, sent, 1 - rank, 1, MPI_COMM_WORLD);
  if (MPI_Wtime() - began > 1) printf("late %f\\n", MPI_Wtime() - began);
}
static int receive_one(int round) {
  const int length = is("cut") ? kLength / 2 : kLength;
  int wrong = 0, class = MPI_SUCCESS;
  for (int j = 0; j < 3 * kLength; ++j) in[j] = -1;
  if (waits(round)) MPI_Send(NULL, 0, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD);
  MPI_Error_class(MPI_Recv(in, 1, received, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
  wrong += class != (is("cut") ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  for (int j = 0; j < 3 * kLength; ++j) {
    const int which = received_at(j);
    wrong += in[j] != (which >= 0 && which < length ? 7 * round + which : -1);
  }
  return wrong;
}
int main(int argc, char **argv) {
  MPI_Win window = MPI_WIN_NULL;
  const size_t bytes = kLength * sizeof(int);
  int found = 0, rounds = atoi(argv[3]);
  what = argv[2], has_long_runs = argc > 4, receives_long_runs = has_long_runs && strcmp(argv[4], "long runs") == 0;
  if (is("forbidden")) forbid();
  if (is("limited")) {  /* rank 0 gets no memory to share */
    const char *mine = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    const struct rlimit most = {1L << 46, 1L << 46};
    if (mine == NULL || (atoi(mine) == 0 && setrlimit(RLIMIT_AS, &most) != 0)) puts("cannot limit"), exit(3);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(argv[1], "window_c") == 0 && rank == 0) {
    if (MPI_Win_allocate_shared_c == NULL) puts("cannot: the library lacks it"), exit(3);
    MPI_Win_allocate_shared_c(8 * bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &out, &window);
  } else if (strncmp(argv[1], "window", 6) == 0) {
    MPI_Win_allocate_shared(8 * bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &out, &window);
  } else if (strcmp(argv[1], "alloc") == 0) {
    MPI_Info shared;
    MPI_Info_create(&shared);
    MPI_Info_set(shared, "gapless_shared", "true");
    MPI_Alloc_mem(8 * bytes, shared, &out);
    MPI_Info_free(&shared);
  } else {
    out = malloc(8 * bytes);
  }
  if (is("other user")) become(65534);
  in = out + 4 * kLength;
  if (has_long_runs) {
    MPI_Type_vector(kLength / kGroup, kGroup, 2 * kGroup, MPI_INT, &sent);
  } else {
    MPI_Type_vector(is("groups") ? kGroup : kLength, 1, 2, MPI_INT, &sent);
  }
  if (is("groups")) {
    MPI_Datatype group = sent;
    MPI_Type_create_hvector(kLength / kGroup, 1, 4 * kGroup * sizeof(int), group, &sent);
    MPI_Type_free(&group);
  }
  const int run = receives_long_runs ? kGroup : 1;
  MPI_Type_vector((is("cut") ? kLength / 2 : kLength) / run, run, 3 * run, MPI_INT, &received);
  if (is("cut")) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_commit(&sent);
  MPI_Type_commit(&received);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; rounds == 0 || round < rounds; ++round) {
    if (round == 5 && is("forbidden later")) forbid();
    if (rank == 0) send_one(round);
    if (rank == 1 && is("sleeps")) usleep(1500000);
    if (rank == 1 && is_late(round)) usleep(300);
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
  if (is("other user")) become(0);
  if (window != MPI_WIN_NULL) MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(params=first_in_make_test(NAMES))
def layered(request: pytest.FixtureRequest, compile_c: Compiler) -> Layered:
    """Each library in turn, by a front that knows all of its procedures."""
    return dataclasses.replace(find_layered(request.param, compile_c), plain=False)


def run(layered: Layered, tmp_path: Path, way: object, *words: object, log: str = "0") -> dict[str, int]:
    """Run the program; return what its processes count of the ways, together."""
    stats = tmp_path / "stats.json"
    stats.unlink(missing_ok=True)
    settings = SETTINGS | {"GAPLESS_WAY": str(way), "GAPLESS_STATS": f"json:{stats}", "GAPLESS_LOG": log}
    answer = layered.run(2, [layered.program("ways", PROGRAM), *words], settings)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert re.findall(r"wrong \d+|late|cannot", answer.stdout) == 2 * ["wrong 0"], answer.stdout
    return ways_counted(stats)


def run_until(wanted: str, layered: Layered, tmp_path: Path, *words: object, log: Path | None = None) -> dict[str, int]:
    """Run the program until something is counted: where the machine is busy, all receivers may come late."""
    for _ in range(20):
        if log is not None:
            log.unlink(missing_ok=True)
        counts = run(layered, tmp_path, *words, log="0" if log is None else str(log))
        if wanted in counts:
            return counts
    pytest.fail(f"nothing is {wanted}: {counts}")


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
    counts = run_until(taken, layered, tmp_path, way, memory, "", 40)
    assert counts["offered"] >= 2 * 38
    assert counts[taken] + counts.get("taken_back", 0) == counts["offered"]
    assert counts.get("refused", 0) == 0
    # Both ends show what they send, and read the other's; where both copy, what they receive, too.
    assert 3 <= counts["layout_new"] <= (8 if taken == "direct" else 4)
    assert counts["layout_known"] >= 2 * 36


@pytest.mark.parametrize(("way", "memory"), [("kernel", "heap"), ("entries", "heap"), ("direct", "window")])
@pytest.mark.parametrize("what", ["groups", "cut"])
def test_the_data_are_right(layered: Layered, tmp_path: Path, way: str, memory: str, what: str) -> None:
    """Of spans with long gaps between, several of which are read at a time; and of messages that are too long."""
    run_until("direct" if way == "direct" else "kernel", layered, tmp_path, way, memory, what, 20)


@pytest.mark.parametrize("way", ["host", "direct"])
def test_nothing_is_offered(layered: Layered, tmp_path: Path, way: str) -> None:
    """By host; and by direct, where nobody has mapped the memory."""
    assert run(layered, tmp_path, way, "heap", "", 10) == {}


def test_a_window_is_made_where_one_process_shares_no_memory(layered: Layered, tmp_path: Path) -> None:
    """Its members tell each other where their parts are: all of them, or those that do wait for ever."""
    assert run(layered, tmp_path, "direct", "window", "limited", 5) == {}


def test_one_process_makes_a_window_by_the_form_of_large_counts(layered: Layered, tmp_path: Path) -> None:
    """It tells where its part is as the others do, or they wait for ever."""
    if layered.library.name == "openmpi":
        pytest.skip("Open MPI 5 has no large counts")
    assert run(layered, tmp_path, "direct", "window_c", "", 10)["offered"] > 0
    # Where the layer cannot hear of that call nobody tells.
    plain = dataclasses.replace(layered, plain=True)
    assert run(plain, tmp_path, "direct", "window_c", "", 10) == run(plain, tmp_path, "direct", "window", "", 10) == {}


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


def test_who_turns_late_is_soon_offered_nothing_more(layered: Layered, tmp_path: Path) -> None:
    """If it was at all: one that is taken back costs its sender the wait."""
    prompt, late = 150, 1500
    counts = run(layered, tmp_path, "adaptive", "window", "turns late", prompt + late)
    print(f"{layered.library.name}: {counts}")
    # Of rank 0 eight, at most ten more in each trial; before, and of rank 1, whatever the machine makes late.
    assert counts.get("taken_back", 0) < late / 3


def test_without_permission_messages_are_packed(layered: Layered, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run(layered, tmp_path, "kernel", "heap", "forbidden", 10, log=str(log)) == {}
    # Once, not of each message.
    said = re.findall(r"rank (\d): the memory of rank (\d) cannot be read: Operation not permitted\n", log.read_text())
    assert sorted(said) == [("0", "1"), ("1", "0")]


def test_a_permission_that_is_lost_loses_no_message(layered: Layered, tmp_path: Path) -> None:
    counts = run_until("refused", layered, tmp_path, "kernel", "heap", "forbidden later", 40)
    assert counts["refused"] + counts.get("taken_back", 0) >= 2 * 34


def test_the_log_says_which_way_is_taken_and_why(layered: Layered, tmp_path: Path) -> None:
    """After half a trial, one, or three: one without a result is begun again twice."""
    layout = r"count 1 of 160000 bytes in 40000 runs"
    messages, ns = r"(?:11|[2-8]\d) messages", r"[1-9]\d* ns"
    cycles = rf"(?:host|direct) \(after {messages}: a cycle takes {ns} by host, {ns} by direct\)"
    for k in range(10):  # where the machine is busy, receivers come late, and that is said as well
        log = tmp_path / f"log{k}"
        run(layered, tmp_path, "adaptive", "window", "", 100, log=str(log))
        said = re.findall(rf"^gapless: rank (\d): to rank (\d): {layout}: {cycles}$", log.read_text(), re.MULTILINE)
        if sorted(said) == [("0", "1"), ("1", "0")]:
            return
    pytest.fail(log.read_text())


def test_what_is_refused_is_not_offered_again(layered: Layered, tmp_path: Path) -> None:
    """But in a trial, thousands of messages later. Both ends say why."""
    log = tmp_path / "log"
    counts = run_until("refused", layered, tmp_path, "adaptive", "heap", "forbidden later", 100, "long runs", log=log)
    told = log.read_text()
    refusing = re.findall(r"rank (\d): a message of rank \d cannot be read: Operation not permitted\n", told)
    refused = re.findall(r"to rank (\d): .*: host \(after \d+ messages: by kernel its receiver refuses it\)\n", told)
    assert refused and sorted(refusing) == sorted(refused) == sorted(set(refused)), told
    assert counts["refused"] == len(refused)


def test_short_runs_are_not_read_for_a_trial(layered: Layered, tmp_path: Path) -> None:
    """Where either end has them: the sender offers nothing, the receiver refuses once."""
    counts = run(layered, tmp_path, "adaptive", "heap", "", 100)
    assert counts.get("offered", 0) == counts.get("kernel", 0) == 0
    counts = run_until("kernel", layered, tmp_path, "adaptive", "heap", "", 100, "long runs")
    assert counts.get("refused", 0) == 0
    log = tmp_path / "log"
    counts = run_until("refused", layered, tmp_path, "adaptive", "heap", "", 100, "long runs sent", log=log)
    told = re.findall(r"rank \d: a message of rank \d cannot be read: its place here has short runs\n", log.read_text())
    assert counts["refused"] == len(told) <= 2
    assert counts.get("kernel", 0) == 0


def may_read_others() -> bool:
    """Tell if this process may become another user, and read that one's memory as root: not in many a container."""
    capabilities = re.search(r"CapEff:\s*([0-9a-f]+)", Path("/proc/self/status").read_text(encoding="ascii"))
    sees_all = Path("/proc/self/uid_map").read_text(encoding="ascii").split() == ["0", "0", "4294967295"]
    return sees_all and capabilities is not None and int(capabilities[1], 16) >> CAP_SYS_PTRACE & 1 == 1


@pytest.mark.skipif(not may_read_others(), reason="needs root, with the right to read others' memory")
@pytest.mark.parametrize(("way", "memory"), [("kernel", "heap"), ("direct", "alloc")])
def test_who_may_not_read_a_peer_is_sent_packed_messages(
    layered: Layered, tmp_path: Path, way: str, memory: str
) -> None:
    """A process of another user; the one of root goes on reading what that one sends."""
    log, rounds = tmp_path / "log", 40
    counts = run_until(way, layered, tmp_path, way, memory, "other user", rounds, log=log)
    assert 0 < counts[way] <= counts["offered"] <= rounds
    assert counts.get("refused", 0) == 0
    if way == "kernel":
        said = re.findall(r"rank (\d): the memory of rank (\d) cannot be read: (.*)\n", log.read_text())
        assert said == [("1", "0", "Operation not permitted")]


@pytest.mark.parametrize("times", first_in_make_test((4, 40)))
@pytest.mark.parametrize(("way", "memory"), [("kernel", "heap"), ("direct", "window")])
def test_a_killed_rank_ends_the_job(layered: Layered, times: int, way: str, memory: str) -> None:
    """Whatever it, or its peer, was copying."""
    program = layered.program("ways", PROGRAM)
    draw = random.Random(times)
    for _ in range(times):
        kill_one(layered, 2, [program, memory, "", 0], SETTINGS | {"GAPLESS_WAY": way}, draw)
