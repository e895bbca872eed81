"""`gapless measure ...`: run a measuring program and keep its samples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gapless.cli.measure_adaptive import adaptive
from gapless.cli.measure_alltoall import alltoall
from gapless.cli.measure_applications import applications
from gapless.cli.measure_apps import apps
from gapless.cli.measure_creation import creation
from gapless.cli.measure_fabric import fabric
from gapless.cli.measure_guidelines import guidelines
from gapless.cli.measure_schemes import schemes
from gapless.cli.measure_trace import trace
from gapless.cli.measure_vector import vector

measure = typer.Typer(no_args_is_help=True, help="Run a measuring program of the lab and keep its samples in results/.")

measure.command()(guidelines)
measure.command()(apps)
measure.command()(applications)
measure.command()(schemes)
measure.command()(vector)
measure.command()(adaptive)
measure.command()(fabric)
measure.command()(creation)
measure.command()(alltoall)
measure.command()(trace)


@measure.command()
def pingpong(
    launches: Annotated[int, typer.Option(min=1, help="Independent launches: the replicates.")] = 5,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer samples, and A = 2, 10, 1000 only.")] = False,
    only: Annotated[str | None, typer.Option("--filter", help="Only groups whose name contains this text.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to append to (default: results/<time>-pingpong.jsonl).")
    ] = None,
    mpi: Annotated[
        str | None, typer.Option(metavar="NAME", help="mpich, openmpi, intel, or the prefix of an MPI.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all-layouts", help="Every layout of the expectation tests, not only the basic four.")
    ] = False,
) -> None:
    """Measure the ping-pong of the basic layouts and their other descriptions.

    [bold]Example:[/bold]  gapless measure pingpong --launches 3 --filter tiled/v1/A=2/

    [bold]Exit status:[/bold] 1 if a launch failed (what was measured before is kept).
    """
    from gapless.display import console
    from gapless.lab.cases import Repeated, Samples
    from gapless.lab.environment import environment_line
    from gapless.lab.guidelines import METHODS
    from gapless.lab.pingpong import CASES, PROGRAM, find_cases, measure_pingpong, progress_bar, shown_by
    from gapless.lab.results import Recorder, new_file
    from gapless.targets.libraries import find_library

    build = find_library(mpi)
    build.require(PROGRAM, CASES)
    recorder = Recorder(out or new_file("pingpong"))
    recorder.add(environment_line(build, "gapless measure pingpong"))
    arguments = (["--quick"] if quick else []) + (["--filter", only] if only else [])
    cases = find_cases(build, arguments + (["--all-layouts"] if every else []))
    large, small = (9, 30) if quick else (25, 100)
    repeated = Repeated(METHODS, Samples(large, large), Samples(small, small))
    with progress_bar() as progress:
        measure_pingpong(build, cases, repeated, launches, recorder, shown_by(progress))
    console(stderr=True).print(
        f"gapless: samples in {recorder.path}; 'gapless report {recorder.path}' shows them", soft_wrap=True
    )
