"""The statistics on numbers whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest
from gapless.lab.statistics import (
    Expectation,
    equivalence,
    judge,
    median_of_medians,
    signed_rank_interval,
)
from scipy import stats


def test_median_of_medians_ignores_one_bad_launch_and_bad_samples() -> None:
    assert median_of_medians([[1, 2, 900], [3, 3, 3], [700, 800, 900]]) == 3


def test_median_of_medians_weighs_launches_not_samples() -> None:
    assert median_of_medians([[1] * 100, [2], [3]]) == 2


@pytest.mark.parametrize(
    ("time", "expectation", "text"),
    [
        (1.0, Expectation.SIMILAR, "hold"),
        (1.1, Expectation.SIMILAR, "hold"),
        (1.11, Expectation.SIMILAR, "violated ×1.1"),
        (0.5, Expectation.SIMILAR, "violated ×2"),
        (0.5, Expectation.NOT_SLOWER, "hold"),
        (1.1, Expectation.NOT_SLOWER, "hold"),
        (1.8, Expectation.NOT_SLOWER, "violated ×1.8"),
        (33.4, Expectation.NOT_SLOWER, "violated ×33"),
    ],
)
def test_verdicts(time: float, expectation: Expectation, text: str) -> None:
    assert str(judge(time, 1.0, expectation)) == text


def test_verdict_depends_on_the_ratio_only() -> None:
    assert str(judge(1.8e6, 1e6, Expectation.NOT_SLOWER)) == "violated ×1.8"


def test_signed_rank_interval_is_where_the_test_stops_rejecting() -> None:
    differences = np.random.default_rng(1).normal(3, 2, 20)
    low, high = signed_rank_interval(differences, 0.90)
    for edge, inside, outside in ((low, 1e-6, -1e-6), (high, -1e-6, 1e-6)):
        assert stats.wilcoxon(differences - edge - inside, method="exact").pvalue > 0.10
        assert stats.wilcoxon(differences - edge - outside, method="exact").pvalue <= 0.10


def test_signed_rank_interval_by_hand() -> None:
    # Five differences: P(sum of ranks = 0) = 1/32, two-sided 6.25 %; so 93.75 % is the whole range and 90 % no less.
    assert signed_rank_interval([1, 2, 3, 4, 5], 0.90) == (1, 5)


def test_too_few_differences_are_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        signed_rank_interval([1, 2, 3, 4], 0.90)


def test_equal_series_are_equivalent_despite_one_disturbed_launch() -> None:
    noise = np.random.default_rng(2).normal(0, 5, (2, 20))
    plain, changed = 1000 + noise
    changed[3] += 5000
    assert equivalence(changed, plain, 50).equivalent


def test_a_shift_beyond_the_margin_is_not_equivalent() -> None:
    noise = np.random.default_rng(3).normal(0, 5, (2, 20))
    plain, changed = 1000 + noise
    assert not equivalence(changed + 60, plain, 50).equivalent
    assert not equivalence(changed - 60, plain, 50).equivalent


def test_noise_wider_than_the_margin_is_not_called_equivalent() -> None:
    noise = np.random.default_rng(4).normal(0, 400, (2, 20))
    plain, changed = 1000 + noise
    assert not equivalence(changed, plain, 50).equivalent
