"""`gapless bench serialise`."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer


def serialise(
    case: Annotated[
        list[str] | None, typer.Option("--case", metavar="GLOB", help="Only such cases, e.g. 'tiled/v1/*'; repeatable.")
    ] = None,
    sizes: Annotated[
        str | None, typer.Option("--sizes", metavar="LIST", help="Payloads in bytes, e.g. 32768,2560000 (default: all).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A third of the cases, 32 KB and 2.56 MB.")] = False,
    mpi: Annotated[Path | None, typer.Option("--mpi", metavar="PREFIX", help="Use the build for the MPI there.")] = None,
    tsv: Annotated[Path | None, typer.Option(help="Also write every row there, tab-separated.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")] = False,
) -> None:
    """Print how many bytes the layouts of the benchmark take, as text and serialised for another process.

    [bold]Example:[/bold]  gapless bench serialise --sizes 2560000
    [bold]Example:[/bold]  gapless bench serialise --case 'list/*' --json

    Every description of every message of `gapless bench engine`, in all its sizes. Each form is read again and compared
    with its type: another layout ends the command. Nothing is timed.
    """
    from gapless.bench_serialised import serialised_rows, serialised_summary, serialised_table, serialised_tsv
    from gapless.display import console
    from gapless.paths import Build

    arguments = [word for pattern in case or [] for word in ("--case", pattern)]
    arguments += ["--bytes", sizes] if sizes else []
    arguments += ["--quick"] if quick else []
    rows = serialised_rows(Build.find(mpi), arguments)
    if tsv:
        tsv.write_text(serialised_tsv(rows), encoding="utf-8")
    if json:
        print(json_module.dumps([vars(row) for row in rows]))
        return
    wide = console()
    wide.width = max(wide.width, 200)
    wide.print(serialised_table(rows), markup=False)
    wide.print(serialised_summary(rows), markup=False, soft_wrap=True)


def register(bench: typer.Typer) -> None:
    """Make the command known."""
    bench.command()(serialise)
