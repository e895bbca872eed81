"""`gapless profile` on a program whose messages are known (tests/preload/profiled.c), and `measure trace` of it."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from gapless.errors import GaplessError
from gapless.launch.counters import ProcedureCount
from gapless.launch.gained import gained
from gapless.paths import Build
from gapless.profile.book import Book, Entry
from gapless.profile.compare import FEWEST_RUNS, gains
from gapless.profile.profile import Key, Layout, Message, Profile, Run, run_of
from gapless.profile.trace import read_trace
from gapless.targets.libraries import Library, find_library

VECTOR = "vector(1024, 1, 2, int64)"
INDEXED = "indexed([1, 2, 3], [0, 4, 9], int32)"
STRUCT = "struct([(1, 0, byte), (1, 8, int64)])"
HALF = "subarray([8, 8], [8, 4], [0, 2], C, int64)"
# All but the w-versions of collective calls then stay native.
LEFT_NATIVE = {"GAPLESS_SMALLEST_BYTES": "1G", "GAPLESS_PAIRED": "0", "GAPLESS_COLLECTIVES": "0"}
# Of rank 0: type, procedure, role, peer and count to calls and bytes.
EXPECTED = {
    (VECTOR, "MPI_Send", "send", 1, 1): (10, 81920),
    (INDEXED, "MPI_Irecv", "receive", 1, 3): (7, 504),
    (INDEXED, "MPI_Isend", "send", 1, 3): (7, 504),
    (STRUCT, "MPI_Sendrecv", "send", 1, 4): (5, 180),
    (HALF, "MPI_Send", "send", 1, 1): (2, 512),  # on a communicator in which the receiver is rank 0
    (HALF, "MPI_Send_init", "send", 1, 2): (1, 0),
    (HALF, "MPI_Start", "send", 1, 2): (6, 3072),
    (VECTOR, "MPI_Bcast", "send", None, 1): (3, 24576),
    (INDEXED, "MPI_Bcast", "send", None, 2): (1, 48),  # on an intercommunicator
    (HALF, "MPI_Gather", "send", None, 1): (3, 768),
    (HALF, "MPI_Alltoallw", "send", 0, 1): (3, 768),
    (STRUCT, "MPI_Alltoallw", "send", 1, 1): (3, 27),
    (HALF, "MPI_Alltoallw", "receive", 0, 1): (3, 768),
    (HALF, "MPI_Alltoallw", "receive", 1, 1): (3, 768),
    (HALF, "MPI_Pack", "pack", None, 1): (1, 256),
}


@pytest.fixture(scope="module")
def library(build: Build) -> Library:
    """The MPI that the build embeds."""
    return find_library("mpich")


def profiled(gapless: Command, library: Library, *words: object, what: str = "all") -> tuple[str, str]:
    """Profile the program, and return what it printed, and the summary."""
    program = library.program("tests/preload/profiled")
    launch = [*library.launch(2), program, what]
    answer = gapless("profile", "--json", "profile.json", *words, "--", *launch, **dict(library.settings))
    assert answer.returncode == 0, answer.stderr
    return answer.stdout, answer.stderr


def messages(run: Any, layouts: Any) -> dict[tuple[Any, ...], tuple[int, int]]:
    """Return the messages of rank 0 with derived datatypes, as `EXPECTED` has them."""
    types = {layout["id"]: layout["type"] for layout in layouts}
    return {
        (types[of["layout"]], of["procedure"], of["role"], of["peer"], of["count"]): (of["calls"], of["bytes"])
        for of in run["messages"]
        if of["rank"] == 0 and of["layout"] in types
    }


def check_counts(found: Any) -> None:
    """Hold a profile's native run against what the program does."""
    run = found["native"][0]
    assert messages(run, found["layouts"]) == EXPECTED
    basic = [of for of in run["messages"] if of["layout"] == "contiguous" and of["rank"] == 0]
    sent = {(of["procedure"], of["role"]): (of["calls"], of["bytes"]) for of in basic}
    assert sent["MPI_Send", "send"] == (11, 88)
    assert sent["MPI_Sendrecv", "receive"] == (5, 320)
    assert sent["MPI_Gather", "receive"] == (3, 3 * 2 * 256)
    assert sent["MPI_Waitall", "other"] == (7, 0) and sent["MPI_Wait", "other"] == (6, 0)
    received = [of for of in run["messages"] if of["rank"] == 1 and of["procedure"] == "MPI_Bcast"]
    assert len(received) == 2 and all(of["role"] == "receive" for of in received)
    assert found["ranks"] == {"watched": 2, "expected": 2}
    assert run["unfinished"] == 0 and run["left_out"] == 0


