"""How many launches it takes: the power of the interval, by the noncentral distribution of Student."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from scipy import special

from gapless.lab.run_file import Run

MOST_LAUNCHES = 100
# From here on scipy's noncentral distribution loses digits; the normal part of it is small beside its shift by then.
_FAR = 30.0


def power(n: int, spread: float, level: float, effect: float) -> float:
    """Return the probability that the interval of n launches lies wholly on the right side of one boundary.

    Parameters
    ----------
    n : int
        Launches.
    spread : float
        Standard deviation of the logarithm of the ratio between launches.
    level : float
        The interval's level: 0.05 for a 95 % interval.
    effect : float
        Distance of the true logarithm from the boundary.

    Examples
    --------
    >>> round(power(6, 0.03, 0.05, log(1.1)), 3)
    1.0
    """
    if n < 2 or effect <= 0:
        return 0.0
    if spread <= 0:
        return 1.0
    # As scipy.stats has them, which takes most of a second to import, and does not survive Ctrl-C meanwhile.
    t = -float(special.stdtrit(n - 1, level / 2))
    shift = effect * sqrt(n) / spread
    if shift > _FAR:
        return float(special.chdtr(n - 1, (n - 1) * (shift / t) ** 2))
    return 1 - float(special.nctdtr(n - 1, shift, t))


def _power_of(n: int, spread: float, level: float, effect: float, boundaries: int) -> float:
    """Return a lower bound of the probability to be clear of so many boundaries, all at the same distance."""
    return 1 - boundaries * (1 - power(n, spread, level, effect))


def launches_for(spread: float, level: float, effect: float, wanted: float, boundaries: int = 1) -> int | None:
    """Return the least number of launches with the wanted power, or None if a hundred are too few."""

    def enough(n: int) -> bool:
        return _power_of(n, spread, level, effect, boundaries) >= wanted

    low, high = 1, MOST_LAUNCHES
    if not enough(high):
        return None
    while high - low > 1:  # Power grows with the launches: too few at `low`, enough at `high`.
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def launches_needed(
    rows: int, power: float = 0.8, tolerance: float = 0.10, spread: float = 0.05, q: float = 0.05, share: float = 0.0
) -> int:
    """Return how many launches a table takes.

    The least number with which a row is decided with the given power whose true ratio is 1, judged in both directions
    (or is (1 + tolerance) squared, as far on the other side).

    Parameters
    ----------
    rows : int
        Rows of the table of one library.
    power : float
        Probability that such a row is decided.
    tolerance : float
        How far a ratio may be off.
    spread : float
        Standard deviation of the logarithm of a ratio between launches, as `spread_of` a pilot.
    q : float
        False discovery rate of the table.
    share : float
        The share of the rows that may be counted on to be decided too, since each raises the level for all: 0 plans
        for a row that is decided alone, at level q / rows; 0.8 for a table of which most rows are clear, at 0.8 q.

    Returns
    -------
    int
        At most 100, also where these are too few.
    """
    level = q * max(1.0, share * rows) / max(rows, 1)
    return launches_for(spread, level, log(1 + tolerance), power, boundaries=2) or MOST_LAUNCHES


def log_ratios(run: Run, mpi: str) -> list[np.ndarray]:
    """Return for each row with samples the logarithm of the ratio of medians of each launch."""
    found = (list(run.pairs(row, mpi).values()) for row in run.rows)
    return [np.array([log(np.median(a) / np.median(b)) for a, b in pairs]) for pairs in found if pairs]


def spread_of(run: Run, mpi: str | None = None, quantile: float = 0.75) -> float | None:
    """Return the standard deviation between launches to plan with, or None if no row has two launches.

    It is a quantile over rows, not their mean: rows differ in their noise, and one disturbed launch is not to decide
    the plan.

    Parameters
    ----------
    run : Run
        A pilot: at least two launches.
    mpi : str, optional
        Of one library only; of all by default.
    quantile : float
        With 0.75 three of four rows spread less.
    """
    libraries = [mpi] if mpi else run.libraries
    spreads = [logs.std(ddof=1) for name in libraries for logs in log_ratios(run, name) if len(logs) > 1]
    return float(np.quantile(spreads, quantile)) if spreads else None
