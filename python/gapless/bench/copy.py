"""Typed copy against pack and unpack of the same engine, for every two layouts of the benchmark of equal signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from statistics import geometric_mean, median
from typing import Any

from rich.table import Table

from gapless.display import plain_table
from gapless.lab.programs import json_lines, mpi_command
from gapless.lab.statistics import ratio_of_medians
from gapless.paths import Build

PROGRAM = "bench/engine/bench_copy"

Lines = list[dict[str, Any]]


@dataclass(frozen=True)
class CopyRow:
    """One pair: how many times as fast the copy is as the other ways, with the interval over launches."""

    source: str
    destination: str
    bytes: int
    transposes: bool
    gain: float
    """Time of pack and unpack over that of the copy: the median over launches of each launch's medians."""
    low: float
    high: float
    ceiling: float
    """Time of pack and unpack over that of the slower of the two alone, which no copy by the same kernels undercuts: it
    reads what the one reads and writes what the other writes."""
    to_naive: float | None
    """The same for the naive loop, where the pair transposes a matrix."""
    naive_ceiling: float | None
    """Time of the naive loop over that of packing the matrix row by row, which moves the same bytes from the same
    places and leaves them in their order: a transposition has all of that to do."""

    @property
    def is_missed(self) -> bool:
        """Whether the copy is slower: below 0.97, or with an interval that ends below 1."""
        return self.gain < 0.97 or self.high < 1


def launched_in_turn(
    builds: Sequence[Build], program: str, arguments: Sequence[str], launches: int,
    now: Callable[[float], None] = lambda _: None,
) -> list[Lines]:  # fmt: skip
    """Return what a program of one process prints on each build, launched in turn.

    Parameters
    ----------
    builds : sequence of Build
        What to measure.
    program : str
        Its path in a build.
    arguments : sequence of str
        Of the program.
    launches : int
        How often each is started; a launch draws orders of its own.
    now : callable
        Told how much is done, in processes.

    Raises
    ------
    CommandFailed
        If two ways wrote different bytes, or the program failed.
    """
    answers: list[Lines] = [[] for _ in builds]
    for number in range(launches * len(builds)):
        launch, of = divmod(number, len(builds))
        command = mpi_command(builds[of], program, [*arguments, "--launch", str(launch)], ranks=1)
        for line in json_lines(builds[of], command, layer=False):
            if line["kind"] == "progress":
                now(number + line["done"] / line["of"])
            elif line["kind"] != "start":
                answers[of].append(line)
        now(number + 1)
    return answers


def copy_rows(answers: Sequence[Lines]) -> list[CopyRow]:
    """Return a row per pair and size, the worst first."""
    pairs: dict[tuple[str, str, int], Lines] = {}
    for line in (line for lines in answers for line in lines):
        pairs.setdefault((line["from"], line["to"], line["bytes"]), []).append(line)
    rows = []
    for (source, destination, size), lines in pairs.items():
        gain = ratio_of_medians([(line["through_ns"], line["copy_ns"]) for line in lines])
        slower = [max(line["pack_ns"], line["unpack_ns"], key=median) for line in lines]
        ceiling = ratio_of_medians([(line["through_ns"], alone) for line, alone in zip(lines, slower, strict=True)])
        naive = naive_ceiling = None
        if "naive_ns" in lines[0]:
            naive = ratio_of_medians([(line["naive_ns"], line["copy_ns"]) for line in lines]).ratio
            naive_ceiling = ratio_of_medians([(line["naive_ns"], line["pack_ns"]) for line in lines]).ratio
        rows.append(
            CopyRow(
                source,
                destination,
                size,
                lines[0]["transposes"],
                gain.ratio,
                gain.low,
                gain.high,
                ceiling.ratio,
                naive,
                naive_ceiling,
            )
        )
    return sorted(rows, key=lambda row: row.gain)


def copy_summary(rows: Sequence[CopyRow]) -> Table:
    """Render what the rows come to, for each size and together."""
    table = plain_table(
        "Typed copy against pack + unpack",
        ["bytes", "pairs", "geometric mean", "ceiling", "worst", "missed", "to naive loops", "ceiling"],
    )
    sizes = [(f"{size:,}", [row for row in rows if row.bytes == size]) for size in sorted({row.bytes for row in rows})]
    for name, some in [*sizes, ("all", list(rows))]:
        naive = [f"×{row.to_naive:.2f}" for row in some if row.to_naive is not None]
        naive_ceilings = [f"×{row.naive_ceiling:.2f}" for row in some if row.naive_ceiling is not None]
        table.add_row(
            name,
            str(len(some)),
            f"×{geometric_mean(row.gain for row in some):.2f}",
            f"×{geometric_mean(row.ceiling for row in some):.2f}",
            f"×{min(row.gain for row in some):.2f}",
            str(sum(row.is_missed for row in some)),
            ", ".join(naive),
            ", ".join(naive_ceilings),
        )
    return table


def copy_table(rows: Sequence[CopyRow], most: int) -> Table:
    """Render the slowest rows, ``most`` of them."""
    table = plain_table(f"The slowest {min(most, len(rows))}", ["from", "to", "bytes", "gain", "interval", "ceiling"])
    for row in rows[:most]:
        interval = f"{row.low:.2f} - {row.high:.2f}"
        table.add_row(
            row.source, row.destination, f"{row.bytes:,}", f"×{row.gain:.2f}", interval, f"×{row.ceiling:.2f}"
        )
    return table


def copy_tsv(rows: Sequence[CopyRow]) -> str:
    """Return all rows, tab-separated, with a header."""
    names = [field.name for field in fields(CopyRow)]
    lines = [names, *([str(getattr(row, name)) for name in names] for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines)
