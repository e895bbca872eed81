"""`gapless demo`, `measure` and `bench` end to end, as short as they go."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from conftest import Command
from gapless.bench.overhead import CASES
from gapless.paths import Build


def test_all_texts_say_how_long_the_demo_takes(repository: Path) -> None:
    told = [
        re.search(pattern, (repository / file).read_text(encoding="utf-8"))
        for file, pattern in (
            ("python/gapless/cli/demo.py", r"what they cost with Gapless \((\w+) minutes\)"),
            ("Makefile", r"what they cost with Gapless \((\w+) minutes\)"),
            ("README.md", r"make demo .*what they cost with Gapless: about (\w+) minutes"),
        )
    ]
    assert [match and match[1] for match in told] == ["6", "6", "six"]


def test_the_quick_demo_has_every_method(gapless: Command, build: Build, tmp_path: Path) -> None:
    answer = gapless("demo", "--json", "--quick")
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert {row["method"] for row in rows} == {"contiguous", "manual", "pack", "native", "gapless"}
    assert {row["guideline"] for row in rows} == {"GL1", "GL2/GL3", "GL4"}
    assert {row["layout"] for row in rows} == {"tiled", "block", "bucket", "alternating"}
    assert all(row["median_us"] > 0 and row["ratio_to_contiguous"] > 0 for row in rows)
    assert (tmp_path / "report.html").stat().st_size > 1_000_000
    recorded = list((tmp_path / "results").glob("*-demo.jsonl"))
    assert len(recorded) == 1
    kinds = [json.loads(line)["kind"] for line in recorded[0].read_text().splitlines()]
    assert kinds[0] == "environment"
    assert {"samples", "halo"} <= set(kinds)


def test_measure_appends_samples(gapless: Command, build: Build, tmp_path: Path) -> None:
    arguments = ("measure", "pingpong", "--launches", 1, "--quick", "--filter", "tiled/v1/A=2/3200", "--out", "s.jsonl")
    for _ in range(2):
        answer = gapless(*arguments)
        assert answer.returncode == 0, answer.stderr
    kinds = [json.loads(line)["kind"] for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert kinds.count("environment") == 2


def test_an_unknown_mpi_says_what_to_do(gapless: Command, build: Build, tmp_path: Path) -> None:
    answer = gapless("demo", "--mpi", tmp_path)
    assert answer.returncode == 2
    assert f"run 'make build MPI={tmp_path}' first" in answer.stderr


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_a_contiguous_call_costs_at_most_60_instructions(gapless: Command, build: Build) -> None:
    answer = gapless("bench", "overhead", "--json")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    costs = json.loads(answer.stdout)
    assert {(cost["procedure"], cost["outstanding"]) for cost in costs} == {
        (procedure, outstanding) for procedure, _, outstanding in CASES
    }
    # Fewer than one added instruction would mean that the layer was not there.
    assert all(1 <= cost["extra"] <= 60 for cost in costs), costs
