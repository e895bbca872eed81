"""`gapless bench copy-mpi`."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from gapless.cli.options import (
    JsonOption,
    MpiOption,
    QuickOption,
    SizesOption,
    case_arguments,
    chosen_libraries,
)


def copy_mpi(
    case: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="GLOB", help="Only pairs of such cases, or 'vectors'; repeatable."),
    ] = None,
    sizes: SizesOption = None,
    quick: QuickOption = False,
    launches: Annotated[int, typer.Option(min=1, help="Launches of each library; from five on the replicates.")] = 5,
    repetitions: Annotated[int, typer.Option(min=1, help="Samples of each way in a launch.")] = 15,
    most: Annotated[int, typer.Option(min=1, help="How many of the slowest pairs to print.")] = 20,
    mpi: MpiOption = None,
    tsv: Annotated[
        Path | None,
        typer.Option("--tsv", help="Also write every pair there, tab-separated, and the vectors beside it."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure GAPLESS_Copy between every two strided layouts of equal signature, against what MPI has for it.

    [bold]Example:[/bold]  gapless bench copy-mpi --mpi all --quick
    [bold]Example:[/bold]  gapless bench copy-mpi --mpi openmpi --case 'ddtbench/*'

    On MPI's own handles, in each MPI library, without the layer: against MPI_Sendrecv of the process with itself, and
    MPI_Pack + MPI_Unpack. Layouts are those of `gapless bench engine`. Ways take turns; before anything is timed, they
    must have written the same bytes. The ceiling: what the slower of packing and unpacking alone would gain. And
    bounded and circular vectors against a plain vector of the same bytes, packed by the library and copied by
    GAPLESS_Copy.
    """
    from gapless.bench.copy_mpi import (
        PROGRAM,
        copy_mpi_tsv,
        measure_copy_mpi,
        pair_rows,
        pair_summary,
        pair_table,
        vector_rows,
        vector_table,
    )
    from gapless.display import console
    from gapless.lab.pingpong import progress_bar

    libraries = chosen_libraries(mpi)
    for library in libraries:
        library.program(PROGRAM)
    arguments = [*case_arguments(case, sizes, quick), "--repetitions", str(repetitions)]
    with progress_bar() as progress:
        task = progress.add_task("copy-mpi", total=launches * len(libraries), now="")
        answers = measure_copy_mpi(libraries, arguments, launches, lambda done: progress.update(task, completed=done))
    pairs = [row for name, lines in answers.items() for row in pair_rows(name, lines)]
    vectors = [row for name, lines in answers.items() for row in vector_rows(name, lines)]
    if tsv:
        for path, rows in ((tsv, pairs), (tsv.with_name(f"{tsv.stem}-vectors{tsv.suffix}"), vectors)):
            if rows or path == tsv:
                path.write_text(copy_mpi_tsv(rows), encoding="utf-8")
    if json:
        print(json_module.dumps({"pairs": [vars(row) for row in pairs], "vectors": [vars(row) for row in vectors]}))
        return
    out = console()
    out.width = max(out.width, 130)
    if pairs:
        out.print(pair_summary(pairs))
        out.print(pair_table(pairs, most))
    if vectors:
        out.print(vector_table(vectors))


def register(bench: typer.Typer) -> None:
    """Make the command known."""
    bench.command("copy-mpi")(copy_mpi)
