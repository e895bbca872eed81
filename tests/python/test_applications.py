"""`gapless measure applications`: what made-up launches prove, and a small run of the real programs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from gapless.lab.applications.catalogue import CALLS, PRESETS, PROGRAMS, WAYS, Scale
from gapless.lab.applications.judged import answers_of, rows_of
from gapless.lab.applications.measure import differing, measure
from gapless.lab.applications.page import render
from gapless.lab.applications.settings import Settings
from gapless.lab.applications.tables import COLUMNS, answer_sentence, tsv
from gapless.lab.results import Recorder, read
from gapless.targets.chosen import targets
from report_page import data_of

Lines = list[dict[str, Any]]
NOISE = (1.0, 1.01, 0.99, 1.015, 0.985, 1.005)


def made(ns: dict[str, float], launches: int = 6) -> Lines:
    """Return lines of one program and call: `ns` of each way, "+layer" behind its name where it is under it."""
    lines: Lines = [{"kind": "environment", "schema": 1, "date": "a day", "cpu": "a processor"}]
    for launch, (place, (way, of)) in product(range(launches), enumerate(ns.items())):
        noise = NOISE[(launch + 2 * place) % len(NOISE)]
        lines.append({
            "schema": 1, "kind": "application", "mpi": "mpich", "program": "flow", "launch": launch, "ranks": 2,
            "layer": way.endswith("+layer"), "way": way.removesuffix("+layer"), "call": "waitall", "size": "64",
            "weak": False, "rows": 64, "columns": 64, "steps": 3, "hash": "a", "sent_bytes": 512,
            "exchange_ns": [of * noise * factor for factor in (0.9, 1.0, 5.0)],
        })  # fmt: skip
    return lines


def test_the_fastest_way_wins_and_the_layer_is_compared_with_it() -> None:
    (row,) = rows_of(made({"hand": 2000, "vector": 4000, "subarray": 3000, "vector+layer": 1000, "subarray+layer": 2600,
                           "hand+layer": 2000}))  # fmt: skip
    assert row.best == "hand"
    assert row.native_us == pytest.approx({"hand": 2.0, "vector": 4.0, "subarray": 3.0}, rel=0.02)
    assert row.layer["vector"].verdict == "not slower"
    assert row.layer["vector"].ratio == pytest.approx(0.5, rel=0.01)
    assert row.layer["subarray"].verdict == "slower"
    assert row.layer["subarray"].ratio == pytest.approx(1.3, rel=0.01)
    assert row.layer["hand"].verdict == "not slower"
    (answer,) = answers_of([row])
    assert (answer.wins["hand"], answer.dominates, answer.loses, answer.of) == (1, 1, 1, 2)
    assert answer.ratio == pytest.approx((0.5 * 1.3) ** 0.5, rel=0.01)
    assert "hand in 1" in answer_sentence(answer)


def test_what_is_not_proved_is_undecided() -> None:
    (row,) = rows_of(made({"hand": 2000, "vector": 2001, "subarray": 2002}))
    assert row.best == ""
    assert row.layer == {}
    assert answers_of([row])[0].ratio is None
    assert {way: of.ratio for way, of in row.native.items()} == pytest.approx(dict.fromkeys(WAYS, 1.0), rel=0.01)
    # A single launch proves nothing, whatever it shows.
    (one,) = rows_of(made({"hand": 2000, "vector": 9000, "subarray": 9000, "vector+layer": 1000}, launches=1))
    assert (one.best, one.layer["vector"].verdict) == ("", "undecided")


def test_differing_results_are_said() -> None:
    lines = made({"hand": 1.0, "vector": 1.0})
    assert differing(lines) == []
    lines[-1]["hash"] = "b"
    (sentence,) = differing(lines)
    assert sentence.startswith("flow, 64 x 64, 3 steps: the results differ: a, b")


def test_the_page_opens_with_a_figure() -> None:
    import plotly.graph_objects as go

    lines = made({"hand": 2000, "vector": 4000, "subarray": 3000, "vector+layer": 1000})
    page = render(lines, rows_of(lines))
    figures = data_of(page)
    figure = figures["figure"]
    go.Figure(figure)
    assert figures["scaling"] is None and "More ranks" not in page
    assert {trace["name"]: trace["y"] for trace in figure["data"] if trace["y"]}["vector, Gapless"] == [
        pytest.approx(1.0, rel=0.02)
    ]
    assert page.index('id="figure"') < page.index("<h2")


def test_the_page_shows_how_the_exchange_scales() -> None:
    import plotly.graph_objects as go

    lines = made({"hand": 2000, "vector": 4000, "vector+layer": 1000})
    four = [line | {"ranks": 4, "exchange_ns": [2 * ns for ns in line["exchange_ns"]]} for line in lines[1:]]
    page = render([*lines, *four], rows_of([*lines, *four]))
    scaling = data_of(page)["scaling"]
    go.Figure(scaling)
    assert "More ranks" in page
    (datatype,) = (trace for trace in scaling["data"] if trace["name"] == "mpich: vector")
    assert datatype["x"] == [2, 4]
    assert datatype["y"] == pytest.approx([4.0, 8.0], rel=0.02)


def test_a_small_run(gapless: Command, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["measure", "applications", "--preset", "quick", "--size", "40x24", "--steps", "3", "--launches", "2"]
    ended = gapless(*words, "--out", str(run))
    assert ended.returncode == 0, ended.stderr
    head, *rows = [line.split("\t") for line in ended.stdout.splitlines()]
    assert tuple(head) == COLUMNS
    assert {(row[1], row[5]) for row in rows} == set(product(PROGRAMS, CALLS))
    lines = read(run / "run.jsonl")
    assert {(line["way"], line["layer"]) for line in lines if line["kind"] == "application"} == set(
        product(WAYS, (False, True))
    )
    assert differing(lines) == []
    assert tsv(rows_of(lines)) == ended.stdout
    again = gapless(*words, "--out", str(run))
    assert again.returncode == 2
    assert "holds a run already" in again.stderr
    # One launch more, of which one program has run already; nothing else may change.
    unfinished = [line for line in lines if not (line["kind"] == "launch" and line["launch"] == 2)]
    (run / "run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in unfinished), encoding="utf-8")
    assert "not with another --steps" in gapless("measure", "applications", "--resume", run, "--steps", 4).stderr
    further = gapless("measure", "applications", "--resume", run, "--launches", 3)
    assert further.returncode == 0, further.stderr
    launched = [line for line in read(run / "run.jsonl") if line["kind"] == "launch"]
    assert Counter(line["launch"] for line in launched) == {1: 6, 2: 6, 3: 6}
    refused = gapless("measure", "vector", "--resume", run)
    assert refused.returncode == 2 and "'gapless measure applications --resume'" in refused.stderr
    two = gapless("report", run, run)
    assert two.returncode == 2 and "name it alone" in two.stderr
    page = gapless("report", str(run), "-o", str(tmp_path / "a.html"))
    assert page.returncode == 0, page.stderr
    assert "Applications with halos" in (tmp_path / "a.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--programs", "tetris"], "there is no 'tetris'"), (["--preset", "slow"], "there is no 'slow'"),
     (["--ranks", "64"], "has none of them"), (["--budget", "soon"], "that is no time")],
)  # fmt: skip
def test_wrong_usage(gapless: Command, words: list[str], says: str) -> None:
    ended = gapless("measure", "applications", *words)
    assert ended.returncode == 2
    assert says in ended.stderr


def test_what_would_be_launched_is_listed(gapless: Command) -> None:
    listed = gapless("measure", "applications", "--list", "--programs", "life", "--ranks", 2, "--launches", 1)
    assert listed.stdout.splitlines() == [
        "launch\tprogram\tranks\tsize\tweak\tsteps\tlayer", "1\tlife\t2\t1024x1024\tno\t40\toff,on",
        "1\tlife\t2\t512x512\tyes\t40\toff,on",
    ]  # fmt: skip


def test_the_budget_ends_whole_rounds(tmp_path: Path) -> None:
    settings = Settings.of("quick", PRESETS["quick"])
    settings = replace(settings, scales=(Scale(1, "16x16"),), programs=("life",), steps=1, layer=False, budget_s=1e-3)
    recorder = Recorder(tmp_path / "run.jsonl")
    with targets(None, None, False, print, programs=["examples/applications/life"]) as found:
        assert measure(found, settings, recorder, lambda _: None) == ([], 1)
    assert [line["launch"] for line in recorder.lines if line["kind"] == "launch"] == [1]


def test_presets_go_to_four_ranks() -> None:
    assert {scale.ranks for scale in PRESETS["standard"].scales} == {1, 2, 3, 4}
    assert {scale.weak for scale in PRESETS["standard"].scales} == {False, True}
