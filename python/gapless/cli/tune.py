"""`gapless tune`: what the shell sees of it."""

from __future__ import annotations

import shlex
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gapless.cli.options import TwoNodesOption
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from rich.progress import TaskID  # only `tune` itself needs it, and every command would wait for it


def tune(
    mpi: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="mpich (default), openmpi, intel, all, or a prefix; with commas."),
    ] = None,
    launcher: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="Instead of the library's mpiexec, e.g. 'srun -N 2 -n {ranks}'."),
    ] = None,
    two_nodes: TwoNodesOption = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the rules go (default: the user's cache folder).")
    ] = None,
    launches: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Launches, 6 seconds each (3): more on a busy machine.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few seconds and a coarse grid: to see that it works.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="Say which rules there are for this machine.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Print the rules that there are for this machine.")] = False,
) -> None:
    """Measure where packing pays on this machine with this MPI library, for 'gapless run' to use (20 seconds).

    Two ranks send one another messages of many sizes and layouts, in the library's own way and packed; on one node also
    paired, through memory that they share, and what that gains is said. The rules that follow are kept below the user's
    cache folder, by machine and library; every later 'gapless run' uses them. Ranks on two hosts (--launcher, or
    --two-nodes) measure the way between nodes, which is kept beside that within one.

    [bold]Examples:[/bold]
      gapless tune
      gapless tune --mpi mpich,openmpi,intel
      gapless tune --launcher 'srun -N 2 -n {ranks}'
      gapless tune --show

    GAPLESS_RULES=FILE or a folder takes the place of what is kept.
    """
    from gapless.display import console
    from gapless.lab.pingpong import progress_bar
    from gapless.launch.rules import cache_folder
    from gapless.targets.chosen import targets
    from gapless.targets.libraries import find_library, libraries
    from gapless.tune.measure import (
        LAUNCHES,
        PAIRED_RUNS,
        PAIRED_SECONDS,
        PAIRED_SIZES,
        PROGRAM,
        RUNS,
        SECONDS,
        grids,
        keep,
        measure,
        measure_paired,
        measure_split,
        split_in_words,
    )
    from gapless.tune.numbers import PROGRAM as NUMBERS
    from gapless.tune.numbers import keep_numbers, measure_numbers
    from gapless.tune.tables import paired_in_words

    if listed or show:
        raise typer.Exit(0 if _print_rules(out, show) else 1)
    errors = console(stderr=True)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)

    def say(text: str) -> None:
        errors.print(f"gapless: {text}", soft_wrap=True, markup=False)

    command = shlex.join(["gapless", *sys.argv[1:]])
    coarse = dict.fromkeys(RUNS, (8, 256, 4096))
    if quick:
        launches, seconds, paired_seconds = 1, 0.0, 0.0
        grid, paired_grid = grids((64, 4096, 65536), coarse), grids((8192, 65536), coarse)
    else:
        launches, seconds, paired_seconds = launches or LAUNCHES, SECONDS, PAIRED_SECONDS
        grid, paired_grid = grids(), grids(PAIRED_SIZES, PAIRED_RUNS)
    names = [word for word in (mpi or "").split(",") if word]
    with ExitStack() as stack:
        if launcher or two_nodes:
            reached = stack.enter_context(targets(mpi, launcher, two_nodes, say))
            for target in reached:
                if not target.layer:
                    raise GaplessError(f"{target.name}: {target.reason}", "see 'gapless doctor'")
            chosen = [target.library for target in reached]
        else:
            chosen = libraries(None) if names == ["all"] else [find_library(name) for name in names or [None]]
        for library in chosen:
            for program in (PROGRAM, NUMBERS):
                library.program(program)
        progress = stack.enter_context(progress_bar())
        for library in chosen:
            task = progress.add_task(f"tune {library.name}", total=1.0, now="")

            def now(share: float, task: TaskID = task) -> None:
                progress.update(task, completed=0.75 * share)

            def now_paired(share: float, task: TaskID = task) -> None:
                progress.update(task, completed=0.75 + 0.25 * share)

            measured = measure(library, launches, seconds, grid, now, measure_split(library))
            measured = measure_paired(library, measured, launches, paired_seconds, paired_grid, now_paired)
            progress.update(task, completed=1.0)
            path = keep(out or cache_folder(), measured, command)
            say(f"{library.name}, {'on one node' if measured.near else 'between two nodes'}: rules in {path}")
            numbers = keep_numbers(path.parent, measure_numbers(library), command)
            say(f"{library.name}, all-to-all: the model's numbers in {numbers}")
            if measured.near:
                say(f"{library.name}, packed: {split_in_words(measured.split)}")
                say(f"{library.name}, paired: {paired_in_words(measured.paired)}")


def _print_rules(out: Path | None, show: bool) -> bool:
    """Print the rules there are for this machine, or their paths. True if there are any."""
    from gapless.display import console
    from gapless.launch.rules import cache_folder, kept_rules, machine_name, site_folder

    found = [path for folder in (out or cache_folder(), site_folder()) if folder for path in kept_rules(folder)]
    for path in found:
        print(path.read_text(encoding="utf-8", errors="replace") if show else path)
    if not found:
        lacks = f"gapless: no rules for this machine ({machine_name()}): run 'gapless tune'"
        console(stderr=True).print(lacks, soft_wrap=True)
    return bool(found)
