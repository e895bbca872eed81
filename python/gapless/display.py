"""Tables and consoles that read the same on a terminal, in a pipe and in a log.

rich is loaded by who prints with it: `gapless run`, which stands before every launch, does so for tables alone.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MIN_WIDTH = 110


def console(stderr: bool = False, plain: bool = False) -> Console:
    """Return a console that is wide enough for every table: a number cut off is worse than a long line.

    Parameters
    ----------
    stderr : bool
        Write to stderr instead of stdout.
    plain : bool
        Write no colours, not even to a terminal.
    """
    from rich.console import Console

    out = Console(stderr=stderr, highlight=False, color_system=None if plain else "auto")
    if out.width < MIN_WIDTH:
        out.width = MIN_WIDTH
    return out


def headline(text: str) -> str:
    """Return a text that begins with a capital letter.

    Examples
    --------
    >>> headline("fresh data in memory of MPI_Alloc_mem")
    'Fresh data in memory of MPI_Alloc_mem'
    """
    return text[:1].upper() + text[1:]


def bytes_text(count: int) -> str:
    """Return a message size as people say it: 3200 B, 2.56 MB."""
    return f"{count / 1e6:.3g} MB" if count >= 1_000_000 else f"{count} B"


class OneLine:
    """The progress of something long, on one line of a terminal; elsewhere as a line for each quarter.

    Parameters
    ----------
    what : str
        What is going on, in a word or two.
    out : file, optional
        Where it is written (default: the error stream).
    """

    def __init__(self, what: str, out: TextIO | None = None) -> None:
        self._what, self._out = what, out or sys.stderr
        self._rewrites = self._out.isatty()
        self._quarters = 0

    def now(self, share: float, text: str = "") -> None:
        """Show which share is done, and what is being done."""
        if self._rewrites:
            line = f"gapless: {self._what}, {share:.0%}" + (f": {text}" if text else "")
            self._out.write("\r\033[K" + line[: shutil.get_terminal_size().columns - 1])
        elif int(4 * share) > self._quarters:
            self._quarters = int(4 * share)
            self._out.write(f"gapless: {self._what}, {self._quarters * 25} %\n")
        self._out.flush()

    def __enter__(self) -> OneLine:
        return self

    def __exit__(self, kind: type[BaseException] | None, of: BaseException | None, at: TracebackType | None) -> None:
        """Leave nothing of it on a terminal."""
        if self._rewrites:
            self._out.write("\r\033[K")
            self._out.flush()


def plain_table(title: str, columns: Sequence[str], left: int = 1) -> Table:
    """Return an empty table: rules only below the header, the first `left` and the last text columns left-aligned."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(columns):
        last_text = name in ("declined", "remark")
        table.add_column(name, justify="left" if i < left or last_text else "right", no_wrap=not last_text)
    return table


def print_whole(out: Console, table: Table) -> None:
    """Print a table as wide as it is: a number cut off is worse than a long line."""
    from rich.measure import Measurement

    out.width = max(out.width, Measurement.get(out, out.options.update(max_width=1000), table).maximum)
    out.print(table, markup=False)
