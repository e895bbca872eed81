"""The statistics on made-up launches whose truth is known: ``.venv/bin/python tools/simulate.py``.

Each launch disturbs each member by a factor of its own, whose logarithm follows one of several distributions; on top
of it lies the median of nine samples with heavy tails. Four rows share a reference, as those of a group do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
from gapless.display import console, plain_table
from gapless.lab.compare import decide_changes
from gapless.lab.statistics import NO_CLAIM, Array, interval, of_equal_launches
from gapless.lab.verdicts import judge_table

TOLERANCE, Q = 0.10, 0.05
HOLDS, VIOLATED = 0, 1  # claims of `judge_table`
REGRESSION = 0  # of `decide_changes`
SHARING = 4  # rows of one reference
SPREAD = 0.03  # of the logarithm of a ratio between launches
WITHIN = 0.02  # scale of the logarithm of a sample; its tails are those of Student with two degrees of freedom

Random = np.random.Generator
Shape = tuple[int, ...]


def _skewed(random: Random, shape: Shape) -> Array:
    s = 0.8
    mean, variance = np.exp(s * s / 2), (np.exp(s * s) - 1) * np.exp(s * s)
    return (np.exp(s * random.standard_normal(shape)) - mean) / np.sqrt(variance)


@dataclass(frozen=True)
class Noise:
    """How launches differ: mean 0 and standard deviation 1 of each member's logarithm, before disturbances.

    Attributes
    ----------
    compared, reference : callable
        Draw the effects of launches on either member.
    disturbed : tuple of float
        The share of launches in which the compared member, and the reference, take five times as long.
    """

    name: str
    compared: Callable[[Random, Shape], Array]
    reference: Callable[[Random, Shape], Array]
    disturbed: tuple[float, float] = (0.0, 0.0)

    def draw(self, random: Random, shape: Shape, spread: Array | float, side: int = 0) -> Array:
        """Return logarithms of launch medians of the compared member (side 0) or the reference (1)."""
        effect = (self.compared, self.reference)[side](random, shape) * (spread / np.sqrt(2))
        if self.disturbed[side]:
            effect += log(5) * (random.random(shape) < self.disturbed[side])
        # The median of nine samples: the quantile at a Beta(5, 5), here of Student with two degrees of freedom.
        u = random.beta(5, 5, shape)
        return effect + WITHIN * (2 * u - 1) / np.sqrt(2 * u * (1 - u))


def _normal(random: Random, shape: Shape) -> Array:
    return random.standard_normal(shape)


def _laplace(random: Random, shape: Shape) -> Array:
    return random.laplace(size=shape) / np.sqrt(2)


def _t3(random: Random, shape: Shape) -> Array:
    return random.standard_t(3, shape) / np.sqrt(3)


FAIR = (
    Noise("normal", _normal, _normal),
    Noise("Laplace", _laplace, _laplace),
    Noise("Student 3", _t3, _t3),
    Noise("skewed", _skewed, _skewed),
    Noise("1 in 10 × 5", _normal, _normal, (0.05, 0.05)),
)
ONE_SIDED = (
    Noise("skewed, one side", _skewed, _normal),
    Noise("1 in 10 × 5, one side", _normal, _normal, (0.10, 0.0)),
)


def ratios(random: Random, noise: Noise, truth: Array, launches: int, spread: Array | float) -> Array:
    """Return logarithms of ratios: tables, rows, launches; the reference is shared by neighbouring rows.

    Parameters
    ----------
    truth : array
        The true logarithm of each row, one table a line.
    spread : array or float
        Of each row, or of all.
    """
    tables, rows = truth.shape
    wide = np.broadcast_to(spread, truth.shape)[..., None]
    compared = noise.draw(random, (tables, rows, launches), wide)
    few = noise.draw(random, (tables, -(-rows // SHARING), launches), wide[:, ::SHARING], side=1)
    return truth[..., None] + compared - np.repeat(few, SHARING, axis=1)[:, :rows]


@dataclass(frozen=True)
class Tables:
    """What came of simulated tables: all are shares.

    Attributes
    ----------
    false_holds, false_violated : float
        The mean over tables of the share of wrong ones among the rows so called.
    missed : float
        The same of intervals of decided rows that miss their truth.
    decided : float
        The share of rows that are decided.
    """

    false_holds: float
    false_violated: float
    missed: float
    decided: float


def mixture(random: Random, tables: int, rows: int) -> tuple[Array, Array, Array]:
    """Return true logarithms, which rows are judged in both directions, and spreads of tables as they are met.

    Half of the rows are equal, a fifth clearly slower, a tenth clearly faster, a fifth just at a boundary, where either
    verdict is wrong. Spreads differ by row: a quarter above 5 %, a tenth above 7 %.
    """
    kinds = np.log([1.0, 1.3, 0.75, 1 + TOLERANCE, 1 / (1 + TOLERANCE)])
    truth = random.choice(kinds, (tables, rows), p=[0.5, 0.2, 0.1, 0.15, 0.05])
    return truth, random.random((tables, rows)) < 0.5, SPREAD * np.exp(0.7 * random.standard_normal((tables, rows)))


def judged_tables(random: Random, noise: Noise, tables: int, rows: int = 200, launches: int = 8) -> Tables:
    """Judge mixed tables and compare the verdicts and intervals with the truth."""
    truth, similar, spread = mixture(random, tables, rows)
    x = ratios(random, noise, truth, launches, spread)
    upper = log(1 + TOLERANCE) * (1 - 1e-9)  # A truth just at a boundary lies on neither side.
    holds = (truth < upper) & (~similar | (truth > -upper))
    violated = (truth > upper * (1 + 1e-8)) | (similar & (truth < -upper * (1 + 1e-8)))
    shares = []
    for i in range(tables):
        of = of_equal_launches(x[i])
        found = judge_table(of, similar[i], TOLERANCE, Q)
        low, high = interval(of, found.level)
        decided = found.claim != NO_CLAIM
        wrong = [(found.claim == claim) & ~right for claim, right in ((HOLDS, holds[i]), (VIOLATED, violated[i]))]
        missed = decided & ((truth[i] < low) | (truth[i] > high))
        counts = [(found.claim == HOLDS).sum(), (found.claim == VIOLATED).sum(), decided.sum()]
        shares.append(
            [bad.sum() / max(n, 1) for bad, n in zip((*wrong, missed), counts, strict=True)] + [decided.mean()]
        )
    return Tables(*np.mean(shares, axis=0))


def single_rows(random: Random, noise: Noise, ratio: float, rows: int, launches: int) -> tuple[float, float]:
    """Return how often rows of one true ratio, each judged as a table of its own, are called holding and violated."""
    x = ratios(random, noise, np.full((rows, 1), log(ratio)), launches, SPREAD)[:, 0]
    low, high = interval(of_equal_launches(x), Q)
    upper = log(1 + TOLERANCE)
    return float(np.mean(high < upper)), float(np.mean(low > upper))


def power_in_table(
    random: Random, noise: Noise, tables: int, rows: int = 200, launches: int = 8
) -> tuple[float, float]:
    """Return the shares of rows found to hold at ratio 1 and to be violated at 1.3, which a tenth of the rows have."""
    slow = np.arange(rows) % 10 == 0
    truth = np.tile(np.where(slow, log(1.3), 0.0), (tables, 1))
    x = ratios(random, noise, truth, launches, SPREAD)
    claims = np.array([judge_table(of_equal_launches(one), np.zeros(rows, bool), TOLERANCE, Q).claim for one in x])
    return float(np.mean(claims[:, ~slow] == HOLDS)), float(np.mean(claims[:, slow] == VIOLATED))


def compared_runs(
    random: Random, noise: Noise, pairs: int, planted: float = 1.0, rows: int = 200, launches: int = 8
) -> tuple[float, float]:
    """Compare pairs of runs, the new one slower by a planted factor in every row, spreads as in `mixture`.

    Returns
    -------
    tuple
        The share of pairs with any regression, and the share of rows that are called one.
    """
    spread = mixture(random, pairs, rows)[2] if planted == 1 else np.full((pairs, rows), SPREAD)
    old, new = (ratios(random, noise, np.full((pairs, rows), log(f)), launches, spread) for f in (1.0, planted))
    found = np.array(
        [
            decide_changes(of_equal_launches(a), of_equal_launches(b), TOLERANCE, Q)[1].claim == REGRESSION
            for a, b in zip(old, new, strict=True)
        ]
    )
    return float(found.any(axis=1).mean()), float(found.mean())


MEASURES = (
    "ratio 1.1, 8 launches: called holding",
    "ratio 1.1, 8 launches: called violated",
    "mixed tables: wrong among holds",
    "mixed tables: wrong among violated",
    "mixed tables: intervals of decided rows that miss",
    "mixed tables: rows decided",
    "ratio 1: called holding",
    "ratio 1.3: called violated",
    "nothing changed: runs with any regression",
    "all slower by just 1.1: runs with any regression",
    "planted 1.3: called regression",
)


def measures(noise: Noise, scale: float = 1.0) -> list[float]:
    """Return all `MEASURES` of one kind of noise, as shares, from so many simulations times `scale`."""
    random = np.random.default_rng(6)
    many, some, few = (int(scale * n) for n in (2000, 1000, 300))
    tables = judged_tables(random, noise, some)
    return [
        *single_rows(random, noise, 1 + TOLERANCE, 50 * many, 8),
        tables.false_holds, tables.false_violated, tables.missed, tables.decided,
        *power_in_table(random, noise, few), compared_runs(random, noise, many)[0],
        compared_runs(random, noise, many, 1 + TOLERANCE)[0], compared_runs(random, noise, few, 1.3)[1],
    ]  # fmt: skip


def main() -> None:
    """Print what the statistics promise and what they keep, for every kind of noise."""
    noises = FAIR + ONE_SIDED
    table = plain_table(
        f"Tolerance {TOLERANCE:.0%}, q = {Q:.0%}; shares in %", ["share", *(one.name for one in noises)]
    )
    for name, shares in zip(MEASURES, zip(*map(measures, noises), strict=True), strict=True):
        table.add_row(name, *(f"{100 * share:.2f}" for share in shares))
    out = console()
    out.width = max(out.width, 160)
    out.print(table)


if __name__ == "__main__":
    main()
