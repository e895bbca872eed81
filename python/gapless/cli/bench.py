"""`gapless bench ...`: what the layer costs where it cannot help, and the engine against rivals."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from gapless.cli.bench_collectives import register as register_collectives
from gapless.cli.bench_copy import register as register_copy
from gapless.cli.bench_copy_mpi import register as register_copy_mpi
from gapless.cli.bench_engine import register as register_engine
from gapless.cli.bench_fft import register as register_fft
from gapless.cli.bench_layer import register
from gapless.cli.bench_node_memory import node_memory
from gapless.cli.bench_one_sided import register as register_one_sided
from gapless.cli.bench_programs import register as register_programs
from gapless.cli.bench_serialised import register as register_serialised
from gapless.cli.bench_watching import watching
from gapless.cli.options import JsonOption

bench = typer.Typer(
    no_args_is_help=True,
    help="What the layer costs a call that it cannot speed up, and the engine alone against MPI libraries.",
)

MpiOption = Annotated[Path | None, typer.Option("--mpi", metavar="PREFIX", help="Measure the MPI installed there.")]


register(bench)
register_fft(bench)
register_programs(bench)
register_engine(bench)
register_copy(bench)
register_copy_mpi(bench)
register_serialised(bench)
register_one_sided(bench)
register_collectives(bench)
bench.command()(watching)
bench.command("node-memory")(node_memory)

BlocksOption = Annotated[int, typer.Option(min=4, help="Blocks of a type.")]
RepetitionsOption = Annotated[int, typer.Option(min=1, help="Repetitions in a launch.")]
LaunchesOption = Annotated[int, typer.Option(min=1, help="Launches, of each library in turn.")]


@bench.command()
def commit(
    blocks: BlocksOption = 1_000_000,
    repetitions: RepetitionsOption = 7,
    launches: LaunchesOption = 8,
    library: Annotated[
        list[str] | None,
        typer.Option("--library", help="gapless, mpich, openmpi or impi; may be repeated (default: all)."),
    ] = None,
    mpi: MpiOption = None,
    json: JsonOption = False,
) -> None:
    """Measure what creating and committing a large irregular type costs, against MPI libraries.

    [bold]Example:[/bold]  tools/rivals.sh && gapless bench commit

    Medians over launches. "equal": blocks of one double each; "unlike": 1 to 4 doubles each. "first": the first
    creation of a process, whose memory the system must still hand out, as most programs see it; "again": later ones,
    in memory that malloc has kept. Bytes kept are those that malloc gave out. A library that is not there has a row
    that says why.
    """
    from gapless.bench.commit import LIBRARIES, commit_rows, commit_table, measure_commit
    from gapless.display import console
    from gapless.lab.pingpong import progress_bar
    from gapless.paths import Build

    build = Build.find(mpi)
    with progress_bar() as progress:
        task = progress.add_task("create + commit", total=launches, now="")
        measured = measure_commit(
            build,
            library or LIBRARIES,
            blocks,
            repetitions,
            launches,
            lambda done: progress.update(task, completed=done),
        )
    rows = commit_rows(measured)
    if json:
        versions = {of.library: of.version for of in measured if of.version}
        print(json_module.dumps({"versions": versions, "rows": [vars(row) for row in rows]}))
        return
    console().print(commit_table(rows))
    for of in measured:
        if of.version:
            console().print(f"{of.library}: {of.version}")


@bench.command()
def seek(
    blocks: BlocksOption = 1_000_000,
    repetitions: RepetitionsOption = 15,
    launches: LaunchesOption = 5,
    mpi: MpiOption = None,
    json: JsonOption = False,
) -> None:
    """Measure what it costs to begin in the middle of a message: one byte at its end, and 8 KB chunks.

    [bold]Example:[/bold]  gapless bench seek

    The chunks' bytes are compared with the whole before anything is timed.
    """
    from gapless.bench.seek import measure_seek, seek_rows, seek_table
    from gapless.display import console
    from gapless.lab.pingpong import progress_bar
    from gapless.paths import Build

    build = Build.find(mpi)
    build.program("bench/seek")
    with progress_bar() as progress:
        task = progress.add_task("seek", total=launches, now="")
        answers = measure_seek(build, blocks, repetitions, launches, lambda done: progress.update(task, completed=done))
    rows = seek_rows(answers)
    if json:
        ratios = ("last_to_first", "chunked_to_whole")
        print(json_module.dumps([vars(row) | {name: getattr(row, name) for name in ratios} for row in rows]))
    else:
        console().print(seek_table(rows))


@bench.command("peer-lines")
def peer_lines(
    rounds: Annotated[int, typer.Option(min=1, help="How often each buffer is written and read in a launch.")] = 200,
    launches: Annotated[int, typer.Option(min=1, help="Launches.")] = 8,
    mpi: MpiOption = None,
    json: JsonOption = False,
) -> None:
    """Measure what it costs to write lines that another core has read, through the caches and past them.

    [bold]Example:[/bold]  gapless bench peer-lines

    Two threads on two processors: one stores into a buffer, or packs a part of a message into it, and the other reads
    it, in turn. The bytes of both ways are compared before anything is timed.
    """
    from gapless.bench.peer_lines import PROGRAM, measure_peer_lines, one_core, pack_table, peer_rows, store_table
    from gapless.display import console
    from gapless.lab.pingpong import progress_bar
    from gapless.paths import Build

    build = Build.find(mpi)
    build.program(PROGRAM)
    with progress_bar() as progress:
        task = progress.add_task("peer lines", total=launches, now="")
        answers = measure_peer_lines(build, rounds, launches, lambda done: progress.update(task, completed=done))
    rows = peer_rows(answers)
    if json:
        print(json_module.dumps({"one_core": one_core(answers), "rows": [vars(row) for row in rows]}))
        return
    console().print(store_table(rows))
    console().print(pack_table(rows))
    if one_core(answers):
        console().print(
            "The two processors are one core's: neither has a cache of its own. Nothing follows for others."
        )
