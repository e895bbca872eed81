"""`gapless bench one-sided`: whether another description, or packing, makes windows and files faster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.progress import Progress
from rich.table import Table

from gapless.display import plain_table
from gapless.errors import GaplessError, MeasurementFailed
from gapless.lab.programs import json_lines, mpi_command
from gapless.lab.results import SCHEMA, Line, Recorder, of_kind
from gapless.lab.statistics import Ratio, ratio_of_medians
from gapless.targets.libraries import Library

PROGRAM = "lab/one_sided"
ALTERNATIVES = ("normalised", "packed", "gapless")
REFERENCES = (*ALTERNATIVES, "contiguous")
# What counts as faster or slower, if the whole interval is beyond it.
TOLERANCE = 0.05
COLUMNS = ("library", "operation", "case", "description", "alternative", "ratio", "low", "high", "description_us",
           "launches")  # fmt: skip


@dataclass(frozen=True)
class OneSidedRow:
    """One description of a message in one operation, and what another way takes in proportion."""

    library: str
    operation: str
    case: str
    description: str
    alternative: str
    """normalised, packed or gapless."""
    ratio: Ratio
    """The alternative's time over the description's: below 1 it is faster."""
    description_us: float
    launches: int

    @property
    def answer(self) -> str:
        """Whether the alternative is faster or slower by more than 5 %, with the whole interval."""
        if self.ratio.high < 1 - TOLERANCE:
            return "faster"
        return "slower" if self.ratio.low > 1 + TOLERANCE else "-"

    def values(self) -> tuple[Any, ...]:
        """Return what stands in the columns."""
        return (self.library, self.operation, self.case, self.description, self.alternative, round(self.ratio.ratio, 3),
                round(self.ratio.low, 3), round(self.ratio.high, 3), round(self.description_us, 2),
                self.launches)  # fmt: skip


def measure_one_sided(
    libraries: Sequence[Library],
    launches: int,
    arguments: Sequence[str],
    recorders: dict[str, Recorder],
    progress: Progress,
) -> None:
    """Launch the lab's program on every library in turn, so often.

    Parameters
    ----------
    libraries : sequence of Library
        What to measure.
    launches : int
        The replicates.
    arguments : sequence of str
        Passed on to the program.
    recorders : dict of Recorder
        Where the lines of each library go.
    progress : Progress
        Where the advance is shown.
    """
    task = progress.add_task("one-sided", total=launches * len(libraries), now="")
    for launch in range(1, launches + 1):
        for number, library in enumerate(libraries):
            done = (launch - 1) * len(libraries) + number
            command = mpi_command(library, PROGRAM, ["--launch", str(launch), *arguments])
            recorder = recorders[library.name]
            try:
                for line in json_lines(library, command, layer=True):
                    if line["kind"] == "progress":
                        share = line["done"] / max(line["of"], 1)
                        now = f"launch {launch} of {launches}, {library.name}, {line['group']}"
                        progress.update(task, completed=done + share, now=now)
                    else:
                        recorder.add(line)
            except GaplessError as error:
                recorder.add({"schema": SCHEMA, "kind": "error", "experiment": "one_sided", "launch": launch,
                              "reason": str(error)})  # fmt: skip
            progress.update(task, completed=done + 1)
    for name, recorder in recorders.items():
        failed = of_kind(recorder.lines, "error")
        if failed:
            raise MeasurementFailed(
                f"{name}, launch {failed[0]['launch']}: {failed[0]['reason']}", f"the samples are in {recorder.path}"
            )


def one_sided_rows(library: str, lines: Iterable[Line]) -> list[OneSidedRow]:
    """Compare every description with every alternative of its group, launch by launch.

    Parameters
    ----------
    library : str
        The library's name.
    lines : iterable of dict
        Its samples.
    """
    groups: dict[tuple[str, str], dict[str, dict[int, list[float]]]] = {}
    for line in lines:
        if line["kind"] == "samples" and line["experiment"] == "one_sided":
            members = groups.setdefault((line["operation"], line["case"]), {})
            members.setdefault(line["member"], {})[line["launch"]] = line["samples"]
    rows = []
    for (operation, case), members in groups.items():
        for alternative in (name for name in ALTERNATIVES if name in members):
            for description, by_launch in members.items():
                both = sorted(by_launch.keys() & members[alternative].keys())
                if description in REFERENCES or not both:
                    continue
                pairs = [(members[alternative][launch], by_launch[launch]) for launch in both]
                us = median(median(by_launch[launch]) for launch in both) / 1000
                rows.append(OneSidedRow(library, operation, case, description, alternative, ratio_of_medians(pairs), us,
                                        len(both)))  # fmt: skip
    return rows


def one_sided_table(title: str, rows: Sequence[OneSidedRow]) -> Table:
    """Render a line for each operation, alternative and description: the ratios of all its cases."""
    table = plain_table(
        title, ["operation", "description", "alternative", "median", "least", "most", "faster", "slower", "cases"], 3
    )
    grouped: dict[tuple[str, str, str], list[OneSidedRow]] = {}
    for row in rows:
        grouped.setdefault((row.operation, row.alternative, row.description), []).append(row)
    last = None
    for (operation, alternative, description), of in grouped.items():
        if last not in (None, operation):
            table.add_section()
        last = operation
        ratios = [row.ratio.ratio for row in of]
        counts = [sum(row.answer == answer for row in of) for answer in ("faster", "slower")]
        numbers = (f"{number:.2f}" for number in (median(ratios), min(ratios), max(ratios)))
        table.add_row(operation, description, alternative, *numbers, *(f"{count}" for count in counts), f"{len(of)}")
    return table


def one_sided_tsv(rows: Iterable[OneSidedRow]) -> str:
    """Return every row, tab-separated, the columns' names in the first line."""
    return "".join("\t".join(map(str, values)) + "\n" for values in (COLUMNS, *(row.values() for row in rows)))
