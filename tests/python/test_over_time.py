"""`gapless measure adaptive --over-time`: messages from the first one on, in lab/exchange and in what is told of it."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from gapless.errors import GaplessError
from gapless.lab.adaptive.chosen import ADAPTIVE, DIRECT, HOST, KERNEL, NATIVE
from gapless.lab.adaptive.over_time import course_of, paid_from, plots, sentences, tables, together
from gapless.lab.adaptive.settings import AdaptiveSettings
from gapless.lab.adaptive.story import rows
from gapless.lab.jobs import group_json
from gapless.lab.programs import json_lines
from gapless.lab.run_file import CONTIGUOUS_MEMBER, read_run
from gapless.lab.ways.points import Point, Trace, points_of
from measured import refused_by
from synthetic import planned_run
from test_exchange import Exchange, exchange, group, member, message, of_kind  # noqa: F401

SETTINGS = AdaptiveSettings(lengths=(8192,), counts=(320,), data="constant", buffers=("window",), over_time=40)
# Of a message [us]: the first one of the layer, those of its two trials, and later ones; the library's.
FIRST, TRIED, LATER, LIBRARYS = 100.0, 40.0, 10.0, 30.0
ATTEMPTS = 10
TAKEN = "-" + "d-" * 5 + "d" * 29


def traced() -> Point:
    """Return a message of which 40 are traced in three launches: the layer's ways, and the library's own."""
    (point,) = points_of(planned_run(SETTINGS, lambda *_: 30.0, 3))
    layer = [FIRST, *[TRIED] * 10, *[LATER] * 29]
    of = {
        member: {launch: Trace(np.array(us) * 2000 * (1 + 0.01 * launch), (ways, ways)) for launch in (1, 2, 3)}
        for member, us, ways in (
            (NATIVE, [LIBRARYS] * 40, "-" * 40), (ADAPTIVE, layer, TAKEN), (HOST, [20.0] * 40, "-" * 40),
        )
    }  # fmt: skip
    return replace(point, traces=of)


def test_all_round_trips_of_a_member_are_in_a_row() -> None:
    (group_,) = SETTINGS.plan().groups
    job = group_json(group_, SETTINGS, layer=True)
    assert job["in_order"] is True and (job["reps"]["min"], job["reps"]["max"]) == (40, 40)
    # The library's own first, then the layer as it chooses, before any of its ways has been used.
    assert [one["name"] for one in job["members"]] == [CONTIGUOUS_MEMBER, NATIVE, ADAPTIVE, HOST, KERNEL, DIRECT]
    assert SETTINGS.layer_settings["GAPLESS_STATS"] == f"json:{os.devnull}"
    steady = replace(SETTINGS, over_time=0)
    (group_,) = steady.plan().groups
    assert "in_order" not in group_json(group_, steady, layer=True)


def test_what_first_messages_take() -> None:
    point = traced()
    layer = course_of(point, ADAPTIVE)
    assert layer is not None and layer.us[0] == pytest.approx(FIRST * 1.02) and layer.settled == 12
    assert layer.steady_us == pytest.approx(LATER * 1.02)
    assert [layer.shares["direct"][k] for k in (0, 1, 2, 39)] == [0, 1, 0, 1]
    # 100 and ten times 40 against 30 each: 500 + 10 n is less than 330 + 30 n from n = 9 later ones on.
    assert paid_from(point) == 20
    ratio = together(point, 11)
    assert ratio is not None and ratio.value == pytest.approx(500 / 330) and ratio.low is not None
    assert paid_from(point, HOST) == 1 and paid_from(point, NATIVE, ADAPTIVE) is None
    # In the mean over launches, as the ratios are told: not by the messages' medians, which one launch cannot move.
    for times in (2, 20):
        slow = replace(point.traces[ADAPTIVE][3], ns=point.traces[ADAPTIVE][3].ns * times)
        one_far_off = replace(point, traces={**point.traces, ADAPTIVE: {**point.traces[ADAPTIVE], 3: slow}})
        later = paid_from(one_far_off)
        ratio = together(one_far_off, 40)
        assert ratio is not None and (later is None) == (ratio.value > 1) == (times == 20)
        if later is not None:
            just_before, there = together(one_far_off, later - 1), together(one_far_off, later)
            assert later > 20 and just_before is not None and there is not None
            assert there.value <= 1 < just_before.value
    assert course_of(point, DIRECT) is None and together(point, 41) is None


def test_sentence_tables_and_plot() -> None:
    point = traced()
    (told,) = sentences([point])
    assert told.startswith(
        "mpich, 320 blocks of 8192 B, constant data in a shared window: the first message takes 10.0 times as long as "
        "later ones (natively 1.0); they are steady from message 12 on, by direct (100% of the last quarter); the "
        "layer has taken less time than the library from 20 messages on, 40 messages 0.66 ("
    )
    costs, ways = tables([point])
    (row,) = costs.cells
    of = dict(zip(costs.columns[6:], row[6:], strict=True))
    assert (of["steady from"], of["has paid from"], of["first 1"], of["first 40"]) == ("12", "20", "3.33", "0.66")
    assert ways.columns[2:] == ["1", "2", "3 to 5", "6 to 10", "11 to 20", "21 to 40"]
    assert [list(row)[1:] for row in ways.cells] == [
        ["host", "100%", "0%", "67%", "40%", "10%", "0%"], ["direct", "0%", "100%", "33%", "60%", "90%", "100%"],
    ]  # fmt: skip
    (plot,) = plots([point], {})
    marked = {trace["name"]: len(trace["x"]) for trace in plot.figure["data"] if trace["mode"] == "markers"}
    assert marked == {"adaptive, by host": 6, "adaptive, by direct": 34}


def test_rows_and_what_has_no_page() -> None:
    point = traced()
    found = [row for row in rows([point]) if row["way"] == "vector + Gapless"]
    assert [row["messages"] for row in found] == [1, 2, 5, 10, 20, 40]
    assert found[0]["us"] == pytest.approx(FIRST * 1.02) and found[0]["to_native"] == pytest.approx(FIRST / LIBRARYS)
    assert (found[2]["host"], found[2]["kernel"], found[2]["direct"]) == (0.6, 0, 0.4)
    steady = replace(point, traces={})
    with pytest.raises(GaplessError, match="a run over time and one of steady times have no page in common"):
        rows([point, steady])
    assert sentences([replace(point, traces={NATIVE: point.traces[NATIVE]})]) == [
        "mpich: the layer was not under these programs, so nothing is told of it over time"
    ]


def test_each_message_says_its_way(exchange: Exchange) -> None:  # noqa: F811
    one = group("g", [message("m", "vector(100, 1024, 2048, double)")], ("native",), data="fresh", buffers="window",
                in_order=True, reps={"min": 12, "max": 12})  # fmt: skip
    one["members"] += [member("m", "gapless", way=way) | {"name": way} for way in ("host", "kernel", "direct")]
    exchange.write([one])
    settings = {"GAPLESS_SMALLEST_PAIRED": "8192", "GAPLESS_STATS": f"json:{os.devnull}"}
    (line, *_) = of_kind(list(json_lines(exchange.build, exchange.command(2), True, timeout_s=120)), "samples")
    assert line["ways"] == ["?" * 12] * 2  # nothing is counted
    seen: dict[str, set[str]] = {}
    # On a busy machine all receivers of a run may come late, and find their messages packed.
    for _ in range(ATTEMPTS):
        lines = list(json_lines(exchange.build, exchange.command(2), True, timeout_s=120, layer_settings=settings))
        assert of_kind(lines, "error") == [] and of_kind(lines, "refused") == []
        samples = of_kind(lines, "samples")
        # Not drawn: what comes first has not been used before.
        assert [line["member"] for line in samples] == ["m:native", "host", "kernel", "direct"]
        for line in samples:
            assert len(line["samples"]) == len(line["cycle_samples"]) == 12 and line["first"] == line["samples"][0]
            assert [len(ways) for ways in line["ways"]] == [12, 12]
            seen.setdefault(line["member"], set()).update(*line["ways"])
        if "k" in seen["kernel"] and "d" in seen["direct"]:
            break
    assert seen["m:native"] == seen["host"] == {"-"}
    assert {"k"} <= seen["kernel"] <= {"k", "-"} and {"d"} <= seen["direct"] <= {"d", "-"}


def test_only_a_pingpong_has_an_order(exchange: Exchange) -> None:  # noqa: F811
    one = group("g", [message("m", "int32")], ("native",), "bcast", in_order=True)
    told = exchange.complaint(json.dumps({"schema": 1, "seed": 5, "groups": [one]}))
    assert "groups[0].in_order: only a pingpong can have it" in told


def test_a_run_over_time(gapless: Command, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = gapless("measure", "adaptive", "--over-time", "20", "--lengths", "512", "--counts", "64", "--buffers",
                   "heap", "--data", "fresh", "--mpi", "mpich", "--launches", "2", "--out", str(folder))  # fmt: skip
    assert done.returncode == 0, done.stderr
    (point,) = points_of(read_run(folder))
    assert {len(trace.ns) for of in point.traces.values() for trace in of.values()} == {20}
    shown = gapless("report", str(folder), "-o", str(tmp_path / "page.html"))
    assert shown.returncode == 0, shown.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "the way that adaptive took, by number of the message" in page and "has paid from" in page


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--over-time", "200", "--calls", "waitall"], "--over-time: messages to and fro, in warm caches"),
        (["--over-time", "200", "--cache", "cold"], "--over-time: messages to and fro, in warm caches"),
        (["--over-time", "200", "--no-layer"], "--over-time: it is the layer that learns: leave out --no-layer"),
    ],
)
def test_what_cannot_be_told_over_time(words: list[str], says: str) -> None:
    refused_by(["measure", "adaptive", *words], says)
