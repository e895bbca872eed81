"""Two sides of one run against each other, launch by launch: `gapless compare --run A B`.

A round is one launch of each side, in an order drawn anew. What a machine does for minutes is in both launches of a
round and cancels; what one launch has for its whole life (where its pages lie) does not, so rounds are many and short,
and they are the replicates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.errors import GaplessError
from gapless.lab.compare import Comparison, Subject, changes_of, decide_shifts, place_of
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Members, Run
from gapless.lab.statistics import TOLERANCE, Estimates, of_launches, of_trimmed_launches
from gapless.lab.verdicts import FALSE_DISCOVERY_RATE

SIDES = 2
# From so many rounds on a fifth of them at each end counts with the weight of the next one only.
FEWEST_TRIMMED = 10


def sides_of(run: Run) -> tuple[str, str]:
    """Return the names of the two sides.

    Raises
    ------
    GaplessError
        If the run was not made by ``gapless compare --run``.
    """
    sides = run.environment.get("asked", {}).get("sides", [])
    if len(sides) != SIDES:
        raise GaplessError(
            f"{run.path} is no run of two sides", "name two runs, or make one by 'gapless compare --run A B'"
        )
    return str(sides[0]), str(sides[1])


def _log(members: Members, member: str, against: str) -> float:
    value = float(np.log(np.median(members[member])))
    return value - float(np.log(np.median(members[against]) if against else 1000.0))


def same_library(run: Run) -> bool:
    """Say whether both sides are one library, so that its contiguous messages are a control of the launch."""
    facts = run.environment.get("libraries", {})
    old, new = ((facts.get(side) or {}).get("mpi_library") for side in sides_of(run))
    return old is not None and old == new


def rounds_of(run: Run, relative: bool) -> dict[Subject, tuple[np.ndarray, np.ndarray]]:
    """Return the logarithms of both sides' launches, round by round, of everything that both have.

    Parameters
    ----------
    run : Run
        A run of two sides.
    relative : bool
        Divide each time by that of the contiguous message of its own launch. Contiguous messages are compared by
        their times in any case.
    """
    old, new = sides_of(run)
    found: dict[Subject, tuple[np.ndarray, np.ndarray]] = {}
    for row in run.rows:
        before, after = (run.samples.get((side, row.group), {}) for side in (old, new))
        for member in (row.compared, row.reference, CONTIGUOUS_MEMBER):
            against = CONTIGUOUS_MEMBER if relative and member != CONTIGUOUS_MEMBER else ""
            needed = {member, against} - {""}
            rounds = [k for k in sorted(before) if k in after and needed <= before[k].keys() & after[k].keys()]
            subject = Subject(f"{old} -> {new}", place_of(row), member, against)
            if rounds and subject not in found:
                found[subject] = (
                    np.array([_log(before[k], member, against) for k in rounds]),
                    np.array([_log(after[k], member, against) for k in rounds]),
                )
    return found


def of_rounds(differences: Sequence[np.ndarray]) -> Estimates:
    """Return the estimates of paired differences: trimmed means where there are rounds enough, means elsewhere."""
    if differences and min(map(len, differences)) >= FEWEST_TRIMMED:
        return of_trimmed_launches(differences)
    return of_launches(differences)


def _broken(run: Run, old: str, new: str) -> list[str]:
    """Name what has wrong data on the new side and not on the old one."""
    places = {row.group: place_of(row).text for row in run.rows}
    failed = {side: {e["group"]: e["reason"] for e in run.errors if e.get("mpi") == side and e.get("group") in places}
              for side in (old, new)}  # fmt: skip
    lost = [f"{new}: no launch measured anything"] if new not in run.libraries else []
    return lost + [f"{new} {places[group]}: {why}" for group, why in failed[new].items() if group not in failed[old]]


def compare_sides(
    run: Run, tolerance: float = TOLERANCE, q: float = FALSE_DISCOVERY_RATE, relative: bool | None = None
) -> Comparison:
    """Compare the two sides of a run; the second is the new one.

    What is compared does not depend on what was measured: `relative` is as asked, or what `same_library` says.

    Raises
    ------
    GaplessError
        If no round has samples of both.
    """
    old, new = sides_of(run)
    broken, both = (
        _broken(run, old, new), rounds_of(run, same_library(run) if relative is None else relative)
    )  # fmt: skip
    if not both:
        if broken:
            return Comparison([], [], [], broken)
        raise GaplessError(f"{run.path} has no round with both sides", "measure again, longer: --budget")
    before, after = [one for one, _ in both.values()], [other for _, other in both.values()]
    of = of_rounds([b - a for a, b in both.values()])
    changes = changes_of(list(both), of, decide_shifts(of, tolerance, q), before, after)
    return Comparison(sorted(changes, key=lambda one: -one.ratio), [], [], broken)
