"""lab/exchange: members that have another datatype, or another buffer, each time."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from gapless.lab.programs import json_lines
from test_exchange import TYPES, Exchange, Line, any_library, exchange, group, message, of_kind  # noqa: F401

FRESH = [{"fresh_type": True}, {"fresh_buffer": True}, {"fresh_type": True, "fresh_buffer": True}]
METHODS = ("native", "pack", "local", "gapless")
# Says on the standard error, on rank 0 alone, which calls are made, one a line.
WATCH = """
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
static int speaks(void) { int rank; PMPI_Comm_rank(MPI_COMM_WORLD, &rank); return rank == 0; }
int MPI_Type_vector(int n, int b, int s, MPI_Datatype old, MPI_Datatype* made) {
  if (speaks()) fprintf(stderr, "construct\\n");
  return PMPI_Type_vector(n, b, s, old, made);
}
int MPI_Type_commit(MPI_Datatype* type) {
  if (speaks()) fprintf(stderr, "commit\\n");
  return PMPI_Type_commit(type);
}
int MPI_Type_free(MPI_Datatype* type) {
  if (speaks()) fprintf(stderr, "free\\n");
  return PMPI_Type_free(type);
}
int MPI_Send(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) {
  if (speaks() && tag == 12) fprintf(stderr, "send %p\\n", b);
  return PMPI_Send(b, n, t, to, tag, c);
}
"""


def fresh(name: str, of: Line, methods: tuple[str, ...], data: str, kinds: list[Line] = FRESH) -> Line:
    """Return a group in which each method has a member as usual, and one of each kind."""
    made = group(name, [of], methods, data=data, reps={"inner": 3})
    made["members"] += [
        one | {"name": f"{one['name']}+{at}"} | kind for one in list(made["members"]) for at, kind in enumerate(kinds)
    ]
    return made


@pytest.mark.parametrize("data", ["fresh", "constant"])
def test_what_is_fresh_arrives(any_library: Exchange, data: str) -> None:  # noqa: F811
    unlike = message("unlike", "vector(50, 2, 4, int32)") | {"receive": {"count": 100, "type": "int32"}}
    groups = [
        fresh(text, message("m", text, 2), METHODS, data)
        for text in (TYPES[1], TYPES[5], TYPES[11], "vector(20000, 1, 2, int32)")
    ]
    groups.append(fresh("unlike", unlike, METHODS, data))
    lines = any_library.lines(groups, layer=True)
    assert of_kind(lines, "error") == [] and len(of_kind(lines, "refused")) <= 1
    refused = {line["group"] for line in of_kind(lines, "refused")}
    expected = {(one["id"], of["name"]) for one in groups for of in one["members"] if one["id"] not in refused}
    assert {(line["group"], line["member"]) for line in of_kind(lines, "samples")} == expected


def watched(exchange: Exchange, compile_c: object, kind: Line) -> list[str]:  # noqa: F811
    """Return what rank 0 called for the members of a kind, one after the other."""
    watch = compile_c("watch.so", WATCH, "-shared", "-fPIC")  # type: ignore[operator]
    one = group("g", [message("m", "vector(100, 1, 2, int32)")], ("native",), reps={"inner": 3, "min": 9, "max": 9})
    one["members"][0] |= kind
    exchange.write([one])
    log = exchange.job.parent / "log"
    script = exchange.job.parent / "watched.sh"
    mpiexec, *rest = exchange.command(2)
    at = rest.index(next(word for word in rest if word.endswith("lab/exchange")))
    script.write_text(f'#!/bin/sh\nLD_PRELOAD={watch} exec "$@" 2>>{log}\n', encoding="utf-8")
    script.chmod(0o755)
    command = [mpiexec, *rest[:at], str(script), *rest[at:]]
    assert of_kind(list(json_lines(exchange.build, command, False, 120)), "error") == []
    return log.read_text(encoding="utf-8").splitlines()


def test_a_fresh_type_is_made_and_freed_around_each_message(exchange: Exchange, compile_c: object) -> None:  # noqa: F811
    calls = [line.split()[0] for line in watched(exchange, compile_c, {"fresh_type": True})]
    sends = [at for at, call in enumerate(calls) if call == "send"]
    # Two proofs; one sample that warms up and nine that count, each of three round trips behind one that is not timed.
    assert len(sends) == 2 + (1 + 9) * (1 + 3)
    for at in sends:
        assert calls[at - 2 : at + 2] == ["construct", "commit", "send", "free"]


def test_a_fresh_buffer_is_never_the_one_before(exchange: Exchange, compile_c: object) -> None:  # noqa: F811
    sent = [line for line in watched(exchange, compile_c, {"fresh_buffer": True}) if line.startswith("send")]
    assert len(set(sent)) == 16
    assert all(one != other for one, other in pairwise(sent))


@pytest.mark.parametrize(
    ("pattern", "method", "kind"),
    [("bcast", "native", "fresh_type"), ("pingpong", "manual", "fresh_type"), ("pingpong", "engine", "fresh_buffer")],
)
def test_what_cannot_be_fresh_is_said(exchange: Exchange, pattern: str, method: str, kind: str) -> None:  # noqa: F811
    one = group("g", [message("m", "int32")], (method,), pattern)
    one["members"][0][kind] = True
    told = exchange.complaint(json.dumps({"schema": 1, "seed": 5, "groups": [one]}))
    assert f"groups[0].members[0].{kind}: only members of a pingpong" in told
