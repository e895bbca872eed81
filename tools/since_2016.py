"""What the paper of 2016 found violated, and what the same rows say today.

``.venv/bin/python tools/since_2016.py DIR...``, with run folders of ``gapless measure guidelines``, prints a table
in Markdown. The findings are those of Carpen-Amarie, Hunold and Träff (2016) on NEC MPI 1.3.1, MVAPICH2 2.1, Open MPI
1.10.1 and Intel MPI 5.1.3.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gapless.errors import GaplessError
from gapless.lab.run_file import read_run
from gapless.lab.statistics import TOLERANCE
from gapless.lab.verdicts import Judged, judge_run

SMALL_A = (2, 10)


@dataclass(frozen=True)
class Finding:
    """A violation that the paper reports, and the rows that would show it today.

    Attributes
    ----------
    test : str
        The expectation test.
    found : str
        What was slow in 2016, and where.
    layouts : tuple of str
        Only these layouts; empty: all of the test.
    blocks : tuple of int
        Only these A; empty: all.
    faster : bool
        The violation is that the compared side is the faster one.
    """

    test: str
    found: str
    layouts: tuple[str, ...] = ()
    blocks: tuple[int, ...] = ()
    faster: bool = False

    def concerns(self, one: Judged) -> bool:
        """Say whether a native row would show this finding."""
        row = one.row
        chosen = (not self.layouts or row.layout in self.layouts) and (not self.blocks or row.A in self.blocks)
        return row.test == self.test and not row.layer and row.pattern == "pingpong" and chosen


FINDINGS = (
    Finding("ET1", "gaps cost most at small A (all libraries)", blocks=SMALL_A),
    Finding("ET3", "slower than MPI_Pack and MPI_Unpack (NEC, MVAPICH2: twice)"),
    Finding("ET4", "Tiled as one contiguous type three times slower (MVAPICH2, Open MPI)", layouts=("tiled",)),
    Finding("ET5", "Tiled as struct several times slower at A = 2 (MVAPICH2)", blocks=(2,)),
    Finding("ET6", "Tiled as vector much slower at small A (NEC, Open MPI)", blocks=SMALL_A),
    Finding("ET7", "Tiled as vector of vectors 2 to 4 times slower at A = 2 (all)", blocks=(2,)),
    Finding("ET8", "Block slower than its list at small A (NEC)", blocks=SMALL_A, faster=True),
    Finding("ET9", "Alternating slower as list at small A (NEC)", blocks=SMALL_A),
    Finding("ET10", "Alternating-repeated slower than its struct at small A (all)", blocks=SMALL_A, faster=True),
    Finding("ET11", "row and column: lists slower than the struct (MVAPICH2, Open MPI: twice)"),
)


def today(finding: Finding, judged: Sequence[Judged]) -> str:
    """Return what the rows of one library say of a finding: gone, still so, or not decided.

    It is gone if no row shows it and at least nine of ten say that they do not.
    """
    rows = [one for one in judged if finding.concerns(one)]
    if not rows:
        return "not measured"
    still = [one for one in rows if one.verdict == "violated" and (one.ratio < 1) == finding.faster]
    if still:
        worst = max(still, key=lambda one: one.factor)
        return f"still, ×{worst.factor:.2g} in {len(still)} of {len(rows)}"
    denied = sum(one.verdict != "undecided" for one in rows)
    return f"gone ({len(rows)})" if denied >= 0.9 * len(rows) else f"not seen; {denied} of {len(rows)} decided"


def table(judged: Sequence[Judged]) -> str:
    """Return the table in Markdown: a line for each finding, a column for each library."""
    libraries = list(dict.fromkeys(one.mpi for one in judged))
    lines = ["| test | found in 2016 | " + " | ".join(libraries) + " |", "|---" * (2 + len(libraries)) + "|"]
    for finding in FINDINGS:
        cells = [today(finding, [one for one in judged if one.mpi == mpi]) for mpi in libraries]
        lines.append(f"| {finding.test} | {finding.found} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Print the table of the runs in the folders."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    try:
        runs = [read_run(Path(folder)) for folder in arguments]
        print(table([one for run in runs for one in judge_run(run, run.environment.get("tolerance", TOLERANCE))]))
    except GaplessError as error:
        print(f"gapless: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
