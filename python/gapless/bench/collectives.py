"""`gapless bench collectives`: strided collective calls within a node by four ways that take turns in one run.

native (the layer off), local (each process packs its own, the library sends), paired (through memory that the processes
share), and contiguous: the same call of the library on as many bytes without gaps.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.progress import Progress
from rich.table import Table

from gapless.bench.ways import answer, counts, ends, middle, numbers
from gapless.display import plain_table
from gapless.errors import GaplessError, MeasurementFailed
from gapless.lab.catalogue import CONTIGUOUS, TESTS
from gapless.lab.experiment import Repetitions
from gapless.lab.jobs import write_job
from gapless.lab.layouts.layout import Message
from gapless.lab.layouts.notation import BASES
from gapless.lab.plan import Group, Place
from gapless.lab.programs import json_lines, mpi_command
from gapless.lab.results import SCHEMA, Line, Recorder, of_kind
from gapless.lab.run_file import CONTIGUOUS_MEMBER
from gapless.lab.settings import Settings
from gapless.lab.statistics import Ratio, ratio_of_medians
from gapless.targets.libraries import Library

PROGRAM = "lab/exchange"
PATTERNS = (
    *("alltoallw", "neighbor_alltoallw", "neighbor_alltoall"),
    *("ialltoallw", "ineighbor_alltoallw"),
    *("bcast", "allgather", "gatherv", "scatterv"),
    *("sendrecv", "waitall"),
)
DATA = ("constant", "fresh")
SIZES = (64_000, 256_000, 2_560_000)
BLOCKS = (2, 10, 100, 1000)
QUICK_SIZES, QUICK_BLOCKS, QUICK_LAYOUTS = SIZES[1:], (2, 1000), ("tiled", "alternating")
# As the job file names them.
METHODS = {"native": "native", "local": "local", "paired": "gapless"}
REFERENCES = (CONTIGUOUS, "native", "local")
# Every message is paired that can be: this shows from which size on it pays.
LAYER = {"GAPLESS_SMALLEST_PAIRED": "1"}


@dataclass(frozen=True)
class CollectiveRow:
    """One layout in one call on one library; times in microseconds, of the process that took longest.

    Attributes
    ----------
    group : str
        ``PATTERN/RANKS/DATA/BYTES/LAYOUT/A=...``
    us : dict
        The time of each way.
    to : dict
        Paired over each of the other ways: below 1 it is faster.
    cycle : Ratio or None
        Paired over contiguous, the writing of fresh data included; None where they are constant.
    """

    library: str
    group: str
    us: dict[str, float]
    to: dict[str, Ratio]
    cycle: Ratio | None
    launches: int

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Pattern, ranks, data and bytes."""
        pattern, ranks, data, size, *_ = self.group.split("/")
        return pattern, ranks, data, size

    def answer(self, reference: str) -> str:
        """Say whether paired is faster or slower than another way by more than 5 %, with the whole interval."""
        return answer(self.to[reference])

    def as_json(self) -> dict[str, Any]:
        """Return the row with its ratios and answers."""
        ratios = {name: vars(ratio) | {"answer": self.answer(name)} for name, ratio in self.to.items()}
        return vars(self) | {"to": ratios, "cycle": vars(self.cycle) if self.cycle else None}


def collective_groups(ranks: int, quick: bool, only: str = "") -> list[Group]:
    """Return the groups of a launch: basic layouts of Expectation Test 1, variant 1, each sent in every way.

    Parameters
    ----------
    ranks : int
        Of the launch; part of the groups' names.
    quick : bool
        Fewer sizes, block sizes and layouts.
    only : str
        Only groups whose name contains this.
    """
    base = BASES["int"]
    groups = []
    for a in QUICK_BLOCKS if quick else BLOCKS:
        for comparison in TESTS["ET1"].compare(a):
            of = comparison.compared
            if comparison.variant != 1 or (quick and of.name not in QUICK_LAYOUTS):
                continue
            unit = of.form.unit(of.parameters)
            for size in QUICK_SIZES if quick else SIZES:
                n = size // base.bytes // unit * unit
                if n < of.form.fewest(of.parameters):
                    continue
                for pattern in PATTERNS:
                    for data in DATA:
                        name = f"{pattern}/{ranks}/{data}/{size}/{of.name}/A={a}"
                        if only not in name:
                            continue
                        group = Group(name, Place(size, pattern, base, "warm", data))
                        group.messages[CONTIGUOUS] = (Message(n, base.type), CONTIGUOUS)
                        group.messages[of.name] = (of.message(n, base), of.name)
                        group.add(CONTIGUOUS, "native")
                        for method in METHODS.values():
                            group.add(of.name, method)
                        groups.append(group)
    return groups


