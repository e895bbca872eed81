"""What `gapless compare --run` finds: ``.venv/bin/python tools/compare_finds.py --mpi mpich --budget 600``.

Twenty comparisons of a library with itself, in which nothing may be called a regression or an improvement, and one with
a side that the lab slows down by a factor, of which at least nine in ten members are to be called regressions. Exit
status 1 if one of the two is missed. ``--from RUN`` measures nothing: it takes the rounds of a stored self-comparison,
exchanges the sides of each at random, and plants the factor into them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from math import log
from pathlib import Path

import numpy as np
from gapless.display import OneLine
from gapless.lab.compare import IMPROVEMENT, REGRESSION, decide_shifts
from gapless.lab.paired_compare import compare_sides, of_rounds, rounds_of, same_library
from gapless.lab.run_file import CONTIGUOUS_MEMBER, read_run
from gapless.lab.statistics import TOLERANCE
from gapless.lab.verdicts import FALSE_DISCOVERY_RATE

SELF, LEAST_FOUND = 20, 0.9
PLANTED_SHARE = 0.25  # of the time
RESAMPLED = 500
# A comparison with itself has a small part of the members, so that its share of the time is rounds enough.
SELF_FILTER = "ET3 *A=2/*"
FEWEST_ROUNDS = 5  # with fewer a silent comparison would say nothing


def measured(old: str, new: str, folder: Path, budget_s: float, seed: int, *more: str) -> None:
    """Run the command; its exit status 1 says that something regressed, and others that it failed."""
    command = [sys.executable, "-m", "gapless", "compare", "--run", old, new, "--out", str(folder), "--seed", str(seed),
               "--budget", f"{budget_s:.0f}s", "--format", "json", *more]  # fmt: skip
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)


def found_share(folder: Path) -> tuple[int, int, int]:
    """Return how many planted members are called regressions, how many there are, and how many rounds they have."""
    changes = [one for one in compare_sides(read_run(folder)).changes if one.subject.member != CONTIGUOUS_MEMBER]
    rounds = min(one.launches_new for one in changes)
    return sum(one.change == REGRESSION for one in changes), len(changes), rounds


def from_stored(path: Path, factor: float) -> int:
    """Print false alarms and the share found when the sides of a self-comparison are exchanged at random."""
    run = read_run(path)
    rounds = rounds_of(run, same_library(run))
    differences = [new - old for old, new in rounds.values()]
    slowed = np.array([subject.member != CONTIGUOUS_MEMBER for subject in rounds])
    random = np.random.default_rng(1)
    most, alarms, shares = max(map(len, differences)), 0, []
    for _ in range(RESAMPLED):
        # A round is exchanged as a whole: its members share the two launches.
        signs = random.choice([-1.0, 1.0], most)
        shifted = [signs[: len(d)] * d for d in differences]
        claims = decide_shifts(of_rounds(shifted), TOLERANCE, FALSE_DISCOVERY_RATE).claim
        alarms += bool(np.isin(claims, (0, 1)).any())
        planted = [d + log(factor) * slow for d, slow in zip(shifted, slowed, strict=True)]
        claims = decide_shifts(of_rounds(planted), TOLERANCE, FALSE_DISCOVERY_RATE).claim
        shares.append(float(np.mean(claims[slowed] == 0)))
    print(f"{path}: {len(differences)} members, {most} rounds, {RESAMPLED} exchanges of sides")
    print(f"anything called changed: {alarms / RESAMPLED:.1%}; planted {factor}: found in {np.mean(shares):.1%}")
    return int(np.mean(shares) < LEAST_FOUND or alarms / RESAMPLED > FALSE_DISCOVERY_RATE)


def main() -> int:
    """Measure, and print both figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", default="mpich", help="the library")
    parser.add_argument("--budget", type=float, default=600, help="for everything [s]")
    parser.add_argument("--factor", type=float, default=1.3, help="what is planted")
    parser.add_argument("--from", dest="stored", type=Path, help="a stored self-comparison: measure nothing")
    parser.add_argument("--out", type=Path, default=Path("results/compare-finds"), help="a new folder for the runs")
    given = parser.parse_args()
    if given.stored:
        return from_stored(given.stored, given.factor)
    if given.out.exists():
        sys.exit(f"{given.out} is there already: name another folder with --out")
    progress = OneLine("comparing")
    planted = given.out / "planted"
    measured(given.mpi, f"{given.mpi},plant={given.factor}", planted, PLANTED_SHARE * given.budget, 1)
    alarms, least = [], 0
    for k in range(SELF):
        progress.now((k + 1) / (SELF + 1), f"self-comparison {k + 1} of {SELF}")
        folder = given.out / f"self-{k + 1}"
        measured(given.mpi, given.mpi, folder, (1 - PLANTED_SHARE) * given.budget / SELF, k + 2,
                 "--filter", SELF_FILTER)  # fmt: skip
        changes = compare_sides(read_run(folder)).changes
        rounds = min(one.launches_new for one in changes)
        least = rounds if k == 0 else min(least, rounds)
        alarms.append([one for one in changes if one.change in (REGRESSION, IMPROVEMENT)])
    silent = sum(not one for one in alarms)
    found, members, rounds = found_share(planted)
    print(f"\nplanted {given.factor}: found in {found} of {members} members ({found / members:.1%}), {rounds} rounds")
    print(f"self-comparisons without a change: {silent} of {SELF}; at least {least} rounds each")
    for one in [one for several in alarms for one in several]:
        print(f"  {one.subject.place.text} {one.subject.member}: {one.change} {one.ratio:.3f}")
    if least < FEWEST_ROUNDS:
        print(f"too few rounds to say anything: give it more time than --budget {given.budget:.0f}")
    return int(least < FEWEST_ROUNDS or silent < SELF or found < LEAST_FOUND * members)


if __name__ == "__main__":
    sys.exit(main())
