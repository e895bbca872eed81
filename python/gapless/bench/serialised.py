"""`gapless bench serialise`: how many bytes the layouts of the benchmark take for another process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from rich.table import Table

from gapless.display import plain_table
from gapless.errors import GaplessError
from gapless.lab.programs import json_lines, mpi_command
from gapless.paths import Build

PROGRAM = "bench/engine/bench_engine"
MOST_TEXT = 48


@dataclass(frozen=True)
class SerialisedRow:
    """One description of one message.

    Attributes
    ----------
    case, group, description : str
        What is described, which kind of case it is, and how: "tiled/v1/A=2", "layout", "vector".
    nominal_bytes : int
        The payload that was asked for; 0: the case has one of its own.
    count : int
        Elements of the type in the message.
    type_bytes : int
        Of data in one element.
    text_bytes, serialised_bytes : int
        Of the type in the text notation, and serialised.
    type : str
        The text, long lists cut.
    """

    case: str
    group: str
    nominal_bytes: int
    description: str
    count: int
    type_bytes: int
    text_bytes: int
    serialised_bytes: int
    type: str


COLUMNS = tuple(field.name for field in fields(SerialisedRow))


def serialised_rows(build: Build, arguments: Sequence[str]) -> list[SerialisedRow]:
    """Run the measuring program with `arguments` and return a row for each description.

    Raises
    ------
    GaplessError
        If the program fails, as it does where what is read again is another layout, or there is no such case.
    """
    command = mpi_command(build, PROGRAM, ["--serialised", *arguments], ranks=1)
    rows = [SerialisedRow(**{name: line[name] for name in COLUMNS}) for line in json_lines(build, command, layer=False)]
    if not rows:
        raise GaplessError("no case has this name and size", f"'build/release/{PROGRAM} --list' names the cases")
    return rows


def serialised_table(rows: Sequence[SerialisedRow]) -> Table:
    """Render the rows: a line for each description."""
    table = plain_table(
        "Bytes of a type, as text and serialised; each form was read again and is the same layout",
        ["case", "description", "size asked for", "count", "bytes of data", "text", "serialised", "type"],
        left=2,
    )
    table.columns[-1].justify = "left"
    case = None
    for row in rows:
        name = "" if row.case == case else row.case
        case = row.case
        table.add_row(
            name,
            row.description,
            f"{row.nominal_bytes:,}" if row.nominal_bytes else "-",
            f"{row.count:,}",
            f"{row.type_bytes:,}",
            f"{row.text_bytes:,}",
            f"{row.serialised_bytes:,}",
            row.type if len(row.type) <= MOST_TEXT else row.type[: MOST_TEXT - 3] + "...",
        )
    return table


def serialised_summary(rows: Iterable[SerialisedRow]) -> str:
    """Return in one line what the largest forms of each group take."""
    largest: dict[str, SerialisedRow] = {}
    for row in rows:
        if row.group not in largest or row.serialised_bytes > largest[row.group].serialised_bytes:
            largest[row.group] = row
    return "largest: " + ", ".join(
        f"{group} {row.serialised_bytes:,} bytes ({row.case})" for group, row in largest.items()
    )


def serialised_tsv(rows: Iterable[SerialisedRow]) -> str:
    """Return every row, tab-separated, the columns' names in the first line."""
    lines = [COLUMNS, *(tuple(str(getattr(row, name)) for name in COLUMNS) for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines)
