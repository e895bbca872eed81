"""Two runs against each other: what became slower, what became faster, with the statistics of the verdicts.

What is compared is how a member stands to the contiguous message of its own group and launch, so that a machine that is
slower today is no regression; launches are the replicates on both sides. Each member of each group counts once,
however many rows it is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import exp, inf, isfinite, log
from typing import Any

import numpy as np

from gapless.errors import GaplessError
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Members, Row, Run
from gapless.lab.statistics import (
    NO_CLAIM,
    TOLERANCE,
    Decisions,
    Estimates,
    decide,
    of_differences,
    of_launches,
    p_region,
    ratio_interval,
)
from gapless.lab.verdicts import FALSE_DISCOVERY_RATE

REGRESSION, IMPROVEMENT, SAME, UNDECIDED = "regression", "improvement", "same", "undecided"
CLAIMS = (REGRESSION, IMPROVEMENT, SAME)


@dataclass(frozen=True)
class Place:
    """A group by what it is, not by the name that a run gave it."""

    layout: str
    variant: int
    A: int
    bytes: int
    payload_bytes: int
    base: str
    pattern: str
    cache: str
    own: str = ""  # the case of a row of the user's own
    data: str = "constant"

    @property
    def text(self) -> str:
        """The place in one word, for tables."""
        what = self.own or f"{self.layout}/v{self.variant}/A={self.A}"
        return f"{what} {self.bytes} {self.base} {self.pattern} {self.cache}" + (
            " fresh" if self.data == "fresh" else ""
        )


def place_of(row: Row) -> Place:
    """Return where a row is measured."""
    own = row.case if row.test == "own" else ""
    return Place(
        row.layout, row.variant, row.A, row.bytes, row.payload_bytes, row.base, row.pattern, row.cache, own,
        row.data,
    )  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """One thing whose time is compared between two runs.

    Attributes
    ----------
    mpi : str
        The library.
    place : Place
        Where it is measured.
    member : str
        What is sent, and how.
    against : str
        The member of the same launch that its time is divided by; empty if it is the time itself [us].
    """

    mpi: str
    place: Place
    member: str
    against: str


@dataclass(frozen=True)
class Change:
    """How a subject changed.

    Attributes
    ----------
    change : str
        ``regression``, ``improvement``, ``same`` or ``undecided``.
    ratio, ci_low, ci_high : float
        New over old, with the interval that the word is read from.
    old, new : float
        Geometric means over launches: time over that of `Subject.against`, or microseconds.
    launches_old, launches_new : int
        The replicates.
    """

    subject: Subject
    change: str
    ratio: float
    ci_low: float
    ci_high: float
    old: float
    new: float
    launches_old: int
    launches_new: int

    def as_json(self) -> dict[str, Any]:
        """Return one flat object; an end that is not known is null."""
        numbers = {
            "ratio": self.ratio, "ci_low": self.ci_low, "ci_high": self.ci_high if isfinite(self.ci_high) else None,
            "old": self.old, "new": self.new, "launches_old": self.launches_old, "launches_new": self.launches_new,
        }  # fmt: skip
        return subject_json(self.subject) | {"change": self.change} | numbers


def subject_json(subject: Subject) -> dict[str, Any]:
    """Return a subject as one flat object."""
    return {"mpi": subject.mpi} | asdict(subject.place) | {"member": subject.member, "against": subject.against}


COLUMNS = (
    "mpi", *Place.__dataclass_fields__, "member", "against", "change", "ratio", "ci_low", "ci_high", "old", "new",
    "launches_old", "launches_new",
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Everything that is said of two runs.

    Attributes
    ----------
    changes : list of Change
        Subjects in both runs, worst ratio first.
    only_old, only_new : list of Subject
        What has samples in one run only.
    broken : list of str
        What the old run measured and the new one found to be wrong data, or failed at.
    """

    changes: list[Change]
    only_old: list[Subject]
    only_new: list[Subject]
    broken: list[str]

    def count(self, change: str) -> int:
        """Return how many subjects changed in this way."""
        return sum(one.change == change for one in self.changes)

    @property
    def regressed(self) -> bool:
        """Whether anything became slower, or wrong."""
        return bool(self.broken) or self.count(REGRESSION) > 0


def _logs(launches: Sequence[Members], member: str, against: str) -> np.ndarray:
    """Return the logarithm of the median time [us], or of its ratio, of each launch that has what is needed."""
    needed = {member, against} - {""}
    complete = [members for members in launches if needed <= members.keys()]
    unit = [float(np.median(of[against])) if against else 1000.0 for of in complete]
    return np.array([log(np.median(of[member]) / one) for of, one in zip(complete, unit, strict=True)])


