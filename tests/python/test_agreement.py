"""Whether two runs say the same of the rows that both decide."""

from __future__ import annotations

from gapless.lab.agreement import agreement
from gapless.lab.run_file import Row
from synthetic import row, run_with

ROWS = [row(number, "similar" if number == 3 else "not slower") for number in range(1, 5)]


def times(**ratios: float):
    def of(one: Row, member: str) -> float:
        return 1000.0 * (ratios.get(one.row, 1.0) if member == one.compared else 1.0)

    return of


def test_the_same_library_twice_agrees() -> None:
    old, new = (run_with(ROWS, times(r2=2.0), seed=seed) for seed in (1, 2))
    found = agreement(old, new, 0.10, 0.05)
    assert (found.rows, found.decided, found.flipped) == (4, 4, [])
    assert "4 of 4 rows are decided in both runs, 4 of them alike (100.0%)" in str(found)


def test_a_verdict_that_turned_is_named() -> None:
    old, new = run_with(ROWS, times(r2=2.0)), run_with(ROWS, times(r1=2.0), seed=2)
    found = agreement(old, new, 0.10, 0.05)
    assert {pair[0].row.row for pair in found.flipped} == {"r1", "r2"}
    assert found.as_json()["agree"] == 2


def test_violated_in_the_other_direction_is_no_agreement() -> None:
    old, new = run_with(ROWS, times(r3=2.0)), run_with(ROWS, times(r3=0.5), seed=2)
    found = agreement(old, new, 0.10, 0.05)
    assert [pair[0].verdict for pair in found.flipped] == ["violated"]
    assert [pair[1].verdict for pair in found.flipped] == ["violated"]


def test_rows_of_one_run_only_do_not_count() -> None:
    old, new = run_with(ROWS[:2], times()), run_with(ROWS, times(), seed=2)
    assert agreement(old, new, 0.10, 0.05).rows == 2
    single = run_with(ROWS, times(), launches=1)
    assert "none of 4 rows" in str(agreement(single, new, 0.10, 0.05))
