"""The statistics: medians of launches, ratios with their intervals, verdicts, and which rows of a table are decided.

The mathematics, and why the intervals of a table say the same as the procedure of Benjamini and Hochberg:
docs/methods/statistics.md. From `Estimates` on, everything is about logarithms of ratios.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import comb

import numpy as np
from scipy import special

Array = np.ndarray
TOLERANCE = 0.10


def median_of_medians(launches: Iterable[Sequence[float]]) -> float:
    """Return the median over launches of each launch's median.

    A launch is one replicate: its samples share one placement, one address space and one phase of the machine.
    """
    return float(np.median([np.median(samples) for samples in launches]))


class Expectation(Enum):
    """What a guideline says about a time and its reference."""

    SIMILAR = "similar"
    NOT_SLOWER = "not slower"


@dataclass(frozen=True)
class Verdict:
    """Whether a guideline holds for one case, and by how much it is missed.

    Attributes
    ----------
    holds : bool
        Whether the ratio is within the tolerance.
    ratio : float
        The time divided by its reference.
    factor : float
        How many times slower the slower side is, where both sides count; the ratio itself otherwise.
    """

    holds: bool
    ratio: float
    factor: float

    def __str__(self) -> str:
        """Return ``hold`` or ``violated ×1.8``."""
        if self.holds:
            return "hold"
        return f"violated ×{self.factor:.2g}" if self.factor < 10 else f"violated ×{self.factor:.0f}"


def judge(time: float, reference: float, expectation: Expectation, tolerance: float = TOLERANCE) -> Verdict:
    """Judge a time against its reference.

    Parameters
    ----------
    time, reference : float
        Two medians of the same run, in the same unit.
    expectation : Expectation
        Whether the time may only be not slower, or must be similar in both directions.
    tolerance : float
        How far the ratio may be off: 0.10 means 10 %.

    Examples
    --------
    >>> str(judge(1.05, 1.0, Expectation.NOT_SLOWER))
    'hold'
    >>> str(judge(1.8, 1.0, Expectation.NOT_SLOWER))
    'violated ×1.8'
    >>> str(judge(0.5, 1.0, Expectation.SIMILAR))
    'violated ×2'
    """
    ratio = time / reference
    factor = max(ratio, 1 / ratio) if expectation is Expectation.SIMILAR else ratio
    return Verdict(factor <= 1 + tolerance, ratio, factor)


def _signed_rank_counts(n: int) -> np.ndarray:
    """Return in how many of the 2^n sign patterns the ranks with a plus sum to 0, 1, 2, ..."""
    counts = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1
    for rank in range(1, n + 1):
        shifted = counts[:-rank].copy()
        counts[rank:] += shifted
    return counts


def signed_rank_interval(differences: Sequence[float], confidence: float) -> tuple[float, float]:
    """Return the exact signed-rank confidence interval of the centre of symmetric differences.

    It is the pair of Walsh averages (means of two differences, or of one with itself) between which the
    Wilcoxon signed-rank test does not reject. One disturbed launch does not move it, unlike the interval of Student.

    Parameters
    ----------
    differences : sequence of float
        Paired differences; at least five for 90 %.
    confidence : float
        Coverage, for example 0.90; the interval's own is at least this.
    """
    d = np.asarray(differences, dtype=float)
    i, j = np.triu_indices(len(d))
    walsh = np.sort((d[i] + d[j]) / 2)
    tail = np.cumsum(_signed_rank_counts(len(d))) / 2.0 ** len(d)
    cut = int(np.searchsorted(tail, (1 - confidence) / 2, side="right"))
    if cut == 0:
        raise ValueError(f"{len(d)} differences are too few for an interval of {confidence:.0%}")
    return float(walsh[cut - 1]), float(walsh[len(walsh) - cut])


@dataclass(frozen=True)
class Equivalence:
    """The answer of a test of equivalence.

    Attributes
    ----------
    low, high : float
        The 90 % interval of the shift.
    margin : float
        The shift that would still count as equal.
    """

    low: float
    high: float
    margin: float

    @property
    def equivalent(self) -> bool:
        """Whether the whole interval lies within the margin, which is two one-sided tests at 5 % each."""
        return -self.margin < self.low and self.high < self.margin


def equivalence(changed: Sequence[float], plain: Sequence[float], margin: float) -> Equivalence:
    """Test whether two series, paired by interleaving, differ by less than a margin (two one-sided tests at 5 %)."""
    low, high = signed_rank_interval(np.asarray(changed, dtype=float) - np.asarray(plain, dtype=float), 0.90)
    return Equivalence(low, high, margin)


@dataclass(frozen=True)
class Ratio:
    """A ratio of times with its 95 % interval."""

    ratio: float
    low: float
    high: float


FEWEST_LAUNCHES = 5
_BOOTSTRAPS = 1000


def ratio_of_medians(launches: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Ratio:
    """Return how many times longer the first of two series takes, as a ratio of medians.

    The ratio is the median over launches of each launch's ratio of medians. From five launches on, launches are the
    replicates: the interval is between order statistics of their ratios (of five to eight, the least and the greatest:
    a coverage of 94 % for five, more for more). With fewer, repetitions are: paired by interleaving, they are drawn
    anew within each launch, and the interval holds the middle 95 % of a thousand ratios so made.

    Parameters
    ----------
    launches : sequence of pairs
        For each launch the samples of both series, repetition by repetition.
    """
    pairs = [np.asarray(pair, dtype=float) for pair in launches]
    ratios = np.sort([np.median(a) / np.median(b) for a, b in pairs])
    ratio = float(np.median(ratios))
    n = len(ratios)
    if n >= FEWEST_LAUNCHES:
        tail = np.cumsum([comb(n, k) for k in range(n)]) / 2.0**n
        cut = int(np.searchsorted(tail, 0.025, side="right"))
        cut = max(cut - 1, 0)
        return Ratio(ratio, float(ratios[cut]), float(ratios[n - 1 - cut]))
    random = np.random.default_rng(1)
    drawn = []
    for a, b in pairs:
        chosen = random.integers(0, len(a), (_BOOTSTRAPS, len(a)))
        drawn.append(np.median(a[chosen], axis=1) / np.median(b[chosen], axis=1))
    low, high = np.quantile(np.median(drawn, axis=0), [0.025, 0.975])
    return Ratio(ratio, float(min(low, ratio)), float(max(high, ratio)))


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


TRIMMED = 0.2


def of_trimmed_launches(rows: Sequence[Array], trimmed: float = TRIMMED) -> Estimates:
    """Return trimmed means of rows with many launches each, with Yuen's standard errors.

    A share of the launches is left out at each end of the mean; the error is that of the launches in which these have
    the value of the next one (winsorized), over the share that is kept. A disturbed launch moves neither.
    """
    means, errors, freedoms = [], [], []
    for logs in rows:
        x = np.sort(np.asarray(logs, dtype=float))
        n = len(x)
        cut = int(trimmed * n)
        means.append(x[cut : n - cut].mean())
        winsorized = np.clip(x, x[cut], x[n - 1 - cut])
        errors.append(winsorized.std(ddof=1) / ((1 - 2 * cut / n) * np.sqrt(n)))
        freedoms.append(n - 2 * cut - 1)
    return Estimates(np.array(means), np.array(errors), np.array(freedoms))


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
