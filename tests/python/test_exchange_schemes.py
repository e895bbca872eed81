"""lab/exchange: every other way to send what a datatype describes, in pairs, with an empty answer, and its refusals."""

from __future__ import annotations

import json

import pytest
from test_exchange import Exchange, Line, any_library, exchange, group, member, message, of_kind  # noqa: F401

SCHEMES = ("native", "hand_c", "buffered", "persistent", "put", "pack_send", "pack_element", "engine_send")
DENSE = {"receive": {"count": 60, "type": "double"}}
STRIDED = message("strided", "vector(20, 3, 5, double)") | {"loops": {"kernel": "strided", "sizes": [20, 3, 5]}}
LISTED = message("listed", "indexed_block(2, [0, 7, 3, 30], double)") | {
    "loops": {"kernel": "listed", "sizes": [4, 2], "list": [0, 7, 3, 30]}
}
UNDER = [
    member("strided", method, layer=True) | {"name": f"strided:{method}+layer"} for method in ("persistent", "pack")
]


def schemes(name: str, of: Line, **more: object) -> Line:
    """Return a group in which a message is sent by every scheme, with the layer also."""
    made = group(name, [of], (*SCHEMES, "gapless"), **more)
    made["members"] += UNDER if of["name"] == "strided" else []
    return made


@pytest.mark.parametrize("ranks", [2, 4])
def test_every_scheme_delivers(any_library: Exchange, ranks: int) -> None:  # noqa: F811
    groups = [
        schemes(f"{of['name']} {data} {cache} {pong} {'dense' if 'receive' in of else ''}", of, data=data, cache=cache,
                pong=pong, pairs=ranks > 2)
        for of in (STRIDED, STRIDED | DENSE, LISTED)
        for data, cache, pong in (("fresh", "warm", "full"), ("fresh", "warm", "empty"),
                                  ("constant", "cold_sender", "empty"), ("fresh", "cold_sender", "full"))
        if ranks == 2 or (cache, of) in (("warm", STRIDED), ("cold_sender", LISTED))
    ]  # fmt: skip
    lines = any_library.lines(groups, layer=True, ranks=ranks)
    assert of_kind(lines, "error") == [] and of_kind(lines, "refused") == []
    sampled = {(line["group"], line["member"]) for line in of_kind(lines, "samples")}
    assert sampled == {(one["id"], of["name"]) for one in groups for of in one["members"]}
    assert all(line["first"] > 0 for line in of_kind(lines, "samples"))


def test_with_phases_a_scheme_says_what_its_type_costs(exchange: Exchange) -> None:  # noqa: F811
    lines = exchange.lines([schemes("g", STRIDED, phases=True)], layer=True)
    found = {line["member"]: line for line in of_kind(lines, "samples")}
    for name, line in found.items():
        types = name.partition(":")[2] not in ("hand_c", "pack_element", "engine_send")
        assert ("first_type" in line) == types
        assert (min(line["phases"]["commit"]) > 0) == types
        if types:
            assert line["first_type"]["create"] > 0 and line["first_type"]["free"] > 0


def test_loops_unpack_only_what_is_received_as_it_is_sent(exchange: Exchange) -> None:  # noqa: F811
    # Were the loops to unpack what is received dense, it would lie strided there.
    dense = [group("dense", [STRIDED | DENSE], ("hand_c",)), group("alike", [STRIDED], ("hand_c",))]
    assert of_kind(exchange.lines(dense), "error") == []


def test_a_slow_member_is_left_out_and_said(exchange: Exchange) -> None:  # noqa: F811
    # No message takes a nanosecond; what all are compared to stays.
    lines = exchange.lines([group("g", [STRIDED], reps={"member_limit_ms": 1e-6})])
    assert {line["member"] for line in of_kind(lines, "samples")} == {"strided:native"}
    assert {line["member"] for line in of_kind(lines, "refused")} == {"strided:pack"}
    assert all("longer than a member of this group may take" in line["reason"] for line in of_kind(lines, "refused"))


def test_what_a_scheme_cannot_send_is_refused_and_the_rest_is_sent(exchange: Exchange) -> None:  # noqa: F811
    before = message("before", "hindexed_block(2, [-32, 8], double)")
    many = message("many", "vector(2000001, 1, 2, double)") | {"loops": {"kernel": "strided", "sizes": [2000001, 1, 2]}}
    methods = ("pack_element", "put", "native")
    lines = exchange.lines([group("b", [before], ("put", "native")), group("m", [many], methods)])
    refused = {line["member"]: line["reason"] for line in of_kind(lines, "refused")}
    assert "before its address" in refused["before:put"] and "2000000" in refused["many:pack_element"]
    assert "more than 200000" in refused["many:put"]
    assert {line["member"] for line in of_kind(lines, "samples")} == {"before:native", "many:native"}


def test_pairs_need_an_even_number_of_ranks(exchange: Exchange) -> None:  # noqa: F811
    refused = of_kind(exchange.lines([group("g", [STRIDED], pairs=True)], ranks=3), "refused")
    assert "even number of ranks, not 3" in refused[0]["reason"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"members": [member("strided", "buffered"), member("strided", "buffered") | {"name": "again"}]}, "one buffer"),
        ({"messages": [message("strided", "double")], "members": [member("strided", "pack_element")]}, "no 'loops'"),
        ({"pattern": "bcast", "pairs": True, "members": [member("strided", "native")]}, "only a pingpong"),
        ({"phases": True, "pong": "empty"}, "two ranks that do the same"),
        ({"pong": "half"}, "none of full, empty"),
    ],
)
def test_a_job_that_asks_for_what_is_not_is_refused(exchange: Exchange, change: Line, says: str) -> None:  # noqa: F811
    job = {"schema": 1, "seed": 5, "groups": [group("g", [STRIDED]) | change]}
    assert says in exchange.complaint(json.dumps(job))