def test_the_known_messages_of_a_program(gapless: Command, library: Library, tmp_path: Path) -> None:
    printed, summary = profiled(gapless, library, "-o", "page.html")
    found = json.loads((tmp_path / "profile.json").read_text())
    check_counts(found)
    assert {of["type"]: (of["size"], of["extent"], of["runs"]) for of in found["layouts"]} == {
        VECTOR: (8192, 16376, 1024), INDEXED: (24, 48, 3), STRUCT: (9, 16, 2), HALF: (256, 512, 8),
    }  # fmt: skip
    runs = {of["type"]: [tuple(one) for one in of["histogram"]] for of in found["layouts"]}
    assert runs[INDEXED] == [(4, 7, 1), (8, 15, 2)] and runs[VECTOR] == [(8, 15, 1024)]
    # What the program says of its own time, which begins a little later and ends a little earlier.
    own = json.loads(printed)
    whole = found["native"][0]["whole_ns"]["0"]
    assert own["whole_ns"] <= whole
    sends = [of for of in found["native"][0]["messages"] if of["procedure"] == "MPI_Send" and of["rank"] == 0]
    mine = sum(of["call_ns"] for of in sends if of["bytes"] == 81920)
    assert 0 < mine <= own["exchange_ns"] * 1.001 + 1000
    # Times of the rows are what the whole is made of.
    assert sum(of["call_ns"] + of["later_ns"] for of in found["native"][0]["messages"] if of["rank"] == 0) <= whole
    # Requests: the time of MPI_Waitall is theirs.
    waited = [of for of in found["native"][0]["messages"] if of["procedure"] in ("MPI_Isend", "MPI_Irecv")]
    assert len(waited) == 4 and all(of["later_ns"] > 0 for of in waited)
    sites = {of["offset"] for of in sends}
    assert len(sites) == 1 and all(of["module"].endswith("/profiled") for of in sends)
    assert "2 of 2 ranks watched (MPICH" in summary
    rows = [line.split("\t") for line in summary.splitlines() if "\t" in line]
    assert rows[0][:4] == ["layout", "type", "count", "procedure"]
    # Rank 1 receives where rank 0 sends, and has a struct more where rank 0 has a half.
    assert len(rows) == 1 + len([of for of in found["native"][0]["messages"] if of["layout"].startswith("L")])
    assert Counter(row[1] for row in rows[1:])[VECTOR] == 4


