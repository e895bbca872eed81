"""What it costs to write lines that another core has read: stores one by one, and packing into such lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from gapless.display import plain_table
from gapless.lab.programs import json_lines
from gapless.lab.statistics import ratio_of_medians
from gapless.paths import Build

Lines = list[dict[str, Any]]

PROGRAM = "bench/peer_lines"
SAME_CORE = 1.5
"""Two threads on processors of one core take longer than this together, times what one takes alone."""


@dataclass(frozen=True)
class PeerRow:
    """One case: nanoseconds a line, of each launch the median, and the ratio over launches."""

    kind: str
    """store: lines stored one by one; pack: parts of a message packed into them."""
    case: str
    lines: int
    plain_ns: list[float]
    past_ns: list[float]
    plain_read_ns: float
    """What the reader takes for a line that was stored through the writer's caches."""
    past_read_ns: float
    ratio: float
    """Time of writing past the caches over that of writing through them."""
    low: float
    high: float


def measure_peer_lines(
    build: Build, rounds: int, launches: int, now: Callable[[int], None] = lambda _: None
) -> list[Lines]:
    """Return the lines of every launch; each begins with another case.

    Parameters
    ----------
    build : Build
        What to measure.
    rounds, launches : int
        How often each buffer is written and read in a launch, and launches.
    now : callable
        Told the number of finished launches.
    """
    answers = []
    for launch in range(launches):
        command = [str(build.program(PROGRAM)), str(rounds), str(launch)]
        answers.append(list(json_lines(build, command, layer=False)))
        now(launch + 1)
    return answers


def peer_rows(launches: Sequence[Lines]) -> list[PeerRow]:
    """Return a row per case."""
    ways: dict[tuple[str, str], dict[str, Lines]] = {}
    for line in (line for lines in launches for line in lines if line["kind"] != "cores"):
        ways.setdefault((line["kind"], line["case"]), {}).setdefault(line["way"], []).append(line)
    rows = []
    for (kind, case), of in ways.items():
        pairs = list(zip(of["past"], of["plain"], strict=True))
        ratio = ratio_of_medians([(past["writer_ns"], plain["writer_ns"]) for past, plain in pairs])
        rows.append(
            PeerRow(
                kind,
                case,
                of["plain"][0]["lines"],
                [median(line["writer_ns"]) for line in of["plain"]],
                [median(line["writer_ns"]) for line in of["past"]],
                median(median(line["reader_ns"]) for line in of["plain"]),
                median(median(line["reader_ns"]) for line in of["past"]),
                ratio.ratio,
                ratio.low,
                ratio.high,
            )
        )
    return sorted(rows, key=lambda row: (row.kind != "store", int("".join(filter(str.isdigit, row.case)))))


def store_table(rows: Sequence[PeerRow]) -> Table:
    """Render what a store costs, launch by launch: the state of a machine may last for a launch."""
    table = plain_table(
        "Storing a line that another core has read, ns: each launch's median",
        ["buffer", "plain", "past the caches", "reading: plain", "past"],
    )
    for row in (row for row in rows if row.kind == "store"):
        by_launch = [" ".join(f"{ns:.1f}" for ns in times) for times in (row.plain_ns, row.past_ns)]
        table.add_row(row.case, *by_launch, f"{row.plain_read_ns:.1f}", f"{row.past_read_ns:.1f}")
    return table


def pack_table(rows: Sequence[PeerRow]) -> Table:
    """Render what packing into such lines takes."""
    table = plain_table(
        "Packing parts of 96 KB of vector(n, A, 2 A, int) for a reader on another core, µs",
        ["blocks", "plain", "past the caches", "past/plain", "interval"],
    )
    for row in (row for row in rows if row.kind == "pack"):
        plain, past = (median(times) * row.lines / 1000 for times in (row.plain_ns, row.past_ns))
        table.add_row(row.case, f"{plain:.2f}", f"{past:.2f}", f"{row.ratio:.2f}", f"{row.low:.2f} to {row.high:.2f}")
    return table


def one_core(launches: Sequence[Lines]) -> bool:
    """Return whether the two processors share a core, so that neither has a cache that the other has not."""
    together = [line["together"] for lines in launches for line in lines if line["kind"] == "cores"]
    return bool(median(together) > SAME_CORE)
