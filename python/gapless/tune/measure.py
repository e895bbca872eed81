"""`gapless tune`: measures where packing is faster than an MPI library's own way, on this machine, in 20 seconds.

The layer packs everything, and is switched on and off from message to message (lab/tune). Senders write their data
anew before each message, or each eight short ones. What is kept is what deciding in one way or the other costs in
each cell of the grid; from that follow the rules (docs/tuning.md). With these in force, messages through shared
memory are then timed against others.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from gapless.errors import GaplessError
from gapless.lab.programs import json_lines, mpi_command
from gapless.launch.rules import ENDING, NEVER, SETTING, Section, library_slug, machine_name, rules_text
from gapless.launch.whole_file import write_whole
from gapless.targets.libraries import Library
from gapless.tune.numbers import GAIN, range_of
from gapless.tune.tables import Cells, added, packing_tables, paired_rules, tables_of

PROGRAM = "lab/tune"
SCHEMA = 1
PACK_ALWAYS = {"GAPLESS_SMALLEST_BYTES": "0", "GAPLESS_LONGEST_RUN": "1024G", "GAPLESS_PAIRED_MESSAGES": "0"}
# Counted, so that nothing is taken for paired that is not: what that costs is the same in both ways.
PAIR_ALWAYS = {"GAPLESS_SMALLEST_PAIRED": "8192", "GAPLESS_STATS": "json:/dev/null"}
LAUNCHES, SECONDS, PAIRED_SECONDS = 3, 3.4, 1.2
# [bytes]; shapes other than vectors on a coarser grid.
# Libraries send up to 4 or 8 KB at once, and ask the receiver beyond, or treat datatypes differently: so a size on each
# side of these. A little more than a power of two, or three halves of one: it stands for what lies between
# that and the next (_nearby), and headers count.
SIZES = (64, 256, 1024, 2304, 3456, 4608, 6912, 9216, 16384, 65536, 131072, 262144, 524288, 2097152)
RUNS = {
    "vector": (4, 8, 12, 16, 24, 40, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536),
    "elements": (4, 8, 12, 16, 24, 40, 64, 128, 256, 512, 1024, 2048, 4096, 16384),
    "nest": (8, 24, 64, 256, 768, 1536, 4096, 16384),
    "list": (8, 24, 64, 256, 1024, 4096, 16384),
}
PAIRED_SIZES = (8192, 16384, 32768, 65536, 131072, 262144, 524288, 2097152)
PAIRED_RUNS = {
    "vector": (8, 64, 256, 1024, 4096, 16384),
    "elements": (8, 256, 4096),
    "nest": (8, 256, 4096),
    "list": (8, 256, 4096),
}
# Below this quantile of a launch's samples lies what a message costs undisturbed.
QUANTILE = 0.25


# Of packed messages in two pieces: bytes, and the time to that in one piece.
Ratios = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Measured:
    """What was measured of one library at one distance: the costs of each choice, as logarithms of ratios."""

    mpi_library: str
    near: bool
    launches: int
    cells: Cells
    peer_line_ns: tuple[dict[str, float], ...] = ()  # of each launch: storing into a line that the peer has read
    paired: Cells = field(default_factory=dict)  # what pairing costs against what these rules decide otherwise
    paired_launches: int = 0
    split: Ratios = ()

    def as_json(self) -> dict[str, Any]:
        """Return what is kept."""
        return {"mpi_library": self.mpi_library, "near": self.near, "launches": self.launches,
                "peer_line_ns": list(self.peer_line_ns), "cells": _rows(self.cells),
                "paired_launches": self.paired_launches, "paired": _rows(self.paired),
                "split": [[size, round(ratio, 3)] for size, ratio in self.split]}  # fmt: skip

    @classmethod
    def parse(cls, kept: Mapping[str, Any]) -> Measured:
        """Read what was kept."""
        return cls(kept["mpi_library"], kept["near"], kept["launches"], _cells(kept["cells"]),
                   tuple(kept.get("peer_line_ns", ())), _cells(kept.get("paired", ())),
                   kept.get("paired_launches", 0),
                   tuple((size, ratio) for size, ratio in kept.get("split", ())))  # fmt: skip


def _rows(cells: Cells) -> list[dict[str, Any]]:
    return [
        {"shape": shape, "bytes": size, "run_bytes": run, **{k: round(v, 4) for k, v in costs.items()}}
        for (shape, size, run), costs in sorted(cells.items())
    ]


def _cells(rows: Sequence[Mapping[str, Any]]) -> Cells:
    where = ("shape", "bytes", "run_bytes")
    return {(row["shape"], row["bytes"], row["run_bytes"]): {k: v for k, v in row.items() if k not in where}
            for row in rows}  # fmt: skip


def _low(samples: Sequence[float]) -> float:
    return math.log(sorted(samples)[int(len(samples) * QUANTILE)])


def _costs(ns: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return, for one cell in one launch, what each choice costs against the best one, as logarithms."""
    low = {way: _low(samples) for way, samples in ns.items()}

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


