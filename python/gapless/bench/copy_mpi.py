"""GAPLESS_Copy on MPI's handles, for every two strided layouts of the benchmark, on each library without the layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from statistics import geometric_mean, median
from typing import Any

from rich.table import Table

from gapless.bench.copy import Lines, launched_in_turn
from gapless.display import plain_table
from gapless.lab.statistics import ratio_of_medians
from gapless.targets.libraries import Library

PROGRAM = "bench/engine/bench_copy_mpi"
TARGET = 1.3
"""How many times as fast as either other way a copy should be."""


@dataclass(frozen=True)
class PairRow:
    """One pair on one library: how many times as fast as MPI's two ways GAPLESS_Copy is; intervals over launches."""

    library: str
    source: str
    destination: str
    bytes: int
    to_sendrecv: float
    """Time of MPI_Sendrecv of the process with itself over that of the copy."""
    sendrecv_low: float
    sendrecv_high: float
    to_pack: float
    """Time of MPI_Pack + MPI_Unpack over that of the copy."""
    pack_low: float
    pack_high: float
    ceiling: float
    """Time of the faster of those two ways over that of the engine's packing or unpacking alone, whichever is slower:
    no copy by the same kernels gains more."""

    @property
    def worst(self) -> float:
        """The smaller of the two gains."""
        return min(self.to_sendrecv, self.to_pack)

    @property
    def lies_below(self) -> bool:
        """Whether the interval of one of the gains lies below what a copy should gain."""
        return min(self.sendrecv_high, self.pack_high) < TARGET


@dataclass(frozen=True)
class VectorRow:
    """One new vector on one library: its time per byte over that of a plain vector of as many blocks."""

    library: str
    vector: str
    length: int
    bytes: int
    pack: float
    """By MPI_Pack of the library."""
    pack_low: float
    copy: float
    """By GAPLESS_Copy, to memory without gaps."""
    copy_low: float


def measure_copy_mpi(
    libraries: Sequence[Library],
    arguments: Sequence[str],
    launches: int,
    now: Callable[[float], None] = lambda _: None,
) -> dict[str, Lines]:
    """Return the lines of every library, by its name (`launched_in_turn`)."""
    answers = launched_in_turn(libraries, PROGRAM, arguments, launches, now)
    return {library.name: lines for library, lines in zip(libraries, answers, strict=True)}


def _grouped(lines: Lines, kind: str, *names: str) -> dict[tuple[Any, ...], Lines]:
    """Return the lines of one kind by these fields: those of all launches together."""
    groups: dict[tuple[Any, ...], Lines] = {}
    for line in lines:
        if line["kind"] == kind:
            groups.setdefault(tuple(line[name] for name in names), []).append(line)
    return groups


def pair_rows(library: str, lines: Lines) -> list[PairRow]:
    """Return a row per pair and size, the worst first."""
    rows = []
    for (source, destination, size), of in _grouped(lines, "samples", "from", "to", "bytes").items():
        sendrecv = ratio_of_medians([(line["sendrecv_ns"], line["copy_ns"]) for line in of])
        pack = ratio_of_medians([(line["through_ns"], line["copy_ns"]) for line in of])
        slower = [max(line["pack_ns"], line["unpack_ns"], key=median) for line in of]
        faster = [min(line["sendrecv_ns"], line["through_ns"], key=median) for line in of]
        ceiling = ratio_of_medians(list(zip(faster, slower, strict=True))).ratio
        gains = (sendrecv.ratio, sendrecv.low, sendrecv.high, pack.ratio, pack.low, pack.high, ceiling)
        rows.append(PairRow(library, source, destination, size, *gains))
    return sorted(rows, key=lambda row: row.worst)


def vector_rows(library: str, lines: Lines) -> list[VectorRow]:
    """Return a row per new vector, block length and size, the slowest first."""
    rows = []
    for (vector, length, size), of in _grouped(lines, "vectors", "vector", "length", "bytes").items():
        share = of[0]["plain_bytes"] / size
        pack = ratio_of_medians([(line["pack_ns"], line["plain_pack_ns"]) for line in of])
        copy = ratio_of_medians([(line["copy_ns"], line["plain_copy_ns"]) for line in of])
        rows.append(
            VectorRow(
                library,
                vector,
                length,
                size,
                pack.ratio * share,
                pack.low * share,
                copy.ratio * share,
                copy.low * share,
            )
        )
    return sorted(rows, key=lambda row: -max(row.pack, row.copy))


def pair_summary(rows: Sequence[PairRow]) -> Table:
    """Render what the pairs of each library come to."""
    table = plain_table(
        "GAPLESS_Copy: how many times as fast",
        [
            "library",
            "pairs",
            "as Sendrecv to self",
            "worst",
            "as Pack + Unpack",
            "worst",
            f"below {TARGET}",
            "with interval",
            "can be more",
        ],
    )
    for library in dict.fromkeys(row.library for row in rows):
        some = [row for row in rows if row.library == library]
        table.add_row(
            library,
            str(len(some)),
            f"×{geometric_mean(row.to_sendrecv for row in some):.2f}",
            f"×{min(row.to_sendrecv for row in some):.2f}",
            f"×{geometric_mean(row.to_pack for row in some):.2f}",
            f"×{min(row.to_pack for row in some):.2f}",
            str(sum(row.worst < TARGET for row in some)),
            str(sum(row.lies_below for row in some)),
            str(sum(row.worst < TARGET <= row.ceiling for row in some)),
        )
    return table


def pair_table(rows: Sequence[PairRow], most: int) -> Table:
    """Render the slowest pairs, ``most`` of them."""
    worst = sorted(rows, key=lambda row: row.worst)[:most]
    table = plain_table(
        f"The slowest {len(worst)}",
        ["library", "from", "to", "bytes", "to Sendrecv", "low", "to Pack + Unpack", "low", "ceiling"],
    )
    for row in worst:
        table.add_row(
            row.library, row.source, row.destination, f"{row.bytes:,}", f"×{row.to_sendrecv:.2f}",
            f"{row.sendrecv_low:.2f}", f"×{row.to_pack:.2f}", f"{row.pack_low:.2f}", f"×{row.ceiling:.2f}",
        )  # fmt: skip
    return table


def vector_table(rows: Sequence[VectorRow]) -> Table:
    """Render the new vectors: time over that of a plain vector."""
    table = plain_table(
        "New vectors: time over that of a plain vector of the same bytes",
        ["library", "vector", "block [ints]", "bytes", "MPI_Pack", "low", "GAPLESS_Copy", "low"],
    )
    for row in rows:
        table.add_row(
            row.library, row.vector, str(row.length), f"{row.bytes:,}", f"{row.pack:.2f}", f"{row.pack_low:.2f}",
            f"{row.copy:.2f}", f"{row.copy_low:.2f}",
        )  # fmt: skip
    return table


def copy_mpi_tsv(rows: Sequence[PairRow] | Sequence[VectorRow]) -> str:
    """Return all rows of one kind, tab-separated, with a header."""
    if not rows:
        return ""
    names = [field.name for field in fields(rows[0])]
    lines = [names, *([str(getattr(row, name)) for name in names] for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines)
