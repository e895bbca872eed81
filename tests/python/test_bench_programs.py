"""`gapless bench programs`: which programs run where, how their output is read and judged, and real launches."""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from gapless.bench.fft import rank_environment
from gapless.bench.programs import cp2k
from gapless.bench.programs.catalogue import PROGRAMS
from gapless.bench.programs.debian import TREE, install_debian
from gapless.bench.programs.measure import launch_once
from gapless.bench.programs.program import Answer, Program, Started, choose, rank_words, read_reports
from gapless.bench.programs.run import pairs
from gapless.bench.programs.scalapack import read_blacs, read_lu, two_ranks
from gapless.bench.programs.tables import counts, judge, program_rows, program_table, program_tsv, why_nothing
from gapless.errors import GaplessError
from gapless.lab.statistics import Ratio
from gapless.launch.process import Ended
from gapless.paths import Build
from gapless.targets.libraries import Library, find_library
from gapless.targets.on_demand import FFT_FOLDER
from rich.console import Console

Lines = list[dict[str, Any]]
LU_CASE = """\
||Ax-b||/(||x||*||A||*eps*N)                 0.0082938
WALL   700   700  32    16   16    1    2     0.07     0.01  2000.00 FAILED
||A - P*L*U|| / (||A|| * N * eps) =             0.8573960E-01
"""
HERE = Path()


def test_programs_are_chosen_by_name_each_once() -> None:
    assert [one.name for one in choose(PROGRAMS, ["petsc-grid", "shenfun", "petsc-grid"])] == ["petsc-grid", "shenfun"]
    assert choose(PROGRAMS, None) == list(PROGRAMS.values())
    with pytest.raises(GaplessError, match="--program lammps"):
        choose(PROGRAMS, ["lammps"])


def test_each_runs_on_the_libraries_that_it_is_built_for() -> None:
    some = choose(PROGRAMS, ["taylor-green", "scalapack-lu", "petsc-grid"])
    assert [(program.name, names) for program, names in pairs(some, ["debian-openmpi", "intel"])] == [
        ("taylor-green", ["intel"]), ("scalapack-lu", ["debian-openmpi"]), ("petsc-grid", ["debian-openmpi"]),
    ]  # fmt: skip
    assert pairs(some, None) == pairs(some, ["all"]) == [(program, list(program.libraries)) for program in some]
    assert [program.name for program, _ in pairs(some, ["mpich"])] == ["taylor-green"]
    with pytest.raises(GaplessError, match="--mpi lam"):
        pairs(some, ["lam"])
    with pytest.raises(GaplessError, match="none of these programs is built for mpich"):
        pairs(choose(PROGRAMS, ["petsc-grid"]), ["mpich"])


def test_the_command_says_what_there_is(gapless: Command) -> None:
    answer = gapless("bench", "programs", "--list", "--json")
    assert [one["name"] for one in json.loads(answer.stdout)] == list(PROGRAMS)
    refused = gapless("bench", "programs", "--program", "lammps")
    assert refused.returncode == 2
    assert "name one of taylor-green, shenfun" in refused.stderr


def test_times_and_residuals_of_xdlu() -> None:
    output = "WALL    : not a row of the table\n" + 6 * LU_CASE
    answer = read_lu(Ended(0, output, ""), HERE)
    assert answer is not None
    # (2/3 700^3 + 2 * 700^2 * 16) operations at 2 GFLOP/s, six times.
    assert answer.samples_s == [pytest.approx(6 * 0.12217333, rel=1e-6)]
    assert answer.result == 6 * ["0.0082938", "0.8573960E-01"]
    assert answer.passed
    wrong = read_lu(Ended(0, output.replace("0.0082938", "NaN", 1), ""), HERE)
    assert wrong is not None
    assert not wrong.passed
    assert read_lu(Ended(0, output.replace("2000.00", "*******", 1), ""), HERE) is None
    assert read_lu(Ended(0, 5 * LU_CASE, ""), HERE) is None


def test_verdicts_of_xcbtest() -> None:
    row = "REAL SDRV TESTS:   50 TESTS;   25 PASSED,   25 SKIPPED,    0 FAILED."
    good = read_blacs(Ended(0, f"{row}\nTHERE WERE NO FAILURES IN THIS TEST RUN\n", "", wall_s=2), HERE)
    assert good == Answer([2], [row], True)
    bad = read_blacs(Ended(0, f"{row}\nTHERE WERE 3 FAILURES\n", ""), HERE)
    assert bad is not None
    assert not bad.passed
    assert read_blacs(Ended(0, "nothing", ""), HERE) is None