def test_the_page_needs_nothing_but_itself(gapless: Command, library: Library, tmp_path: Path) -> None:
    profiled(gapless, library, "-o", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.count("<svg") == 4 and "<script" not in page
    assert not re.search(r"(?:src|href)=\"(?!#)", page) and "url(" not in page and "@import" not in page
    for text in (VECTOR, INDEXED, HALF, "profiled+0x", "MPI_Alltoallw"):
        assert text in page


def test_both_ways_are_compared(gapless: Command, library: Library, tmp_path: Path) -> None:
    _, summary = profiled(gapless, library, "--both")
    found = json.loads((tmp_path / "profile.json").read_text())
    assert messages(found["accelerated"][0], found["layouts"]) == EXPECTED
    assert {of["offset"] for of in found["accelerated"][0]["messages"]} == {
        of["offset"] for of in found["native"][0]["messages"]
    }
    assert "too few runs" in summary and "--runs 3 or more gives intervals" in summary
    assert (tmp_path / "gapless-profile.html").is_file()


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="gfortran is not installed")
def test_a_fortran_program(gapless: Command, repository: Path, tmp_path: Path) -> None:
    try:
        intel = find_library("intel")  # the only one here that brings its Fortran interface
    except GaplessError as missing:
        pytest.skip(str(missing))
    include, lib = intel.mpi_root / "include", intel.mpi_root / "lib"
    source, program = repository / "tests/preload/profiled.f90", tmp_path / "profiled"
    compiler = ["gfortran", "-w", f"-I{include}", source, "-o", program, f"-L{lib}", "-lmpifort", "-lmpi"]
    subprocess.run([*compiler, f"-Wl,-rpath,{lib}"], check=True)
    launch = [*intel.launch(2), program]
    answer = gapless("profile", "--both", "--json", "profile.json", "--", *launch, **dict(intel.settings))
    assert answer.returncode == 0 and answer.stdout == "", (answer.stdout, answer.stderr)
    found = json.loads((tmp_path / "profile.json").read_text())
    row, block = "vector(64, 1, 64, int64)", "subarray([64, 64], [4, 8], [2, 0], Fortran, int64)"
    for run in (found["native"][0], found["accelerated"][0]):
        assert messages(run, found["layouts"]) == {
            (row, "MPI_Send", "send", 1, 1): (5, 5 * 512),
            (block, "MPI_Isend", "send", 1, 1): (3, 3 * 256),
            (block, "MPI_Irecv", "receive", 1, 1): (3, 3 * 256),
        }
        # Called by the program, not by the library's Fortran interface (which it is where frames cannot be walked so).
        sites = {(of["procedure"], of["module"], of["offset"]) for of in run["messages"]}
        assert len(sites) == len({offset for _, _, offset in sites}) == 5, sites
        if platform.machine() == "x86_64":
            assert {module for _, module, _ in sites} == {str(program)}


def test_a_program_without_datatypes_is_told_so(gapless: Command, library: Library, tmp_path: Path) -> None:
    _, summary = profiled(gapless, library, what="plain")
    assert "sends no derived datatypes" in summary
    found = json.loads((tmp_path / "profile.json").read_text())
    assert found["layouts"] == []


def test_what_a_rank_did_before_it_died_is_there(gapless: Command, library: Library, tmp_path: Path) -> None:
    program = library.program("tests/preload/profiled")
    answer = gapless("profile", "--json", "profile.json", "--", *library.launch(2), program, "abort")
    assert answer.returncode != 0
    assert "2 of 2 ranks ended without MPI_Finalize" in answer.stderr
    found = json.loads((tmp_path / "profile.json").read_text())
    assert found["status"] == answer.returncode
    calls = {(of["rank"], of["procedure"]): of["calls"] for of in found["native"][0]["messages"] if of["count"] == 1}
    assert calls[0, "MPI_Send"] == 10 and calls[1, "MPI_Recv"] == 10


@pytest.mark.parametrize(("option", "path"), [("-o", "nowhere/page.html"), ("--json", "nowhere/a.json"), ("-o", ".")])
def test_a_file_that_cannot_be_written_is_known_before_the_run(
    gapless: Command, tmp_path: Path, option: str, path: str
) -> None:
    answer = gapless("profile", option, path, "--", "sh", "-c", "echo > ran")
    assert answer.returncode == 2 and f"cannot write {path}" in answer.stderr and option in answer.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("both_ranks", [False, True])
def test_a_rank_without_a_book_runs_natively(
    gapless: Command, library: Library, both_ranks: bool, tmp_path: Path
) -> None:
    program = library.program("tests/preload/profiled")
    blocked = ["sh", "-c", 'mkdir "$GAPLESS_RUN_DIR/$(uname -n).$$.profile" && exec "$0"', program]
    ranks = [*library.launch(1), *(blocked if both_ranks else [program]), ":", "-n", 1, *blocked]
    answer = gapless("profile", "--json", "profile.json", "--", *ranks, **dict(library.settings))
    assert "whole_ns" in answer.stdout, answer.stderr
    assert "its book could not be made" in answer.stderr
    if both_ranks:
        assert answer.returncode == 3
        return
    assert answer.returncode == 0
    assert "1 of 2 ranks watched" in answer.stderr and "not watched: rank 1; " in answer.stderr
    found = json.loads((tmp_path / "profile.json").read_text())
    assert messages(found["native"][0], found["layouts"]) == EXPECTED


