"""A value with its interval over launches."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from gapless.lab.statistics import Array, of_equal_launches, ratio_interval

LEVEL = 0.05


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % interval; the ends are None after a single launch."""

    value: float
    low: float | None
    high: float | None

    def as_json(self) -> dict[str, float | None]:
        """Return the interval as every command prints it."""
        return {"value": self.value, "ci_low": self.low, "ci_high": self.high}


def ratio_of(logs: Array, level: float = LEVEL) -> Interval:
    """Return the geometric mean of ratios with its interval, from their logarithms by launch."""
    of = of_equal_launches(logs)
    if len(logs) < 2:
        return Interval(exp(float(of.mean)), None, None)
    low, high = ratio_interval(of, level)
    return Interval(exp(float(of.mean)), float(low), float(high))


def interval_text(of: Interval, digits: int = 2) -> str:
    """Return ``0.71 (0.68 - 0.74)``."""
    if of.low is None or of.high is None:
        return f"{of.value:.{digits}f} (one launch)"
    return f"{of.value:.{digits}f} ({of.low:.{digits}f} - {of.high:.{digits}f})"
