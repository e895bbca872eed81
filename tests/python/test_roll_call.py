"""Jobs over several nodes prove that all processes have the layer: who counts, the wire, and real jobs on two nodes."""

from __future__ import annotations

import dataclasses
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Compiler, first_in_make_test
from gapless.launch.layer import without_layer
from gapless.launch.listener import SETTING, Listener
from gapless.launch.roll_call import ENDED, Asked, RollCall
from gapless.launch.wire import STRANGERS
from gapless.targets.two_nodes import Nodes, on_two_nodes
from layered import LOGS, NAMES, Layered, find_layered, needs_namespaces

DIFFER = "no processes differ in settings, build or library"
MIXED = "no two jobs have one name"


def told(*nodes: str, job: str = "j") -> RollCall:
    roll = RollCall()
    for node in nodes:
        assert roll.tell(node, job) == [(node, "told")]
    return roll


def asked(*ranks: int, size: int = 4, facts: int = 7) -> Asked:
    return Asked(size, facts, ranks)


def test_all_are_answered_when_the_last_has_asked_and_heard() -> None:
    roll = told("a", "b")
    assert roll.ask("a", asked(0, 2)) == []
    all_said = "all 4 processes on 2 nodes have the layer"
    assert roll.ask("b", asked(1, 3)) == [("a", all_said), ("b", all_said)]
    assert roll.heard("b") == []
    assert roll.heard("a") == [("a", "yes"), ("b", "yes")]
    assert roll.gone("a") == roll.gone("b") == []


@pytest.mark.parametrize(
    ("last", "verdict"),
    [
        (asked(1), "no 3 of 4 processes are known to have the layer"),
        (asked(1, 4), "no 4 of 4 processes are known to have the layer"),
        (asked(1, 2), MIXED),
        (asked(1, 3, size=5), MIXED),
        (asked(1, 3, facts=8), DIFFER),
        (asked(1, 3, facts=0), DIFFER),
    ],
)
def test_what_does_not_add_up(last: Asked, verdict: str) -> None:
    roll = told("a", "b")
    roll.ask("a", asked(0, 2))
    assert roll.ask("b", last) == [("a", verdict), ("b", verdict)]
    assert roll.heard("a") == [], "nobody hears a no"


def test_a_node_that_never_told_is_missed_and_not_waited_for() -> None:
    roll = told("a")
    assert roll.ask("a", asked(0, 2)) == [("a", "no 2 of 4 processes are known to have the layer")]


def test_who_ends_makes_it_no() -> None:
    roll = told("a", "b", "c")
    assert roll.ask("a", asked(0)) == []
    assert roll.gone("b") == [("a", ENDED)]
    assert roll.ask("c", asked(1)) == [("c", ENDED)], "also for who asks later"
    roll = told("a", "b")
    roll.ask("a", asked(0, 1))
    roll.ask("b", asked(2, 3))
    roll.heard("a")
    assert roll.gone("b") == [("a", ENDED)], "it had not heard"
    assert roll.heard("a") == []


def test_jobs_are_apart() -> None:
    roll = told("a", "b")
    roll.tell("c", "k")
    assert roll.ask("c", asked(0, size=1)) == [("c", "all 1 processes on 1 nodes have the layer")]
    roll.ask("a", asked(0, 1))
    assert len(roll.ask("b", asked(2, 3))) == 2
    assert roll.tell("d", "j") == [("d", "told")], "the name comes again: another job"
    assert roll.ask("d", asked(0, size=1)) == [("d", "all 1 processes on 1 nodes have the layer")]


def test_who_did_not_tell_or_asks_twice_changes_nothing() -> None:
    roll = told("a", "b")
    assert roll.ask("x", asked(0, 1, 2, 3)) == roll.heard("x") == roll.gone("x") == []
    roll.ask("a", asked(0, 1))
    assert roll.ask("a", asked(0, 1, 2, 3)) == roll.tell("a", "k") == []
    assert roll.ask("b", asked(2, 3))[0] == ("a", "all 4 processes on 2 nodes have the layer")


