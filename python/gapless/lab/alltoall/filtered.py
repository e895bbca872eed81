"""The paper's statistics: what is much longer than the rest is left out, and of what stays the mean counts."""

from __future__ import annotations

import numpy as np
from scipy import special

from gapless.lab.interval import LEVEL, Interval
from gapless.lab.statistics import Array

FENCE = 1.5


def without_long(samples: Array) -> Array:
    """Return the samples up to Tukey's upper fence, 1.5 interquartile ranges above the third quartile.

    Examples
    --------
    >>> without_long(np.array([1.0, 9.0, 10.0, 10.0, 11.0, 50.0])).tolist()
    [1.0, 9.0, 10.0, 10.0, 11.0]
    """
    low, high = np.quantile(samples, [0.25, 0.75])
    kept: Array = samples[samples <= high + FENCE * (high - low)]
    return kept


def mean_interval(samples: Array, level: float = LEVEL) -> Interval:
    """Return the mean with Student's interval over samples; without ends if there is one."""
    n, mean = len(samples), float(samples.mean())
    if n < 2:
        return Interval(mean, None, None)
    half = float(np.abs(special.stdtrit(n - 1, level / 2))) * float(samples.std(ddof=1)) / np.sqrt(n)
    return Interval(mean, mean - half, mean + half)
