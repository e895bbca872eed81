"""`gapless run ...`: what the shell sees of it."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from gapless.launch.fronts import FrontName

TABLE = "table"


class RunCommand(TyperCommand):
    """Lets --stats stand alone or with a value: a value is the next word only if it begins with ``json:``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Complete a --stats among our own options; what is behind them belongs to the user's command."""
        complete = list(args)
        for i, word in enumerate(args):
            if word == "--stats" and not (i + 1 < len(args) and args[i + 1].startswith("json:")):
                complete[i] = f"--stats={TABLE}"
            own = word.startswith("-") or (i > 0 and args[i - 1] in ("--stats", "--front"))
            if word == "--" or not own:
                break
        return list(super().parse_args(ctx, complete))


def run(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="The command as you would type it.")],
    stats: Annotated[
        str | None,
        typer.Option(
            "--stats", metavar="[json:FILE]", help="Count calls: what was accelerated and declined, as a table or JSON."
        ),
    ] = None,
    front: Annotated[
        FrontName,
        typer.Option(
            "--front", help="The preload object: by the MPI version of its procedures; lc: with those that end in _c."
        ),
    ] = FrontName.AUTO,
) -> None:
    """Run an unmodified MPI program with the layer under its ranks.

    [bold]Examples:[/bold]

    gapless run -- mpiexec -n 2 ./app input.dat

    gapless run --stats -- mpirun -n 4 python3 script.py

    gapless run --stats json:calls.json -- srun -n 64 ./app

    The last lines say how many ranks the layer reached, and how many messages
    it accelerated, or why none and what to try.

    --stats counts as long as a rank lives: of one that is killed, crashes or
    aborts, all calls but the one in which it ended are in the sums.

    The layer is preloaded into the ranks, not into the launcher. mpiexec and
    mpirun of MPICH, Intel MPI and Open MPI are known, and srun; anything else
    gets LD_PRELOAD in its environment.

    The front is the preload object. The fullest one is taken of whose
    procedures every MPI library that the ranks may load has all: 'lc41' (MPI
    4.1), 'lc' (4.0 with large counts), '40' (without), or 'plain' (3.1). Calls
    to procedures that a front lacks stay the library's own. With --stats or
    GAPLESS_LOG a line says which it is, and why.

    GAPLESS_DISABLE=1 switches the layer off. GAPLESS_STATS=1 and
    GAPLESS_STATS=json:FILE mean the same as --stats. GAPLESS_ISA=baseline, avx2,
    avx512 or neon forces the engine's kernels; GAPLESS_NT_BYTES=8M says from
    what size on messages are written past the caches.

    [bold]Exit status:[/bold] the program's own (128 + the number of the signal that ended it); 3 if that
    is 0 and the layer reached no rank; 2 if the program could not be started.
    """
    from gapless.launch.run import Stats, run_under_layer

    chosen = Stats.parse(stats if stats is not None else os.environ.get("GAPLESS_STATS"))
    raise typer.Exit(run_under_layer(command, chosen, front))


def add_run(app: typer.Typer) -> None:
    """Give a command the subcommand."""
    app.command(cls=RunCommand, context_settings={"allow_interspersed_args": False})(run)
