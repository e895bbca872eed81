"""`gapless tune`: measures where packing is faster than an MPI library's own way, on this machine, in 20 seconds.

The layer packs everything, and is switched on and off from message to message (lab/tune). Senders write their data anew
before each message. What is kept is what deciding in one way or the other costs in each cell of the grid; from that
follow the rules (docs/tuning.md).
"""

from __future__ import annotations

import itertools
import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from gapless.errors import GaplessError
from gapless.lab.programs import json_lines, mpi_command
from gapless.launch.rules import (
    ENDING,
    NATIVE,
    PACKED,
    PAST,
    SETTING,
    Section,
    Table,
    library_slug,
    machine_name,
    rules_text,
)
from gapless.launch.whole_file import write_whole
from gapless.targets.libraries import Library

PROGRAM = "lab/tune"
SCHEMA = 1
PACK_ALWAYS = {"GAPLESS_SMALLEST_BYTES": "0", "GAPLESS_LONGEST_RUN": "1024G", SETTING: ""}
LAUNCHES, SECONDS = 3, 5.0
# [bytes]; shapes other than vectors on a coarser grid.
SIZES = (64, 256, 1024, 4096, 8192, 16384, 65536, 131072, 262144, 524288, 2097152)
RUNS = {
    "vector": (4, 8, 12, 16, 24, 40, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536),
    "elements": (4, 8, 12, 16, 24, 40, 64, 128, 256, 512, 1024, 2048, 4096, 16384),
    "nest": (8, 24, 64, 256, 768, 1536, 4096, 16384),
    "list": (8, 24, 64, 256, 1024, 4096, 16384),
}
# Below this quantile of a launch's samples lies what a message costs undisturbed.
QUANTILE = 0.25
# What packing may lose before the native way takes its place: noise must not.
GAIN = 0.03
# How much the cells beside one count.
NEIGHBOUR = 0.5
# The ways to decide for both sides, the sender first: n native, p packed, s packed past the caches.
CHOICES = ("pp", "np", "pn", "nn", "sp", "sn")
CELLS = {"p": PACKED, "n": NATIVE, "s": PAST}
BLOCKING, NONBLOCKING = ("send", "receive"), ("isend", "ireceive")

Cells = dict[tuple[str, int, int], dict[str, float]]  # (shape, bytes, bytes of a run) -> what each choice costs


@dataclass(frozen=True)
class Measured:
    """What was measured of one library at one distance: the costs of each choice, as logarithms of ratios."""

    mpi_library: str
    near: bool
    launches: int
    cells: Cells
    peer_line_ns: tuple[dict[str, float], ...] = ()  # of each launch: storing into a line that the peer has read

    def as_json(self) -> dict[str, Any]:
        """Return what is kept."""
        rows = [
            {"shape": shape, "bytes": size, "run_bytes": run, **{k: round(v, 4) for k, v in costs.items()}}
            for (shape, size, run), costs in sorted(self.cells.items())
        ]
        return {"mpi_library": self.mpi_library, "near": self.near, "launches": self.launches,
                "peer_line_ns": list(self.peer_line_ns), "cells": rows}  # fmt: skip

    @classmethod
    def parse(cls, kept: Mapping[str, Any]) -> Measured:
        """Read what was kept."""
        cells = {}
        for row in kept["cells"]:
            costs = {k: v for k, v in row.items() if k not in ("shape", "bytes", "run_bytes")}
            cells[row["shape"], row["bytes"], row["run_bytes"]] = costs
        return cls(kept["mpi_library"], kept["near"], kept["launches"], cells, tuple(kept.get("peer_line_ns", ())))


