"""`gapless bench copy`: what it measures is proved, and what its rows say."""

import json
import os

import pytest
from gapless.bench.copy import PROGRAM, copy_rows, copy_summary
from gapless.cli.commands import app
from gapless.lab.programs import CommandFailed, json_lines, mpi_command
from gapless.paths import Build
from typer.testing import CliRunner


def line(source: str, through: float, copy: float, **more: object) -> dict:
    return {
        "from": source, "to": "b", "bytes": 100, "transposes": False,
        "through_ns": [through] * 3, "copy_ns": [copy] * 3, "pack_ns": [0.25 * through] * 3,
        "unpack_ns": [0.5 * through] * 3, **more,
    }  # fmt: skip


def test_a_gain_is_the_median_over_launches() -> None:
    launches = [[line("a", gain, 1.0)] for gain in (2.0, 3.0, 1.5, 2.5, 9.0)]
    (row,) = copy_rows(launches)
    assert row.gain == 2.5
    assert row.low == 1.5
    assert row.high == 9.0
    assert row.ceiling == 2.0
    assert not row.is_missed


@pytest.mark.parametrize(("gains", "missed"), [((0.9,) * 5, True), ((0.98, 0.99, 0.97, 0.99, 0.995), True),
                                               ((0.98, 0.99, 0.97, 0.99, 1.01), False)])  # fmt: skip
def test_missed_is_below_097_or_surely_below_one(gains: tuple[float, ...], missed: bool) -> None:
    (row,) = copy_rows([[line("a", gain, 1.0)] for gain in gains])
    assert row.is_missed is missed


def test_the_summary_names_naive_loops() -> None:
    rows = copy_rows([[line("a", 2.0, 1.0), line("c", 3.0, 1.0, naive_ns=[4.0] * 3)]])
    assert [row.source for row in rows] == ["a", "c"]
    assert rows[1].to_naive == 4.0
    assert rows[1].naive_ceiling == pytest.approx(4.0 / 0.75)
    assert copy_summary(rows).row_count == 2  # its one size, and all


def test_it_measures_pairs_and_their_transpositions() -> None:
    result = CliRunner().invoke(
        app,
        ["bench", "copy", "--case", "matrix", "--case", "tiled/v?/A=2", "--sizes", "20000", "--launches", "1",
         "--repetitions", "2", "--json"],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    pairs = {(row["source"], row["destination"]): row for row in rows}
    assert pairs["matrix/rows", "matrix/columns"]["to_naive"] > 0
    assert pairs["matrix/rows", "matrix/columns"]["naive_ceiling"] > 0
    assert pairs["matrix/columns", "matrix/rows"]["to_naive"] is None
    assert ("tiled/v1/A=2", "tiled/v2/A=2") in pairs
    assert all(row["gain"] > 0 for row in rows)


@pytest.mark.parametrize("core", sorted(os.sched_getaffinity(0))[:2])
def test_it_stays_on_the_processor_that_was_named(build: Build, core: int) -> None:
    arguments = ["--case", "small*", "--bytes", "64", "--repetitions", "1", "--core", str(core)]
    lines = list(json_lines(build, mpi_command(build, PROGRAM, arguments, ranks=1), layer=False))
    assert lines[0]["kind"] == "start"
    assert lines[0]["core"] == core


def test_a_processor_that_is_not_there_is_an_error(build: Build) -> None:
    with pytest.raises(CommandFailed, match="bench_copy: error: cannot stay on processor 1000"):
        list(json_lines(build, mpi_command(build, PROGRAM, ["--core", "1000"], ranks=1), layer=False))
