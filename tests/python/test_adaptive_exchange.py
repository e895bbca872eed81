"""lab/exchange: members that take one of the layer's ways within a node, and buffers in a window that ranks share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gapless.lab.programs import json_lines
from gapless.targets.libraries import find_library
from test_exchange import TYPES, Exchange, Line, any_library, exchange, group, member, message, of_kind  # noqa: F401

WAYS = ("adaptive", "host", "kernel", "entries", "direct")
LARGE = "vector(1000, 8, 16, double)"


def each_way(name: str, of: Line, data: str, buffers: str, **more: object) -> Line:
    """Return a group in which a message is sent natively, and in each of the ways."""
    made = group(name, [of], ("native",), data=data, buffers=buffers, reps={"inner": 3})
    made["members"] += [member(of["name"], "gapless", way=way, **more) | {"name": f"in {way}"} for way in WAYS]
    return made


@pytest.mark.parametrize("data", ["fresh", "constant"])
@pytest.mark.parametrize("buffers", ["heap", "window", "alloc"])
def test_what_goes_in_each_of_the_ways_arrives(any_library: Exchange, data: str, buffers: str) -> None:  # noqa: F811
    groups = [
        each_way("large", message("m", LARGE), data, buffers),
        each_way("turning", message("m", LARGE), data, buffers, fresh_buffer=True),
        each_way("below zero", message("m", TYPES[5], 2), data, buffers),
        each_way("unlike", message("m", LARGE) | {"receive": {"count": 8000, "type": "double"}}, data, buffers),
    ]
    lines = any_library.lines(groups, layer=True)
    assert of_kind(lines, "error") == [] and of_kind(lines, "refused") == []
    expected = {(one["id"], of["name"]) for one in groups for of in one["members"]}
    assert {(line["group"], line["member"]) for line in of_kind(lines, "samples")} == expected


@pytest.mark.parametrize("buffers", ["window", "alloc"])
@pytest.mark.parametrize("pattern", ["waitall", "sendrecv"])
def test_both_ends_send_at_once_in_each_of_the_ways(exchange: Exchange, pattern: str, buffers: str) -> None:  # noqa: F811
    one = each_way("both", message("m", LARGE), "fresh", buffers) | {"pattern": pattern}
    lines = exchange.lines([one], layer=True)
    assert of_kind(lines, "error") == [] and of_kind(lines, "refused") == []
    assert {line["member"] for line in of_kind(lines, "samples")} == {of["name"] for of in one["members"]}


def test_programs_get_the_front_that_gapless_run_takes() -> None:
    """With the plain one windows of a library with large counts are not shared, and nothing goes direct."""
    library = find_library("mpich")
    say = """printf '{"preload": "%s"}\\n' "$LD_PRELOAD\""""
    (line,) = json_lines(library, [*library.launch(1), "/bin/sh", "-c", say], layer=True)
    assert Path(line["preload"]) == library.preload.with_name("libgapless_preload_lc41.so")


def test_every_pattern_can_have_a_window(exchange: Exchange) -> None:  # noqa: F811
    patterns = ("pingpong", "bcast", "allgather", "alltoallw", "gatherv", "waitall")
    groups = [group(pattern, [message("m", LARGE)], ("native",), pattern, buffers="window") for pattern in patterns]
    lines = exchange.lines(groups)
    assert of_kind(lines, "error") == [] and of_kind(lines, "refused") == []
    assert {line["group"] for line in of_kind(lines, "samples")} == set(patterns)


@pytest.mark.parametrize(
    ("pattern", "method", "way", "says"),
    [
        ("pingpong", "native", "host", "only members of a pingpong, sendrecv or waitall that are gapless can have it"),
        ("bcast", "gapless", "host", "only members of a pingpong, sendrecv or waitall that are gapless can have it"),
        ("pingpong", "gapless", "spans", "'spans' is none of adaptive, host, kernel, entries, direct"),
    ],
)
def test_a_way_that_there_is_not_is_said(
    exchange: Exchange,  # noqa: F811
    pattern: str,
    method: str,
    way: str,
    says: str,
) -> None:
    one = group("g", [message("m", "int32")], (method,), pattern)
    one["members"][0]["way"] = way
    told = exchange.complaint(json.dumps({"schema": 1, "seed": 5, "groups": [one]}))
    assert f"groups[0].members[0].way: {says}" in told
