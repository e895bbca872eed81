"""`gapless bench serialise`."""

from __future__ import annotations

import json as json_module

import typer

from gapless.cli.options import (
    BuildOption,
    CaseOption,
    JsonOption,
    QuickOption,
    SizesOption,
    TsvOption,
    case_arguments,
)


def serialise(
    case: CaseOption = None,
    sizes: SizesOption = None,
    quick: QuickOption = False,
    mpi: BuildOption = None,
    tsv: TsvOption = None,
    json: JsonOption = False,
) -> None:
    """Print how many bytes the layouts of the benchmark take, as text and serialised for another process.

    [bold]Example:[/bold]  gapless bench serialise --sizes 2560000
    [bold]Example:[/bold]  gapless bench serialise --case 'list/*' --json

    Every description of every message of `gapless bench engine`, in all its sizes. Each form is read again and compared
    with its type: another layout ends the command. Nothing is timed.
    """
    from gapless.bench.serialised import serialised_rows, serialised_summary, serialised_table, serialised_tsv
    from gapless.display import console
    from gapless.paths import Build

    rows = serialised_rows(Build.find(mpi), case_arguments(case, sizes, quick))
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
