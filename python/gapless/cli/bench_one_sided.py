"""`gapless bench one-sided`."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from gapless.cli.options import (
    FilterOption,
    JsonOption,
    LaunchesOption,
    MpiOption,
    TsvOption,
    chosen_libraries,
)


def one_sided(
    launches: LaunchesOption = 5,
    mpi: MpiOption = None,
    only: FilterOption = "",
    quick: Annotated[bool, typer.Option("--quick", help="3200 bytes and 2.56 MB, blocks of 10 ints only.")] = False,
    reps: Annotated[int, typer.Option(min=1, help="Samples of each member in a launch.")] = 9,
    folder: Annotated[Path, typer.Option(help="Where the measured files are made.")] = Path("/dev/shm"),
    tsv: TsvOption = None,
    stored: Annotated[list[Path] | None, typer.Option("--from", help="Judge stored samples instead.")] = None,
    json: JsonOption = False,
) -> None:
    """Measure MPI_Put, MPI_Get and independent file operations with derived types against other ways to say the same.

    [bold]Examples:[/bold]

    gapless bench one-sided --mpi all --tsv one_sided.tsv

    gapless bench one-sided --mpi intel --filter put/allocate --launches 5

    gapless bench one-sided --mpi openmpi --filter write/file/local --quick

    A message is described in several ways (vector, nested contiguous of resized, subarray of vector, struct of pieces,
    lists of blocks, lists of single ints). Each is compared with
      normalised  the simplest type of the same type map and signature, made from the engine's normal form;
      packed      the engine packs, or unpacks, and contiguous data are carried (local side only);
      gapless     the first description under the layer (files only).
    "local": the derived type describes this process's memory; "remote", "both": the window's, or both; "view": the
    file's, "new_view": set anew each time. A ratio is the alternative's time over the description's: below 1 it is
    faster. "faster" and "slower" count the cases (layout, block length, size) where the whole interval of the launches'
    ratios lies more than 5 % beyond 1; five launches at least make it an interval over launches.
    """
    from gapless.bench.one_sided import PROGRAM, measure_one_sided, one_sided_rows, one_sided_table, one_sided_tsv
    from gapless.display import console
    from gapless.lab.environment import environment_line
    from gapless.lab.pingpong import progress_bar
    from gapless.lab.results import Recorder, new_file, read

    if stored:
        lines = {path.stem: read(path) for path in stored}
    else:
        recorders = {}
        libraries = chosen_libraries(mpi)
        for library in libraries:
            library.require(PROGRAM)
            recorders[library.name] = Recorder(new_file(f"one-sided-{library.name}"))
            recorders[library.name].add(environment_line(library, f"gapless bench one-sided --mpi {library.name}"))
        arguments = ["--reps", str(reps), "--filter", only, "--folder", str(folder), *(["--quick"] if quick else [])]
        with progress_bar() as progress:
            measure_one_sided(libraries, launches, arguments, recorders, progress)
        lines = {name: recorder.lines for name, recorder in recorders.items()}
        for name, recorder in recorders.items():
            console(stderr=True).print(f"gapless: {name}: samples in {recorder.path}", soft_wrap=True)
    rows = {name: one_sided_rows(name, of) for name, of in lines.items()}
    everything = [row for of in rows.values() for row in of]
    if tsv:
        tsv.write_text(one_sided_tsv(everything), encoding="utf-8")
    if json:
        print(json_module.dumps([vars(row) | {"ratio": vars(row.ratio), "answer": row.answer} for row in everything]))
        return
    out = console()
    out.width = max(out.width, 120)
    for name, of in rows.items():
        out.print(one_sided_table(f"{name}: the alternative's time over the description's", of))


def register(bench: typer.Typer) -> None:
    """Make the command known."""
    bench.command("one-sided")(one_sided)
