"""What goes through memory that the processes of a node share: switched, counted, logged, and seen by the doctor."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, Compiler
from gapless.doctor.probe import pairing
from gapless.launch.reach import Rank
from gapless.paths import Build

# Every rank sends every other one a block of 256 KiB: strided, switched off in between, of 1 KiB, and again, but
# contiguous to the next one. Then rank 0 broadcasts two at once, and 1 KiB.
EXCHANGES = """
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
enum { kRows = 4096, kBlock = 16, kColumns = 64, kMost = 4 };
static int from[kMost][kRows][kColumns], to[kMost][kRows][kColumns];
static int rank, size;
static MPI_Comm comm = MPI_COMM_WORLD;
static int exchange(MPI_Datatype type, int rows, int plain) {
  int counts[2][kMost], places[kMost], wrong = 0;
  MPI_Datatype types[2][kMost];
  for (int peer = 0; peer < size; ++peer) {
    for (int in = 0; in < 2; ++in) {
      int is_plain = plain && (in ? peer + 1 : rank + 1) % size == (in ? rank : peer);
      types[in][peer] = is_plain ? MPI_INT : type;
      counts[in][peer] = peer == rank ? 0 : is_plain ? kRows * kBlock : 1;
    }
    places[peer] = peer * (int)sizeof from[0];
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) from[peer][i][j] = rank * 1000000 + i * kColumns + j, to[peer][i][j] = -1;
  }
  MPI_Alltoallw(from, counts[0], places, types[0], to, counts[1], places, types[1], comm);
  for (int peer = 0; peer < size; ++peer)
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) {
        int is_plain = plain && (peer + 1) % size == rank;
        int is_sent = peer != rank && (is_plain ? i * kColumns + j < kRows * kBlock : i < rows && j < kBlock);
        wrong += to[peer][i][j] != (is_sent ? peer * 1000000 + i * kColumns + j : -1);
      }
  return wrong;
}
int main(int argc, char **argv) {
  MPI_Datatype large, small;
  int wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int (*paired)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "GAPLESS_Switch_paired");
  MPI_Type_vector(kRows, kBlock, kColumns, MPI_INT, &large);
  MPI_Type_vector(16, kBlock, kColumns, MPI_INT, &small);
  MPI_Type_commit(&large);
  MPI_Type_commit(&small);
  wrong += exchange(large, kRows, 0);
  if (paired(0) != 1) ++wrong;
  wrong += exchange(large, kRows, 0);
  if (paired(1) != 0) ++wrong;
  wrong += exchange(large, kRows, 0);
  wrong += exchange(small, 16, 0);
  wrong += exchange(large, kRows, 1);
  MPI_Bcast(from, 2, large, 0, comm);
  MPI_Bcast(from, 1, small, 0, comm);
  printf("wrong %d\\n", wrong);
  MPI_Finalize();
  return 0;
}
"""
BLOCK = 4096 * 16 * 4
Run = Callable[..., tuple[dict[str, Any], str]]


@pytest.fixture(scope="module")
def exchanges(compile_c: Compiler) -> Path:
    """A program that exchanges strided blocks."""
    return compile_c("exchanges", EXCHANGES)


@pytest.fixture
def run(gapless: Command, build: Build, exchanges: Path, tmp_path: Path) -> Run:
    """Run it on three ranks, with settings; return what was counted, and what was logged."""

    def of(*words: str, **settings: str) -> tuple[dict[str, Any], str]:
        stats, log = tmp_path / "stats.json", tmp_path / "log"
        command = ["--", build.mpiexec, "-n", 3, exchanges, *words]
        answer = gapless("run", f"--stats=json:{stats}", *command, GAPLESS_LOG=str(log), **settings)
        assert (answer.returncode, answer.stdout) == (0, "wrong 0\n" * 3), answer.stderr
        return json.loads(stats.read_text()), log.read_text()

    return of


def test_what_is_paired_is_counted_by_procedure_and_peer(run: Run) -> None:
    stats, _ = run()
    alltoallw, bcast = stats["procedures"]["MPI_Alltoallw"], stats["procedures"]["MPI_Bcast"]
    # Three of five calls, on three ranks: twice to two others, once to one.
    assert (alltoallw["calls"], alltoallw["paired"]) == (15, 9)
    assert (alltoallw["paired_sent"], alltoallw["paired_sent_bytes"]) == (15, 15 * BLOCK)
    assert (alltoallw["paired_received"], alltoallw["paired_received_bytes"]) == (15, 15 * BLOCK)
    assert alltoallw["unpaired"] == {"small": 6, "contiguous": 3}
    # Packed once for two.
    assert (bcast["calls"], bcast["paired"], bcast["paired_sent"], bcast["paired_received"]) == (6, 3, 1, 2)
    assert bcast["unpaired"] == {"small": 3}
    blocks = {(of["from"], of["to"]): (of["blocks"], of["bytes"]) for of in stats["shared_memory"]["blocks"]}
    of = {(0, 1): 3, (0, 2): 4, (1, 0): 3, (1, 2): 2, (2, 0): 2, (2, 1): 3}
    assert blocks == {pair: (n, (n + (pair[0] == 0)) * BLOCK) for pair, n in of.items()}
    assert stats["unshared"] == []


def test_peers_have_their_ranks_in_the_world(run: Run) -> None:
    of = {(0, 1): 3, (0, 2): 4, (1, 0): 3, (1, 2): 2, (2, 0): 2, (2, 1): 3}
    blocks = {(one["from"], one["to"]): one["blocks"] for one in run("turned")[0]["shared_memory"]["blocks"]}
    assert blocks == {(2 - sender, 2 - receiver): n for (sender, receiver), n in of.items()}


def test_the_pool_is_shown(run: Run) -> None:
    pool = run()[0]["shared_memory"]
    assert pool["chunks"] >= 3 * 2 and pool["busy"] == 0
    assert 0 < pool["used_bytes"] <= pool["cap_bytes"] == 1 << 30


def test_each_paired_call_is_a_line_of_the_log(run: Run) -> None:
    _, log = run()
    assert len(re.findall("shared memory: with this node", log)) == 3
    told = re.findall(r"rank (\d): MPI_Alltoallw: through shared memory: 2 blocks of (\d+) bytes sent, 2 of", log)
    assert sorted(told) == sorted([(str(rank), str(2 * BLOCK)) for rank in range(3)] * 2)


def test_a_pool_without_room_is_a_reason(run: Run) -> None:
    # Half of it, two chunks of 96 KiB, is less than a block.
    stats, _ = run(GAPLESS_PAIRED_BYTES="400K")
    assert stats["procedures"]["MPI_Alltoallw"]["unpaired"] == {"staging": 15, "small": 6, "contiguous": 3}
    assert "paired" not in stats["procedures"]["MPI_Alltoallw"]


def test_without_shared_memory_the_reason_is_told(run: Run) -> None:
    stats, log = run(GAPLESS_PAIRED="0")
    assert stats["unshared"] == ["GAPLESS_PAIRED=0"]
    assert stats["shared_memory"]["chunks"] == 0
    assert len(re.findall(r"shared memory: none \(GAPLESS_PAIRED=0\)", log)) == 3


def test_the_tables_say_the_same(gapless: Command, build: Build, exchanges: Path) -> None:
    answer = gapless("run", "--stats", "--", build.mpiexec, "-n", 3, exchanges)
    lines = [line.split() for line in answer.stderr.splitlines()]
    assert ["MPI_Bcast", "3", "1", str(2 * BLOCK), "2", str(4 * BLOCK), "small", "3"] in lines
    assert f"rank 0 to 2: 4 blocks, {5 * BLOCK} bytes" in answer.stderr
    assert re.search(
        r"shared memory: \d+ chunks in all pools, 0 in use at the end; \d+ of 1073741824 bytes", answer.stderr
    )


def test_the_layers_own_table(build: Build, exchanges: Path) -> None:
    front = build.folder / "src/preload/libgapless_preload_lc.so"
    command = [build.mpiexec, "-n", 3, "-genv", "LD_PRELOAD", front, "-genv", "GAPLESS_STATS", "1", exchanges]
    answer = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, check=False)
    assert f"rank 2: 4 blocks of {5 * BLOCK} bytes sent, 2 of {2 * BLOCK} bytes received" in answer.stderr
    assert "not paired:  contiguous 1  small 2" in answer.stderr


def _rank(unshared: str, paired: int) -> Rank:
    counts = {"procedures": {"MPI_Bcast": {"calls": 1, "paired": paired}}}
    return Rank(0, 2, "MPICH Version: 5.0.2", counts, unshared=unshared)


def test_the_doctor_tells_why_nothing_is_paired() -> None:
    assert pairing([]) is None
    assert pairing([_rank("", 1), _rank("", 1)]) == {"works": True, "reason": ""}
    assert pairing([_rank("", 1), _rank("no /proc", 0)]) == {"works": False, "reason": "no /proc"}
    assert pairing([_rank("", 1), _rank("", 0)]) == {
        "works": False, "reason": "the processes share memory, but no call was paired",
    }  # fmt: skip
