"""`gapless bench fft`: real transforms of mpi4py-fft on every library that is installed, and how they are judged."""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from gapless.bench.fft import Case, cases, parse_size
from gapless.bench.fft_tables import agreement, fft_rows, fft_table, fft_tsv, idle, problem
from gapless.errors import GaplessError
from gapless.paths import Build
from gapless.targets.libraries import find_library
from gapless.targets.on_demand import FFT_FOLDER
from rich.console import Console

Lines = list[dict[str, Any]]


@pytest.fixture
def mpi4py_fft(build: Build) -> None:
    """Skip where mpi4py-fft is not installed: `make test` installs it, and the bench itself would need a network."""
    if not list(FFT_FOLDER.glob(".stamp-*")):
        pytest.skip(f"mpi4py-fft is not in {FFT_FOLDER}: run tools/fft.sh")


def run(gapless: Command, mpi: str, folder: Path, *options: object) -> list[dict[str, Any]]:
    answer = gapless(
        "bench",
        "fft",
        "--mpi",
        mpi,
        "--launches",
        1,
        "--size",
        "18x20x21",
        "--json",
        "--tsv",
        folder / "rows.tsv",
        *options,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    rows = json.loads(answer.stdout)
    with (folder / "rows.tsv").open(encoding="utf-8") as file:
        assert [row["grid"] for row in csv.DictReader(file, delimiter="\t")] == [row["grid"] for row in rows]
    return rows


def test_a_program_that_nobody_here_wrote(gapless: Command, mpi4py_fft: None, tmp_path: Path) -> None:
    rows = run(gapless, "mpich", tmp_path)
    assert [(row["grid"], row["input"]) for row in rows] == [
        ("slab", "complex"), ("slab", "real"), ("pencil", "complex"), ("pencil", "real"),
    ]  # fmt: skip
    for row in rows:
        assert row["problem"] == ""
        assert row["shape"] == "18x20x21"
        # Each rank has a part of its own, and so bits of its own.
        assert len({rank["spectrum"] for rank in row["digests"]}) == 4
        assert row["redistribution_plain_ms"] > 0
        assert row["redistribution_gapless_ms"] > 0
    # A pencil's transform redistributes twice.
    slab, pencil = rows[0], rows[2]
    assert 0 < slab["accelerated"] <= slab["calls"]
    assert pencil["calls"] == 2 * slab["calls"]
    recorded = next((tmp_path / "results").glob("*-fft-mpich.jsonl"))
    again = gapless("bench", "fft", "--from", recorded, "--json")
    assert json.loads(again.stdout) == rows


@pytest.mark.parametrize("mpi", ["openmpi", "intel"])
def test_the_other_libraries(gapless: Command, mpi4py_fft: None, mpi: str, tmp_path: Path) -> None:
    try:
        find_library(mpi)
    except GaplessError as error:
        pytest.skip(str(error))
    (row,) = run(gapless, mpi, tmp_path, "--grid", "slab", "--input", "real", "--force")
    assert row["problem"] == ""
    assert row["accelerated"] == row["calls"] > 0


def test_a_launch_that_fails_is_a_row(gapless: Command, mpi4py_fft: None, tmp_path: Path) -> None:
    # Nobody calls MPI_Init: the ranks end at their first call of MPI.
    answer = gapless("bench", "fft", "--launches", 1, "--size", 16, "--grid", "slab", "--input", "real", "--json",
                     MPI4PY_RC_INITIALIZE="0")  # fmt: skip
    assert answer.returncode == 1
    (row,) = json.loads(answer.stdout)
    assert row["problem"].startswith("without the layer: exit status")
    assert row["redistribution_plain_ms"] is None


@pytest.mark.parametrize(("text", "size"), [("64", (64, 64, 64)), ("90x84x100", (90, 84, 100)), ("8x8x9", (8, 8, 9))])
def test_sizes(text: str, size: tuple[int, int, int]) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "7", "-64", "64x64", "64x64x64x64", "64x7x64", "64 x 64 x 64", "²", "1e2", "4096"]
)
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(GaplessError, match="--size"):
        parse_size(text)


def test_cases_are_every_combination_once() -> None:
    found = cases(["16", "16x16x16", "9x10x11"], ["slab"], ["complex", "real"])
    assert [case.name for case in found] == [
        "16x16x16 slab complex", "16x16x16 slab real", "9x10x11 slab complex", "9x10x11 slab real",
    ]  # fmt: skip
    with pytest.raises(GaplessError, match="--grid brick"):
        cases(["16"], ["brick"], ["real"])
    with pytest.raises(GaplessError, match="--input integer"):
        cases(["16"], ["slab"], ["integer"])


def test_small_transforms_are_repeated_more_often() -> None:
    repetitions = [Case((n, n, n), "slab", "real").repetitions for n in (16, 64, 90, 128, 512)]
    assert repetitions == sorted(repetitions, reverse=True)
    assert repetitions[-1] >= 5


