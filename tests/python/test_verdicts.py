"""Verdicts on made-up runs."""

from __future__ import annotations

import json
from collections import Counter
from math import inf
from pathlib import Path

import pytest
from gapless.errors import GaplessError
from gapless.lab.run_file import Row, Run, run_of
from gapless.lab.verdicts import judge_run
from synthetic import lines_of, row, run_with

KINDS = {0: 1.0, 1: 1.3, 2: 0.7, 3: 1.1}


def _time(one: Row, member: str) -> float:
    return 2000.0 * (KINDS[one.A % 4] if member == one.compared else 1.0)


def _verdicts(run: Run, **options: float) -> Counter[tuple[int, str]]:
    return Counter((judged.row.A % 4, judged.verdict) for judged in judge_run(run, **options))


def test_not_slower_is_one_sided() -> None:
    found = _verdicts(run_with([row(i) for i in range(200)], _time, launches=8))
    assert found[0, "holds"] == found[1, "violated"] == found[2, "holds"] == 50
    assert found[3, "undecided"] >= 45


def test_similar_is_two_sided() -> None:
    found = _verdicts(run_with([row(i, "similar") for i in range(200)], _time, launches=8))
    assert found[0, "holds"] == found[1, "violated"] == found[2, "violated"] == 50
    assert found[3, "undecided"] >= 45


def test_intervals_cover_and_say_the_same_as_the_verdicts() -> None:
    run = run_with([row(i, ("similar", "not slower")[i // 4 % 2]) for i in range(400)], _time, launches=5, spread=0.06)
    missed = 0
    for judged in judge_run(run):
        similar = judged.row.expectation == "similar"
        inside = judged.ci_high < 1.1 and (not similar or judged.ci_low > 1 / 1.1)
        outside = judged.ci_low > 1.1 or (similar and judged.ci_high < 1 / 1.1)
        assert judged.verdict == ("holds" if inside else "violated" if outside else "undecided")
        assert judged.ci_low < judged.ratio < judged.ci_high
        missed += not judged.ci_low < KINDS[judged.row.A % 4] < judged.ci_high
    assert missed <= 20


def test_the_tolerance_is_the_users() -> None:
    found = _verdicts(run_with([row(i) for i in range(80)], _time, launches=8), tolerance=0.5)
    assert found[1, "holds"] == found[3, "holds"] == 20


def test_another_library_changes_nothing() -> None:
    rows = [row(i) for i in range(40)]
    both = lines_of(rows, _time, libraries=("mpich", "intel"), spread=0.08)
    alone = [line for line in both if line.get("mpi") != "intel"]
    judged, single = judge_run(run_of(both, Path("both"))), judge_run(run_of(alone, Path("one")))
    assert [one for one in judged if one.mpi == "mpich"] == single
    assert len(judged) == 2 * len(single) == 80


def test_a_single_launch_decides_nothing_and_can_be_written() -> None:
    judged = judge_run(run_with([row(1)], lambda *_: 1000.0, launches=1))[0]
    assert (judged.verdict, judged.ci_low, judged.ci_high) == ("undecided", 0, inf)
    assert judged.needs == "a second launch"
    assert json.loads(json.dumps(judged.as_json(), allow_nan=False))["ci_high"] is None


def test_what_an_undecided_row_needs() -> None:
    near = judge_run(run_with([row(3)], lambda one, m: 1100.0 if m == one.compared else 1000.0, seed=4))[0]
    assert (near.verdict, near.launches) == ("undecided", 6)
    assert "too close to the tolerance" in near.needs or "about" in near.needs
    clear = judge_run(run_with([row(0)], lambda *_: 1000.0, launches=3, spread=0.06, seed=2))[0]
    assert clear.verdict == "undecided"
    words = clear.needs.split()
    assert words[0] == "about"
    assert 3 < int(words[1]) <= 40
    assert clear.needs.endswith("(3 now)")
    wild = judge_run(run_with([row(0)], lambda *_: 1000.0, launches=4, spread=2.0))[0]
    assert "differ too much" in wild.needs


def test_times_are_medians_of_launch_medians_in_microseconds() -> None:
    lines = lines_of([row(1)], lambda *_: 1000.0, launches=3)
    for line in lines:
        if line["kind"] == "samples":
            line["samples"] = [line["launch"] * 1000.0 * (2 if "vector" in line["member"] else 1), 1.0, 1e9]
    judged = judge_run(run_of(lines, Path("x")))[0]
    assert (judged.compared_us, judged.reference_us, judged.ratio) == (4.0, 2.0, pytest.approx(2.0))
    assert judged.verdict == "violated"


def test_what_a_launch_proved_before_it_failed_counts() -> None:
    lines = lines_of([row(1), row(2)], lambda *_: 1000.0, launches=4)
    last = [line for line in lines if line["kind"] == "samples" and (line["launch"], line["group"]) == (4, "g2")]
    left = [line for line in lines if line not in last]
    left[-1] = left[-1] | {"status": "failed", "reason": "exit status 139"}
    assert [one.launches for one in judge_run(run_of(left, Path("x")))] == [4, 3]


def test_rows_without_samples_are_not_judged() -> None:
    lines = lines_of([row(1)], lambda *_: 1000.0)
    lines.insert(2, row(2).as_json())
    assert [one.row.row for one in judge_run(run_of(lines, Path("x")))] == ["r1"]


def test_the_json_row_has_what_is_promised() -> None:
    fields = judge_run(run_with([row(1)], _time))[0].as_json()
    promised = "mpi test guideline case pattern bytes layer verdict ratio ci_low ci_high"
    further = "payload_bytes base cache launches compared_us reference_us compared reference needs layout variant A"
    assert set((promised + " " + further).split()) <= set(fields)


def test_an_unknown_expectation_is_an_error() -> None:
    with pytest.raises(GaplessError, match="faster"):
        judge_run(run_with([row(1, "faster")], _time))


def test_the_factor_of_a_similar_row_is_that_of_the_slower_side() -> None:
    fast = judge_run(run_with([row(2, "similar"), row(6)], _time, launches=8))
    assert fast[0].factor == pytest.approx(1 / 0.7, rel=0.05)
    assert fast[1].factor == pytest.approx(0.7, rel=0.05)
