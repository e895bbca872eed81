"""Shared memory against the other ways of sending a message: what the tables of messages and of collectives have."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from gapless.lab.statistics import Ratio

# What counts as faster or slower, if the whole interval is beyond it.
TOLERANCE = 0.05
FASTER, SLOWER = "faster", "slower"


def answer(ratio: Ratio) -> str:
    """Say whether one way is faster or slower than another by more than 5 %, with the whole interval."""
    return FASTER if ratio.high < 1 - TOLERANCE else SLOWER if ratio.low > 1 + TOLERANCE else "-"


def middle(ratios: Sequence[Ratio]) -> str:
    """Return the median over layouts as a table has it."""
    return f"{median(of.ratio for of in ratios):.2f}" if ratios else "-"


def ends(ratios: Sequence[Ratio]) -> str:
    """Return the least and the greatest ratio."""
    each = [of.ratio for of in ratios]
    return f"{min(each):.2f} - {max(each):.2f}" if each else "-"


def counts(ratios: Sequence[Ratio]) -> list[str]:
    """Return how many are faster, and how many slower."""
    return [f"{sum(answer(of) == said for of in ratios)}" if ratios else "-" for said in (FASTER, SLOWER)]


def numbers(ratio: Ratio | None) -> list[str]:
    """Return a ratio and the ends of its interval as a file has them."""
    return [f"{getattr(ratio, end):.3f}" if ratio else "-" for end in ("ratio", "low", "high")]
