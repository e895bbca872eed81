"""`gapless bench flat`: whether a program's memory stays flat over millions of messages under the layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from gapless.display import plain_table
from gapless.lab.programs import json_lines, mpi_command
from gapless.targets.libraries import Library

PAIRED = "paired"
WAYS = {
    "blocking": ("blocking", ""), "nonblocking": ("nonblocking", ""), "types": ("types", ""),
    PAIRED: ("blocking", "1024"), f"{PAIRED}, nonblocking": ("nonblocking", "1024"),
}  # fmt: skip
"""Way to what `bench/flat` is told: how it sends, and how many doubles; what is paired has 8 KB."""
# What a tenth of the messages may still be warming up is the first point's; after it nothing may grow by more. Intel
# MPI 2021.19 itself takes 2 MiB at a time whenever a receiver lags further behind than before: up to 6.4 MB were seen
# without the layer or with it (`gapless bench flat --mpi intel --messages 200000 --json`), and of nonblocking messages,
# of which a sender may have many under way, 11 MB without it and 13 with it in 45 runs of 4000.
ALLOWED_BYTES, ALLOWED_OF_INTEL, ALLOWED_OF_INTEL_AHEAD = 1 << 20, 8 << 20, 32 << 20


@dataclass(frozen=True)
class FlatRow:
    """Resident memory of both ranks after each tenth of the messages [bytes]."""

    library: str
    way: str
    layer: bool
    messages: int
    accelerated: int | None
    paired: int | None
    """Calls that the layer took part in, and those whose data went through shared memory."""
    resident_bytes: list[list[int]]

    @property
    def growth_bytes(self) -> int:
        """By how much the rank that grew most did so from the first tenth to the last."""
        return max(rank[-1] - rank[0] for rank in self.resident_bytes)

    @property
    def flat(self) -> bool:
        """Whether that is at most a mebibyte over nine tenths; more of Intel MPI, which takes two at a time."""
        if not self.library.startswith("intel"):
            return self.growth_bytes <= ALLOWED_BYTES
        return self.growth_bytes <= (ALLOWED_OF_INTEL_AHEAD if "nonblocking" in self.way else ALLOWED_OF_INTEL)

    @property
    def acted(self) -> bool:
        """Whether the layer did what the way is about."""
        return bool(self.paired if self.way.startswith(PAIRED) else self.accelerated)


def measure_flat(
    libraries: Sequence[Library], messages: int, now: Callable[[str], None] = lambda _: None
) -> Iterator[FlatRow]:
    """Run every way of sending without and with the layer, and yield a row for each run.

    Parameters
    ----------
    libraries : sequence of Library
        What to measure.
    messages : int
        Messages in each run.
    now : callable
        Told what is being run.
    """
    for library in libraries:
        for way, (sending, blocks) in WAYS.items():
            for layer in (False, True):
                now(f"{library.name}, {way}, {'with' if layer else 'without'} the layer")
                command = mpi_command(library, "bench/flat", [sending, str(messages), *blocks.split()])
                # Short messages may stay native by rule: here everything goes through the layer, and is counted.
                settings = {"GAPLESS_STATS": "1", "GAPLESS_SMALLEST_BYTES": "0", "GAPLESS_LONGEST_RUN": "1024G"}
                if way.startswith(PAIRED):
                    settings["GAPLESS_SMALLEST_PAIRED"] = "8192"
                for line in json_lines(library, command, layer, layer_settings=settings):
                    yield FlatRow(
                        library.name,
                        way,
                        layer,
                        line["messages"],
                        line["accelerated"],
                        line["paired"],
                        line["resident_bytes"],
                    )


def flat_table(rows: Sequence[FlatRow]) -> Table:
    """Render the runs."""
    table = plain_table(
        "Resident memory of the larger rank, MiB",
        [
            "library",
            "way",
            "layer",
            "messages",
            "layer acted",
            "paired",
            "first tenth",
            "half",
            "all",
            "growth KiB",
            "remark",
        ],
        left=3,
    )
    for row in rows:
        points = [max(rank[at] for rank in row.resident_bytes) / 2**20 for at in (0, 4, -1)]
        table.add_row(
            row.library,
            row.way,
            "on" if row.layer else "-",
            f"{row.messages:,}",
            *("-" if number is None else f"{number:,}" for number in (row.accelerated, row.paired)),
            *(f"{mib:.1f}" for mib in points),
            f"{row.growth_bytes / 1024:.0f}",
            "flat" if row.flat else "grows",
        )
    return table