def test_energies_times_and_timers_of_cp2k(tmp_path: Path) -> None:
    energies = [
        f" ENERGY| Total FORCE_EVAL ( QS ) energy [a.u.]:   -17.1402812052{k:02}" for k in range(cp2k.STEPS + 1)
    ]
    output = "\n".join([*energies, " mp_alltoall_z22v   306 16.6    0.455    0.468    0.455    0.468", ""])
    rows = [f"{k} {k / 10} 0.0028 300.0 -17.14 -17.1374 {0.5 if k else 0.0}" for k in range(cp2k.STEPS + 1)]
    assert cp2k.read(Ended(0, output, ""), tmp_path) is None
    table = tmp_path / "H2O-1.ener"
    table.write_text("\n".join(["# Step", *rows]))
    good = cp2k.read(Ended(0, output, ""), tmp_path)
    assert good is not None
    assert good.samples_s == [pytest.approx(0.5 * (cp2k.STEPS - 1))]
    assert good.passed
    assert good.result[1] == "-17.140281205201"
    table.write_text("\n".join([*rows[:-1], rows[-1].replace("-17.1374", "-17.1375")]))
    bad = cp2k.read(Ended(0, output, ""), tmp_path)
    assert bad is not None
    assert not bad.passed
    assert cp2k.read(Ended(0, output.replace(energies[3], ""), ""), tmp_path) is None
    assert cp2k.timers(output) == {"mp_alltoall_z22v": (306, 0.455, 0.468)}


def test_the_testers_run_on_grids_of_two() -> None:
    assert two_ranks("1  pairs\n3   Number of grids\n2 4 1  NPROW\n2 1 4  NPCOL\nlast\n") == (
        "1  pairs\n2  Number of grids\n1 2  NPROW\n2 1  NPCOL\nlast\n"
    )
    with pytest.raises(GaplessError, match="another input"):
        two_ranks("no such line\n")


def test_a_repetition_lasts_as_long_as_its_slowest_rank(tmp_path: Path) -> None:
    assert read_reports(Ended(0, "", ""), tmp_path) is None
    for rank, samples in enumerate(([1, 5], [3, 2])):
        found = {"samples_s": samples, "digest": str(rank), "passed": rank == 0}
        (tmp_path / f"rank-{rank}.json").write_text(json.dumps(found))
    assert read_reports(Ended(0, "", ""), tmp_path) == Answer([3, 5], ["0", "1"], False)


def line(layer: bool, launch: int, factor: float = 1.0) -> dict[str, Any]:
    """Return a line as a launch gives it: 4 ms, with the layer half of it, times a factor."""
    send = {"calls": 30, "accelerated": 20, "bytes": 64000, "pack_ns": 4_000_000, "unpack_ns": 0, "paired": 8,
            "declined": {"contiguous": 6, "small": 4}}  # fmt: skip
    wait = {"calls": 30, "accelerated": 30, "bytes": 0, "declined": {}}
    return {
        "schema": 1, "kind": "program", "program": "petsc-grid", "library": "debian-openmpi", "layer": layer,
        "launch": launch, "ranks": 2, "wall_s": 0.5, "result": ["0a", "0b"], "passed": True,
        "samples_s": [ms * factor / (2000 if layer else 1000) for ms in (4, 4, 90)],
        **({"procedures": {"MPI_Send_c": send, "MPI_Waitall": wait}} if layer else {}),
    }  # fmt: skip


@pytest.fixture
def launches() -> Lines:
    """Five launches of each kind, one of them disturbed."""
    return [line(layer, launch, 9 if launch == 2 else 1) for launch in range(1, 6) for layer in (False, True)]


def test_a_row_is_of_medians_over_launches(launches: Lines) -> None:
    (row,) = program_rows([{"schema": 1, "kind": "environment"}, *launches])
    assert row.passes
    assert (row.plain_ms, row.gapless_ms, row.gain, row.low, row.high) == (4, 2, 2, 2, 2)
    assert (row.launches, row.typed_calls, row.accelerated, row.bytes, row.paired) == (5, 24, 20, 64000, 8)
    assert (row.results, row.why, row.procedures) == ("identical", "", {"MPI_Send": 20})
    printed = io.StringIO()
    Console(width=200, file=printed).print(program_table([row]))
    assert "2.00 (2.00-2.00)" in printed.getvalue()
    assert "20 of 24: MPI_Send 20; 64000 B" in printed.getvalue()
    (read,) = csv.DictReader(io.StringIO(program_tsv([row])), delimiter="\t")
    assert (read["gain"], read["procedures"], read["declined"]) == ("2", "MPI_Send:20", "contiguous:6 small:4")
    assert (read["why"], read["problem"]) == ("-", "-")


