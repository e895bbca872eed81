"""`gapless bench programs`: what the shell sees of programs that nobody here wrote."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from gapless.cli.options import JsonOption, mpi_names

ProgramOption = Annotated[
    list[str] | None, typer.Option("--program", metavar="NAME", help="One of --list; may be repeated (default: all).")
]
MpiOption = Annotated[
    list[str] | None,
    typer.Option(
        "--mpi",
        metavar="NAME",
        help="mpich, openmpi, intel, debian-mpich, debian-openmpi; with commas, or repeated (default: all that a "
        "program has).",
    ),
]


def programs(
    program: ProgramOption = None,
    mpi: MpiOption = None,
    launches: Annotated[int, typer.Option(min=1, help="Launches without, and as many with, the layer.")] = 7,
    listed: Annotated[bool, typer.Option("--list", help="Say which programs there are, and run none.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Also write every row there, tab-separated.")] = None,
    stored: Annotated[list[Path] | None, typer.Option("--from", help="Judge stored samples instead.")] = None,
    json: JsonOption = False,
) -> None:
    """Run programs that nobody here wrote, without and with the layer: same results, how fast, and why.

    [bold]Examples:[/bold]

    gapless bench programs --list

    gapless bench programs -o programs.tsv

    gapless bench programs --program petsc-grid --program scalapack-lu --mpi debian-openmpi

    Programs are fetched on demand (tools/programs.sh, tools/fft.sh): Debian's packages are unpacked below
    build/programs, which needs neither root nor an MPI in the system; PyPI's are built in the versions of
    requirements.lock. Launches without and with the layer take turns. The gain is the time without over the time
    with it; five launches at least make its interval one over launches. A row whose interval includes 1 says, from
    the layer's counters, why nothing is gained.

    Exit status: 0 if all results are the same with the layer as without, and right; 1 if not, or if a launch failed.
    """
    from gapless.bench.programs.catalogue import PROGRAMS
    from gapless.bench.programs.program import choose
    from gapless.bench.programs.tables import few_launches, program_rows, program_table, program_tsv
    from gapless.display import console
    from gapless.lab.results import read

    err, shown = console(stderr=True), console()

    def say(text: str) -> None:
        err.print(f"gapless: {text}", soft_wrap=True, markup=False)

    chosen = choose(PROGRAMS, program)
    if listed:
        if json:
            fields = ("name", "package", "what", "shows", "libraries", "ranks")
            print(json_module.dumps([{name: getattr(one, name) for name in fields} for one in chosen], indent=1))
            return
        for one in chosen:
            shown.print(f"{one.name}  ({one.package}; {', '.join(one.libraries)}; {one.ranks} ranks)", soft_wrap=True)
            shown.print(f"    {one.what}", soft_wrap=True, markup=False)
            shown.print(f"    compared: {one.shows}", soft_wrap=True, markup=False)
        return
    lines = [line for path in stored or () for line in read(path)]
    if not stored:
        from gapless.bench.programs.run import run_programs

        lines = run_programs(chosen, mpi_names(mpi) or None, launches, say)
    rows = program_rows(lines)
    if out:
        out.write_text(program_tsv(rows), encoding="utf-8")
    if json:
        print(json_module.dumps([row.as_json() for row in rows], indent=1))
    else:
        shown.width = max(shown.width, 190)
        shown.print(program_table(rows))
    if few_launches(rows):
        say(few_launches(rows))
    raise typer.Exit(0 if rows and all(row.passes for row in rows) else 1)


def register(bench: typer.Typer) -> None:
    """Make the command known."""
    bench.command()(programs)
