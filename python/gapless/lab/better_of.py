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
        Of each row the logarithms of the ratios to each of the others, which are equally many in all rows, by launch:
        an array of others x launches.
    tolerance : float
        How much slower still counts as not slower: 0.05 means 5 %.
    q : float
        The share that is accepted, on average, of wrong verdicts among those that say ``slower``, and among those that
        say ``not slower``.
    """
    if not rows:
        return []
    others, upper = len(rows[0]), log(1 + tolerance)
    each = [of_launches([row[k] for row in rows]) for k in range(others)]
    holds = np.max([p_region(of, -inf, upper) for of in each], axis=0)
    slower = np.minimum(others * np.min([p_region(of, upper, inf) for of in each], axis=0), 1.0)
    decided = decide([holds, slower], q)
    lows = np.max([ratio_interval(of, decided.level / others)[0] for of in each], axis=0)
    highs = np.max([ratio_interval(of, decided.level)[1] for of in each], axis=0)
    means = np.max([of.mean for of in each], axis=0)
    verdicts = [{0: NOT_SLOWER, 1: SLOWER}.get(int(claim), UNDECIDED) for claim in decided.claim]
    return [
        Stand(verdicts[i], exp(means[i]), float(lows[i]), float(highs[i]), len(row[0])) for i, row in enumerate(rows)
    ]
