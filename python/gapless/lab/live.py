"""What a run shows while it measures: a bar with the time left and a table of verdicts, or plain lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.console import Group as Stack
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from gapless.display import plain_table

if TYPE_CHECKING:
    from gapless.lab.verdicts import Judged

VERDICTS = ("holds", "violated", "undecided")


class Display:
    """Shows the advance on the error stream; a context manager."""

    def __init__(self) -> None:
        # The terminal's own width, unlike other output: a line that wraps could not be drawn over.
        self._out = Console(stderr=True, highlight=False)
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(bar_width=None), TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), console=self._out, expand=True,
        )  # fmt: skip
        self._task = self._progress.add_task("measuring", total=1.0)
        self._live = Live(self._progress, console=self._out, transient=True) if sys.stderr.isatty() else None
        self._began = time.monotonic()
        self._rounds_done, self._in_round, self._share = 0, 0.0, 1.0

    def __enter__(self) -> Display:
        """Begin to show."""
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Take the live part away."""
        if self._live:
            self._live.stop()

    def launch(self, library: str, number: int, rounds: int, place: int, of: int) -> None:
        """Say which launch begins: `place` of `of` in its round."""
        self._in_round = place / of
        self._share = 1 / of
        self._progress.update(self._task, description=f"{library}, launch {number} of {rounds}", total=rounds)
        self.progress(0, 1)

    def progress(self, done: int, of: int) -> None:
        """Say how many groups of the present launch are measured."""
        completed = self._rounds_done + self._in_round + self._share * done / max(of, 1)
        self._progress.update(self._task, completed=completed)

    def verdicts(self, judged: Sequence[Judged], done: int, rounds: int) -> None:
        """Show the verdicts after a round."""
        self._rounds_done = done
        if self._live:
            self._live.update(Stack(self._progress, _table(judged)))
            return
        counts = {name: sum(one.verdict == name for one in judged) for name in VERDICTS}
        text = ", ".join(f"{count} {name}" for name, count in counts.items())
        self.say(f"{done} of {rounds} launches, {time.monotonic() - self._began:.0f} s: {text}")

    def say(self, text: str) -> None:
        """Print a sentence above what is live."""
        self._out.print(f"gapless: {text}", soft_wrap=True, markup=False)


def _table(judged: Sequence[Judged]) -> Table:
    """Return how far the verdicts are: a line for each library, natively and with the layer."""
    table = plain_table("", ["library", "", *VERDICTS, "worst violation"], left=2)
    for mpi in dict.fromkeys(one.mpi for one in judged):
        for layer, side in ((False, "native"), (True, "+ Gapless")):
            rows = [one for one in judged if one.mpi == mpi and one.row.layer == layer]
            # Test 1 says what gaps cost; nothing is violated by that.
            violated = [one for one in rows if one.verdict == "violated" and one.row.guideline != "baseline"]
            worst = max(violated, key=lambda one: one.factor, default=None)
            counts = [str(sum(one.verdict == name for one in rows)) for name in VERDICTS]
            if rows:
                table.add_row(mpi, side, *counts, f"{worst.row.test} ×{worst.factor:.2g}" if worst else "")
    return table