@pytest.fixture
def listener() -> Iterator[Listener]:
    """One that answers, in our own namespace."""
    with Listener() as one:
        one.start()
        yield one


def port_of(listener: Listener) -> int:
    return int(listener.settings[SETTING].split("/")[0])


class Client:
    """A node by hand."""

    def __init__(self, listener: Listener) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port_of(listener)), timeout=10)
        self.lines = self.socket.makefile("rb")
        assert self.line() == listener.greeting

    def line(self) -> str:
        return self.lines.readline().decode().rstrip("\n")

    def say(self, text: str) -> None:
        self.socket.sendall(f"{text}\n".encode())

    def is_closed(self) -> bool:
        try:
            return self.lines.readline() == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


def exchange(listener: Listener, job: str) -> None:
    """Have two nodes agree."""
    nodes = [Client(listener), Client(listener)]
    for node in nodes:
        node.say(f"tell {listener.secret} {job}")
        assert node.line() == "told"
    for rank, node in enumerate(nodes):
        node.say(f"ask 2 ff {rank}")
    assert [node.line() for node in nodes] == ["all 2 processes on 2 nodes have the layer"] * 2
    for node in nodes:
        node.say("heard")
    assert [node.line() for node in nodes] == ["yes", "yes"]
    for node in nodes:
        node.close()


def test_the_wire(listener: Listener) -> None:
    exchange(listener, "h 10.0.0.1:33 0")


@pytest.mark.parametrize(
    "words",
    [
        "tell {wrong} j", "tell", "GET / HTTP/1.1", "\x00\xff", "x" * 600, "ask 2 ff 0", "heard",
        "tell {secret} j\nask 2 ff", "tell {secret} j\nask two ff 0", "tell {secret} j\nnonsense",
        "tell {secret} j\nask 2 ff 0,\u00e9",
    ],
)  # fmt: skip
def test_strangers_and_garbage_are_closed_and_disturb_nobody(listener: Listener, words: str) -> None:
    client = Client(listener)
    client.say(words.format(wrong="0" * 32, secret=listener.secret))
    if "{secret}" in words:
        assert client.line() == "told"
    assert client.is_closed()
    exchange(listener, "j")


def test_more_strangers_than_are_kept(listener: Listener) -> None:
    silent = [Client(listener) for _ in range(STRANGERS + 20)]
    exchange(listener, "j")
    assert silent[0].is_closed()
    for one in silent:
        one.close()


def test_nodes_by_the_hundred_take_one_thread(listener: Listener) -> None:
    nodes = [Client(listener) for _ in range(400)]
    for node in nodes:
        node.say(f"tell {listener.secret} j")
    assert {node.line() for node in nodes} == {"told"}
    for rank, node in enumerate(nodes):
        node.say(f"ask 400 ff {rank}")
    assert {node.line() for node in nodes} == {"all 400 processes on 400 nodes have the layer"}
    for node in nodes:
        node.close()


