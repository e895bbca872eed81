"""What a run shows while it measures: a bar with the time left and a table of verdicts, or plain lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Group as Stack
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from gapless.display import console

if TYPE_CHECKING:
    from gapless.expectations.verdicts import Judged


class Display:
    """Shows the advance on the error stream; a context manager.

    Parameters
    ----------
    libraries : int
        How many are measured.
    """

    def __init__(self, libraries: int) -> None:
        self._out = console(stderr=True)
        self._terminal = sys.stderr.isatty()
        self._libraries = libraries
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn(),
            TextColumn("left"), TimeRemainingColumn(elapsed_when_finished=False), console=self._out,
        )  # fmt: skip
        self._task = self._progress.add_task("measuring", total=1.0)
        self._live = Live(self._progress, console=self._out, transient=True) if self._terminal else None
        self._launches_done = 0.0
        self._began = time.monotonic()
        self._now = ""

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
        self._launches_done = (number - 1) * of + place
        self._now = f"{library}, launch {number} of {rounds}"
        self._progress.update(self._task, description=self._now, total=rounds * of, completed=self._launches_done)

    def progress(self, done: int, of: int) -> None:
        """Say how many groups of the present launch are measured."""
        self._progress.update(self._task, completed=self._launches_done + done / max(of, 1))

    def verdicts(self, judged: Sequence[Judged], done: int, rounds: int) -> None:
        """Show the verdicts after a round."""
        if self._live:
            from gapless.expectations.texts import summary_table

            self._live.update(Stack(summary_table(judged), self._progress))
            return
        counts = {name: sum(one.verdict == name for one in judged) for name in ("holds", "violated", "undecided")}
        text = ", ".join(f"{count} {name}" for name, count in counts.items())
        seconds = time.monotonic() - self._began
        self._out.print(f"gapless: {done} of {rounds} launches, {seconds:.0f} s: {text}", soft_wrap=True, markup=False)

    def say(self, text: str) -> None:
        """Print a sentence above what is live."""
        self._out.print(f"gapless: {text}", soft_wrap=True, markup=False)
