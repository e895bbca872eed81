"""Verdicts: each row of a run is judged by its with false discoveries controlled over the table of a library.

A table is everything that one library was measured with, native and with the layer. Tables of different libraries are
judged apart, so that the report of a library stays the same whichever others were measured beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, log
from typing import Any

import numpy as np

from gapless.errors import GaplessError
from gapless.lab.power import MOST_LAUNCHES, launches_for
from gapless.lab.run_file import Row, Run
from gapless.lab.statistics import (
    TOLERANCE,
    Array,
    Decisions,
    Estimates,
    Expectation,
    decide,
    of_launches,
    p_region,
    ratio_interval,
)

FALSE_DISCOVERY_RATE = 0.05
POWER = 0.8
HOLDS, VIOLATED, UNDECIDED = "holds", "violated", "undecided"


@dataclass(frozen=True)
class Judged:
    """A row of one library with its verdict.

    Attributes
    ----------
    row : Row
        What was compared.
    mpi : str
        On which library.
    launches : int
        The replicates: launches in which both members were measured.
    verdict : str
        ``holds``, ``violated`` or ``undecided``.
    ratio : float
        Compared over reference: the geometric mean over launches of the ratio of medians.
    ci_low, ci_high : float
        Its interval, which excludes the tolerance exactly if the row is decided; 0 and infinite after a single launch.
    compared_us, reference_us : float
        Medians over launches of the medians [us].
    needs : str
        What an undecided row would take; else empty.
    cycle_ratio : float or None
        The ratio with the time in which the ranks wrote their data; None where these are constant. It is not judged.
    """

    row: Row
    mpi: str
    launches: int
    verdict: str
    ratio: float
    ci_low: float
    ci_high: float
    compared_us: float
    reference_us: float
    needs: str = ""
    cycle_ratio: float | None = None

    @property
    def factor(self) -> float:
        """How many times slower the slower side is, where both directions count; the ratio itself otherwise."""
        return max(self.ratio, 1 / self.ratio) if _is_similar(self.row) else self.ratio

    def as_json(self) -> dict[str, Any]:
        """Return the row as ``gapless report --format json`` prints it; an end that is not known is null."""
        return _row_json(self.mpi, self.row) | {
            "verdict": self.verdict, "ratio": self.ratio, "ci_low": self.ci_low,
            "ci_high": self.ci_high if isfinite(self.ci_high) else None, "launches": self.launches,
            "compared_us": self.compared_us, "reference_us": self.reference_us, "needs": self.needs,
            "cycle_ratio": self.cycle_ratio,
        }  # fmt: skip


NAMES = (
    "test", "guideline", "case", "pattern", "bytes", "payload_bytes", "base", "cache", "data", "layer",
    "compared",
    "reference", "expectation", "layout", "variant", "A",
)  # fmt: skip


def _row_json(mpi: str, row: Row) -> dict[str, Any]:
    return {"mpi": mpi} | {name: getattr(row, name) for name in NAMES}


def not_measured_json(mpi: str, row: Row) -> dict[str, Any]:
    """Return a row that was planned and has no verdict, with the keys of `Judged.as_json`."""
    numbers = dict.fromkeys(("ratio", "ci_low", "ci_high"))
    times = {
        "launches": 0,
        "compared_us": None,
        "reference_us": None,
        "needs": "a launch that measures it",
        "cycle_ratio": None,
    }
    return _row_json(mpi, row) | {"verdict": "not measured"} | numbers | times


def _is_similar(row: Row) -> bool:
    """Say whether a row is judged in both directions; what is neither expectation is an error."""
    try:
        return Expectation(row.expectation) is Expectation.SIMILAR
    except ValueError as error:
        known = " and ".join(f"'{one.value}'" for one in Expectation)
        raise GaplessError(f"row {row.row} expects '{row.expectation}'", f"a run file knows {known}") from error


def judge_table(of: Estimates, similar: Array, tolerance: float, q: float) -> Decisions:
    """Decide one table: claim 0 is that the guideline holds, claim 1 that it is violated.

    Parameters
    ----------
    of : Estimates
        The logarithms of the ratios.
    similar : array of bool
        Which rows are judged in both directions.
    tolerance, q : float
        As of `judge_run`.
    """
    upper = log(1 + tolerance)
    holds = np.where(similar, p_region(of, -upper, upper), p_region(of, -inf, upper))
    faster = np.where(similar, p_region(of, -inf, -upper), 1.0)
    return decide([holds, np.minimum(p_region(of, upper, inf), faster)], q)


def needs_of(logs: Array, similar: bool, tolerance: float, levels: Sequence[float]) -> str:
    """Say what it would take to decide a row, by its own spread and distance from the tolerance.

    The nearest boundary alone is counted: a row that is undecided is much nearer to it than to the other one.

    Parameters
    ----------
    logs : array
        The logarithms of the ratios of its launches.
    similar : bool
        Whether it is judged in both directions.
    tolerance : float
        As of `judge_run`.
    levels : sequence of float
        The levels in force for ``holds`` and ``violated``.
    """
    n = len(logs)
    if n < 2:
        return "a second launch"
    mean, spread, upper = float(np.mean(logs)), float(np.std(logs, ddof=1)), log(1 + tolerance)
    beyond = (abs(mean) if similar else mean) - upper
    wanted = launches_for(spread, levels[int(beyond > 0)], abs(beyond), POWER)
    if wanted is not None:
        return f"about {max(wanted, n + 1)} launches ({n} now)"
    if spread > upper:
        return f"more than {MOST_LAUNCHES} launches: they differ too much, by a factor of {exp(spread):.2f}"
    return f"more than {MOST_LAUNCHES} launches: too close to the tolerance, ratio {exp(mean):.3f}"


def _cycle_ratio(run: Run, row: Row, mpi: str) -> float | None:
    pairs = run.pairs(row, mpi, cycle=True).values()
    return float(np.exp(np.mean([log(np.median(a) / np.median(b)) for a, b in pairs]))) if pairs else None


def judge_library(run: Run, mpi: str, tolerance: float, q: float) -> list[Judged]:
    """Judge the table of one library: its rows that have samples."""
    found = [(row, list(run.pairs(row, mpi).values())) for row in run.rows]
    rows = [(row, np.array([[np.median(a), np.median(b)] for a, b in pairs])) for row, pairs in found if pairs]
    if not rows:
        return []
    logs = [np.log(medians[:, 0] / medians[:, 1]) for _, medians in rows]
    of = of_launches(logs)
    decided = judge_table(of, np.array([_is_similar(row) for row, _ in rows]), tolerance, q)
    lows, highs = ratio_interval(of, decided.level)
    judged = []
    for i, (row, medians) in enumerate(rows):
        verdict = {0: HOLDS, 1: VIOLATED}.get(decided.claim[i], UNDECIDED)
        needs = needs_of(logs[i], _is_similar(row), tolerance, decided.levels) if verdict == UNDECIDED else ""
        compared, reference = np.median(medians, axis=0) / 1000
        judged.append(
            Judged(
                row,
                mpi,
                len(medians),
                verdict,
                exp(of.mean[i]),
                float(lows[i]),
                float(highs[i]),
                float(compared),
                float(reference),
                needs,
                _cycle_ratio(run, row, mpi),
            )  # fmt: skip
        )
    return judged


def judge_run(run: Run, tolerance: float = TOLERANCE, q: float = FALSE_DISCOVERY_RATE) -> list[Judged]:
    """Judge every row of a run that has samples, each library's table for itself.

    Parameters
    ----------
    run : Run
        What was measured.
    tolerance : float
        How far a ratio may be off: 0.10 means 10 %.
    q : float
        The share that is accepted, on average, of wrong verdicts among those that say ``holds``, and among those that
        say ``violated``.

    Returns
    -------
    list of Judged
        Library by library, in the order of the run's rows.
    """
    return [judged for mpi in run.libraries for judged in judge_library(run, mpi, tolerance, q)]
