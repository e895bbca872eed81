"""Whether a way is slower than the better of several others: one table, with false discoveries controlled over it.

A way is slower than the better of several by more than a tolerance exactly if it is slower than one of them by more
than that: ``g > f min(a, b)`` says ``g > f a`` or ``g > f b``. So no better one is chosen, which would favour whichever
was lucky in the same samples: the ratio to each is estimated by itself, and the greatest counts. Of K others,

* *slower* needs a proof against one: K times the smallest p-value (the K tests of which one must reject, Bonferroni);
* *not slower* needs a proof against each: the greatest p-value (an intersection-union test, which needs no correction).

The interval says the same: its lower end is the greatest lower end of the K intervals at level alpha / K, its upper end
the greatest upper end at level alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log

import numpy as np

from gapless.lab.statistics import Array, decide, of_launches, p_region, ratio_interval

SLOWER, NOT_SLOWER, UNDECIDED = "slower", "not slower", "undecided"
BETTER_TOLERANCE = 0.05
FEWEST_LAUNCHES = 5  # fewer decide next to nothing


@dataclass(frozen=True)
class Stand:
    """How a way stands to the better of others.

    Attributes
    ----------
    verdict : str
        ``slower``, ``not slower`` (both by the tolerance) or ``undecided``.
    ratio : float
        To the better: the greatest of the geometric means over launches.
    ci_low, ci_high : float
        Its interval, which excludes the tolerance exactly if the row is decided; 0 and infinite after a single launch.
    launches : int
        The replicates.
    """

    verdict: str
    ratio: float
    ci_low: float
    ci_high: float
    launches: int


def stands(rows: Sequence[Array], tolerance: float = BETTER_TOLERANCE, q: float = 0.05) -> list[Stand]:
    """Judge a table of rows.

    Parameters
    ----------
    rows : sequence of arrays
        Of each row the logarithms of the ratios to each of its others, by launch: an array of others x launches.
    tolerance : float
        How much slower still counts as not slower: 0.05 means 5 %.
    q : float
        The share that is accepted, on average, of wrong verdicts among those that say ``slower``, and among those that
        say ``not slower``.
    """
    if not rows:
        return []
    upper, others = log(1 + tolerance), np.array([len(row) for row in rows])
    each = of_launches([logs for row in rows for logs in row])
    first = np.cumsum(others) - others

    def greatest(of: Array) -> Array:
        return np.maximum.reduceat(of, first)

    holds = greatest(p_region(each, -inf, upper))
    slower = np.minimum(others * np.minimum.reduceat(p_region(each, upper, inf), first), 1.0)
    decided = decide([holds, slower], q)
    lows = greatest(ratio_interval(each, np.repeat(decided.level / others, others))[0])
    highs = greatest(ratio_interval(each, np.repeat(decided.level, others))[1])
    means = greatest(each.mean)
    verdicts = [{0: NOT_SLOWER, 1: SLOWER}.get(int(claim), UNDECIDED) for claim in decided.claim]
    return [
        Stand(verdicts[i], exp(means[i]), float(lows[i]), float(highs[i]), len(row[0])) for i, row in enumerate(rows)
    ]
