"""Tables and consoles that read the same on a terminal, in a pipe and in a log."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
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
    out = Console(stderr=stderr, highlight=False, color_system=None if plain else "auto")
    if out.width < MIN_WIDTH:
        out.width = MIN_WIDTH
    return out


def plain_table(title: str, columns: Sequence[str], left: int = 1) -> Table:
    """Return an empty table: rules only below the header, the first `left` and the last text columns left-aligned."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(columns):
        last_text = name in ("declined", "remark")
        table.add_column(name, justify="left" if i < left or last_text else "right", no_wrap=not last_text)
    return table
