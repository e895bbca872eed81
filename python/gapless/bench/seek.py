"""What it costs to begin in the middle of a message: single bytes at both ends, and 8 KB chunks against one pack.

The same of the list of runs: one entry at both ends, and windows of 1024 entries against one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from gapless.display import plain_table
from gapless.lab.programs import json_lines
from gapless.lab.statistics import median_of_medians
from gapless.paths import Build

Lines = list[dict[str, Any]]

PACK_TIMES = ("first_ns", "last_ns", "whole_ns", "chunked_ns")
IOV_TIMES = ("iov_first_ns", "iov_last_ns", "iov_whole_ns", "iov_windows_ns")


@dataclass(frozen=True)
class SeekRow:
    """One type: nanoseconds of a call that packs one byte, GB/s of packing everything, and ratios of listing runs."""

    case: str
    blocks: int
    first_ns: float
    last_ns: float
    whole_gb_per_s: float
    chunked_gb_per_s: float
    iov_last_to_first: float
    """How much longer a list of one entry takes at the end than at the beginning."""
    iov_windows_to_whole: float
    """How much longer the whole list takes in windows of 1024 entries."""

    @property
    def last_to_first(self) -> float:
        """How much longer a byte at the end takes than one at the beginning."""
        return self.last_ns / self.first_ns

    @property
    def chunked_to_whole(self) -> float:
        """The share of the speed that is left in 8 KB chunks."""
        return self.chunked_gb_per_s / self.whole_gb_per_s


def measure_seek(
    build: Build, blocks: int, repetitions: int, launches: int, now: Callable[[int], None] = lambda _: None
) -> list[Lines]:
    """Return the lines of every launch; each begins with another case.

    Parameters
    ----------
    build : Build
        What to measure.
    blocks, repetitions, launches : int
        Blocks of a type, repetitions in a launch, and launches.
    now : callable
        Told the number of finished launches.
    """
    answers = []
    for launch in range(launches):
        command = [str(build.program("bench/seek")), str(blocks), str(repetitions), str(launch)]
        answers.append(list(json_lines(build, command, layer=False)))
        now(launch + 1)
    return answers


def seek_rows(launches: Sequence[Lines]) -> list[SeekRow]:
    """Return a row per type: medians over launches of each launch's median."""
    rows = []
    for case in sorted({line["case"] for launch in launches for line in launch}):
        lines = [line for launch in launches for line in launch if line["case"] == case]
        times = {name: median_of_medians([line[name] for line in lines]) for name in (*PACK_TIMES, *IOV_TIMES)}
        size = lines[0]["bytes"]
        rows.append(
            SeekRow(
                case,
                lines[0]["blocks"],
                times["first_ns"],
                times["last_ns"],
                size / times["whole_ns"],
                size / times["chunked_ns"],
                times["iov_last_ns"] / times["iov_first_ns"],
                times["iov_windows_ns"] / times["iov_whole_ns"],
            )
        )
    return rows


def seek_table(rows: Sequence[SeekRow]) -> Table:
    """Render the rows."""
    table = plain_table(
        "One byte near the last against the first, 8 KB chunks against everything at once; iov: lists of runs",
        ["type", "blocks", "first ns", "last", "whole GB/s", "8 KB", "iov last", "iov windows"],
    )
    for row in rows:
        table.add_row(
            row.case,
            f"{row.blocks:,}",
            f"{row.first_ns:.1f}",
            f"×{row.last_to_first:.2f}",
            f"{row.whole_gb_per_s:.2f}",
            f"×{row.chunked_to_whole:.2f}",
            f"×{row.iov_last_to_first:.2f}",
            f"×{row.iov_windows_to_whole:.2f}",
        )
    return table