def _paired_costs(ns: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return what pairing costs in one cell in one launch, as above; nothing where nothing was paired."""
    if any(f"{group}/{way}" not in ns for group in ("both", "send", "exchange") for way in ("paired", "local")):
        return {}
    lost = {group: _low(ns[f"{group}/paired"]) - _low(ns[f"{group}/local"]) for group in ("both", "send", "exchange")}
    # What a sender decides: a message that is typed at the receiver alone is none of its.
    return {"blocking": (2 * lost["both"] + lost["send"]) / 3, "nonblocking": lost["exchange"]}


def grids(sizes: Sequence[int] = SIZES, runs: Mapping[str, Sequence[int]] = RUNS) -> list[str]:
    """Return the grid as lab/tune wants it."""
    text = ",".join(map(str, sizes))
    return [word for shape in runs for word in ("--grid", f"{shape}:{text}:{','.join(map(str, runs[shape]))}")]


def split_range(measured: Sequence[Ratios]) -> tuple[int, int] | str | None:
    """Return the sizes [bytes] of the packed messages that go in two pieces: those that gain on all machines.

    Parameters
    ----------
    measured : sequence
        Of each machine, or nothing of one on which it was not measured.

    Returns
    -------
    tuple of int, NEVER or None
        The smallest and the largest; None if nothing was measured.
    """
    ranges = [_range_of_grid(ratios) for ratios in measured if ratios]
    if not ranges:
        return None
    if any(one is None for one in ranges):
        return NEVER
    least, most = max(one[0] for one in ranges if one), min(one[1] for one in ranges if one)
    return (least, most) if least <= most else NEVER


def _grid(ratios: Ratios) -> Ratios:
    """Return the half octaves: where a gain begins there are more sizes, which must not weigh more."""
    halves = {1 << k for k in range(1, 40)} | {3 << k for k in range(40)}
    return tuple((size, ratio) for size, ratio in ratios if size in halves)


def _range_of_grid(ratios: Ratios) -> tuple[int, int] | None:
    """Return the longest range of half octaves that gains, from the first byte on that does."""
    grid = _grid(ratios)
    found = range_of(grid)
    if found is None:
        return None
    before = max((size for size, _ in grid if size < found[0]), default=0)
    gains = (size for size, ratio in ratios if before < size <= found[0] and ratio <= GAIN)
    return min(gains, default=found[0]), found[1]


def split_in_words(ratios: Ratios) -> str:
    """Return for people what `split_range` says, and what that gains."""
    found = split_range([ratios])
    if found is None or isinstance(found, str):
        return "in one piece, nothing is faster in two"
    gains = [ratio for size, ratio in _grid(ratios) if found[0] <= size <= found[1]]
    mean = math.exp(statistics.fmean(map(math.log, gains)))
    return f"in two pieces from {found[0]} to {found[1]} bytes: {mean:.2f} of the time in one, by the geometric mean"


def measure_split(library: Library) -> Ratios:
    """Return what packed messages take in two pieces; nothing between nodes."""
    for line in _launches(library, 1, 0, ["--split", str(GAIN)], PACK_ALWAYS | {SETTING: ""}, lambda _: None):
        if line["kind"] == "split":
            return tuple((size, round(ratio, 3)) for size, ratio in line["ratios"])
    raise GaplessError(f"{library.name}: nothing was measured", "try 'gapless doctor'")


def measure(
    library: Library,
    launches: int,
    seconds: float,
    grid: Sequence[str],
    now: Callable[[float], None],
    split: Ratios = (),
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
    split : sequence
        From `measure_split`: in force meanwhile.
    """
    found: list[Cells] = []
    facts: dict[str, Any] = {}
    lines: list[dict[str, float]] = []
    with _in_force(Section("*", "", (), split=split_range([split]))) as rules:
        for line in _launches(library, launches, seconds, grid, PACK_ALWAYS | rules, now):
            if line["kind"] == "facts":
                facts = line
                lines += [{way: round(ns, 2) for way, ns in line.get("peer_line_ns", {}).items()}]
            else:
                found.append({(line["shape"], line["bytes"], line["run_bytes"]): _costs(line["ns"])})
    if not found:
        raise GaplessError(f"{library.name}: nothing was measured", "try 'gapless doctor'")
    return Measured(facts["library"], facts["near"], launches, added(found), tuple(lines), split=split)


def measure_paired(
    library: Library,
    measured: Measured,
    launches: int,
    seconds: float,
    grid: Sequence[str],
    now: Callable[[float], None],
) -> Measured:
    """Measure messages through shared memory as well, against the rules that follow from what was measured before.

    The parameters are those of `measure`. Without shared memory, and between nodes, there is nothing to measure.
    """
    if not measured.near:
        return measured
    found: list[Cells] = []
    with _in_force(section_of(measured.mpi_library.partition(",")[0], "", [measured])) as rules:
        for line in _launches(library, launches, seconds, ["--paired", *grid], PAIR_ALWAYS | rules, now):
            if line["kind"] == "cell" and (costs := _paired_costs(line.get("ns", {}))):
                found.append({(line["shape"], line["bytes"], line["run_bytes"]): costs})
    return replace(measured, paired=added(found), paired_launches=launches if found else 0)


@contextlib.contextmanager
def _in_force(section: Section) -> Iterator[dict[str, str]]:
    """Yield the setting by which a section is in force."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"now{ENDING}"
        path.write_text(rules_text(machine_name(), [section]), encoding="utf-8")
        yield {SETTING: str(path)}


def _launches(
    library: Library,
    launches: int,
    seconds: float,
    arguments: Sequence[str],
    settings: Mapping[str, str],
    now: Callable[[float], None],
) -> Iterator[dict[str, Any]]:
    """Run lab/tune so many times, and yield what it prints but its progress."""
    for launch in range(launches):
        command = mpi_command(library, PROGRAM, ["--launch", str(launch + 1), "--seconds", str(seconds), *arguments])
        for line in json_lines(library, command, layer=True, layer_settings=settings):
            if line["kind"] == "progress":
                now((launch + line["share"]) / launches)
            else:
                yield line


def section_of(library: str, made: str, measured: Sequence[Measured]) -> Section:
    """Return the rules that follow from measurements of one library, of one machine or of several.

    Peers of which nothing is known get what loses least over both distances, as far as those were measured.
    """
    tables = []
    for distance, near in (("near", True), ("far", False)):
        of = [one.cells for one in measured if one.near == near]
        if of:
            tables += tables_of(added(of), distance)
    tables += tables_of(added(one.cells for one in measured), "any")
    here = [one.cells for one in measured if one.near] or [one.cells for one in measured]
    tables += packing_tables(added(here))
    paired = added(one.paired for one in measured)
    smallest, paired_tables = paired_rules(paired) if paired else (None, [])
    split = split_range([one.split for one in measured])
    return Section(library, made, (*tables, *paired_tables), smallest, split=split)


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
