"""Which report a run has: an experiment may have one of its own; all others have that of the guidelines."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from gapless.errors import GaplessError
from gapless.lab.run_file import Run

if TYPE_CHECKING:
    from rich.console import Console

    from gapless.lab.report.collected import Collected


class Report(Protocol):
    """The module of an experiment's report."""

    def render(self, collected: Collected) -> str:
        """Return the page."""

    def as_text(self, collected: Collected, kind: str) -> str:
        """Return every row as json, tsv or csv."""

    def show(self, out: Console, collected: Collected) -> None:
        """Print what a terminal shows beside the page."""


# A module, or an object in one.
REPORTS = {
    "apps": "gapless.lab.apps.page",
    "schemes": "gapless.lab.schemes.story:REPORT",
    "vector": "gapless.lab.vector.story:REPORT",
    "adaptive": "gapless.lab.adaptive.story:REPORT",
    "creation": "gapless.lab.creation.story:REPORT",
    "advice": "gapless.lab.advice.story:REPORT",
    "alltoall": "gapless.lab.alltoall.report:REPORT",
    "fabric": "gapless.lab.fabric.story:REPORT",
}


def experiment_of(run: Run) -> str:
    """Return the name of a run's experiment; runs from before there were several are of the guidelines."""
    return str(run.environment.get("settings", {}).get("experiment") or "guidelines")


def report_of(runs: Sequence[Run]) -> Report | None:
    """Return the report of the runs' experiment; None for that of the guidelines.

    Raises
    ------
    GaplessError
        If they are of several experiments.
    """
    names = dict.fromkeys(experiment_of(run) for run in runs)
    if len(names) > 1:
        raise GaplessError(
            f"these are runs of {' and '.join(names)}, which have no page in common", "report each for itself"
        )
    name = next(iter(names))
    if name not in REPORTS:
        return None
    module, _, of = REPORTS[name].partition(":")
    return cast(Report, getattr(import_module(module), of) if of else import_module(module))
