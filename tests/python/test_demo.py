"""`gapless demo`, `measure` and `bench` end to end, as short as they go."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Command
from gapless.bench.overhead import CASES
from gapless.lab.demo_messages import QUICK_MESSAGES
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
    assert [match and match[1] for match in told] == ["4", "4", "four"]


def test_a_build_says_how_far_it_is_in_four_lines_and_passes_on_the_rest(repository: Path) -> None:
    told = "".join(f"[{i}/228] Building CXX object {i}.o\n" for i in range(1, 228))
    told = told.replace("[100/228]", "a.cpp:1: warning: unused\n[100/228]") + "FAILED: b.o\n"
    answer = subprocess.run(
        [repository / "tools" / "build_progress.sh"], input=told, capture_output=True, text=True, check=True
    )
    assert answer.stdout.splitlines() == [
        "gapless: building, 25 %", "a.cpp:1: warning: unused", "gapless: building, 50 %", "gapless: building, 75 %",
        "FAILED: b.o",
    ]  # fmt: skip


def test_the_quick_demo_has_every_method(gapless: Command, build: Build, tmp_path: Path) -> None:
    answer = gapless("demo", "--json", "--quick")
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert {row["method"] for row in rows} == {"contiguous", "pack", "native", "local", "gapless"}
    assert {row["bytes"] for row in rows if row["method"] == "local"} == {max(row["bytes"] for row in rows)}
    assert {row["guideline"] for row in rows} == {"GL2/GL3", "GL4"}
    assert {row["words"] for row in rows} == {message.words for message in QUICK_MESSAGES}
    assert {row["bytes"] for row in rows} == {message.bytes for message in QUICK_MESSAGES}
    assert all(row["median_us"] > 0 and row["ratio_to_contiguous"] > 0 for row in rows)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(message.words in page for message in QUICK_MESSAGES)
    progress = [line for line in answer.stderr.splitlines() if line.startswith("gapless: measuring, ")]
    assert progress == [f"gapless: measuring, {share} %" for share in (25, 50, 75, 100)]
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


needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")


# Fewer than one added instruction would mean that the layer was not there.
@pytest.mark.long
@needs_valgrind
def test_each_contiguous_call_costs_at_most_60_instructions(gapless: Command, build: Build) -> None:
    answer = gapless("bench", "overhead", "--json")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    costs = json.loads(answer.stdout)
    assert {(cost["procedure"], cost["outstanding"]) for cost in costs} == {
        (procedure, outstanding) for procedure, _, outstanding in CASES
    }
    assert all(1 <= cost["extra"] <= 60 for cost in costs), costs
