"""Whether two runs come to the same verdicts: what a verdict is worth that cannot be had twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gapless.lab.run_file import Run
from gapless.lab.verdicts import UNDECIDED, Judged, judge_run


@dataclass(frozen=True)
class Agreement:
    """The verdicts of two runs on the rows that both have.

    Attributes
    ----------
    rows : int
        Rows with a verdict, or undecided, in both runs.
    decided : int
        Those that are decided in both.
    flipped : list of (Judged, Judged)
        Those decided in both and differently: holds in one and violated in the other, or violated in two directions.
    """

    rows: int
    decided: int
    flipped: list[tuple[Judged, Judged]]

    def as_json(self) -> dict[str, Any]:
        """Return the counts, and both verdicts of what flipped."""
        flipped = [{"old": old.as_json(), "new": new.as_json()} for old, new in self.flipped]
        return {"rows": self.rows, "decided": self.decided, "agree": self.decided - len(flipped), "flipped": flipped}

    def __str__(self) -> str:
        """Return the sentence below the table of changes."""
        if not self.decided:
            return f"verdicts: none of {self.rows} rows is decided in both runs"
        agree = self.decided - len(self.flipped)
        return (
            f"verdicts: {self.decided} of {self.rows} rows are decided in both runs, {agree} of them alike "
            f"({agree / self.decided:.1%})"
        )


def _direction(one: Judged) -> tuple[str, bool]:
    return one.verdict, one.verdict == "violated" and one.ratio < 1


def agreement(old: Run, new: Run, tolerance: float, q: float) -> Agreement:
    """Hold the verdicts of two runs against each other, row by row and library by library."""
    before, after = (
        {(one.mpi, one.row.key): one for one in judge_run(run, tolerance, q)} for run in (old, new)
    )  # fmt: skip
    both = [(before[key], after[key]) for key in before if key in after]
    decided = [pair for pair in both if UNDECIDED not in (pair[0].verdict, pair[1].verdict)]
    flipped = [(a, b) for a, b in decided if _direction(a) != _direction(b)]
    return Agreement(len(both), len(decided), flipped)
