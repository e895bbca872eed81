"""`gapless compare --run`: sides as they are written, made-up rounds of known truth, and two rounds in earnest."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from ctrl_c import interrupted
from gapless.errors import GaplessError
from gapless.lab.compare import IMPROVEMENT, REGRESSION
from gapless.lab.paired_compare import compare_sides, rounds_of, same_library
from gapless.lab.run_file import Row, Run, read_run
from gapless.lab.statistics import of_launches, of_trimmed_launches
from gapless.targets.sides import parse_side, side_targets
from gapless.targets.two_nodes import HOSTS
from layered import needs_namespaces
from synthetic import row, run_with

ROWS = [row(i) for i in range(20)]
SIDES = ("one", "other")


def _sides(factor: float, launches: int = 20, library: tuple[str, str] = ("L 1", "L 1"), seed: int = 3) -> Run:
    """Return rounds of two sides, the second slower but for its contiguous message; launches differ by a quarter."""

    def time_ns(one: Row, member: str) -> float:
        return 500.0 if member == "contiguous:native" else 1000.0

    run = run_with(ROWS, time_ns, launches=launches, libraries=SIDES)
    random = np.random.default_rng(seed)
    for number in range(1, launches + 1):
        for side in SIDES:
            state = np.exp(0.25 * random.standard_normal())  # of the launch: in everything that it measures
            for group in {one.group for one in ROWS}:
                members = run.samples[side, group][number]
                for member in members:
                    slow = factor if side == "other" and member != "contiguous:native" else 1.0
                    members[member] = members[member] * state * slow
    run.environment |= {
        "asked": {"sides": list(SIDES)},
        "libraries": {side: {"mpi_library": of} for side, of in zip(SIDES, library, strict=True)},
    }
    return run


def test_a_side_is_a_library_with_settings_of_its_own() -> None:
    side = parse_side("mpich, UCX_TLS=sm,GAPLESS_PAIRED_MESSAGES=0,plant=1.3")
    assert (side.mpi, side.environment, side.layer, side.plant) == (
        "mpich", {"UCX_TLS": "sm"}, {"GAPLESS_PAIRED_MESSAGES": "0"}, 1.3,
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "A=1", "mpich,A", "mpich,=1", "mpich,plant=fast", "mpich,plant=0.5",
                                  "mpich,GAPLESS_PAIRED_MESSAGE=0"])  # fmt: skip
def test_what_is_no_side_is_told(text: str) -> None:
    with pytest.raises(GaplessError):
        parse_side(text)


def test_what_is_planted_is_found_through_launches_that_differ_by_a_quarter() -> None:
    found = compare_sides(_sides(1.3))
    slowed = [one for one in found.changes if one.subject.member != "contiguous:native"]
    assert len(slowed) == 2 * len(ROWS)
    assert all(one.change == REGRESSION for one in slowed)
    assert not any(one.change == REGRESSION for one in found.changes if one not in slowed)
    assert all(one.ci_low < 1.3 < one.ci_high for one in slowed[:5])


def test_what_is_faster_is_an_improvement() -> None:
    found = compare_sides(_sides(1 / 1.3))
    assert found.count(IMPROVEMENT) == 2 * len(ROWS)
    assert not found.regressed


def test_nothing_changed_says_nothing() -> None:
    for seed in range(20):
        found = compare_sides(_sides(1.0, seed=seed))
        assert found.count(REGRESSION) + found.count(IMPROVEMENT) == 0


def test_two_libraries_are_compared_by_times_and_one_by_ratios() -> None:
    assert same_library(_sides(1.0))
    two = _sides(1.3, library=("L 1", "M 1"))
    assert {one.subject.against for one in compare_sides(two).changes} == {""}
    assert {one.subject.against for one in compare_sides(_sides(1.3)).changes} == {"", "contiguous:native"}


def test_a_round_that_lacks_a_side_does_not_count() -> None:
    run = _sides(1.0, launches=5)
    del run.samples["other", "g0"][2]
    counts = {subject.place.A: len(old) for subject, (old, _) in rounds_of(run, True).items()}
    assert counts[0] == 4
    assert counts[1] == 5


def test_a_run_of_one_library_has_no_sides() -> None:
    with pytest.raises(GaplessError, match="no run of two sides"):
        compare_sides(run_with(ROWS, lambda _, __: 1.0))


def test_trimmed_means_keep_their_level_and_are_not_moved_by_a_disturbed_launch() -> None:
    random = np.random.default_rng(5)
    rows = random.standard_normal((4000, 20))
    of = of_trimmed_launches(list(rows))
    outside = np.mean(np.abs(of.mean) > 2.2 * of.error)  # of Student with 11 degrees of freedom: 5 %
    assert 0.03 < outside < 0.07
    disturbed = rows.copy()
    disturbed[:, 0] += 20
    assert np.abs(of_trimmed_launches(list(disturbed)).mean).mean() < 0.5
    assert np.abs(of_launches(list(disturbed)).mean).mean() > 0.9


@pytest.mark.alone
def test_two_rounds_are_measured_and_printed_again(gapless: Command, tmp_path: Path) -> None:
    """In earnest, with what is read from the environment on one side alone."""
    out = tmp_path / "run"
    options = ("--format", "json", "--all", "--absolute")
    done = gapless("compare", "--run", "mpich", "mpich,plant=100", "--no-layer", "--launches", "2",
                   "--filter", "ET3 tiled*A=2/*3200", "--out", str(out),
                   *options)  # fmt: skip
    answer = json.loads(done.stdout)
    again = json.loads(gapless("compare", str(out), *options).stdout)
    assert answer == again
    assert {one["launches_new"] for one in answer["rows"]} == {2}
    # A hundredfold, so that no busy machine hides it.
    planted = [one["ratio"] for one in answer["rows"] if one["member"] != "contiguous:native"]
    assert np.median(planted) > 3


ONE_GROUP = ("--no-layer", "--filter", "ET3 tiled*A=2/*3200")


def test_ctrl_c_keeps_and_judges_what_was_measured(gapless: Command, tmp_path: Path) -> None:
    out = tmp_path / "run"
    output = interrupted(["compare", "--run", "mpich", "mpich,plant=2", *ONE_GROUP, "--launches", "500",
                          "--out", str(out), "--all"], out, 4)  # fmt: skip
    assert f"interrupted; samples in {out}; 'gapless compare {out}' prints this again" in output
    assert "--resume" not in output
    rounds = rounds_of(read_run(out), True)
    assert rounds and all(len(old) >= 2 for old, _ in rounds.values())
    again = gapless("compare", str(out), "--all")
    assert again.stdout.splitlines()[-1] in output.splitlines()


@pytest.mark.alone
def test_ctrl_c_before_the_first_round_is_over(tmp_path: Path) -> None:
    out = tmp_path / "run"
    output = interrupted(["compare", "--run", "mpich", "mpich,plant=100", "--out", str(out)], out, 0)
    assert f"interrupted; samples in {out}" in output
    assert "no round was measured to its end" in output and "now wrong" not in output


def test_a_short_time_is_told_without_options_that_there_are_not(gapless: Command, tmp_path: Path) -> None:
    done = gapless("compare", "--run", "mpich", "mpich,plant=10", *ONE_GROUP, "--launches", 500, "--budget", "3s",
                   "--out", "run")  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    assert "500 launches of each library are wanted; there is time for" in done.stderr
    assert "(--budget, --launches)" in done.stderr and "--resume" not in done.stderr
    again = gapless("compare", "--run", "mpich", "mpich", "--out", "run")
    assert again.returncode == 2 and "name another folder with --out; 'gapless compare run' prints it" in again.stderr


def test_both_sides_on_two_nodes() -> None:
    needs_namespaces()
    with side_targets(parse_side("mpich"), parse_side("mpich,plant=2"), lambda _: None, two_nodes=True) as found:
        assert [target.facts["hosts"] for target in found] == [list(HOSTS), list(HOSTS)]
        launchers = [Path(target.library.launcher[0]) for target in found]
        assert all(path.exists() for path in launchers)
    assert not any(path.exists() for path in launchers)
    with pytest.raises(GaplessError, match="'mpich,UCX_TLS=sm': --two-nodes sets UCX_TLS itself"):
        side_targets(parse_side("mpich"), parse_side("mpich,UCX_TLS=sm"), lambda _: None, two_nodes=True)
