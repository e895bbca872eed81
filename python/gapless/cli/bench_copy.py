"""`gapless bench copy`."""

from __future__ import annotations

import json as json_module
from typing import Annotated

import typer

from gapless.cli.options import BuildOption, JsonOption, QuickOption, SizesOption, TsvOption, case_arguments


def copy(
    case: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="GLOB", help="Only pairs of such cases; repeatable."),
    ] = None,
    sizes: SizesOption = None,
    quick: QuickOption = False,
    launches: Annotated[int, typer.Option(min=1, help="Launches; from five on they are the replicates.")] = 5,
    repetitions: Annotated[int, typer.Option(min=1, help="Samples of each way in a launch.")] = 15,
    most: Annotated[int, typer.Option(min=1, help="How many of the slowest pairs to print.")] = 20,
    mpi: BuildOption = None,
    tsv: TsvOption = None,
    json: JsonOption = False,
) -> None:
    """Measure typed copy between every two layouts of equal size and signature, against pack and unpack.

    [bold]Example:[/bold]  gapless bench copy --quick
    [bold]Example:[/bold]  gapless bench copy --case 'matrix*' --sizes 8000000

    Layouts are those of `gapless bench engine`, and a padded matrix by rows and by columns, whose copies are compared
    with the naive loop as well. Ways take turns; before anything is timed, they must have written the same bytes.
    A pair is missed if it is slower than 0.97 times pack + unpack, or its interval ends below 1. The ceiling: what the
    slower of pack and unpack alone would gain; and what the naive loop would lose to packing the matrix row by row,
    without transposing it.
    """
    from gapless.bench.copy import PROGRAM, copy_rows, copy_summary, copy_table, copy_tsv, launched_in_turn
    from gapless.display import console
    from gapless.lab.pingpong import progress_bar
    from gapless.paths import Build

    arguments = [*case_arguments(case, sizes, quick), "--repetitions", str(repetitions)]
    build = Build.find(mpi)
    with progress_bar() as progress:
        task = progress.add_task("copy", total=launches, now="")
        answers = launched_in_turn(
            [build], PROGRAM, arguments, launches, lambda done: progress.update(task, completed=done)
        )
    rows = copy_rows(answers)
    if tsv:
        tsv.write_text(copy_tsv(rows), encoding="utf-8")
    if json:
        print(json_module.dumps([vars(row) for row in rows]))
        return
    console().print(copy_summary(rows))
    console().print(copy_table(rows, most))


def register(bench: typer.Typer) -> None:
    """Make the command known."""
    bench.command()(copy)