# An Allgather of a strided type, proved by its data.
PROGRAM = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  enum { kBlocks = 1000 };
  const char *text = getenv("PMIX_RANK") ? getenv("PMIX_RANK") : getenv("PMI_RANK");
  if (argc > 1 && text && atoi(text) == 0 && strcmp(argv[1], "within") == 0) usleep(1500000);
  if (argc > 1 && text && atoi(text) == 1) {
    if (strcmp(argv[1], "before") == 0) kill(getpid(), SIGKILL);
    if (fork() == 0) { usleep(500000); kill(getppid(), SIGKILL); _exit(0); }
  }
  MPI_Init(&argc, &argv);
  int rank, size, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype column, row;
  MPI_Type_contiguous(kBlocks, MPI_INT, &row);
  MPI_Type_commit(&row);
  MPI_Type_vector(kBlocks, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  int own[3 * kBlocks];
  int *all = calloc(size * kBlocks, sizeof(int));
  for (int k = 0; k < 3 * kBlocks; ++k) own[k] = k % 3 == 0 ? rank * kBlocks + k / 3 : -1;
  MPI_Allgather(own, 1, column, all, 1, row, MPI_COMM_WORLD);
  for (int k = 0; k < size * kBlocks; ++k) wrong += all[k] != k;
  printf("wrong %d\\n", wrong);
  MPI_Type_free(&column);
  MPI_Type_free(&row);
  MPI_Finalize();
  return 0;
}
"""
# Something of its own for one rank: sh -c ONE 1 'unset LD_PRELOAD' program
ONE = '[ "${PMIX_RANK:-$PMI_RANK}" = "$0" ] && eval "$1"; shift; exec "$@"'
DECIDED = re.compile(r"MPI_COMM_WORLD: collectives (as bytes|native) \((.*)\)")


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """Two nodes; ranks take turns on them: with three, the first one has two."""
    needs_namespaces()
    with Nodes() as two:
        yield two


@pytest.fixture(params=first_in_make_test(NAMES))
def layered(request: pytest.FixtureRequest, compile_c: Compiler, nodes: Nodes) -> Layered:
    """Each library on two nodes."""
    found = find_layered(request.param, compile_c)
    return dataclasses.replace(found, library=on_two_nodes(found.library, nodes))


@pytest.fixture
def there(nodes: Nodes) -> Iterator[Listener]:
    """A listener on the first node, where the launcher is."""
    with Listener(Path(f"/proc/{nodes.pids[0]}/ns/net")) as one:
        one.start()
        yield one


def decisions(answer: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    """Return how each rank's world decided; the calls follow it, and the data are right."""
    assert answer.returncode == 0, answer.stderr
    found = DECIDED.findall(answer.stderr)
    assert set(answer.stdout.split("\n")) == {"wrong 0", ""}
    calls = re.findall(r"MPI_Allgather: (.*)", answer.stderr)
    assert len(calls) == len(found), answer.stderr
    for call in calls:
        assert call.endswith("as bytes") if found[0][0] == "as bytes" else "native" in call
    return found


def test_two_nodes_agree(layered: Layered, there: Listener) -> None:
    program = layered.program("gathers", PROGRAM)
    for ranks in (2, 3):
        found = decisions(layered.run(ranks, [program], LOGS | there.settings))
        assert found == [("as bytes", f"all {ranks} processes on 2 nodes have the layer")] * ranks


@pytest.mark.parametrize(
    ("rank", "change", "why"),
    [
        (2, "unset LD_PRELOAD", "2 of 3 processes are known to have the layer"),
        (1, "unset LD_PRELOAD", "2 of 3 processes are known to have the layer"),  # all of the second node
        (1, "export GAPLESS_FORCE=1", "processes differ in settings, build or library"),
        (2, "export GAPLESS_FORCE=1", "processes differ in settings, build or library"),
        (1, "export GAPLESS_COLLECTIVES=0", "2 of 3 processes are known to have the layer"),
        (1, "unset GAPLESS_ROLL_CALL", "2 of 3 processes are known to have the layer"),
        (1, "export GAPLESS_ROLL_CALL=garbage", "2 of 3 processes are known to have the layer"),
    ],
)
def test_one_rank_that_is_otherwise(layered: Layered, there: Listener, rank: int, change: str, why: str) -> None:
    """Nobody waits for it, and all others stay native, for one reason."""
    if layered.library.name == "intel" and "FORCE" not in change:
        pytest.skip("seen on the others")
    command = ["sh", "-c", ONE, rank, change, layered.program("gathers", PROGRAM)]
    found = decisions(layered.run(3, command, LOGS | there.settings))
    assert {how for how, _ in found} == {"native"}
    assert why in {reason for _, reason in found}