def test_who_gains_nothing_says_why() -> None:
    of = counts(line(True, 1)["procedures"])
    assert why_nothing(of, Ratio(2, 1.5, 3), 0.5, 2) == ""
    assert why_nothing(of, Ratio(2, 0.9, 3), 0.5, 2) == (
        "messages of 3200 B on average; packing takes 0.4% of the processes' time; "
        "by the measured rules the library copies such blocks as fast (4 calls)"
    )
    assert why_nothing(of, Ratio(0.8, 0.7, 0.9), 0.5, 2).startswith("SLOWER UNDER THE LAYER; messages of 3200 B")
    left = counts({"MPI_Send": {"calls": 9, "accelerated": 0, "bytes": 0, "declined": {"small": 7, "zero": 2}}})
    assert why_nothing(left, Ratio(1, 0.9, 1.1), 0.5, 2).endswith("copies such blocks as fast (7 calls)")
    contiguous = counts({"MPI_Send": {"calls": 9, "accelerated": 0, "bytes": 0, "declined": {"contiguous": 9}}})
    assert "none of its 9 calls needs" in why_nothing(contiguous, Ratio(1, 0.9, 1.1), 0.5, 2)


def _other_results(of: Lines) -> None:
    of[5]["result"] = ["0a", "ff"]


def _wrong(of: Lines) -> None:
    of[7]["passed"] = False


def _failed(of: Lines) -> None:
    of[3] = {name: of[3][name] for name in ("program", "library", "layer", "launch", "ranks", "procedures", "wall_s")}
    of[3] |= {"kind": "program", "reason": "exit status 9: killed"}


def _one_sided(of: Lines) -> None:
    del of[1::2]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_other_results, "OTHER RESULTS WITH THE LAYER"),
        (_wrong, "not right by its own measure, with the layer"),
        (_failed, "with the layer: exit status 9: killed"),
        (_one_sided, "not measured both"),
    ],
)
def test_whatever_is_wrong_is_said(launches: Lines, spoil: Callable[[Lines], None], said: str) -> None:
    spoiled = copy.deepcopy(launches)
    spoil(spoiled)
    assert judge(launches) == ("identical", "")
    assert said in judge(spoiled)[1]
    assert not program_rows(spoiled)[0].passes


def test_a_program_that_natively_differs_from_launch_to_launch_need_only_be_right(launches: Lines) -> None:
    launches[2]["result"] = ["ff", "0b"]
    assert judge(launches) == ("right; natively they differ from launch to launch", "")


@pytest.fixture
def small_solver(build: Build) -> Program:
    """Return the solver on a grid of 24 points a side, where mpi4py-fft is installed: `make test` installs it."""
    if not list(FFT_FOLDER.glob(".stamp-*")):
        pytest.skip(f"mpi4py-fft is not in {FFT_FOLDER}: run tools/fft.sh")

    def start(library: Library, folder: Path) -> Started:
        return Started(rank_words(folder, "taylor_green", 24), rank_environment(library))

    return replace(PROGRAMS["taylor-green"], start=start)


def test_a_program_without_and_under_the_layer(small_solver: Program) -> None:
    lines = [launch_once(small_solver, find_library(), layer) | {"launch": 1} for layer in (False, True)]
    (row,) = program_rows(lines)
    assert (row.problem, row.results) == ("", "identical")
    assert 0 < row.accelerated <= row.typed_calls
    assert list(row.procedures) == ["MPI_Alltoallw"]
    assert len(set(lines[0]["result"])) == 2  # Each rank has a part of its own, and so bits of its own.


def test_a_launch_that_fails_is_a_row(small_solver: Program) -> None:
    def start(library: Library, folder: Path) -> Started:
        return Started(rank_words(folder, "no_such_program"), rank_environment(library))

    (row,) = program_rows([launch_once(replace(small_solver, start=start), find_library(), False)])
    assert row.problem.startswith("without the layer: exit status")
    assert row.plain_ms is None


@pytest.mark.long
def test_debian_s_programs(gapless: Command, build: Build, tmp_path: Path) -> None:
    try:
        install_debian(print)
    except GaplessError as error:
        pytest.skip(str(error))
    chosen = [word for name in ("scalapack-blacs", "petsc-grid", "cp2k") for word in ("--program", name)]
    answer = gapless("bench", "programs", *chosen, "--launches", 1, "--json", "-o", tmp_path / "rows.tsv")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    rows = json.loads(answer.stdout)
    assert [(row["program"], row["library"]) for row in rows] == [
        ("scalapack-blacs", "debian-mpich"), ("scalapack-blacs", "debian-openmpi"), ("petsc-grid", "debian-openmpi"),
        ("cp2k", "debian-openmpi"),
    ]  # fmt: skip
    for row in rows:
        assert row["results"] == "identical"
        assert 0 < row["accelerated"] <= row["typed_calls"]
    assert (TREE / "PACKAGES").read_text(encoding="utf-8").count("\n") > 30
    recorded = next((tmp_path / "results").glob("*-programs.jsonl"))
    again = gapless("bench", "programs", "--from", recorded, "--json")
    assert json.loads(again.stdout) == rows