def measure_collectives(
    libraries: Sequence[Library],
    ranks: Sequence[int],
    launches: int,
    reps: int,
    quick: bool,
    only: str,
    recorders: dict[str, Recorder],
    progress: Progress,
) -> None:
    """Launch lab/exchange on every library in turn, with every number of ranks, so often.

    Parameters
    ----------
    libraries : sequence of Library
        What to measure.
    ranks : sequence of int
        How many processes.
    launches : int
        The replicates.
    reps : int
        Samples of each member in a launch.
    quick, only
        See `collective_groups`.
    recorders : dict of Recorder
        Where the lines of each library go.
    progress : Progress
        Where the advance is shown.

    Raises
    ------
    GaplessError
        If no group has the text `only`.
    MeasurementFailed
        If a launch failed, data were wrong, or the layer was not there.
    """
    repeated = Repetitions(reps, reps, 1, 0.0, 60_000)
    plans = {size: collective_groups(size, quick, only) for size in ranks}
    if not any(plans.values()):
        raise GaplessError(f"--filter: no group has '{only}'", "a group is e.g. alltoallw/2/fresh/256000/tiled/A=10")
    each = [(launch, library, size) for launch in range(1, launches + 1) for library in libraries for size in ranks]
    task = progress.add_task("collectives", total=len(each), now="")
    for done, (launch, library, size) in enumerate(each):
        if not plans[size]:
            continue
        recorder = recorders[library.name]
        settings = Settings(small=repeated, large=repeated, ranks=size, seed=launch)
        with tempfile.TemporaryDirectory(prefix="gapless-job-") as folder:
            job = Path(folder) / "job.json"
            write_job(job, plans[size], settings, True, launch)
            command = mpi_command(library, PROGRAM, ["--job", str(job)], size)
            try:
                for line in json_lines(library, command, layer=True, layer_settings=LAYER):
                    if line["kind"] == "progress":
                        now = f"launch {launch} of {launches}, {library.name}, {line['group']}"
                        progress.update(task, completed=done + line["done"] / max(line["of"], 1), now=now)
                    else:
                        recorder.add({**line, "launch": launch, "ranks": size})
            except GaplessError as error:
                recorder.add({"schema": SCHEMA, "kind": "error", "experiment": "collectives", "launch": launch,
                              "reason": str(error)})  # fmt: skip
        progress.update(task, completed=done + 1)
    for name, recorder in recorders.items():
        failed = of_kind(recorder.lines, "error") + of_kind(recorder.lines, "refused")
        if failed:
            raise MeasurementFailed(
                f"{name}, launch {failed[0]['launch']}: {failed[0]['reason']}", f"the samples are in {recorder.path}"
            )


def collective_rows(library: str, lines: Iterable[Line]) -> list[CollectiveRow]:
    """Compare the ways of every group, launch by launch, in the order measured."""
    groups: dict[str, dict[str, dict[int, Line]]] = {}
    for line in of_kind(lines, "samples"):
        method = line["member"].rpartition(":")[2]
        ways = {name: way for way, name in METHODS.items()}
        way = CONTIGUOUS if line["member"] == CONTIGUOUS_MEMBER else ways[method]
        groups.setdefault(line["group"], {}).setdefault(way, {})[line["launch"]] = line
    rows = []
    for group, by_way in sorted(groups.items(), key=lambda item: _order(item[0])):
        if len(by_way) < len(METHODS) + 1:
            continue
        both = sorted(set.intersection(*(set(of) for of in by_way.values())))

        def ratio(
            way: str, samples: str = "samples", of: dict[str, dict[int, Line]] = by_way, launches: list[int] = both
        ) -> Ratio:
            return ratio_of_medians([(of["paired"][at][samples], of[way][at][samples]) for at in launches])

        us = {way: median(median(of[at]["samples"]) for at in both) / 1000 for way, of in by_way.items()}
        is_fresh = all("cycle_samples" in of[at] for of in by_way.values() for at in both)
        cycle = ratio(CONTIGUOUS, "cycle_samples") if is_fresh else None
        rows.append(CollectiveRow(library, group, us, {way: ratio(way) for way in REFERENCES}, cycle, len(both)))
    return rows


def _order(group: str) -> tuple[Any, ...]:
    pattern, ranks, data, size, layout, a = group.split("/")
    return PATTERNS.index(pattern), int(ranks), data, int(size), layout, int(a.removeprefix("A="))


def collective_table(title: str, rows: Sequence[CollectiveRow]) -> Table:
    """Render a line for each pattern, number of ranks, data and size: the ratios over its layouts."""
    table = plain_table(
        title,
        ["call", "ranks", "data", "message", "to contiguous", "least - most", "with writing", "to native", "to local",
         "faster", "slower", "layouts"],
        4,
    )  # fmt: skip
    by_place: dict[tuple[str, ...], list[CollectiveRow]] = {}
    for row in rows:
        by_place.setdefault(row.place, []).append(row)
    last = None
    for (pattern, ranks, data, size), of in by_place.items():
        if last not in (None, pattern):
            table.add_section()
        last = pattern
        to = {way: [row.to[way] for row in of] for way in REFERENCES}
        table.add_row(
            pattern, ranks, data, f"{int(size) // 1000} KB", middle(to[CONTIGUOUS]), ends(to[CONTIGUOUS]),
            middle([row.cycle for row in of if row.cycle]), middle(to["native"]), middle(to["local"]),
            *counts(to["local"]), f"{len(of)}",
        )  # fmt: skip
    return table


def collective_tsv(rows: Iterable[CollectiveRow]) -> str:
    """Return every row, tab-separated, the columns' names in the first line."""
    ways = (CONTIGUOUS, *METHODS)
    ratios = [f"to_{way}_{end}" for way in (*REFERENCES, "contiguous_with_writing") for end in ("ratio", "low", "high")]
    out = [["library", "group", *(f"{way}_us" for way in ways), "launches", *ratios]]
    for row in rows:
        values = [number for of in (*(row.to[way] for way in REFERENCES), row.cycle) for number in numbers(of)]
        out.append([row.library, row.group, *(f"{row.us[way]:.4g}" for way in ways), f"{row.launches}", *values])
    return "".join("\t".join(cells) + "\n" for cells in out)
