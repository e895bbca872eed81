"""`gapless bench ...`: what the layer costs where it cannot help, and the engine against rivals."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

bench = typer.Typer(
    no_args_is_help=True,
    help="What the layer costs a call that it cannot speed up, and the engine alone against MPI libraries.",
)

MpiOption = Annotated[Path | None, typer.Option("--mpi", metavar="PREFIX", help="Measure the MPI installed there.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]


@bench.command()
def overhead(mpi: MpiOption = None, json: JsonOption = False) -> None:
    """Count the instructions that the layer adds to a contiguous call, with callgrind (limit: 60).

    [bold]Example:[/bold]  gapless bench overhead

    Exits with status 1 if a call costs more; says so and skips where valgrind is not installed.
    """
    import shutil

    from gapless.display import console, plain_table
    from gapless.overhead import INSTRUCTION_LIMIT, call_costs
    from gapless.paths import Build

    if shutil.which("valgrind") is None:
        console(stderr=True).print("gapless: valgrind is not installed: the instruction count is skipped")
        return
    costs = call_costs(Build.find(mpi))
    if json:
        print(json_module.dumps([vars(cost) | {"extra": cost.extra} for cost in costs]))
    else:
        table = plain_table(
            "Instructions of a contiguous 8-byte call", ["call", "plain", "with Gapless", "extra", "limit"]
        )
        for cost in costs:
            table.add_row(
                cost.procedure,
                f"{cost.plain:.1f}",
                f"{cost.under_layer:.1f}",
                f"{cost.extra:.1f}",
                f"{INSTRUCTION_LIMIT}",
            )
        console().print(table)
    raise typer.Exit(1 if any(cost.extra > INSTRUCTION_LIMIT for cost in costs) else 0)


@bench.command()
def latency(
    launches: Annotated[int, typer.Option(min=6, help="Launches without, and as many with, the layer.")] = 20,
    mpi: MpiOption = None,
    json: JsonOption = False,
) -> None:
    """Test that an 8-byte contiguous ping-pong is as fast under the layer as without it.

    [bold]Example:[/bold]  gapless bench latency --launches 20

    Two one-sided tests at 5 % on the launches' medians, paired by interleaving; equal means within 5 % or 10 ns,
    whichever is more. Exits with status 1 unless equivalence is shown.
    """
    from gapless.display import console
    from gapless.overhead import measure_latency
    from gapless.paths import Build
    from gapless.pingpong import progress_bar

    build = Build.find(mpi)
    build.require("bench/latency8")
    with progress_bar() as progress:
        task = progress.add_task("8-byte ping-pong", total=launches, now="")
        measured = measure_latency(build, launches, lambda done: progress.update(task, completed=done))
    answer = measured.test()
    plain, under = median(measured.plain_ns), median(measured.under_layer_ns)
    if json:
        print(json_module.dumps(vars(measured) | vars(answer) | {"equivalent": answer.equivalent}))
    else:
        out = console()
        out.print(
            f"8-byte half round trip, {launches} launches each: {plain:.0f} ns plain, {under:.0f} ns with Gapless"
        )
        out.print(
            f"shift {answer.low:+.1f} to {answer.high:+.1f} ns (90 % interval), margin ±{answer.margin:.1f} ns: "
            + ("equivalent" if answer.equivalent else "equivalence not shown")
        )
    raise typer.Exit(0 if answer.equivalent else 1)


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
    from gapless.bench_commit import LIBRARIES, commit_rows, commit_table, measure_commit
    from gapless.display import console
    from gapless.paths import Build
    from gapless.pingpong import progress_bar

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
    from gapless.bench_seek import measure_seek, seek_rows, seek_table
    from gapless.display import console
    from gapless.paths import Build
    from gapless.pingpong import progress_bar

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
