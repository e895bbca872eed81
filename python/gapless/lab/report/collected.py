"""One or several runs of the guidelines, judged and put side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gapless.lab.run_file import Row, Run, run_path
from gapless.lab.statistics import TOLERANCE
from gapless.lab.verdicts import FALSE_DISCOVERY_RATE, Judged, judge_run


@dataclass(frozen=True)
class Library:
    """A column of the report: one MPI library of one run.

    Attributes
    ----------
    label : str
        What the report calls it: its name, with the run's folder where two runs have the same library.
    mpi : str
        Its name in the run file.
    run : Run
        The run.
    """

    label: str
    mpi: str
    run: Run

    @property
    def facts(self) -> dict[str, Any]:
        """What the environment record says about it."""
        found = self.run.environment.get("libraries", {}).get(self.mpi, {})
        return found if isinstance(found, dict) else {}

    @property
    def name(self) -> str:
        """Its label with its version."""
        return " ".join(filter(None, [self.label, str(self.facts.get("version", ""))]))

    @property
    def transport(self) -> str:
        """How its messages travelled, with the warning that two nodes were namespaces."""
        told = str(self.facts.get("transport", "unknown"))
        return f"{told}, {TWO_NODES}" if self.run.environment.get("two_nodes") else told

    @property
    def good_launches(self) -> list[int]:
        """The launches that measured something."""
        found = (launches for (mpi, _), launches in self.run.samples.items() if mpi == self.mpi)
        return sorted({number for launches in found for number in launches})


TWO_NODES = "between two network namespaces on one machine"


@dataclass(frozen=True)
class Collected:
    """Everything that the report shows.

    Attributes
    ----------
    runs : list of Run
        The runs, in the order given.
    libraries : list of Library
        The columns.
    judged : list of Judged
        The verdicts; `mpi` is the label of the column.
    missing : list of (str, Row)
        Label and row of what was planned and has no verdict, because no launch of it ended well.
    tolerance, q : float
        With which the rows were judged.
    """

    runs: list[Run]
    libraries: list[Library]
    judged: list[Judged]
    missing: list[tuple[str, Row]]
    tolerance: float
    q: float


def _named(run: Run) -> list[str]:
    """Return every library that was to be measured: also one whose launches all failed."""
    told = run.environment.get("libraries", {})
    planned = list(told) if isinstance(told, dict) else []
    return list(dict.fromkeys([*planned, *run.libraries, *(str(line["mpi"]) for line in run.launches)]))


def _folder(run: Run) -> str:
    path = run_path(run.path).resolve()
    return path.parent.name if path.name == "run.jsonl" else path.stem


def columns(runs: Sequence[Run]) -> list[Library]:
    """Return the libraries of all runs, with labels that differ."""
    places = [(run, mpi) for run in runs for mpi in _named(run)]
    shared = {mpi for _, mpi in places if sum(mpi == other for _, other in places) > 1}
    made: list[Library] = []
    for run, mpi in places:
        label = f"{mpi} @ {_folder(run)}" if mpi in shared else mpi
        same = sum(library.label == label or library.label.startswith(f"{label} (") for library in made)
        made.append(Library(f"{label} ({same + 1})" if same else label, mpi, run))
    return made


def _tolerance(runs: Sequence[Run]) -> float:
    told = runs[0].environment.get("tolerance", TOLERANCE)
    return float(told) if isinstance(told, (int, float)) else TOLERANCE


def collect(runs: Sequence[Run], tolerance: float | None = None, q: float = FALSE_DISCOVERY_RATE) -> Collected:
    """Judge the rows of all runs.

    Parameters
    ----------
    runs : sequence of Run
        At least one.
    tolerance : float, optional
        Without it, the one that the first run was measured for.
    q : float
        The false-discovery rate.
    """
    tolerance = _tolerance(runs) if tolerance is None else tolerance
    libraries = columns(runs)
    label = {(id(library.run), library.mpi): library.label for library in libraries}
    judged, missing = [], []
    for run in runs:
        found = judge_run(run, tolerance, q)
        judged += [replace(one, mpi=label[id(run), one.mpi]) for one in found]
        seen = {(one.mpi, one.row.row) for one in found}
        missing += [(label[id(run), mpi], row) for mpi in _named(run) for row in run.rows if (mpi, row.row) not in seen]
    return Collected(list(runs), libraries, judged, missing, tolerance, q)
