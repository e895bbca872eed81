"""`gapless measure guidelines` end to end, as short as it goes: recorded, resumed, interrupted, planted."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Command
from ctrl_c import interrupted
from gapless.lab.results import of_kind, read
from gapless.lab.run_file import NAME, read_run
from gapless.paths import Build

SHORT = (
    "measure",
    "guidelines",
    "--preset",
    "quick",
    "--tests",
    "ET6",
    "-A",
    "2",
    "--sizes",
    "3200",
    "--pattern",
    "pingpong",
)


def test_a_run_is_recorded_judged_and_resumed(gapless: Command, build: Build, tmp_path: Path) -> None:
    answer = gapless(*SHORT, "--launches", 2, "--out", "run", "--json")
    assert answer.returncode == 0, answer.stderr
    judged = json.loads(answer.stdout)
    assert [(row["test"], row["layer"], row["launches"]) for row in judged] == [("ET6", False, 2), ("ET6", True, 2)]
    assert {row["verdict"] for row in judged} <= {"holds", "violated", "undecided"}
    run = read_run(tmp_path / "run")
    assert list(run.environment["libraries"]) == ["mpich"]
    assert "MPICH" in run.environment["libraries"]["mpich"]["mpi_library"]
    assert {line["launch"] for line in run.launches} == {1, 2}
    row = run.rows[0]
    pairs = run.pairs(row, "mpich")
    assert sorted(pairs) == [1, 2]
    assert all(len(compared) >= 6 and (compared > 0).all() for compared, _ in pairs.values())

    again = gapless(*SHORT, "--launches", 2, "--out", "run")
    assert again.returncode == 2
    assert "--resume" in again.stderr

    more = gapless("measure", "guidelines", "--resume", "run", "--launches", 3)
    assert more.returncode == 0, more.stderr
    assert sorted(read_run(tmp_path / "run").pairs(row, "mpich")) == [1, 2, 3]
    assert len(of_kind(read(tmp_path / "run" / NAME), "environment")) == 1


def test_own_pairs_and_a_planted_slowdown_are_seen(gapless: Command, build: Build, tmp_path: Path) -> None:
    pair = "mine: 100 x resized(0, 16, int64) <= contiguous"
    common = ("measure", "guidelines", "--preset", "quick", "--pair", pair, "--pattern", "pingpong,allgather")
    answer = gapless(*common, "--launches", 2, "--no-layer", "--json", "--plant", 100, "--out", "planted")
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert [(row["case"], row["test"], row["layer"], row["bytes"], row["pattern"]) for row in rows] == [
        ("mine", "own", False, 800, pattern) for pattern in ("pingpong", "allgather")
    ]
    # A hundred times slower, in however restless a machine.
    assert all(row["ratio"] > 10 for row in rows)


def test_unequal_type_maps_are_reported_and_never_timed(gapless: Command, build: Build, tmp_path: Path) -> None:
    pair = "wrong: 100 x resized(0, 16, int64) <= hvector(100, 1, 24, int64)"
    answer = gapless("measure", "guidelines", "--preset", "quick", "--pair", pair, "--launches", 2, "--out", "wrong")
    assert answer.returncode == 1
    assert "type map" in answer.stderr
    run = read_run(tmp_path / "wrong")
    assert run.errors
    assert not run.samples


def test_an_interrupted_run_keeps_what_it_measured_and_goes_on(gapless: Command, build: Build, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    output = interrupted([*SHORT, "--launches", "50", "--out", str(folder)], folder, 2)
    assert "--resume" in output
    run = read_run(folder)
    kept = len(run.pairs(run.rows[0], "mpich"))
    assert kept >= 2
    more = gapless("measure", "guidelines", "--resume", folder, "--launches", kept + 1)
    assert more.returncode == 0, more.stderr
    run = read_run(folder)
    assert sum(line["status"] == "ok" for line in run.launches) >= kept + 1
    assert not list(folder.glob(".job-*"))


def test_a_run_without_time_says_how_it_goes_on(gapless: Command, build: Build) -> None:
    answer = gapless(*SHORT, "--no-layer", "--launches", 500, "--budget", "2s", "--out", "run")
    assert answer.returncode == 0, answer.stderr
    assert "500 launches of each library are wanted; there is time for" in answer.stderr
    assert "'--resume run' goes on" in answer.stderr


def test_a_run_goes_on_only_as_it_was_begun(gapless: Command, tmp_path: Path) -> None:
    answer = gapless("measure", "guidelines", "--resume", "somewhere", "--tests", "ET6")
    assert answer.returncode == 2
    assert "not with another --tests" in answer.stderr
