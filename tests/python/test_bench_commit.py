"""`gapless bench commit` and `seek`: the programs with few blocks, and the tables from made-up samples. No timing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from gapless.bench.commit import Measured, commit_rows, commit_table
from gapless.bench.seek import seek_rows, seek_table
from gapless.display import console
from gapless.errors import GaplessError
from gapless.paths import Build
from gapless.targets.rivals import Rival

CASES = {"equal, ascending", "unlike, ascending", "equal, shuffled", "unlike, shuffled"}


def line(create_ns: list[float]) -> dict[str, Any]:
    """Return a line as the programs print it."""
    return {"case": "c", "blocks": 10, "bytes_kept": 120, "create_ns": create_ns, "free_ns": [5.0]}


@pytest.fixture
def measured() -> list[Measured]:
    """Three libraries with two launches each, and one that is missing."""
    answers = [Measured(name, launches=[[line([ns, ns, 9 * ns])], [line([3 * ns])]]) for name, ns in
               (("gapless", 40.0), ("mpich", 100.0), ("openmpi", 80.0))]  # fmt: skip
    return [*answers, Measured("impi", reason="impi is not installed: run tools/rivals.sh")]


def test_ratios_are_to_the_fastest_rival(measured: list[Measured]) -> None:
    rows = {row.library: row for row in commit_rows(measured)}
    assert [rows[name].create_ns for name in ("gapless", "mpich", "openmpi")] == [8.0, 20.0, 16.0]
    assert [rows[name].ratio for name in ("gapless", "mpich", "openmpi")] == [0.5, 1.25, 1.0]
    assert rows["gapless"].bytes_kept == 12.0
    assert rows["gapless"].free_ns == 0.5


def test_a_missing_rival_has_a_row_with_the_reason(
    measured: list[Measured], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {row.library: row for row in commit_rows(measured)}
    assert rows["impi"].create_ns is None
    console().print(commit_table(list(rows.values())))
    assert "impi is not installed" in capsys.readouterr().out


def test_without_a_rival_there_is_no_ratio(measured: list[Measured]) -> None:
    assert [row.ratio for row in commit_rows(measured[:1])] == [None]


def test_a_library_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(GaplessError, match="nobody is not installed: run tools/rivals.sh"):
        Rival("nobody", tmp_path).compile("bench/commit_mpi.c", tmp_path)
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "mpi.h").write_text("#error no\n", encoding="utf-8")
    with pytest.raises(GaplessError, match="does not compile against broken"):
        Rival("broken", tmp_path).compile("bench/commit_mpi.c", tmp_path)


def test_commit_end_to_end_with_the_builds_own_mpi(gapless: Command, build: Build) -> None:
    answer = gapless(
        "bench", "commit", "--library", "gapless", "--library", "mpich", "--blocks", 200, "--repetitions", 2,
        "--launches", 2, "--json",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    result = json.loads(answer.stdout)
    assert {(row["case"], row["library"]) for row in result["rows"]} == {
        (case, library) for case in CASES for library in ("gapless", "mpich")
    }
    for row in result["rows"]:
        assert row["reason"] == ""
        assert row["blocks"] == 200
        assert row["create_ns"] > 0
        assert row["bytes_kept"] > 0
    assert "mpich" in result["versions"]


def test_an_unknown_library_is_one_line(gapless: Command, build: Build) -> None:
    answer = gapless("bench", "commit", "--library", "lam", "--blocks", 200)
    assert answer.returncode == 2
    assert "gapless: error: no library is called lam: choose from gapless, mpich, openmpi, impi" in answer.stderr


def test_seek_rows(capsys: pytest.CaptureFixture[str]) -> None:
    first = {"case": "c", "blocks": 10, "bytes": 800, "first_ns": [10.0], "last_ns": [15.0], "whole_ns": [100.0]}
    first |= {"iov_first_ns": [20.0], "iov_last_ns": [25.0], "iov_whole_ns": [400.0], "iov_windows_ns": [500.0, 420.0]}
    launches = [[first | {"chunked_ns": [ns]}] for ns in (150.0, 200.0, 9000.0)]
    (row,) = seek_rows(launches)
    assert row.last_to_first == 1.5
    assert row.whole_gb_per_s == 8.0
    assert row.chunked_to_whole == 0.5
    assert row.iov_last_to_first == 1.25
    assert row.iov_windows_to_whole == 1.15
    console().print(seek_table([row]))
    assert "×0.50" in capsys.readouterr().out


def test_seek_end_to_end(gapless: Command, build: Build) -> None:
    answer = gapless("bench", "seek", "--blocks", 5000, "--repetitions", 1, "--launches", 1, "--json")
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert {row["case"] for row in rows} == CASES | {"vector"}
    assert all(row["last_ns"] > 0 and row["chunked_gb_per_s"] > 0 for row in rows)
    assert all(row["iov_last_to_first"] > 0 and row["iov_windows_to_whole"] > 0 for row in rows)