def subjects_of(run: Run, absolute: bool = False) -> dict[Subject, np.ndarray]:
    """Return the logarithms of the launches of everything that can be compared with another run.

    Of several groups with the same member at the same place, the first that has samples counts.

    Parameters
    ----------
    run : Run
        What was measured.
    absolute : bool
        Take the times themselves, of contiguous messages too.
    """
    found: dict[Subject, np.ndarray] = {}
    for mpi in run.libraries:
        for row in run.rows:
            launches = list(run.samples.get((mpi, row.group), {}).values())
            has_contiguous = any(CONTIGUOUS_MEMBER in members for members in launches)
            further = (CONTIGUOUS_MEMBER,) if absolute and has_contiguous else ()
            for member in (row.compared, row.reference, *further):
                against = "" if absolute else CONTIGUOUS_MEMBER if has_contiguous else row.reference
                subject = Subject(mpi, place_of(row), member, against)
                if member != against and subject not in found:
                    logs = _logs(launches, member, against)
                    if len(logs):
                        found[subject] = logs
    return found


def decide_changes(old: Estimates, new: Estimates, tolerance: float, q: float) -> tuple[Estimates, Decisions]:
    """Decide a table of changes: claims are numbered as `CLAIMS`."""
    of = of_differences(new, old)
    return of, decide_shifts(of, tolerance, q)


def decide_shifts(of: Estimates, tolerance: float, q: float) -> Decisions:
    """Decide a table of logarithms of new over old: claims are numbered as `CLAIMS`."""
    upper = log(1 + tolerance)
    regions = ((upper, inf), (-inf, -upper), (-upper, upper))
    return decide([p_region(of, *region) for region in regions], q)


def broken_places(old: Run, new: Run) -> list[str]:
    """Name what has an error in the new run, and samples without an error in the old one."""

    def failed(run: Run) -> dict[tuple[str, Place], str]:
        places = {row.group: place_of(row) for row in run.rows}
        return {
            (line["mpi"], places[line["group"]]): line.get("reason", "")
            for line in run.errors
            if line.get("group") in places
        }

    before = failed(old)
    measured = {(mpi, place_of(row)) for row in old.rows for mpi in old.libraries if (mpi, row.group) in old.samples}
    return [
        f"{mpi} {place.text}: {reason}"
        for (mpi, place), reason in failed(new).items()
        if (mpi, place) in measured and (mpi, place) not in before
    ]


def lost_libraries(old: Run, new: Run) -> list[str]:
    """Name the libraries that the new run was to measure too and could not, or not under the layer any more."""
    facts_old, facts_new = (run.environment.get("libraries") or {} for run in (old, new))
    asked = set(facts_new) | {line["mpi"] for line in new.launches}
    lost = [f"{mpi}: no launch measured anything" for mpi in old.libraries if mpi in asked - set(new.libraries)]
    for mpi in old.libraries:
        was, now = ((of.get(mpi) or {}).get("layer") for of in (facts_old, facts_new))
        if was is True and now is False:
            lost.append(f"{mpi}: the layer does not work any more ({facts_new[mpi].get('no_layer', 'no reason')})")
    return lost


def compare_runs(
    old: Run,
    new: Run,
    tolerance: float = TOLERANCE,
    q: float = FALSE_DISCOVERY_RATE,
    absolute: bool = False,
) -> Comparison:
    """Compare two runs.

    All libraries make one table here, unlike with verdicts, since the answer of the command is one: if nothing
    changed, the chance that anything is called a regression is at most q.

    Raises
    ------
    GaplessError
        If the runs have nothing in common.
    """
    before, after = subjects_of(old, absolute), subjects_of(new, absolute)
    both = [subject for subject in before if subject in after]
    broken = [*lost_libraries(old, new), *broken_places(old, new)]
    if not both and not broken:
        raise GaplessError(
            f"{old.path} and {new.path} have no measurement in common", "compare runs of the same library and preset"
        )
    only_old = [subject for subject in before if subject not in after]
    only_new = [subject for subject in after if subject not in before]
    changes = _changes(both, [before[s] for s in both], [after[s] for s in both], tolerance, q) if both else []
    return Comparison(sorted(changes, key=lambda one: -one.ratio), only_old, only_new, broken)


def _changes(
    subjects: Sequence[Subject], old: Sequence[np.ndarray], new: Sequence[np.ndarray], tolerance: float, q: float
) -> list[Change]:
    """Return the change of each subject, from its launches on both sides."""
    of, decided = decide_changes(of_launches(old), of_launches(new), tolerance, q)
    return changes_of(subjects, of, decided, old, new)


def changes_of(
    subjects: Sequence[Subject], of: Estimates, decided: Decisions, old: Sequence[np.ndarray], new: Sequence[np.ndarray]
) -> list[Change]:
    """Return what is said of each subject, whose logarithms of launches are given for both sides."""
    was, now = of_launches(old), of_launches(new)
    lows, highs = ratio_interval(of, decided.level)
    return [
        Change(
            subject,
            UNDECIDED if decided.claim[i] == NO_CLAIM else CLAIMS[decided.claim[i]],
            exp(of.mean[i]),
            float(lows[i]),
            float(highs[i]),
            exp(was.mean[i]),
            exp(now.mean[i]),
            len(old[i]),
            len(new[i]),
        )  # fmt: skip
        for i, subject in enumerate(subjects)
    ]
