"""From launches to intervals: a mean of logarithms with the interval of Student, and which rows of a table it decides.

The mathematics, and why the intervals say the same as the procedure of Benjamini and Hochberg:
docs/methods/statistics.md. Everything here is about logarithms of ratios.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

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
    # As scipy.stats has it, which takes most of a second to import.
    return 2 * special.stdtr(of.freedom, -t)


def p_region(of: Estimates, low: float, high: float) -> Array:
    """Return the smallest alpha whose (1 - alpha) interval lies wholly between two boundaries; 1 if none does."""
    ends = [p_value(of, end) for end in (low, high) if np.isfinite(end)]
    return np.where((low < of.mean) & (of.mean < high), np.max(ends, axis=0), 1.0)


def interval(of: Estimates, level: float | Array) -> tuple[Array, Array]:
    """Return the two ends of the two-sided interval that misses the truth with probability `level`."""
    factor = np.abs(special.stdtrit(of.freedom, np.asarray(level) / 2))  # at level 0 its infinity has the other sign
    return of.mean - factor * of.error, of.mean + factor * of.error


def ratio_interval(of: Estimates, level: float | Array) -> tuple[Array, Array]:
    """Return the interval of the ratio itself; two launches that differ much may leave its end at infinity."""
    with np.errstate(over="ignore"):
        low, high = interval(of, level)
        return np.exp(low), np.exp(high)


def discoveries(p: Array, q: float) -> int:
    """Return how many rows the procedure of Benjamini and Hochberg decides: the greatest k with p_(k) <= k q / m."""
    m = len(p)
    passed = np.nonzero(np.sort(p) <= q * np.arange(1, m + 1) / m)[0]
    return int(passed[-1]) + 1 if len(passed) else 0


NO_CLAIM = -1


@dataclass(frozen=True)
class Decisions:
    """What is claimed of each row of a table, and at which level.

    Attributes
    ----------
    claim : array
        The number of the claim, or `NO_CLAIM`.
    level : array
        The level of the row's interval: that of its claim; of an undecided row the strictest, so that its interval lies
        within no claim's region either.
    levels : array
        The level in force of each claim.
    """

    claim: Array
    level: Array
    levels: Array


def decide(p: Sequence[Array], q: float) -> Decisions:
    """Decide the rows of a table, with the false discoveries of each claim controlled over the whole of it.

    Each claim ("holds", "violated") is a family of its own, so that the promise is kept for the rare one too. With R
    of m rows it has the level R q / m, which is Benjamini and Yekutieli's for intervals after a selection (q / m if
    R = 0). A row is claimed exactly if p <= R q / m: the R smallest are, by choice of R; were another row, then R + 1
    rows would be at most R q / m < (R + 1) q / m, and R would not be the greatest. Claims exclude one another, since
    only that whose region holds the estimate has a p below 1.

    Parameters
    ----------
    p : sequence of arrays
        For each claim the p-values of all rows (`p_region`).
    q : float
        The false discovery rate of each claim.
    """
    values = np.asarray(p)
    levels = np.array([q * max(discoveries(of_claim, q), 1) / max(values.shape[1], 1) for of_claim in values])
    claimed = values <= levels[:, None]
    claim = np.where(claimed.any(axis=0), claimed.argmax(axis=0), NO_CLAIM)
    return Decisions(claim, np.where(claim == NO_CLAIM, levels.min(), levels[claim]), levels)