def test_where_nobody_listens(layered: Layered, there: Listener) -> None:
    """As without `gapless run`: nobody at the port, a stranger at the port, no setting."""
    program = layered.program("gathers", PROGRAM)
    port, rest = there.settings[SETTING].split("/", 1)
    wrong = [
        (f"1/{rest}", "1 of 2 processes are known to have the layer (gapless run cannot be reached from here)"),
        (f"{port}/0{rest[1:]}/x", "1 of 2 processes are known to have the layer (GAPLESS_ROLL_CALL cannot be read)"),
        (f"{port}/x{rest}", "1 of 2 processes are known to have the layer (gapless run cannot be reached from here)"),
        ("", "1 of 2 processes are known to have the layer (not started by gapless run)"),
    ]
    for setting, why in wrong[: 4 if layered.library.name == "mpich" else 1]:
        assert decisions(layered.run(2, [program], LOGS | {SETTING: setting})) == [("native", why)] * 2


@pytest.mark.parametrize("when", ["before", "within"])
def test_a_rank_that_is_killed_leaves_nothing_behind(layered: Layered, there: Listener, when: str) -> None:
    if layered.library.name == "intel":
        pytest.skip("its launcher waits for ever then, with and without the layer")
    program = layered.program("gathers", PROGRAM)
    assert layered.run(2, [program, when], LOGS | there.settings).returncode != 0
    found = decisions(layered.run(2, [program], LOGS | there.settings))
    assert [how for how, _ in found] == ["as bytes"] * 2


def test_jobs_at_once(layered: Layered, there: Listener) -> None:
    program = layered.program("gathers", PROGRAM)
    launch = layered.launch(2, [program], LOGS | there.settings)
    started = [
        subprocess.Popen(
            launch.command,
            env=launch.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        for _ in range(3)
    ]
    for one in started:
        output, errors = one.communicate(timeout=60)
        found = decisions(subprocess.CompletedProcess([], one.returncode, output, errors))
        assert found == [("as bytes", "all 2 processes on 2 nodes have the layer")] * 2


def test_gapless_run(layered: Layered, nodes: Nodes) -> None:
    """The whole way: the command on the first node; --stats says why. No process shows the secret."""
    program = layered.program("gathers", PROGRAM)
    words = [*layered.library.launch(2), "sh", "-c", 'cat /proc/[0-9]*/cmdline; echo; exec "$0"', program]
    enter = [nodes.folder / "enter", nodes.pids[0]]
    command = [*enter, sys.executable, "-m", "gapless", "run", "--stats", "--", *words]
    answer = subprocess.run(
        list(map(str, command)), env=without_layer() | dict(layered.library.settings), capture_output=True,
        text=True, errors="replace", timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.count("wrong 0") == 2
    assert "gapless: collectives accelerated: all 2 processes on 2 nodes have the layer\n" in answer.stderr
    assert f"{SETTING}=" not in answer.stdout and f"{SETTING}\0" + "4" not in answer.stdout
    assert not re.search(r"/[0-9a-f]{16}/[0-9a-f]{32}/", answer.stdout), "the secret is on a command line"


def test_a_listener_that_ends_is_no_answer(nodes: Nodes, compile_c: Compiler) -> None:
    """Its end while a node waits for another one's question makes it no."""
    found = find_layered("mpich", compile_c)
    layered = dataclasses.replace(found, library=on_two_nodes(found.library, nodes))
    program = layered.program("gathers", PROGRAM)
    with Listener(Path(f"/proc/{nodes.pids[0]}/ns/net")) as listener:
        listener.start()
        launch = layered.launch(2, ["sh", "-c", ONE, 1, "sleep 1", program], LOGS | listener.settings)
        with subprocess.Popen(
            launch.command, env=launch.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        ) as job:  # fmt: skip
            until = time.monotonic() + 30
            while not listener.roll_call.is_busy() and time.monotonic() < until:
                time.sleep(0.01)
            listener.__exit__()
            output, errors = job.communicate(timeout=60)
    decided = decisions(subprocess.CompletedProcess([], job.returncode, output, errors))
    assert {how for how, _ in decided} == {"native"}
