"""From launches to intervals: a mean of logarithms with the interval of Student, and which rows of a table it decides.

The mathematics, and why the intervals say the same as the procedure of Benjamini and Hochberg: docs/methods.md,
"Expectation tests: statistics". Everything here is about logarithms of ratios.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

Array = np.ndarray


@dataclass(frozen=True)
class Estimates:
    """What is known of each row: an estimate, its standard error, and how sure the standard error is.

    Attributes
    ----------
    mean : array
        Estimates of the logarithms.
    error : array
        Their standard errors; infinite where there is a single launch.
    freedom : array
        Degrees of freedom of the standard errors.
    """

    mean: Array
    error: Array
    freedom: Array


def of_equal_launches(logs: Array) -> Estimates:
    """Return the estimates of rows with equally many launches, which lie along the last axis."""
    n = logs.shape[-1]
    mean = logs.mean(axis=-1)
    error = logs.std(axis=-1, ddof=1) / np.sqrt(n) if n > 1 else np.full(mean.shape, np.inf)
    return Estimates(mean, error, np.full(mean.shape, max(n - 1, 1)))


def of_launches(rows: Sequence[Array]) -> Estimates:
    """Return the estimates of rows that may differ in their number of launches (at least one each)."""
    each = [of_equal_launches(np.asarray(logs, dtype=float)) for logs in rows]
    return Estimates(*(np.array([getattr(e, name) for e in each]) for name in ("mean", "error", "freedom")))


def of_differences(new: Estimates, old: Estimates) -> Estimates:
    """Return the estimates of new minus old, launches being independent: Welch's standard error and freedom.

    Where either side has a single launch, nothing is known of its spread, and the error is infinite.
    """
    parts = np.array([new.error**2, old.error**2])
    error = np.sqrt(parts.sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        # Shares, not fourth powers: a tiny error does not underflow.
        share = parts / parts.sum(axis=0)
        freedom = 1 / (share[0] ** 2 / new.freedom + share[1] ** 2 / old.freedom)
    smaller = np.minimum(new.freedom, old.freedom)
    return Estimates(new.mean - old.mean, error, np.where(np.isfinite(freedom), freedom, smaller))


def p_value(of: Estimates, boundary: float) -> Array:
    """Return the two-sided p-value of a boundary: the smallest alpha whose (1 - alpha) interval does not contain it."""
    distance = np.abs(of.mean - boundary)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(distance > 0, distance / of.error, 0.0)
    return 2 * stats.t.sf(t, of.freedom)


def p_values(of: Estimates, boundaries: Sequence[float]) -> Array:
    """Return the smallest alpha whose (1 - alpha) interval contains none of the boundaries: the maximum over them."""
    return np.max([p_value(of, boundary) for boundary in boundaries], axis=0)


def interval(of: Estimates, level: float | Array) -> tuple[Array, Array]:
    """Return the two ends of the two-sided interval that misses the truth with probability `level`."""
    factor = stats.t.isf(np.asarray(level) / 2, of.freedom)
    return of.mean - factor * of.error, of.mean + factor * of.error


def discoveries(p: Array, q: float) -> int:
    """Return how many rows the procedure of Benjamini and Hochberg decides: the greatest k with p_(k) <= k q / m."""
    m = len(p)
    passed = np.nonzero(np.sort(p) <= q * np.arange(1, m + 1) / m)[0]
    return int(passed[-1]) + 1 if len(passed) else 0


def level_in_force(p: Array, q: float) -> float:
    """Return the level of every interval of a table, and of every decision in it.

    With R rows decided of m it is R q / m: the level of Benjamini and Yekutieli for intervals after a selection. With
    none decided it is q / m, at which no interval excludes its boundary either. Row i is decided exactly if
    p_i <= R q / m: the R rows with the smallest p are, by choice of R; were another row below, then R + 1 rows would be
    at most R q / m < (R + 1) q / m, and R would not be the greatest.
    """
    return q * max(discoveries(p, q), 1) / max(len(p), 1)
