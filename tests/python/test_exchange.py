"""lab/exchange, end to end: the real program under the build's MPI, with and without the layer."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import first_in_make_test
from gapless.errors import GaplessError
from gapless.lab.programs import json_lines, mpi_command
from gapless.paths import Build
from gapless.targets.libraries import NAMES, Library, find_library

Line = dict[str, Any]
PROGRAM = "lab/exchange"
NAMED = [
    "byte",
    "char",
    "packed",
    "bool",
    "wchar",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float",
    "double",
    "long_double",
    "float_complex",
    "double_complex",
    "long_double_complex",
    "aint",
    "2int",
    "short_int",
    "long_int",
    "float_int",
    "double_int",
    "long_double_int",
]
# Every constructor and every named type of the notation; bounds below zero, gaps, holes, folded copies.
TYPES = [
    "contiguous(7, int32)",
    "vector(10, 2, 4, int32)",
    "vector(10, 2, -4, int32)",
    "hvector(6, 1, 13, int16)",
    "hvector(6, 1, -40, double)",
    "indexed([2, 0, 3], [8, 3, -5], float)",
    "hindexed([1, 2], [-24, 8], double)",
    "indexed_block(2, [6, 0, -4], int32)",
    "hindexed_block(3, [100, 1, -50], int8)",
    "hindexed_block(1, [3000000000, 3000000008], int32)",
    "hindexed_block(1, [-3000000000, -3000000008], int32)",
    "struct([(1, 0, int32), (3, 8, double), (2, -16, char)])",
    "struct([(1, 0, double_int), (2, 16, short_int), (1, 64, vector(3, 1, 2, int32))])",
    "subarray([4, 5], [2, 3], [1, 2], C, int32)",
    "subarray([4, 5, 2], [2, 3, 1], [1, 2, 1], Fortran, float)",
    "resized(-8, 64, indexed([1, 1], [2, 5], int32))",
    "resized(0, 4, vector(3, 1, 10, int32))",
    "dup(vector(3, 2, 5, int32))",
    "darray(4, 3, [8, 6], [block, cyclic], [2, 2], C, int32)",
    "darray(4, 1, [8, 7], [cyclic(2), block], [2, 2], Fortran, double)",
    "bounded_vector(11, 2, 5, int32)",
    "circular_vector(12, 9, 10, 2, 3, int32)",
    "bucket(4, [1, 4, 0, 3], int32)",
    "contiguous(3, hvector(2, 1, 24, resized(-4, 12, struct([(1, -4, int32), (1, 2, int16)]))))",
    *(f"vector(3, 1, 2, {named})" for named in NAMED),
]
PATTERNS = ("pingpong", "bcast", "allgather")
ONLY_PINGPONG = ("pack_send", "unpack_receive", "manual", "engine", "engine_pack", "engine_unpack")


def message(name: str, text: str, count: int = 1, layout: str | None = None) -> Line:
    return {"name": name, "count": count, "type": text, "layout": layout or name}


def member(of: str, method: str, **more: Any) -> Line:
    return {"name": f"{of}:{method}", "message": of, "method": method, **more}


def group(
    name: str,
    messages: Sequence[Line],
    methods: Sequence[str] = ("native", "pack"),
    pattern: str = "pingpong",
    **more: Any,
) -> Line:
    """Return a group in which every message is sent by every method, two times exactly."""
    reps = {"min": 2, "max": 2, "inner": 1, "precision": 0.02, "budget_ms": 1000, "warmup": 1}
    members = [member(one["name"], method) for one in messages for method in methods]
    common = {"id": name, "pattern": pattern, "root": 0, "cache": "warm", "messages": list(messages)}
    return common | {"members": members, "reps": reps | more.pop("reps", {})} | more


class Exchange:
    """Runs jobs and keeps what they print by kind."""

    def __init__(self, build: Library, folder: Path) -> None:
        self.build = build
        self.job = folder / "job.json"

    def write(self, groups: Sequence[Line], **more: Any) -> None:
        self.job.write_text(json.dumps({"schema": 1, "seed": 5, "groups": list(groups)} | more), encoding="utf-8")

    def command(self, ranks: int, *options: str) -> list[str]:
        return mpi_command(self.build, PROGRAM, ["--job", str(self.job), *options], ranks)

    def lines(
        self,
        groups: Sequence[Line],
        *options: str,
        ranks: int = 2,
        layer: bool = False,
        fails: bool = False,
        **more: Any,
    ) -> list[Line]:
        """Run a job; `fails`: its exit status must tell of wrong data."""
        self.write(groups, **more)
        found = []
        try:
            for line in json_lines(self.build, self.command(ranks, *options), layer, timeout_s=120):
                found.append(line)
        except GaplessError as error:
            assert fails and "exit status 1" in str(error)
        else:
            assert not fails
        return found

    def complaint(self, text: str) -> str:
        """Run with this text as the job, which must be refused as broken; return what is said."""
        self.job.write_text(text, encoding="utf-8")
        done = subprocess.run(
            self.command(2), capture_output=True, text=True, errors="replace", timeout=60, check=False
        )
        assert done.returncode == 2, (done.returncode, done.stderr)
        assert "samples" not in done.stdout
        return done.stderr


@pytest.fixture
def exchange(build: Build, tmp_path: Path) -> Exchange:
    return Exchange(find_library(), tmp_path)


@pytest.fixture(params=first_in_make_test(NAMES))
def any_library(build: Build, tmp_path: Path, request: pytest.FixtureRequest) -> Exchange:
    """The same on each MPI library that is installed."""
    try:
        library = find_library(request.param)
    except GaplessError as error:
        pytest.skip(str(error))
    return Exchange(library, tmp_path)


def of_kind(lines: Sequence[Line], kind: str) -> list[Line]:
    return [line for line in lines if line["kind"] == kind]


def everything(pattern: str, methods: Sequence[str]) -> list[Line]:
    groups = []
    for at, text in enumerate(TYPES):
        for count in (1, 3):
            messages = [message("one", text, count, "same"), message("dup", f"dup({text})", count, "same")]
            groups.append(group(f"{at}/{count}", messages, methods, pattern, root=at % 2))
    return groups


# Three ranks take turns on two cores.
@pytest.mark.parametrize("layer", [False, True])
@pytest.mark.parametrize(
    ("pattern", "ranks"),
    [*((name, 2) for name in PATTERNS), *(pytest.param(name, 3, marks=pytest.mark.long) for name in PATTERNS[1:])],
)
def test_all_constructors_and_named_types_arrive(any_library: Exchange, pattern: str, ranks: int, layer: bool) -> None:
    methods = ["native", "pack"] + (list(ONLY_PINGPONG) if pattern == "pingpong" else [])
    methods += ["gapless"] if layer else []
    groups = everything(pattern, methods)
    lines = any_library.lines(groups, ranks=ranks, layer=layer)
    assert of_kind(lines, "error") == []
    # Open MPI rounds the extent of one of these types up although it is no struct.
    refused = {line["group"]: line["reason"] for line in of_kind(lines, "refused")}
    rounded = "the MPI library says extent 68, MPI's rules say 67"
    assert refused == (dict.fromkeys(("3/1", "3/3"), rounded) if any_library.build.name == "openmpi" else {})
    samples = of_kind(lines, "samples")
    expected = {(one["id"], of["name"]) for one in groups for of in one["members"] if one["id"] not in refused}
    assert {(line["group"], line["member"]) for line in samples} == expected
    assert all(line["verified"] and len(line["samples"]) == 2 and min(line["samples"]) > 0 for line in samples)
    alone = ("one:engine_pack", "one:engine_unpack", "dup:engine_pack", "dup:engine_unpack")
    for line in samples:
        sends = pattern == "pingpong" and line["member"] not in alone
        assert line["metric"] == ("round_trip" if sends else "call")


# In all each rank has a block of its own for each peer.
@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "pattern",
    ["alltoallw", "neighbor_alltoallw", "neighbor_alltoall", "gatherv", "scatterv", "sendrecv", "waitall"],
)
def test_blocks_for_each_rank_arrive_in_every_way(any_library: Exchange, pattern: str, ranks: int) -> None:
    texts = [*TYPES[:8], "vector(20000, 1, 2, int32)"]
    # In a halo exchange also by hand; it is verified like all others.
    methods = ("native", "local", "gapless", *(["pack"] if pattern in ("sendrecv", "waitall") else []))
    groups = [
        group(f"{data} {text}", [message("one", text, 3)], methods, pattern, data=data)
        for text in texts
        for data in ("fresh", "constant")
    ]
    lines = any_library.lines(groups, ranks=ranks, layer=True)
    assert of_kind(lines, "error") == []
    samples = of_kind(lines, "samples")
    refused = len(of_kind(lines, "refused"))
    assert refused <= 2 and len(samples) == len(methods) * (len(groups) - refused)
    assert all(("cycle_samples" in line) == (line["data"] == "fresh") for line in samples)


# Gives each of three ranks what is for another one.
SWAPPED = """
#include <mpi.h>
int MPI_Alltoallw(const void* b, const int n[], const int d[], const MPI_Datatype t[], void* to, const int rn[],
                  const int rd[], const MPI_Datatype rt[], MPI_Comm c) {
  int swapped[3], rank;
  PMPI_Comm_rank(c, &rank);
  for (int k = 0; k < 3; ++k) swapped[k] = k == rank ? d[k] : d[3 - rank - k];
  return PMPI_Alltoallw(b, n, swapped, t, to, rn, rd, rt, c);
}
"""


def test_a_block_that_is_for_another_rank_is_an_error(exchange: Exchange, compile_c: Any) -> None:
    swapped = compile_c("swapped.so", SWAPPED, "-shared", "-fPIC")
    exchange.write([group("g", [message("dense", "int32", 100)], ("native",), pattern="alltoallw")])
    mpiexec, *rest = exchange.command(3)
    command = [mpiexec, "-genv", "LD_PRELOAD", str(swapped), *rest]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "before timing: receive buffer, byte 0: expected" in done.stdout


def test_local_is_the_layer_without_shared_memory(exchange: Exchange) -> None:
    """What GAPLESS_LOG says of each member that runs."""
    tiled = [message("tiled", "vector(50000, 1, 2, int32)")]
    told = {}
    for way in ("local", "gapless"):
        log = exchange.job.parent / way
        exchange.write([group(way, tiled, (way,), pattern="alltoallw")])
        assert list(json_lines(exchange.build, exchange.command(2), True, 120, {"GAPLESS_LOG": str(log)}))
        told[way] = log.read_text().count("through shared memory")
    assert told["local"] == 0 < told["gapless"]


@pytest.mark.parametrize(("setting", "expected"), [("1", {("large", "m:gapless")}), ("0", set())])
def test_the_layers_counters_say_of_each_member_what_is_paired(
    any_library: Exchange, setting: str, expected: set[tuple[str, str]]
) -> None:
    large, small = "vector(50000, 1, 2, int32)", "vector(500, 1, 2, int32)"
    groups = [group(name, [message("m", text)], ("native", "local", "gapless")) for name, text in
              (("large", large), ("small", small))]  # fmt: skip
    any_library.write(groups)
    lines = list(
        json_lines(
            any_library.build,
            any_library.command(2),
            True,
            120,
            {"GAPLESS_STATS": "1", "GAPLESS_PAIRED_MESSAGES": setting, "GAPLESS_SMALLEST_PAIRED": "16K"},
        )
    )
    told = {(line["group"], line["member"]): line.get("layer_pairs") for line in of_kind(lines, "samples")}
    paired = {key for key, pairs in told.items() if pairs}
    assert paired == expected
    assert {key for key, pairs in told.items() if pairs is None} == {("large", "m:native"), ("small", "m:native")}


@pytest.mark.parametrize("data", ["fresh", "constant"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_another_type_may_be_received_than_is_sent(any_library: Exchange, pattern: str, data: str) -> None:
    """Of equal signature; and both ends where they lie in arrays of which the message is a part."""
    methods = ("native", "pack", *(ONLY_PINGPONG if pattern == "pingpong" else ()))
    unlike = message("unlike", "vector(50, 2, 4, int32)", 1, "same") | {
        "origin": 200, "receive": {"count": 100, "type": "resized(0, 12, int32)", "origin": 20},
    }  # fmt: skip
    again = unlike | {"name": "again", "count": 50, "type": "resized(0, 16, contiguous(2, int32))", "origin": 0}
    lines = any_library.lines([group("g", [unlike, again], methods, pattern, data=data)], ranks=2)
    assert of_kind(lines, "error") == [] == of_kind(lines, "refused")
    assert len(of_kind(lines, "samples")) == 2 * len(methods)
    cycles = {of["member"].split(":")[1] for of in of_kind(lines, "samples") if "cycle_samples" in of}
    sending = {method for method in methods if method not in ("engine_pack", "engine_unpack")}
    assert cycles == (sending if data == "fresh" else set())


@pytest.mark.parametrize(
    ("received", "where"),
    [
        ({"count": 99, "type": "int32"}, "its payload is 396 bytes, that of 'a' 400"),
        ({"count": 100, "type": "resized(0, 8, int32)"}, "type maps differ at run 0"),
    ],
)
def test_what_is_received_is_proved_too(exchange: Exchange, received: Line, where: str) -> None:
    dense = message("a", "int32", 100, "same")
    lines = exchange.lines([group("g", [dense, dense | {"name": "b", "receive": received}])], fails=True)
    (error,) = of_kind(lines, "error")
    assert error["member"] == "b" and where in error["reason"]


def test_it_is_said_where_the_layer_acts(exchange: Exchange) -> None:
    messages = [message("dense", "int32", 100_000), message("gaps", "vector(100000, 1, 2, int32)")]
    exchange.write([group("g", messages, ("native", "gapless", "pack"))])
    found = json_lines(exchange.build, exchange.command(2), True, 120, {"GAPLESS_STATS": "1"})
    acts = {of["member"]: of["layer_acts"] for of in found if of["kind"] == "samples" and "layer_acts" in of}
    assert acts == {"dense:gapless": False, "gaps:gapless": True}
    assert not any("layer_acts" in of for of in exchange.lines([group("g", messages, ("gapless",))], layer=True))


def test_blocks_of_an_allgather_lie_one_extent_apart(exchange: Exchange) -> None:
    """Equal type maps, unequal extents: the copies of the second are closer to one another."""
    tiled = message("tiled", "resized(0, 16, contiguous(2, int32))", 50, "tiled")
    messages = [tiled, message("vector", "vector(50, 2, 4, int32)", 1, "tiled"), tiled | {"name": "again"}]
    lines = exchange.lines([group("g", messages, pattern="allgather")], ranks=3)
    assert of_kind(lines, "error") == []
    assert len(of_kind(lines, "samples")) == 6


def test_the_first_line_says_where_it_ran_and_progress_counts_groups(exchange: Exchange) -> None:
    groups = [group(name, [message("dense", "int32", 100)]) for name in ("a", "b")]
    lines = exchange.lines(groups)
    assert lines[0]["kind"] == "facts"
    assert lines[0]["experiment"] == "exchange"
    assert (lines[0]["ranks"], len(lines[0]["hosts"]), lines[0]["layer_present"]) == (2, 1, False)
    assert lines[0]["mpi_library"]
    assert [(of["done"], of["of"], of["group"]) for of in of_kind(lines, "progress")] == [(1, 2, "a"), (2, 2, "b")]


def test_members_that_need_the_layer_are_left_out_without_it(exchange: Exchange) -> None:
    groups = [group("g", [message("dense", "int32", 100)], ("native", "gapless"))]
    lines = exchange.lines(groups)
    assert [of["member"] for of in of_kind(lines, "samples")] == ["dense:native"]
    assert [of["member"] for of in of_kind(lines, "refused")] == ["dense:gapless"]


@pytest.mark.parametrize(
    ("other", "where"),
    [
        ("vector(100, 2, 5, int32)", "8 bytes at 20, not 8 bytes at 16"),
        ("indexed([2, 2*99], [4, 0, 8..396:4], int32)", "run 0: 8 bytes at 16, not 8 bytes at 0"),
    ],
)
def test_unequal_type_maps_of_one_layout_are_an_error(exchange: Exchange, other: str, where: str) -> None:
    wrong = group("bad", [message("a", "vector(100, 2, 4, int32)", 1, "same"), message("b", other, 1, "same")])
    good = group("good", [message("a", "vector(100, 2, 4, int32)"), message("b", other)])
    lines = exchange.lines([wrong, good], fails=True)
    (error,) = of_kind(lines, "error")
    assert (error["group"], error["member"]) == ("bad", "b")
    assert where in error["reason"]
    assert {of["group"] for of in of_kind(lines, "samples")} == {"good"}


# Stands between the program and MPI_Recv: changes one byte of what one rank receives, from the given call on.
FAULT = """
#include <mpi.h>
#include <stdlib.h>
static long value(const char* name) { return atol(getenv(name)); }
int MPI_Recv(void* b, int n, MPI_Datatype t, int source, int tag, MPI_Comm c, MPI_Status* s) {
  static long calls = 0;
  const int code = PMPI_Recv(b, n, t, source, tag, c, s);
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == value("FAULT_RANK") && ++calls >= value("FAULT_CALL")) ((char*)b)[value("FAULT_AT")] ^= 64;
  return code;
}
"""


@pytest.mark.parametrize(
    ("at", "rank", "call", "when"),
    [
        (0, 0, 1, "before timing: receive buffer, byte 0: expected"),  # of the payload
        (1591, 1, 1, "rank 1: before timing: receive buffer, byte 1591: expected"),  # its last byte
        (9, 1, 1, "rank 1: before timing: receive buffer, byte 9: expected 51, found 115"),  # of a gap
        (-1, 0, 1, "before timing: receive buffer, byte -1: expected 51, found 115"),  # of the guards
        (1592, 0, 1, "before timing: receive buffer, byte 1592: expected 51, found 115"),
        (9, 1, 2, "rank 1: after timing: receive buffer, byte 9: expected 51, found 115"),
    ],
)
def test_wrong_data_are_an_error(exchange: Exchange, compile_c: Any, at: int, rank: int, call: int, when: str) -> None:
    fault = compile_c("fault.so", FAULT, "-shared", "-fPIC")
    tiled = [message("tiled", "vector(100, 2, 4, int32)")]
    exchange.write([group("bad", tiled, ("native",)), group("good", tiled, ("native",), pattern="bcast")])
    settings = {"LD_PRELOAD": fault, "FAULT_AT": at, "FAULT_RANK": rank, "FAULT_CALL": call}
    mpiexec, *rest = exchange.command(2)
    command = [mpiexec, *(word for name, value in settings.items() for word in ("-genv", name, str(value))), *rest]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    (error,) = of_kind(lines, "error")
    assert (error["group"], error["member"]) == ("bad", "tiled:native")
    assert when in error["reason"]
    assert {of["group"] for of in of_kind(lines, "samples")} == {"good"}
    assert done.returncode == 1


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("cache", ["warm", "cold"])
def test_fresh_data_arrive_and_their_writing_is_a_second_figure(exchange: Exchange, pattern: str, cache: str) -> None:
    texts = ("int32", "vector(20, 3, 7, int16)", "struct([(1, 0, int32), (3, 8, double), (2, -16, char)])")
    groups = [
        group(text, [message("one", text, 4, "same"), message("dup", f"dup({text})", 4, "same")], ("gapless", "pack"),
              pattern, data="fresh", cache=cache, root=1, reps={"inner": 3})
        for text in texts
    ]  # fmt: skip
    lines = exchange.lines(groups, layer=True)
    assert of_kind(lines, "error") == []
    samples = of_kind(lines, "samples")
    assert len(samples) == 4 * len(texts)
    for line in samples:
        assert line["data"] == "fresh"
        assert len(line["cycle_samples"]) == len(line["samples"]) == 2
        assert all(0 < without <= cycle for without, cycle in zip(line["samples"], line["cycle_samples"], strict=True))


# Sends for ever what it was given first.
STALE = """
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int MPI_Send(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) {
  static void* kept;
  if (n == 100 && !kept) { kept = malloc(400); memcpy(kept, b, 400); }
  return PMPI_Send(n == 100 ? kept : b, n, t, to, tag, c);
}
"""


@pytest.mark.parametrize("data", ["fresh", "constant"])
def test_stale_data_are_an_error_where_data_are_fresh(exchange: Exchange, compile_c: Any, data: str) -> None:
    stale = compile_c(f"stale_{data}.so", STALE, "-shared", "-fPIC")
    exchange.write([group("dense", [message("dense", "int32", 100)], ("native",), data=data)])
    mpiexec, *rest = exchange.command(2)
    command = [mpiexec, "-genv", "LD_PRELOAD", str(stale), *rest]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    errors = [line["reason"] for line in of_kind(lines, "error")]
    assert done.returncode == (1 if data == "fresh" else 0)
    assert ["before timing: receive buffer, byte 0" in reason for reason in errors] == ([True] * (data == "fresh"))


def test_each_launch_says_what_a_line_costs_that_a_peer_has_read(any_library: Exchange) -> None:
    facts = any_library.lines([group("g", [message("dense", "int32", 100)])])[0]
    assert all(0.1 < facts["peer_line_ns"][way] < 10_000 for way in ("plain", "past"))


def test_unequal_payloads_are_an_error(exchange: Exchange) -> None:
    lines = exchange.lines([group("bad", [message("a", "int32", 10), message("b", "int32", 11)])], fails=True)
    (error,) = of_kind(lines, "error")
    assert error["member"] == "b"
    assert "44 bytes" in error["reason"] and "40" in error["reason"]
    assert of_kind(lines, "samples") == []


def test_what_cannot_be_built_here_is_refused_and_the_run_goes_on(exchange: Exchange) -> None:
    groups = [
        group("count", [message("a", "contiguous(0, byte)", 2**31)]),
        group("number", [message("a", "vector(2, 1, 3000000000, contiguous(0, byte))")]),
        group("room", [message("a", "hvector(2, 1, 3000000000, int32)")]),
        group("payload", [message("a", "int32", 200_000_000)]),
        group("twice", [message("a", "hvector(2, 1, 2, int32)")]),
        group("bits", [message("a", "contiguous(9223372036854775807, int32)")]),
        group("root", [message("a", "int32")], pattern="bcast", root=2),
        group("fine", [message("a", "int32")]),
    ]
    lines = exchange.lines(groups)
    reasons = {of["group"]: of["reason"] for of in of_kind(lines, "refused")}
    assert "2147483648 does not fit into an int" in reasons["count"]
    assert "3000000000 does not fit into an int" in reasons["number"]
    assert "bytes of memory" in reasons["room"] and "bytes of memory" in reasons["payload"]
    assert "byte 2 twice" in reasons["twice"]
    assert "64 bits" in reasons["bits"]
    assert "root of 2 ranks" in reasons["root"]
    assert set(reasons) == {of["id"] for of in groups} - {"fine"}
    assert {of["group"] for of in of_kind(lines, "samples")} == {"fine"}


def test_ping_pong_needs_two_ranks(exchange: Exchange) -> None:
    groups = [group("p", [message("a", "int32")]), group("c", [message("a", "int32")], pattern="bcast", root=2)]
    lines = exchange.lines(groups, ranks=3)
    assert ["exactly 2 ranks, not 3" in of["reason"] for of in of_kind(lines, "refused")] == [True]
    assert {of["group"] for of in of_kind(lines, "samples")} == {"c"}


def test_validate_proves_and_times_nothing(exchange: Exchange) -> None:
    same = [message("a", "vector(3, 1, 2, int32)", 1, "l"), message("b", "vector(3, 1, 3, int32)", 1, "l")]
    lines = exchange.lines([group("good", same[:1]), group("bad", same)], "--validate", fails=True)
    assert of_kind(lines, "samples") == []
    assert [of["group"] for of in of_kind(lines, "error")] == ["bad"]
    assert len(of_kind(lines, "progress")) == 2


def test_a_group_ends_by_its_rules(exchange: Exchange) -> None:
    dense = [message("a", "int32", 1000)]
    reps = {"precision": 1e9, "budget_ms": 1e9}
    groups = [
        group("fixed", dense, reps={"min": 7, "max": 7, "budget_ms": 0, "precision": 1e9}),
        group("budget", dense, reps={"min": 3, "max": 1000, "budget_ms": 0, "precision": 0}),
        group("known", dense, reps={"min": 6, "max": 1000} | reps),
        group("too few to know", dense, reps={"min": 2, "max": 1000} | reps),
        group("most", dense, reps={"min": 2, "max": 5, "budget_ms": 1e9, "precision": 0}),
        group("inner", dense, reps={"min": 2, "max": 2, "inner": 50, "warmup": 0}),
    ]
    lines = exchange.lines(groups)
    found = {of["group"]: len(of["samples"]) for of in of_kind(lines, "samples")}
    assert found == {"fixed": 7, "budget": 3, "known": 6, "too few to know": 6, "most": 5, "inner": 2}


def test_cold_and_planted_members_run(exchange: Exchange) -> None:
    tiled = [message("tiled", "vector(1000, 2, 4, int32)")]
    cold = group("cold", tiled, cache="cold")
    planted = group("planted", tiled)
    planted["members"] = [member("tiled", "native", plant=True), member("tiled", "pack", plant=False)]
    lines = exchange.lines([cold, planted], plant=3.0)
    assert len(of_kind(lines, "samples")) == 4
    assert of_kind(lines, "error") == []


BROKEN = {"messages": [message("a", "int32")], "members": [member("a", "native")], "reps": {"min": 1, "max": 1}}


@pytest.mark.parametrize(
    ("change", "where", "what"),
    [
        ({"pattern": "pingpang"}, "groups[0].pattern", "'pingpang' is none of pingpong, bcast, allgather"),
        ({"pattern": 3}, "groups[0].pattern", "expected a text, found 3"),
        ({"messages": [{"name": "a"}]}, "groups[0].messages[0]", "'count' is missing"),
        ({"messages": [message("a", "int32", -1)]}, "groups[0].messages[0].count", "-1"),
        ({"messages": [message("a", "int32", 2**64)]}, "groups[0].messages[0].count", "expected an integer"),
        ({"messages": [message("a", "vectr(1, 2, 3, int32)")]}, "message 'a', type", "did you mean 'vector'?"),
        ({"members": []}, "groups[0].members", "no member"),
        ({"members": [member("b", "native")]}, "groups[0].members[0].message", "no message 'b'"),
        ({"members": [member("a", "native")] * 2}, "groups[0].members[1].name", "twice"),
        *(
            ({"pattern": "bcast", "members": [member("a", method)]}, "members[0].method", "only members of a pingpong")
            for method in ONLY_PINGPONG
        ),
        ({"messages": [message("a", "int32") | {"receive": {"count": 1}}]}, "messages[0].receive", "'type' is missing"),
        ({"messages": [message("a", "int32") | {"origin": -1}]}, "groups[0].messages[0].origin", "-1"),
        ({"reps": {"min": 5, "max": 4}}, "groups[0].reps.max", "between 5"),
        ({"cache": "hot"}, "groups[0].cache", "warm, cold"),
    ],
)
def test_a_broken_job_is_said_where(exchange: Exchange, change: Line, where: str, what: str) -> None:
    broken = {"id": "g", "pattern": "pingpong"} | BROKEN | change
    said = exchange.complaint(json.dumps({"schema": 1, "seed": 1, "groups": [broken]}))
    assert where in said and what in said


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"schema": 1,', "no JSON"),
        ("[]", "expected an object"),
        ('{"schema": 2}', "reads schema 1"),
        ('{"schema": 1, "seed": 1, "plant": 0.5, "groups": []}', "plant: must be at least 1"),
        ('{"schema": 1, "seed": 1, "groups": []}', "nothing to measure"),
        ("\x80", "no JSON"),
    ],
)
def test_a_file_that_is_no_job(exchange: Exchange, text: str, what: str) -> None:
    assert what in exchange.complaint(text)


def test_a_file_that_is_not_there_and_too_few_ranks(exchange: Exchange) -> None:
    for ranks, what in ((2, "cannot be read"), (1, "at least 2 ranks")):
        done = subprocess.run(exchange.command(ranks), capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2
        assert what in done.stderr


def test_help_teaches_and_its_job_runs(exchange: Exchange) -> None:
    program = exchange.build.program(PROGRAM)
    text = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    job = json.loads(text[text.index("{") : text.index("Optional:")])
    assert len(of_kind(exchange.lines(job["groups"]), "samples")) == 2
    assert all(
        word in text for word in ("--job", "--validate", "unpack_receive", "neighbor_alltoallw", "mpiexec", "cold")
    )
