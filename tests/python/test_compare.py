"""`gapless compare` on made-up runs: nothing changed, something planted, a machine that is slower today."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import simulate
from conftest import Command
from gapless.cli.compare import differences
from gapless.errors import GaplessError
from gapless.lab.compare import compare_runs, subjects_of
from gapless.lab.run_file import Row, Run, run_of
from synthetic import lines_of, row, run_with, write

ROWS = [row(i) for i in range(60)]
noises = pytest.mark.parametrize("noise", simulate.FAIR, ids=lambda noise: noise.name)


def _time(one: Row, member: str) -> float:
    return {"contiguous:native": 500.0, "tiled:native": 1000.0}.get(member, 3000.0)


def _planted(one: Row, member: str) -> float:
    return _time(one, member) * (1.3 if member == one.compared and one.A < 20 else 1.0)


def _slow_machine(one: Row, member: str) -> float:
    return 1.4 * _time(one, member)


def _without_contiguous(run: Run) -> Run:
    for launches in run.samples.values():
        for members in launches.values():
            del members["contiguous:native"]
    return run


def test_each_member_is_compared_once() -> None:
    shared = [row(1), row(2, group="g1", A=1, case="other", compared="tiled_struct:native")]
    found = subjects_of(run_with(shared, _time))
    assert [subject.member for subject in found] == ["tiled_vector:native", "tiled:native", "tiled_struct:native"]


def test_of_two_groups_at_one_place_the_first_with_samples_counts() -> None:
    twice = [row(1), row(2, A=1, case="tiled/v1/A=1/tiled_vector")]
    run = run_with(twice, _time)
    for group in ("g1", "g2"):
        launches = run.samples["mpich", group].values()
        own = [np.log(np.median(of["tiled_vector:native"]) / np.median(of["contiguous:native"])) for of in launches]
        found = subjects_of(run)
        assert len(found) == 2
        assert next(iter(found.values())) == pytest.approx(own)
        run.samples.pop(("mpich", group))


def test_a_slower_machine_is_no_regression() -> None:
    found = compare_runs(run_with(ROWS, _time), run_with(ROWS, _slow_machine, seed=2))
    assert not found.regressed
    assert found.count("same") >= 0.95 * len(found.changes) == 0.95 * 120


def test_with_absolute_times_it_is_one() -> None:
    found = compare_runs(run_with(ROWS, _time), run_with(ROWS, _slow_machine, seed=2), absolute=True)
    assert found.count("regression") >= 0.95 * len(found.changes) == 0.95 * 180
    assert {one.subject.member: round(one.old, 1) for one in found.changes}["contiguous:native"] == 0.5


def test_a_planted_slow_down_is_found_and_nothing_else() -> None:
    found = compare_runs(run_with(ROWS, _time), run_with(ROWS, _planted, seed=2))
    slower = {(one.subject.place.A, one.subject.member) for one in found.changes if one.change == "regression"}
    expected = {(i, "tiled_vector:native") for i in range(20)}
    assert slower <= expected
    assert len(slower) >= 19
    assert found.changes[0].ratio == pytest.approx(1.3, rel=0.1)
    back = compare_runs(run_with(ROWS, _planted, seed=2), run_with(ROWS, _time))
    assert (back.count("regression"), back.count("improvement")) == (0, len(slower))


def test_without_a_contiguous_message_the_rows_own_ratio_counts() -> None:
    old, new = (_without_contiguous(run_with(ROWS, time, seed=i)) for i, time in enumerate((_time, _planted)))
    found = compare_runs(old, new)
    assert len(found.changes) == 60
    assert {one.subject.against for one in found.changes} == {"tiled:native"}
    assert 19 <= found.count("regression") <= 20


def test_names_of_groups_and_rows_do_not_matter_and_libraries_do() -> None:
    lines = lines_of(ROWS, _time)
    renamed = [dict(line) for line in lines]
    for line in renamed:
        for name in {"group", "row"} & line.keys():
            line[name] += "-of-the-other-run"
    found = compare_runs(run_of(lines, Path("a")), run_of(renamed, Path("b")))
    assert len(found.changes) == 120
    assert {one.ratio for one in found.changes} == {1.0}
    with pytest.raises(GaplessError, match="in common"):
        compare_runs(run_of(lines, Path("a")), run_with(ROWS, _time, libraries=("intel",)))


def test_what_is_in_one_run_only_is_said() -> None:
    found = compare_runs(run_with(ROWS[:3], _time), run_with(ROWS[1:], _time))
    assert len(found.changes) == 4
    assert {subject.place.A for subject in found.only_old} == {0}
    assert {subject.place.A for subject in found.only_new} == set(range(3, 60))


def test_a_single_launch_is_undecided() -> None:
    found = compare_runs(run_with(ROWS, _time, launches=1), run_with(ROWS, _planted, launches=6))
    assert found.count("undecided") == len(found.changes)
    json.dumps([one.as_json() for one in found.changes], allow_nan=False)


def test_data_that_are_wrong_now_are_a_regression() -> None:
    old, lines = run_with(ROWS, _time), lines_of(ROWS[1:], _time)
    lines += [
        ROWS[0].as_json(),
        {"schema": 1, "kind": "error", "mpi": "mpich", "group": "g0", "reason": "wrong byte 7"},
    ]
    found = compare_runs(old, run_of(lines, Path("b")))
    assert found.regressed
    assert len(found.broken) == 1
    assert "A=0" in found.broken[0]
    assert "wrong byte 7" in found.broken[0]
    assert not compare_runs(run_of(lines, Path("b")), run_of(lines, Path("b"))).regressed


def test_a_library_against_itself_two_thousand_times() -> None:
    any_regression, _ = simulate.compared_runs(np.random.default_rng(5), simulate.FAIR[0], 2000, rows=60, launches=6)
    assert any_regression <= 0.05


@noises
def test_rows_slower_by_just_the_tolerance_are_called_regressions_in_at_most_q_of_the_runs(
    noise: simulate.Noise,
) -> None:
    any_regression, _ = simulate.compared_runs(np.random.default_rng(6), noise, 400, 1.1, rows=60, launches=6)
    assert any_regression <= 0.025 + 4 * np.sqrt(0.025 / 400)


@noises
@pytest.mark.parametrize("launches", [6, 9])
def test_a_planted_factor_is_found_in_the_rows(noise: simulate.Noise, launches: int) -> None:
    _, rows = simulate.compared_runs(np.random.default_rng(7), noise, 40, 1.3, rows=60, launches=launches)
    assert rows >= (0.05 if any(noise.disturbed) else 0.95)


def test_the_command_and_its_exit_status(gapless: Command, tmp_path: Path) -> None:
    a, b, c = (
        write(lines_of(ROWS, time, seed=i), tmp_path / str(i))
        for i, time in enumerate((_time, _slow_machine, _planted))
    )
    same = gapless("compare", a, b)
    assert (same.returncode, same.stderr) == (0, "")
    assert "0 regression, 0 improvement" in same.stdout
    worse = gapless("compare", a, c)
    assert worse.returncode == 1
    assert "tiled/v1/A=3 3200 int32 pingpong warm tiled_vector:native regression" in " ".join(worse.stdout.split())
    assert "…" not in worse.stdout
    found = json.loads(gapless("compare", a, c / "run.jsonl", "--format", "json").stdout)
    assert found["regressed"] is True
    assert len(found["rows"]) == found["counts"]["regression"] >= 19
    table = gapless("compare", c, a, "--format", "tsv", "--all")
    assert table.returncode == 0
    assert [len(line.split("\t")) for line in table.stdout.splitlines()] == [21] * 121
    loose = gapless("compare", a, c, "--tolerance", "0.5")
    assert loose.returncode == 0
    warned = gapless("compare", a, b, "--absolute")
    assert warned.returncode == 1
    assert "busier machine" in warned.stderr


def test_what_differs_between_the_machines_is_said() -> None:
    before = {"cpu": "a", "congestion": "cubic", "settings": {"ranks": 2, "plant": 1.0}}
    assert differences(before, before) == []
    after = {"cpu": "a", "congestion": "bbr", "settings": {"ranks": 4, "plant": 1.0}}
    assert differences(before, after) == [
        "the congestion control of TCP differs: cubic, then bbr",
        "the number of ranks differs: 2, then 4",
    ]
    del after["congestion"]  # an older run does not say it
    assert differences(before, after) == ["the number of ranks differs: 2, then 4"]


def test_the_command_refuses_what_is_no_run(gapless: Command, tmp_path: Path) -> None:
    a = write(lines_of(ROWS[:1], _time), tmp_path / "a")
    for arguments in ((a, tmp_path / "none"), (a,), (a, a, "--format", "xml"), (a, a, "--tolerance", "-1")):
        refused = gapless("compare", *arguments)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "Traceback" not in refused.stderr


def test_help_names_the_exit_status_and_an_example(gapless: Command) -> None:
    text = " ".join(gapless("compare", "--help").stdout.split())
    assert "gapless compare results/before results/after" in text
    assert "0 nothing regressed, 1 something regressed" in text


def test_a_library_that_does_not_run_any_more_is_a_regression() -> None:
    old = run_with(ROWS[:5], _time, libraries=("mpich", "openmpi"))
    new = run_with(ROWS[:5], _time, seed=2)
    assert not compare_runs(old, new).regressed
    new.launches.append({"mpi": "openmpi", "launch": 1, "status": "failed", "reason": "exit status 139"})
    found = compare_runs(old, new)
    assert found.regressed
    assert found.broken == ["openmpi: no launch measured anything"]


def test_a_layer_that_does_not_work_any_more_is_a_regression() -> None:
    old, new = run_with(ROWS[:5], _time), run_with(ROWS[:5], _time, seed=2)
    old.environment["libraries"]["mpich"] = {"layer": True}
    new.environment["libraries"]["mpich"] = {"layer": False, "no_layer": "no backend"}
    assert compare_runs(old, new).broken == ["mpich: the layer does not work any more (no backend)"]
