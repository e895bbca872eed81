"""Whether a way is slower than the better of two others: known answers, and how often the answer is wrong."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from gapless.lab.better_of import NOT_SLOWER, SLOWER, UNDECIDED, stands
from gapless.lab.statistics import interval, of_launches
from scipy import stats


def logs(*ratios: tuple[float, ...]) -> np.ndarray:
    return np.log(np.array(ratios))


STEADY = (0.99, 1.0, 1.01, 1.0, 1.0)


def test_slower_than_one_of_two_is_slower_than_the_better_one() -> None:
    (of,) = stands([logs(tuple(1.3 * x for x in STEADY), tuple(0.5 * x for x in STEADY))])
    assert of.verdict == SLOWER
    assert of.ratio == pytest.approx(1.3, rel=1e-3)
    assert of.launches == 5
    assert 1.05 < of.ci_low < 1.3 < of.ci_high


def test_not_slower_needs_both() -> None:
    faster = tuple(0.9 * x for x in STEADY)
    (of,) = stands([logs(faster, faster)])
    assert of.verdict == NOT_SLOWER
    assert of.ci_high < 1.05
    restless = (0.6, 1.5, 0.9, 1.3, 0.7)
    (of,) = stands([logs(faster, restless)])
    assert of.verdict == UNDECIDED
    assert of.ci_low < 1.05 < of.ci_high


def test_rows_may_differ_in_how_many_others_they_have() -> None:
    rows = [
        logs(tuple(1.3 * x for x in STEADY)),
        logs(tuple(0.5 * x for x in STEADY), tuple(0.6 * x for x in STEADY), tuple(1.4 * x for x in STEADY)),
        logs(tuple(0.9 * x for x in STEADY), tuple(0.8 * x for x in STEADY)),
    ]
    found = stands(rows)
    assert [of.verdict for of in found] == [SLOWER, SLOWER, NOT_SLOWER]
    assert [of.ratio for of in found] == pytest.approx([1.3, 1.4, 0.9], rel=1e-3)
    # Of the same spread, the lower end is at the level over the number of others.
    assert found[0].ci_low / 1.3 > found[1].ci_low / 1.4


def test_the_interval_is_students_at_half_the_level_below_and_at_the_level_above() -> None:
    a, b = logs(tuple(1.3 * x for x in STEADY))[0], logs((1.2, 1.3, 1.25, 1.31, 1.22))[0]
    (of,) = stands([np.array([a, b])], q=0.05)
    low_a, low_b = (interval(of_launches([x]), 0.025)[0][0] for x in (a, b))
    high_a, high_b = (interval(of_launches([x]), 0.05)[1][0] for x in (a, b))
    assert (log(of.ci_low), log(of.ci_high)) == pytest.approx((max(low_a, low_b), max(high_a, high_b)))
    # By hand: mean 0.26232, deviation 0.00708 of five launches; t(0.9875, 4) = 3.4954.
    error = np.std(a, ddof=1) / np.sqrt(5)
    assert low_a == pytest.approx(np.mean(a) - stats.t.ppf(0.9875, 4) * error)


def test_one_launch_decides_nothing() -> None:
    (of,) = stands([logs((9.0,), (9.0,))])
    assert of.verdict == UNDECIDED
    assert (of.ci_low, of.ci_high) == (0.0, np.inf)


def test_an_empty_table_is_empty() -> None:
    assert stands([]) == []


def test_wrong_verdicts_stay_below_what_is_accepted() -> None:
    """All rows exactly 5 % slower than both: saying either is wrong, and rare over a thousand tables."""
    random = np.random.default_rng(1)
    said = 0
    for _ in range(1000):
        table = [random.normal(log(1.05), 0.05, (2, 5)) for _ in range(3)]
        said += any(of.verdict == SLOWER for of in stands(table))
    assert said <= 50


def test_choosing_the_faster_one_by_its_samples_would_not_be_sound() -> None:
    """Two ways as fast as this one, measured with noise: it is not proved slower than the one that was lucky."""
    random = np.random.default_rng(2)
    wrong = sum(
        of.verdict == SLOWER for _ in range(200) for of in stands([random.normal(0.0, 0.2, (2, 5)) for _ in range(5)])
    )
    assert wrong <= 10