def _costs(ns: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return, for one cell in one launch, what each choice costs against the best one, as logarithms."""
    low = {way: math.log(sorted(samples)[int(len(samples) * QUANTILE)]) for way, samples in ns.items()}

    def lost(group: str, choice: str) -> float:
        return low[f"{group}/{choice}"] - min(value for way, value in low.items() if way.startswith(f"{group}/"))

    costs = {}
    for sender, receiver in itertools.product("nps" if "send/s" in low else "np", "np"):
        choice = sender + receiver
        # Programs mostly have the type on both sides; where one side alone has it, its own choice counts.
        costs[f"blocking/{choice}"] = (2 * lost("both", choice) + lost("send", sender) + lost("receive", receiver)) / 4
        costs[f"nonblocking/{choice}"] = lost("exchange", choice)
    for choice in "np":
        costs[f"pack/{choice}"], costs[f"unpack/{choice}"] = lost("pack", choice), lost("unpack", choice)
    return costs


def grids(sizes: Sequence[int] = SIZES, runs: Mapping[str, Sequence[int]] = RUNS) -> list[str]:
    """Return the grid as lab/tune wants it."""
    text = ",".join(map(str, sizes))
    return [word for shape in runs for word in ("--grid", f"{shape}:{text}:{','.join(map(str, runs[shape]))}")]


def measure(
    library: Library, launches: int, seconds: float, grid: Sequence[str], now: Callable[[float], None]
) -> Measured:
    """Measure one library: so many launches of so many seconds.

    Parameters
    ----------
    library : Library
        What to measure.
    launches : int
        Each has its own memory, and its own luck with it.
    seconds : float
        Of each launch; once over the grid in any case.
    grid : sequence of str
        From `grids`.
    now : callable
        Told which share is done.
    """
    found: dict[tuple[str, int, int], list[dict[str, float]]] = {}
    facts: dict[str, Any] = {}
    lines: list[dict[str, float]] = []
    for launch in range(launches):
        arguments = ["--launch", str(launch + 1), "--seconds", str(seconds), *grid]
        command = mpi_command(library, PROGRAM, arguments)
        for line in json_lines(library, command, layer=True, layer_settings=PACK_ALWAYS):
            if line["kind"] == "progress":
                now((launch + line["share"]) / launches)
            elif line["kind"] == "facts":
                facts = line
                lines += [{way: round(ns, 2) for way, ns in line.get("peer_line_ns", {}).items()}]
            else:
                found.setdefault((line["shape"], line["bytes"], line["run_bytes"]), []).append(_costs(line["ns"]))
    if not found:
        raise GaplessError(f"{library.name}: nothing was measured", "try 'gapless doctor'")
    cells = {cell: {way: statistics.fmean(one[way] for one in of) for way in of[0]} for cell, of in found.items()}
    return Measured(facts["library"], facts["near"], launches, cells, tuple(lines))


def added(all_of: Iterable[Measured]) -> Cells:
    """Return the mean costs of several measurements, each cell over those that have it."""
    found: dict[tuple[str, int, int], list[dict[str, float]]] = {}
    for one in all_of:
        for cell, costs in one.cells.items():
            found.setdefault(cell, []).append(costs)
    return {cell: {way: statistics.fmean(one[way] for one in of) for way in of[0]} for cell, of in found.items()}


class _Grid:
    """The costs of one shape and one kind of operation, in rows and columns."""

    def __init__(self, cells: Cells, shape: str, kind: str) -> None:
        self._kind = kind
        of = {(size, run): costs for (name, size, run), costs in cells.items() if name == shape}
        # What is measured is a whole number of runs: close to the sizes that were asked for.
        self.sizes = sorted({_power(size) for size, _ in of})
        self.runs = sorted({run for _, run in of})
        self._at = {(self.sizes.index(_power(size)), self.runs.index(run)): costs for (size, run), costs in of.items()}

    def cost(self, row: int, column: int, choice: str) -> float | None:
        """Return what a choice costs in a cell, those beside it taken into account."""
        own = self._at.get((row, column))
        if own is None or f"{self._kind}/{choice}" not in own:
            return None
        beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        way = f"{self._kind}/{choice}"
        others = [self._at[cell][way] for cell in beside if way in self._at.get(cell, {})]
        return (own[way] + NEIGHBOUR * sum(others)) / (1 + NEIGHBOUR * len(others))

    def best(self, choices: Sequence[str]) -> list[list[str]]:
        """Return the choice of each cell; of a cell that has no two runs, that of the nearest shorter ones."""
        result: list[list[str]] = []
        for row in range(len(self.sizes)):
            chosen: list[str] = []
            for column in range(len(self.runs)):
                costs = {choice: self.cost(row, column, choice) for choice in choices}
                known = {choice: cost for choice, cost in costs.items() if cost is not None}
                if not known:
                    chosen.append(chosen[-1] if chosen else choices[0])
                    continue
                best = min(known, key=lambda choice: known[choice])
                chosen.append(best if known[best] < known[choices[0]] - GAIN else choices[0])
            result.append(chosen)
        return result

    def table(self, operation: str, distance: str, shape: str, chosen: list[list[str]], side: int) -> Table:
        """Return the table of one side of the choices."""
        rows = {size: "".join(CELLS[choice[side]] for choice in chosen[row]) for row, size in enumerate(self.sizes)}
        return Table(operation, distance, shape, tuple(self.runs), rows)


def _power(size: int) -> int:
    """Return the power of two that a size is nearest to."""
    return 1 << round(math.log2(size))


def tables_of(cells: Cells, distance: str) -> list[Table]:
    """Return the tables of the sends and receives that follow from costs; ``any``: also those of packing."""
    tables = []
    for shape in sorted({shape for shape, _, _ in cells}, key=list(RUNS).index):
        for kind, operations in (("blocking", BLOCKING), ("nonblocking", NONBLOCKING)):
            grid = _Grid(cells, shape, kind)
            chosen = grid.best(CHOICES)
            tables += [grid.table(name, distance, shape, chosen, side) for side, name in enumerate(operations)]
    return tables


def packing_tables(cells: Cells) -> list[Table]:
    """Return the tables of MPI_Pack and MPI_Unpack."""
    tables = []
    for shape in sorted({shape for shape, _, _ in cells}, key=list(RUNS).index):
        for operation in ("pack", "unpack"):
            grid = _Grid(cells, shape, operation)
            tables.append(grid.table(operation, "any", shape, grid.best(("p", "n")), 0))
    return tables


def section_of(library: str, made: str, measured: Sequence[Measured]) -> Section:
    """Return the rules that follow from measurements of one library, of one machine or of several.

    Peers of which nothing is known get what loses least over both distances, as far as those were measured.
    """
    tables = []
    for distance, near in (("near", True), ("far", False)):
        of = [one for one in measured if one.near == near]
        if of:
            tables += tables_of(added(of), distance)
    tables += tables_of(added(measured), "any")
    here = [one for one in measured if one.near] or list(measured)
    return Section(library, made, (*tables, *packing_tables(added(here))))


def kept_measurements(path: Path) -> list[Measured]:
    """Read what was kept beside a file of rules; nothing where there is none, or what is there is not ours."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["schema"] != SCHEMA:
            return []
        return [Measured.parse(one) for one in kept["measured"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def keep(folder: Path, measured: Measured, command: str) -> Path:
    """Write the rules and what they follow from, each wholly or not at all; the other distance's are kept.

    Parameters
    ----------
    folder : Path
        That of this machine.
    measured : Measured
        What was measured now.
    command : str
        For people who read the file.

    Returns
    -------
    Path
        The file of rules.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GaplessError(f"cannot make {folder}: {error.strerror}", "name another folder with --out") from error
    name = library_slug(measured.mpi_library)
    data = folder / f"{name}.json"
    others = [one for one in kept_measurements(data) if one.near != measured.near]
    both = [*others, measured]
    machine = machine_name()
    kept = {"schema": SCHEMA, "machine": machine, "command": command, "date": f"{date.today()}",
            "measured": [one.as_json() for one in both]}  # fmt: skip
    library = measured.mpi_library.partition(",")[0]
    section = section_of(library, f"{date.today()} {command}", both)
    write_whole(data, json.dumps(kept) + "\n", "--out")
    path = folder / f"{name}{ENDING}"
    write_whole(path, rules_text(machine, [section], ["Written by gapless tune: docs/tuning.md"]), "--out")
    return path
