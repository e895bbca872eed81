"""`gapless bench fft`: what the shell sees of the transforms of mpi4py-fft."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from gapless.cli.options import JsonOption, MpiOption, TsvOption, mpi_names

SizeOption = Annotated[
    list[str] | None,
    typer.Option(metavar="N|AxBxC", help="Size of the transform; may be repeated (default: 64, 128 and 90x84x100)."),
]
GridOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="slab (one axis distributed) or pencil (two); may be repeated (default: both)."),
]
InputOption = Annotated[
    list[str] | None,
    typer.Option("--input", metavar="NAME", help="complex or real doubles; may be repeated (default: both)."),
]


def fft(
    launches: Annotated[int, typer.Option(min=1, help="Launches without, and as many with, the layer.")] = 5,
    mpi: MpiOption = None,
    size: SizeOption = None,
    grid: GridOption = None,
    kind: InputOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Let the layer act on every redistribution, also where its rule says no.")
    ] = False,
    tsv: TsvOption = None,
    stored: Annotated[list[Path] | None, typer.Option("--from", help="Judge stored samples instead.")] = None,
    json: JsonOption = False,
) -> None:
    """Run 3-D transforms of mpi4py-fft on 4 processes without and with the layer: same bits, and how fast.

    [bold]Example:[/bold]  gapless bench fft --mpi all --tsv fft.tsv

    mpi4py-fft redistributes an array between two serial transforms by one MPI_Alltoallw of subarray types. Installed on
    demand (tools/fft.sh), it is launched unchanged; launches without and with the layer alternate. Times are those of
    the slowest rank, there and back, medians over launches: "redistribution" is mpi4py-fft's own calls alone,
    "transform" all of it. "accelerated" counts the layer's MPI_Alltoallw; the remark says why others were left to the
    library. Exits with status 1 unless all launches of a row gave the same bits on every rank (SHA-256), NumPy
    computes the same spectrum, the way back restores the input, and the layer acted on each library.
    """
    from gapless.bench.fft import GRIDS, INPUTS, SIZES, cases, measure_fft
    from gapless.bench.fft_tables import agreement, fft_rows, fft_table, fft_tsv, idle
    from gapless.display import console
    from gapless.lab.environment import environment_line
    from gapless.lab.pingpong import progress_bar
    from gapless.lab.results import Recorder, new_file, read
    from gapless.targets.libraries import NAMES, find_library
    from gapless.targets.on_demand import install_fft, library_by_name

    err, lines = console(stderr=True), []

    def say(text: str) -> None:
        err.print(f"gapless: {text}", soft_wrap=True, markup=False)

    if stored:
        lines = [line for path in stored for line in read(path)]
    else:
        chosen = cases(size or SIZES, grid or GRIDS, kind or INPUTS)
        named = mpi_names(mpi)
        names = NAMES if "all" in named else named or ["mpich"]
        libraries = [library_by_name(name, say) if name in NAMES else find_library(name) for name in names]
        install_fft(say)
        for library in libraries:
            recorder = Recorder(new_file(f"fft-{library.name}"))
            recorder.add(environment_line(library, f"gapless bench fft --mpi {library.name}{' --force' * force}"))
            with progress_bar() as progress:
                for _ in measure_fft(library, chosen, launches, force, recorder, progress):
                    pass
            say(f"{library.name}: samples in {recorder.path}")
            lines += recorder.lines
    rows = fft_rows(lines)
    if tsv:
        tsv.write_text(fft_tsv(rows), encoding="utf-8")
    if json:
        print(json_module.dumps([row.as_json() for row in rows], indent=1))
    else:
        out = console()
        out.width = max(out.width, 190)
        for library in dict.fromkeys(row.library for row in rows):
            of = [row for row in rows if row.library == library]
            out.print(fft_table(f"{library}, 4 processes, {max(row.launches for row in of)} launches", of))
        if agreement(rows):
            out.print(agreement(rows), soft_wrap=True)
    for library in idle(rows):
        say(f"{library}: the layer accelerated no redistribution: these rows compare the library with itself")
    raise typer.Exit(0 if rows and not idle(rows) and all(row.passes for row in rows) else 1)


def register(bench: typer.Typer) -> None:
    """Make the command known."""
    bench.command()(fft)
