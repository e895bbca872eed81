"""The file of one run of ``gapless measure guidelines``: read back as rows with the samples of each launch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from gapless.errors import GaplessError
from gapless.lab.results import Line, of_kind, read

NAME = "run.jsonl"
# The member that every group has: what the same bytes without gaps cost.
CONTIGUOUS_MEMBER = "contiguous:native"


@dataclass(frozen=True)
class Row:
    """One comparison: a message sent in one way, measured against another of the same payload.

    Attributes
    ----------
    row : str
        Its name within the run.
    test : str
        ET1 to ET11, X (further descriptions) or own.
    guideline : str
        baseline, alignment, GL1, GL2, GL3, GL2+GL3, GL4 or own.
    case : str
        Layout, variant, block size and description, for example ``tiled/v1/A=2/tiled_vector``.
    pattern : str
        pingpong, bcast or allgather.
    bytes, payload_bytes : int
        The size asked for, and the payload that whole units make of it [bytes].
    base : str
        The base type.
    cache : str
        warm or cold.
    layer : bool
        Whether the compared member is sent with the layer on.
    group : str
        The group whose members are compared.
    compared, reference : str
        Members: a message and a method.
    expectation : str
        ``not slower`` or ``similar``.
    """

    row: str
    test: str
    guideline: str
    case: str
    pattern: str
    bytes: int
    payload_bytes: int
    base: str
    cache: str
    layer: bool
    group: str
    compared: str
    reference: str
    expectation: str
    layout: str
    variant: int
    A: int
    compared_type: str = ""
    reference_type: str = ""
    data: str = "constant"  # or fresh: the sender writes its data before each message

    @property
    def key(self) -> tuple[str, ...]:
        """What identifies the comparison in another run: everything but the names that the run gave."""
        return (
            self.test, self.guideline, self.case, self.pattern, str(self.bytes), str(self.payload_bytes), self.base,
            self.cache, self.data,
            "layer" if self.layer else "native", self.compared, self.reference,
        )  # fmt: skip

    def as_json(self) -> Line:
        """Return the line of the run file."""
        return {"schema": 1, "kind": "row"} | {of.name: getattr(self, of.name) for of in fields(self)}


# Of one group and one launch: the samples of each member.
Members = dict[str, np.ndarray]
# And of each member: the same of each phase.
Phases = dict[str, dict[str, np.ndarray]]


@dataclass
class Run:
    """Everything that a run file says.

    Attributes
    ----------
    environment : dict
        The one record of machine, software and settings.
    rows : list of Row
        What was to be compared, on every library.
    samples : dict
        (library, group) to launch number to member to samples [ns].
    cycles : dict
        The same with the time in which fresh data were written; empty where they are constant.
    phases : dict
        (library, group) to launch number to member to phase to samples [ns]; empty where they were not asked for.
    firsts : dict
        (library, group) to launch number to member to what its first message took [ns], and, in groups with phases,
        making its datatype for the first time (create, commit, free).
    ways : dict
        The same: how its messages were moved, from the first one on, those of rank 0 and those of its peer, a letter
        each; of messages in order alone (``over_time``).
    eager_limits : dict
        Library to the longest message whose send ends before it is received [bytes].
    launches, refused, errors, counts : list of dict
        Lines of these kinds.
    """

    path: Path
    environment: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    samples: dict[tuple[str, str], dict[int, Members]] = field(default_factory=dict)
    cycles: dict[tuple[str, str], dict[int, Members]] = field(default_factory=dict)
    phases: dict[tuple[str, str], dict[int, Phases]] = field(default_factory=dict)
    firsts: dict[tuple[str, str], dict[int, dict[str, dict[str, float]]]] = field(default_factory=dict)
    ways: dict[tuple[str, str], dict[int, dict[str, tuple[str, str]]]] = field(default_factory=dict)
    eager_limits: dict[str, int] = field(default_factory=dict)
    launches: list[Line] = field(default_factory=list)
    refused: list[Line] = field(default_factory=list)
    errors: list[Line] = field(default_factory=list)
    counts: list[Line] = field(default_factory=list)

    @property
    def libraries(self) -> list[str]:
        """The libraries with samples, in the order of the environment record."""
        found = dict.fromkeys(mpi for mpi, _ in self.samples)
        order = list(self.environment.get("libraries", {}))
        return sorted(found, key=lambda mpi: order.index(mpi) if mpi in order else len(order))

    def pairs(self, row: Row, mpi: str, cycle: bool = False) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """Return, for each launch in which both were measured, the samples of the compared member and its reference.

        `cycle`: those that the writing of fresh data is part of.
        """
        launches = (self.cycles if cycle else self.samples).get((mpi, row.group), {})
        return {
            number: (members[row.compared], members[row.reference])
            for number, members in sorted(launches.items())
            if row.compared in members and row.reference in members
        }


def run_path(path: Path) -> Path:
    """Return the run file that a folder or a file name means."""
    return path / NAME if path.is_dir() else path


def is_run(lines: Iterable[Line]) -> bool:
    """Say whether the lines are those of a run of the guidelines, and not of the older ping-pong."""
    return any(line["kind"] == "row" for line in lines)


def run_of(lines: list[Line], path: Path) -> Run:
    """Collect the lines of a run file.

    Parameters
    ----------
    lines : list of dict
        As `gapless.lab.results.read` returns them.
    path : Path
        Where they are from, for error messages.

    Raises
    ------
    GaplessError
        If they are no run of the guidelines, or lack what each line of a run has.
    """
    try:
        return _run_of(lines, path)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GaplessError(
            f"{path} is no whole run file: {type(error).__name__} {error}", "measure again, or name another run"
        ) from error


def _run_of(lines: list[Line], path: Path) -> Run:
    run = Run(path)
    names = {of.name for of in fields(Row)}
    run.environment = (of_kind(lines, "environment") or [{}])[0]
    run.rows = [Row(**{k: v for k, v in line.items() if k in names}) for line in of_kind(lines, "row")]
    run.launches, run.refused, run.errors = (of_kind(lines, kind) for kind in ("launch", "refused", "error"))
    run.counts = of_kind(lines, "counts")
    run.eager_limits = {line["mpi"]: line["bytes"] for line in of_kind(lines, "eager_limit")}
    if any(not {"mpi", "launch", "status"} <= line.keys() for line in run.launches):
        raise GaplessError(f"{path} is damaged: a launch does not say how it ended", "measure again")
    # Channels that were opened to many processes, and nothing else, are of counts alone.
    if not run.rows and not any(line.get("what") == "peers" for line in run.counts):
        raise GaplessError(f"{path} holds no rows", "name a folder that 'gapless measure guidelines' wrote")
    # A group is recorded when it is measured and proved as a whole, so it counts however its launch ended.
    for line in of_kind(lines, "samples"):
        for name, kept in (("samples", run.samples), ("cycle_samples", run.cycles)):
            if name in line:
                launches = kept.setdefault((line["mpi"], line["group"]), {})
                launches.setdefault(line["launch"], {})[line["member"]] = np.asarray(line[name], dtype=float)
        if "first" in line:
            of_first = run.firsts.setdefault((line["mpi"], line["group"]), {}).setdefault(line["launch"], {})
            of_first[line["member"]] = {"message": line["first"]} | line.get("first_type", {})
        if "ways" in line:
            ways = run.ways.setdefault((line["mpi"], line["group"]), {}).setdefault(line["launch"], {})
            there, back = line["ways"]
            ways[line["member"]] = (there, back)
        if "phases" in line:
            of_group = run.phases.setdefault((line["mpi"], line["group"]), {}).setdefault(line["launch"], {})
            of_group[line["member"]] = {name: np.asarray(of, dtype=float) for name, of in line["phases"].items()}
    return run


def read_run(path: Path) -> Run:
    """Read a run file, or the one in a folder.

    Raises
    ------
    GaplessError
        If it cannot be read, or is none.
    """
    file = run_path(path)
    return run_of(read(file), file)