def test_a_program_that_is_not_reached(gapless: Command, tmp_path: Path) -> None:
    answer = gapless("profile", "--", "true")
    assert answer.returncode == 3 and "no rank was watched" in answer.stderr
    assert not (tmp_path / "gapless-profile.html").exists()


def test_trace_measures_the_messages_of_a_profile(gapless: Command, library: Library, tmp_path: Path) -> None:
    profiled(gapless, library)
    trace = read_trace(tmp_path / "profile.json")
    # Sent by rank 0: 10, and 3 to all. Rank 1's parts of Alltoallw and Gather are sent by it.
    assert {(one.type, one.count): one.messages for one in trace.messages} == {
        (VECTOR, 1): 13, (INDEXED, 3): 14, (INDEXED, 2): 1, (STRUCT, 4): 10,
        (HALF, 1): 14, (HALF, 2): 6, (STRUCT, 1): 6,
    }  # fmt: skip
    found = json.loads((tmp_path / "profile.json").read_text())
    keep = next(of["id"] for of in found["layouts"] if of["type"] == HALF)
    found["native"][0]["messages"] = [of for of in found["native"][0]["messages"] if of["layout"] == keep]
    (tmp_path / "half.json").write_text(json.dumps(found))
    answer = gapless("measure", "trace", "half.json", "--mpi", "mpich", "--launches", 2, "--out", "out", "--json")
    assert answer.returncode == 0, answer.stderr
    rows = {one["count"]: one for one in json.loads(answer.stdout)}
    assert rows.keys() == {1, 2} and all(one["launches"] == 2 and one["native_ns"] > 0 for one in rows.values())
    assert all(one["gapless_ns"] > 0 and one["type"] == HALF for one in rows.values())


@pytest.mark.parametrize("text", ["", "{}", '{"kind": "profile", "schema": 99}'])
def test_trace_refuses_what_is_no_profile(gapless: Command, tmp_path: Path, text: str) -> None:
    (tmp_path / "file.json").write_text(text)
    answer = gapless("measure", "trace", "file.json")
    assert answer.returncode == 2 and "is no profile" in answer.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", ["openmpi", "intel"])
def test_on_other_libraries(gapless: Command, build: Build, name: str, tmp_path: Path) -> None:
    try:
        other = find_library(name)
    except Exception as error:  # noqa: BLE001
        pytest.skip(str(error))
    profiled(gapless, other, "--both")
    found = json.loads((tmp_path / "profile.json").read_text())
    check_counts(found)
    assert messages(found["accelerated"][0], found["layouts"]) == EXPECTED


def made(native: list[float], accelerated: list[float]) -> Profile:
    """Return a profile of one layout, with these times in its runs."""
    key = Key(0, "vector(2, 1, 2, byte)", "MPI_Send", "send", "app", 1, 1, 1)

    def run(ns: float) -> Run:
        return Run({0: 2 * ns}, {key: Message(key, calls=1, firsts=1, bytes=2, call_ns=ns)}, 0, 0)

    layout = Layout("L1", key.layout, True, 2, 3, 0, 3, 2, False)
    runs = [list(map(run, times)) for times in (native, accelerated)]
    return Profile(["app"], 0, "MPICH", 1, 1, {key.layout: layout}, *runs)


def test_gains_are_claimed_only_with_an_interval() -> None:
    few = gains(made([100.0], [10.0]))["vector(2, 1, 2, byte)"]
    assert few.verdict == "not decided: too few runs" and few.saved_ns == 90
    assert FEWEST_RUNS == 3
    sure = gains(made([100.0, 101.0, 99.0], [10.0, 10.1, 9.9]))["vector(2, 1, 2, byte)"]
    assert sure.verdict == "gained" and sure.low is not None and sure.high is not None
    assert sure.low < 10 < sure.high
    assert gains(made([10.0, 10.1, 9.9], [100.0, 101.0, 99.0]))["vector(2, 1, 2, byte)"].verdict == "lost"
    assert gains(made([90.0, 130.0, 99.0], [120.0, 80.0, 99.0]))["vector(2, 1, 2, byte)"].verdict == "undecided"