def line(layer: bool, launch: int, factor: float = 1.0, library: str = "mpich") -> dict[str, Any]:
    """Return a line as a launch gives it: 4 ms and 6 ms, with the layer times a factor."""
    of_rank = {"redistribution": "0a", "spectrum": "0b", "restored": "0c", "last": "0c"}
    milliseconds = {"redistribution": [4e6, 4e6, 90e6], "transform": [6e6, 6e6, 90e6]}
    return {
        "schema": 1, "kind": "fft", "library": library, "layer": layer, "launch": launch, "shape": [9, 10, 11],
        "grid": "pencil", "input": "real", "digests": [of_rank | {"spectrum": f"0{rank}"} for rank in range(4)],
        "error": 3e-16, "reference_error": 2e-16 if launch == 1 and not layer else None,
        "samples_ns": {name: [ns * factor for ns in of] for name, of in milliseconds.items()},
        **({"alltoallw": {"calls": 20, "accelerated": 15, "bytes": 999, "declined": {"small": 5}, "ranks": 4}}
           if layer else {}),
    }  # fmt: skip


@pytest.fixture
def launches() -> Lines:
    """Three launches of each kind, one of them disturbed; with the layer half the time, and once a quarter."""
    return [
        line(layer, launch, {1: 1, 2: 9, 3: 0.5 if layer else 1}[launch] * (0.5 if layer else 1))
        for launch in (1, 2, 3)
        for layer in (False, True)
    ]


def test_a_row_is_of_medians_over_launches(launches: Lines) -> None:
    (row,) = fft_rows([{"schema": 1, "kind": "environment"}, *launches])
    assert row.passes
    assert (row.redistribution_plain_ms, row.redistribution_gapless_ms) == (4, 2)
    assert (row.transform_plain_ms, row.transform_gapless_ms) == (6, 3)
    assert (row.launches, row.calls, row.accelerated, row.declined) == (3, 60, 45, {"small": 15})
    assert row.as_json()["redistribution_gain"] == row.as_json()["transform_gain"] == 2
    assert row.redistribution_gains == row.transform_gains == (2, 4)
    printed = io.StringIO()
    Console(width=200, file=printed).print(fft_table("mpich", [row]))
    assert "45 of 60   identical, small 15" in printed.getvalue()
    heading, values = fft_tsv([row]).splitlines()
    assert dict(zip(heading.split("\t"), values.split("\t"), strict=True)) == {
        "library": "mpich", "shape": "9x10x11", "grid": "pencil", "input": "real", "launches": "3", "calls": "60",
        "redistribution_plain_ms": "4", "redistribution_gapless_ms": "2", "transform_plain_ms": "6",
        "transform_gapless_ms": "3", "redistribution_gains": "2-4", "transform_gains": "2-4",
        "accelerated": "45", "problem": "-",
    }  # fmt: skip


def _other_bits(of: Lines) -> None:
    of[5]["digests"][3]["spectrum"] = "ff"


def _unstable(of: Lines) -> None:
    of[4]["digests"][0]["redistribution"] = "ff"


def _drifting(of: Lines) -> None:
    for one in of:
        one["digests"][2]["last"] = "ff"


def _unlike_numpy(of: Lines) -> None:
    of[0]["reference_error"] = 1e-3


def _not_a_number(of: Lines) -> None:
    of[0]["reference_error"] = float("nan")


def _unproved(of: Lines) -> None:
    of[0]["reference_error"] = None


def _not_restored(of: Lines) -> None:
    of[3]["error"] = 0.1


def _nothing_restored(of: Lines) -> None:
    of[3]["error"] = float("nan")


def _unseen(of: Lines) -> None:
    of[1]["alltoallw"]["calls"] = 0


def _failed(of: Lines) -> None:
    of[3] = {name: of[3][name] for name in ("layer", "launch", "alltoallw")} | {"reason": "exit status 9: killed"}


def _one_sided(of: Lines) -> None:
    del of[1::2]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_other_bits, "OTHER BITS WITH THE LAYER"),
        (_unstable, "from one launch without the layer to the next"),
        (_drifting, "in the last repetition"),
        (_unlike_numpy, "not the transform that NumPy computes"),
        (_not_a_number, "not the transform that NumPy computes"),
        (_unproved, "not proved"),
        (_not_restored, "do not restore"),
        (_nothing_restored, "do not restore"),
        (_unseen, "saw no MPI_Alltoallw"),
        (_failed, "with the layer: exit status 9: killed"),
        (_one_sided, "not measured both"),
    ],
)
def test_whatever_is_wrong_is_said(launches: Lines, spoil: Callable[[Lines], None], said: str) -> None:
    spoiled = copy.deepcopy(launches)
    spoil(spoiled)
    assert problem(launches) == ""
    assert said in problem(spoiled)


def test_a_layer_that_never_acts_is_named(launches: Lines) -> None:
    others = [line(layer, 1, library="intel") for layer in (False, True)]
    others[1]["alltoallw"] |= {"accelerated": 0, "declined": {"small": 20}}
    rows = fft_rows(launches + others)
    assert [row.passes for row in rows] == [True, True]
    assert idle(rows) == ["intel"]


def test_libraries_are_compared(launches: Lines) -> None:
    others = [line(layer, 1, library="intel") for layer in (False, True)]
    assert agreement(fft_rows(launches)) == ""
    assert agreement(fft_rows(launches + others)).startswith("1 of 1 ")
    for one in others:
        one["digests"][0]["spectrum"] = "ff"
    assert agreement(fft_rows(launches + others)).startswith("0 of 1 ")
