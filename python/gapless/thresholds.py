"""`gapless bench thresholds`: from what size on packing beats an MPI library's own way with a derived type.

The layer packs everything (its limits are set aside) and is compared with the native datatype, over message sizes and
run lengths: both sides packed, only the sender, only the receiver, and both nonblocking. The rule that is derived has
two limits: pack from so many bytes on, in runs of at most so many bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress
from rich.table import Table

from gapless.display import plain_table
from gapless.errors import GaplessError
from gapless.libraries import Library
from gapless.paths import REPOSITORY
from gapless.pingpong import measure_pingpong
from gapless.results import Line, Recorder, samples_by_key
from gapless.tables import bytes_text

SIZES = (64, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144, 1048576, 4194304)  # [bytes]
BLOCKS = (2, 16, 32, 64, 128, 1024, 4096, 65536)  # [ints] of a run
# Which of a method's samples stands for it: what a library costs undisturbed, not what the machine adds.
QUANTILE = 0.1
METHODS = ("native", "gapless", "gapless_send", "gapless_receive", "native_nonblocking", "gapless_nonblocking")
# What is compared with what.
COMPARISONS = {
    "both": ("gapless", "native"),
    "send": ("gapless_send", "native"),
    "receive": ("gapless_receive", "native"),
    "nonblocking": ("gapless_nonblocking", "native_nonblocking"),
}
PACK_ALWAYS = {"GAPLESS_SMALLEST_BYTES": "0", "GAPLESS_LONGEST_RUN": "1024G"}
# What no run is longer than, as rules.def says it.
ANY_LENGTH = 1 << 62
RESULTS = REPOSITORY / "docs" / "results" / "thresholds"
RULES = REPOSITORY / "src" / "preload" / "rules.def"
# What MPI_Get_library_version contains, in the order in which the layer looks: Intel's text must not match MPICH's.
VERSION_TEXTS = {"intel": "Intel(R) MPI", "openmpi": "Open MPI", "mpich": "MPICH"}


@dataclass(frozen=True)
class Cell:
    """One message: its size, its runs, and the time of packing as a ratio to the native time, by comparison."""

    bytes: int
    run_bytes: int
    variant: int
    native_us: float
    ratios: dict[str, float]


@dataclass(frozen=True)
class Limits:
    """Pack from so many bytes on, in runs of at most so many bytes on average."""

    smallest_bytes: int
    longest_run_bytes: int

    def allow(self, cell: Cell) -> bool:
        """Say whether a message would be packed."""
        return cell.bytes >= self.smallest_bytes and cell.run_bytes <= self.longest_run_bytes


@dataclass(frozen=True)
class Fit:
    """The limits with the least regret, and what is left of it.

    Attributes
    ----------
    regret : float
        The mean over the cells of the time chosen divided by the better of the two times, as a geometric mean.
    worst : float
        The same in the worst cell.
    always, never : float
        The regret of packing always, and of never packing.
    """

    comparison: str
    limits: Limits
    regret: float
    worst: float
    worst_cell: str
    always: float
    never: float


def measure_thresholds(
    library: Library,
    launches: int,
    sizes: Sequence[int],
    blocks: Sequence[int],
    arguments: Sequence[str],
    recorder: Recorder,
    progress: Progress,
) -> None:
    """Measure all sizes and run lengths.

    Parameters
    ----------
    library : Library
        What to measure.
    launches : int
        The number of replicates.
    sizes, blocks : sequence of int
        Bytes of a message, and ints of a run.
    arguments : sequence of str
        Passed on to the lab's program.
    recorder : Recorder
        Where the lines go.
    progress : Progress
        Where the advance is shown.
    """
    layouts = ["--filter", "tiled/", "--basic-only", "--methods", ",".join(METHODS)]
    extent = ["--sizes", ",".join(map(str, sizes)), "--blocks", ",".join(map(str, blocks))]
    measure_pingpong(library, launches, [*layouts, *extent, *arguments], recorder, progress, PACK_ALWAYS)


def cells_of(lines: Sequence[Line]) -> list[Cell]:
    """Return the cells of a result file. Messages of one run are left out: they need no packing."""
    groups: dict[str, dict[str, list[Line]]] = {}
    for key, sets in samples_by_key(lines).items():
        groups.setdefault(key.group, {})[key.method] = sets
    cells = []
    for methods in groups.values():
        first = next(iter(methods.values()))[0]
        run_bytes = 4 * first["A"]
        if first["payload_bytes"] < 2 * run_bytes or not methods.keys() >= set(METHODS):
            continue
        ns = {
            method: float(np.quantile([sample for line in methods[method] for sample in line["samples"]], QUANTILE))
            for method in METHODS
        }
        ratios = {name: ns[packed] / ns[native] for name, (packed, native) in COMPARISONS.items()}
        cells.append(Cell(first["bytes"], run_bytes, first["variant"], ns["native"] / 1000, ratios))
    return sorted(cells, key=lambda cell: (cell.bytes, cell.run_bytes, cell.variant))


def _geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def _regrets(cells: Sequence[Cell], comparisons: Sequence[str], limits: Limits) -> list[tuple[float, Cell]]:
    """Return, for every cell, the time chosen divided by the better one."""
    return [
        ((ratio if limits.allow(cell) else 1.0) / min(ratio, 1.0), cell)
        for cell in cells
        for ratio in (cell.ratios[name] for name in comparisons)
    ]


def fit(cells: Sequence[Cell], name: str, comparisons: Sequence[str]) -> Fit:
    """Return the two limits with the least mean regret; of equal ones those that pack most.

    Parameters
    ----------
    cells : sequence of Cell
        What was measured.
    name : str
        What the fit is called.
    comparisons : sequence of str
        The comparisons that count, all alike.
    """
    if not cells:
        raise GaplessError("no thresholds without measurements", "run 'gapless bench thresholds' with all its sizes")
    smallest = [0, *sorted({cell.bytes for cell in cells} - {min(cell.bytes for cell in cells)}), ANY_LENGTH]
    longest = [ANY_LENGTH, *sorted({cell.run_bytes for cell in cells}, reverse=True)]
    best: tuple[float, Limits] | None = None
    for low in smallest:
        for high in longest:
            limits = Limits(low, high)
            mean = _geometric_mean(regret for regret, _ in _regrets(cells, comparisons, limits))
            # A limit must earn its place: half a percent.
            if best is None or mean < best[0] - 0.005:
                best = (mean, limits)
    assert best is not None
    worst, cell = max(_regrets(cells, comparisons, best[1]), key=lambda regret: regret[0])
    always = _geometric_mean(r for r, _ in _regrets(cells, comparisons, Limits(0, ANY_LENGTH)))
    never = _geometric_mean(r for r, _ in _regrets(cells, comparisons, Limits(ANY_LENGTH, ANY_LENGTH)))
    where = f"{cell.bytes} bytes in runs of {cell.run_bytes}"
    return Fit(name, best[1], best[0], worst, where, always, never)


def fits_of(cells: Sequence[Cell]) -> list[Fit]:
    """Return the rule ("rule": all comparisons together) and the fit of each comparison alone."""
    return [fit(cells, "rule", ["both", "nonblocking"]), *(fit(cells, name, [name]) for name in COMPARISONS)]


def threshold_table(library: str, cells: Sequence[Cell]) -> Table:
    """Render packing as a ratio to the native datatype: a line a size, a column a run length; variants side by side."""
    runs = sorted({cell.run_bytes for cell in cells})
    table = plain_table(
        f"{library}: packed on both sides as a ratio to the native datatype, by bytes of a run (small gap / large gap)",
        ["message", *map(bytes_text, runs)],
    )
    for size in sorted({cell.bytes for cell in cells}):
        row = []
        for run in runs:
            found = [cell for cell in cells if (cell.bytes, cell.run_bytes) == (size, run)]
            row.append("/".join(f"{cell.ratios['both']:.2f}" for cell in found) or "-")
        if any(text != "-" for text in row):
            table.add_row(bytes_text(size), *row)
    return table


def length_text(value: int) -> str:
    """Return a limit as people say it."""
    return "any" if value >= ANY_LENGTH else bytes_text(value)


def fit_table(library: str, fits: Sequence[Fit]) -> Table:
    """Render the fits: the limits, and how much slower than the better way each time they are on average."""
    table = plain_table(
        f"{library}: pack from so many bytes on, in runs of at most so many; time lost against the better way",
        ["comparison", "from", "runs to", "by rule", "worst", "pack always", "never", "remark"],
    )
    for found in fits:
        never = found.limits.smallest_bytes >= ANY_LENGTH
        table.add_row(
            found.comparison,
            "never" if never else f"{found.limits.smallest_bytes} B",
            length_text(found.limits.longest_run_bytes),
            f"×{found.regret:.3f}",
            f"×{found.worst:.2f}",
            f"×{found.always:.3f}",
            f"×{found.never:.3f}",
            f"worst: {found.worst_cell}",
        )
    return table


def as_json(
    library: Library, environment: Line, version: str, launches: int, cells: Sequence[Cell], fits: Sequence[Fit]
) -> dict[str, Any]:
    """Return what is kept of a measurement: what was measured, on what, and the rule that follows."""
    return {
        "library": library.name,
        "version": version,
        "command": f"gapless bench thresholds --mpi {library.name} --launches {launches}",
        "environment": environment,
        "fits": [asdict(found) for found in fits],
        "cells": [asdict(cell) for cell in cells],
    }


def _limits_text(limits: dict[str, int]) -> str:
    longest = limits["longest_run_bytes"]
    return f"GAPLESS_LIMITS({limits['smallest_bytes']}, {'kAnyLength' if longest >= ANY_LENGTH else longest})"


def write_rules(folder: Path = RESULTS, into: Path = RULES) -> None:
    """Write the layer's table from the kept results, so that no limit is there without its measurement.

    Parameters
    ----------
    folder : Path
        One JSON file for each library.
    into : Path
        The table.
    """
    rows = [
        "// From what size on the layer packs, for each MPI library:",
        "//   GAPLESS_RULE(what MPI_Get_library_version contains, send, receive, MPI_Pack and MPI_Unpack)",
        "//   GAPLESS_LIMITS(smallest message [bytes], longest mean run [bytes])",
        "// The first line that fits counts. Written by `gapless bench thresholds --write` from",
        "// docs/results/thresholds: do not edit. MPI_Pack is there for the packed bytes: the layer always takes it.",
        "// A library that was not measured gets no limits.",
    ]
    anything = "GAPLESS_LIMITS(0, kAnyLength)"
    for name, text in VERSION_TEXTS.items():
        path = folder / f"{name}.json"
        if not path.is_file():
            continue
        kept = json.loads(path.read_text(encoding="utf-8"))
        rule = next(found for found in kept["fits"] if found["comparison"] == "rule")
        limits = _limits_text(rule["limits"])
        rows += ["", f"// {kept['version']}: {kept['command']}, {kept['environment']['date'][:10]}"]
        rows.append(f'GAPLESS_RULE("{text}", {limits}, {limits}, {anything})')
    rows += ["", f"GAPLESS_RULE(nullptr, {anything}, {anything}, {anything})"]
    into.write_text("\n".join(rows) + "\n", encoding="utf-8")