def test_layouts_that_are_abridged_alike_stay_apart() -> None:
    def book(rank: int, runs: int, whole: bool) -> Book:
        said = {"text": "indexed(1000000 blocks)", "whole": whole, "runs": runs, "contiguous": False}
        said |= {"size": 8, "extent": 16, "true_lb": 0, "true_extent": 16}
        entry = Entry("MPI_Send", "send", 1, 0, 1, True, 1, 1, 8, 1.0, 0.0, 1.0)
        return Book(rank, 10.0, True, 0, [entry], {1: said})

    assert len(run_of([book(0, 2, False), book(1, 3, False), book(2, 2, False)])[1]) == 2
    assert len(run_of([book(0, 2, True), book(1, 2, True)])[1]) == 1


def test_the_line_that_ends_a_run() -> None:
    assert gained({}).startswith("no message was accelerated: the program sends no derived datatypes")
    counts = {
        "MPI_Send": ProcedureCount(accelerated=3, bytes=3000, declined=Counter({"small": 2})),
        "MPI_Waitall": ProcedureCount(accelerated=7),
        "MPI_Send_init": ProcedureCount(accelerated=1, bytes=8),
    }
    assert gained(counts) == "3 messages were accelerated (3000 B); 2 with derived datatypes stayed native: 2 small"
    plain = gained({"MPI_Send": ProcedureCount(declined=Counter({"contiguous": 4}))})
    assert plain == "no message was accelerated: nothing to gain in any of the 4 that the layer looked at"
    declined = gained({"MPI_Bcast": ProcedureCount(declined=Counter({"unproved": 4, "small": 1, "proc_null": 9}))})
    assert declined.startswith(
        "no message was accelerated: 5 with derived datatypes stayed native, 4 unproved, 1 small ("
    )
    assert "start the job by one 'gapless run'" in declined


@pytest.mark.parametrize(
    ("what", "settings", "line"),
    [
        ("all", {}, "messages were accelerated ("),
        ("plain", {}, "no message was accelerated: the program sends no derived datatypes"),
        ("all", {"GAPLESS_PROFILE": "native"}, "messages were accelerated ("),
        ("all", LEFT_NATIVE, "no message was accelerated: "),
    ],
)
def test_run_says_what_it_gained(
    gapless: Command, library: Library, what: str, settings: dict[str, str], line: str
) -> None:
    program = library.program("tests/preload/profiled")
    answer = gapless("run", "--", *library.launch(2), program, what, **settings)
    assert answer.returncode == 0, answer.stderr
    last = answer.stderr.splitlines()[-1]
    assert line in last
    if settings is LEFT_NATIVE:
        assert " small" in last and "gapless tune" in last


def test_run_says_whose_counts_are_missing(gapless: Command, library: Library) -> None:
    program = library.program("tests/preload/profiled")
    blocked = ["sh", "-c", 'mkdir "$GAPLESS_RUN_DIR/$(uname -n).$$.counters" && exec "$0"', program]
    one = gapless("run", "--", *library.launch(1), program, ":", "-n", 1, *blocked, **dict(library.settings))
    last = one.stderr.splitlines()[-1]
    assert "messages were accelerated (" in last and "the counts of 1 of 2 ranks are missing" in last
    none = gapless("run", "--", *library.launch(2), *blocked, **dict(library.settings))
    last = none.stderr.splitlines()[-1]
    assert "nothing is known" in last and "sends no derived" not in last
    plain = ["sh", "-c", blocked[2] + " plain", program]
    idle = gapless("run", "--", *library.launch(1), program, "plain", ":", "-n", 1, *plain, **dict(library.settings))
    last = idle.stderr.splitlines()[-1]
    assert "the counts of 1 of 2 ranks are missing" in last and "sends no derived" not in last
