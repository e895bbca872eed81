"""`gapless demo`: what the shell sees of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MpiOption = Annotated[
    Path | None,
    typer.Option(
        "--mpi",
        metavar="PREFIX",
        help="Measure the MPI there; in a checkout, one that 'make build MPI=PREFIX' built for (default: that of "
        "'make build'). Elsewhere also mpich, openmpi or intel (default: the first on PATH).",
    ),
]


def demo(
    mpi: MpiOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print the rows as a JSON list and nothing else.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A few seconds: one launch, two messages.")] = False,
) -> None:
    """Show what derived datatypes cost on this machine, and what they cost with Gapless (4 minutes).

    [bold]Example:[/bold]  gapless demo --json > table.json

    Prints a table and writes report.html here; the samples go to results/.

    [bold]Exit status:[/bold] 1 if a launch failed, or if the layer changed a result.
    """
    from gapless.bench.demo import FULL, QUICK, run_demo
    from gapless.targets.libraries import build_for_prefix

    run_demo(build_for_prefix(mpi), QUICK if quick else FULL, json)
