"""The inference on data whose truth is known: against scipy, and on thousands of simulated experiments."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
import simulate
from gapless.lab.power import MOST_LAUNCHES, launches_for, launches_needed, power, spread_of
from gapless.lab.statistics import (
    NO_CLAIM,
    Estimates,
    decide,
    discoveries,
    interval,
    of_differences,
    of_equal_launches,
    of_launches,
    p_region,
    p_value,
)
from scipy import stats
from synthetic import row, run_with

RANDOM = np.random.default_rng(11)
UPPER = log(1.1)
noises = pytest.mark.parametrize("noise", simulate.FAIR, ids=lambda noise: noise.name)


def test_interval_and_p_value_are_students() -> None:
    rows = [RANDOM.normal(0.1, 0.05, n) for n in (2, 5, 9)]
    of = of_launches(rows)
    low, high = interval(of, 0.03)
    p = p_value(of, UPPER)
    for i, x in enumerate(rows):
        reference = stats.ttest_1samp(x, UPPER)
        assert (low[i], high[i]) == pytest.approx(reference.confidence_interval(0.97))
        assert p[i] == pytest.approx(reference.pvalue)


def test_differences_are_welchs() -> None:
    old, new = RANDOM.normal(0, 0.1, (4, 5)), RANDOM.normal(0.1, 0.02, (4, 8))
    of = of_differences(of_equal_launches(new), of_equal_launches(old))
    reference = stats.ttest_ind(new, old, axis=1, equal_var=False)
    assert p_value(of, 0.0) == pytest.approx(reference.pvalue)
    assert interval(of, 0.05) == pytest.approx(np.array(reference.confidence_interval(0.95)))


@pytest.mark.parametrize("launches", [(1, 5), (5, 1), (1, 1)])
def test_a_single_launch_says_nothing(launches: tuple[int, int]) -> None:
    old, new = (of_equal_launches(RANDOM.normal(3, 0.01, (1, n))) for n in launches)
    of = of_differences(new, old)
    assert p_value(of, 100.0) == 1
    assert not np.isfinite(interval(of, 0.05)).any()


def test_launches_that_agree_exactly_decide() -> None:
    of = of_launches([np.array([0.5, 0.5, 0.5]), np.array([UPPER] * 3)])
    assert p_value(of, UPPER)[0] == 0
    assert p_region(of, -np.inf, UPPER)[0] == 1


def test_discoveries_are_those_of_scipy() -> None:
    for q in (0.01, 0.05, 0.2):
        for share in (0.0, 0.3, 1.0):
            p = np.where(RANDOM.random(80) < share, RANDOM.random(80) ** 6, RANDOM.random(80))
            assert discoveries(p, q) == (stats.false_discovery_control(p) <= q).sum()
    assert discoveries(np.array([]), 0.05) == 0


@pytest.mark.parametrize("launches", [2, 3, 6])
def test_the_printed_interval_says_the_same_as_the_decision(launches: int) -> None:
    regions = ((-np.inf, -UPPER), (-UPPER, UPPER), (UPPER, np.inf))
    decided = 0
    for _ in range(200):
        centres = RANDOM.choice([0, 0.08, 0.1, -0.15, 0.3], (60, 1))
        of = of_equal_launches(centres + RANDOM.normal(0, 0.04, (60, launches)))
        found = decide([p_region(of, *region) for region in regions], 0.05)
        low, high = interval(of, found.level)
        for claim, (left, right) in enumerate(regions):
            assert np.array_equal(found.claim == claim, (low > left) & (high < right))
        decided += (found.claim != NO_CLAIM).sum()
    assert decided > (100 if launches > 2 else 0)


def test_with_nothing_decided_every_interval_holds_a_boundary() -> None:
    # p = 0.03 alone would exclude the boundary at 95 %, but not as one of ten rows.
    of = Estimates(np.array([stats.t.isf(0.015, 9), *[0.1] * 9]), np.ones(10), np.full(10, 9))
    found = decide([p_region(of, 0.0, np.inf)], 0.05)
    assert (found.claim == NO_CLAIM).all()
    assert (interval(of, found.level)[0] < 0).all()
    assert interval(of, 0.05)[0][0] > 0


@pytest.mark.parametrize(
    ("n", "spread", "level", "effect"), [(4, 0.03, 0.04, 0.05), (8, 0.1, 0.01, 0.1), (2, 1, 0.1, 9)]
)
def test_power_is_what_simulation_finds(n: int, spread: float, level: float, effect: float) -> None:
    of = of_equal_launches(RANDOM.normal(effect, spread, (100_000, n)))
    assert power(n, spread, level, effect) == pytest.approx((interval(of, level)[0] > 0).mean(), abs=0.006)


def test_power_goes_on_where_scipys_distribution_gives_up() -> None:
    for level in (1e-2, 1e-6):
        for n in (2, 3, 5):
            near, far = (power(n, 1.0, level, shift / np.sqrt(n)) for shift in (29.99, 30.01))
            assert near == pytest.approx(far, abs=0.005)


def test_launches_needed_are_enough_and_not_too_many() -> None:
    n = launches_for(0.05, 0.01, UPPER, 0.8)
    assert n is not None
    assert power(n, 0.05, 0.01, UPPER) >= 0.8 > power(n - 1, 0.05, 0.01, UPPER)
    assert launches_for(0.05, 0.01, 0.001, 0.8) is None
    assert launches_needed(300, 0.8, 0.1, 0.05) > launches_needed(300, 0.8, 0.1, 0.05, share=0.8) > 2
    assert launches_needed(300, 0.8, 0.1, 0.05) > launches_needed(30, 0.8, 0.1, 0.05)
    assert launches_needed(300, 0.8, 0.1, 5.0) == MOST_LAUNCHES


def test_the_planned_launches_decide_the_rows_of_a_table_that_was_counted_on() -> None:
    spread = 0.05
    n = launches_needed(200, 0.8, 0.1, spread, share=0.8)
    found = []
    for _ in range(100):
        of = of_equal_launches(RANDOM.normal(0, spread, (200, n)))
        found.append((decide([p_region(of, -UPPER, UPPER)], 0.05).claim == 0).mean())
    assert np.mean(found) >= 0.8


def test_spread_of_a_pilot() -> None:
    run = run_with([row(i) for i in range(200)], lambda *_: 1000.0, launches=5, spread=0.04)
    spread = spread_of(run)
    assert spread is not None
    assert 0.04 < spread < 0.06  # the upper quartile of standard deviations of five
    assert spread_of(run_with([row(1)], lambda *_: 1000.0, launches=1)) is None


@noises
@pytest.mark.parametrize("launches", [3, 6, 9])
def test_false_alarms_at_the_tolerance_are_nominal_both_ways(noise: simulate.Noise, launches: int) -> None:
    rows = 20_000
    margin = 4 * np.sqrt(0.025 * 0.975 / rows)
    for share in simulate.single_rows(np.random.default_rng(launches), noise, 1.1, rows, launches):
        assert share <= 0.025 + margin


@noises
def test_wrong_verdicts_and_intervals_of_a_table_stay_below_q(noise: simulate.Noise) -> None:
    found = simulate.judged_tables(np.random.default_rng(1), noise, 150)
    assert found.false_holds <= 0.05
    assert found.false_violated <= 0.05
    assert found.missed <= 0.05
    assert found.decided > (0.25 if any(noise.disturbed) else 0.70)


@noises
@pytest.mark.parametrize("launches", [6, 9])
def test_equal_and_slower_rows_are_told_apart(noise: simulate.Noise, launches: int) -> None:
    equal, slower = simulate.power_in_table(np.random.default_rng(2), noise, 30, launches=launches)
    assert min(equal, slower) >= (0.3 if any(noise.disturbed) else 0.95)


def test_tables_at_the_tolerance_alone_have_a_false_verdict_no_more_often_than_q() -> None:
    """The worst table there is: each decision is a false discovery, so some decision is made in at most q of them."""
    random, noise = np.random.default_rng(3), simulate.FAIR[0]
    x = simulate.ratios(random, noise, np.full((1500, 50), UPPER), 6, 0.03)
    claims = [simulate.judge_table(of_equal_launches(one), np.zeros(50, bool), 0.1, 0.05).claim for one in x]
    for claim in (simulate.HOLDS, simulate.VIOLATED):
        assert np.mean([(one == claim).any() for one in claims]) <= 0.025 + 4 * np.sqrt(0.025 / 1500)
