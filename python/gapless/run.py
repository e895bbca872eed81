"""`gapless run`: a program under the layer, and the account of what the layer reached."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gapless.counters import counter_table, total
from gapless.display import console
from gapless.errors import GaplessError
from gapless.launcher import put_under, ranks_program, recognise
from gapless.paths import preload_object
from gapless.process import run_child
from gapless.reach import likely_causes, reached_line, read_ranks

NOT_REACHED = 3


def enabled(name: str) -> bool:
    """Say whether a GAPLESS_* switch is on: set, and neither empty nor 0."""
    return os.environ.get(name, "") not in ("", "0")


def run_under_layer(command: Sequence[str], stats: bool) -> int:
    """Run a command with the layer under its ranks and return the exit status for the shell.

    Parameters
    ----------
    command : sequence of str
        The user's command, launcher and all.
    stats : bool
        Whether to count calls and print the sums.
    """
    if not command:
        raise GaplessError("no command to run", "try 'gapless run -- mpiexec -n 2 ./app'")
    stats = stats or enabled("GAPLESS_STATS")
    launcher = recognise(command[0])
    with tempfile.TemporaryDirectory(prefix="gapless-run-") as folder:
        settings = {"GAPLESS_RUN_DIR": folder} | ({"GAPLESS_STATS": "1"} if stats else {})
        launch = put_under(command, str(preload_object()), settings, os.environ, launcher)
        status = run_child(launch.command, launch.environment)
        loaded = read_ranks(Path(folder))
    ranks = [rank for rank in loaded if not rank.native]
    err = console(stderr=True)
    if enabled("GAPLESS_DISABLE"):
        err.print(
            "gapless: the layer is disabled (GAPLESS_DISABLE is set): every call went straight to MPI", soft_wrap=True
        )
        return status
    if not ranks:
        ended = f" (the program ended with status {status})" if status else ""
        err.print(f"gapless: error: the layer reached no rank{ended}. Likely causes:", soft_wrap=True)
        for cause in likely_causes(ranks_program(command, launcher), loaded):
            err.print(f"  - {cause}", soft_wrap=True, markup=False)
        return status or NOT_REACHED
    err.print(f"gapless: {reached_line(ranks)}", soft_wrap=True, markup=False)
    if stats:
        err.print(counter_table(total(ranks)))
    return status
