"""`gapless bench ...` of the layer: its speed, and what it costs where it cannot help."""

from __future__ import annotations

import json as json_module
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from gapless.cli.options import (
    Calls,
    Data,
    DataOption,
    FilterOption,
    JsonOption,
    LaunchesOption,
    MpiOption,
    SizesOption,
    TsvOption,
    chosen_libraries,
)


def overhead(mpi: MpiOption = None, json: JsonOption = False) -> None:
    """Count the instructions that the layer adds to a contiguous call, with callgrind (limit: 60).

    [bold]Example:[/bold]  gapless bench overhead --mpi all

    Of a pair, as MPI_Isend and its MPI_Wait, the mean of both. Exits with status 1 if a call costs more; says so and
    skips where valgrind is not installed.
    """
    import shutil

    from gapless.bench.overhead import CASES, INSTRUCTION_LIMIT, call_costs
    from gapless.display import console, plain_table
    from gapless.lab.pingpong import progress_bar

    if shutil.which("valgrind") is None:
        console(stderr=True).print("gapless: valgrind is not installed: the instruction count is skipped")
        return
    table = plain_table(
        "Instructions of a contiguous 8-byte call",
        ["library", "call", "among staged", "plain", "with Gapless", "extra a call", "limit"],
        left=2,
    )
    chosen, found = chosen_libraries(mpi), []
    with progress_bar() as progress:
        task = progress.add_task("instructions", total=len(chosen) * len(CASES), now="")
        for library in chosen:
            library.require("bench/contiguous_calls")
            for cost in call_costs(library, lambda what: progress.update(task, advance=1, now=what)):
                found.append(vars(cost) | {"library": library.name, "extra": cost.extra})
                numbers = (f"{number:.1f}" for number in (cost.plain, cost.under_layer, cost.extra))
                table.add_row(library.name, cost.procedure, f"{cost.outstanding}", *numbers, f"{INSTRUCTION_LIMIT}")
    if json:
        print(json_module.dumps(found))
    else:
        console().print(table)
    raise typer.Exit(1 if any(cost["extra"] > INSTRUCTION_LIMIT for cost in found) else 0)


def latency(
    launches: Annotated[int, typer.Option(min=6, help="Launches without, and as many with, the layer.")] = 20,
    mpi: MpiOption = None,
    json: JsonOption = False,
) -> None:
    """Test that contiguous messages, collective calls and completions are as fast under the layer as without it.

    [bold]Example:[/bold]  gapless bench latency --launches 20 --mpi all

    8 bytes, 1 KB and 64 KB to and fro, and 100 x 64 KB by MPI_Irecv and MPI_Waitall; MPI_Wait and MPI_Test among 0 and
    1000 outstanding receives, contiguous ones or staged by the layer; ten collective calls of blocks of 256 B, 16 KB
    and 128 KB on two processes. Two one-sided tests at 5 % on the launches' medians, paired by interleaving; equal
    means within 5 % (2 % of the 64 KB messages) or 10 ns, of a collective call within 10 % or 150 ns, whichever is
    more. Exits with status 1 unless equivalence, or that the layer is faster, is shown for all.
    """
    from gapless.bench.interleaved import LATENCY, equivalence_table, measure_interleaved
    from gapless.display import console
    from gapless.lab.pingpong import progress_bar

    chosen, failed, printed = chosen_libraries(mpi), False, {}
    with progress_bar() as progress:
        task = progress.add_task("latency", total=launches * len(chosen), now="")
        for library in chosen:
            library.require(*(program.path for program in LATENCY))
            printed[library.name] = measure_interleaved(
                library, LATENCY, launches, lambda _, name=library.name: progress.update(task, advance=1, now=name)
            )
    for name, comparisons in printed.items():
        answers = [of.test() for of in comparisons]
        failed = failed or any(answer.high >= answer.margin for answer in answers)
        if not json:
            console().print(equivalence_table(f"{name}, {launches} launches each", comparisons))
    if json:
        print(json_module.dumps({name: [of.as_json() for of in found] for name, found in printed.items()}))
    raise typer.Exit(1 if failed else 0)


def types(
    launches: Annotated[int, typer.Option(min=1, help="Launches without, and as many with, the layer.")] = 9,
    mpi: MpiOption = None,
    json: JsonOption = False,
) -> None:
    """Show what making a small type for every message costs, without and with the layer.

    [bold]Example:[/bold]  gapless bench types --mpi all

    Create, commit, the first send of 128 bytes, and free, each alone and all together; medians over launches.
    """
    from gapless.bench.interleaved import TYPES, measure_interleaved, types_table
    from gapless.display import console
    from gapless.lab.pingpong import progress_bar

    chosen, printed = chosen_libraries(mpi), {}
    with progress_bar() as progress:
        task = progress.add_task("types", total=launches * len(chosen), now="")
        for library in chosen:
            library.require(*(program.path for program in TYPES))
            printed[library.name] = measure_interleaved(
                library, TYPES, launches, lambda _, name=library.name: progress.update(task, advance=1, now=name)
            )
    if json:
        print(json_module.dumps({name: [vars(of) for of in found] for name, found in printed.items()}))
        return
    for name, comparisons in printed.items():
        console().print(types_table(f"{name}: a small type made for each message, nanoseconds", comparisons))


def flat(
    messages: Annotated[int, typer.Option(min=160, help="Messages of each run.")] = 10_000_000,
    mpi: MpiOption = None,
    json: JsonOption = False,
) -> None:
    """Test that memory stays flat over ten million messages of derived types (a few minutes for each library).

    [bold]Example:[/bold]  gapless bench flat --mpi all

    Of 512 bytes blocking, nonblocking, and with a new type for each pair; of 8 KB through shared memory, blocking and
    nonblocking. Exits with status 1 if a rank grows by more than 1 MiB (Intel MPI: 8, nonblocking 32) from the first
    tenth of the messages to the last under the layer, or if it did not act.
    """
    from gapless.bench.flat import WAYS, flat_table, measure_flat
    from gapless.display import console
    from gapless.lab.pingpong import progress_bar

    chosen, rows = chosen_libraries(mpi), []
    with progress_bar() as progress:
        task = progress.add_task("flat", total=2 * len(WAYS) * len(chosen), now="")
        for row in measure_flat(chosen, messages, lambda what: progress.update(task, now=what)):
            rows.append(row)
            progress.update(task, advance=1)
    if json:
        print(json_module.dumps([vars(row) | {"growth_bytes": row.growth_bytes, "flat": row.flat} for row in rows]))
    else:
        console().print(flat_table(rows))
    raise typer.Exit(0 if all(row.flat and row.acted for row in rows if row.layer) else 1)


def p2p(
    launches: LaunchesOption = 5,
    mpi: MpiOption = None,
    only: FilterOption = "",
    layouts: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="tests (of the paper), applications (DDTBench's), found (where others found the layer slow).",
        ),
    ] = "tests,applications,found",
    data: DataOption = Data.FRESH,
    calls: Annotated[
        Calls,
        typer.Option(
            help="pingpong: MPI_Send and MPI_Recv to and fro; both ranks at once, as a halo exchange does: waitall, by "
            "MPI_Irecv, MPI_Isend and MPI_Waitall, or sendrecv."
        ),
    ] = Calls.PINGPONG,
    sizes: SizesOption = "3200,2560000",
    quick: Annotated[bool, typer.Option("--quick", help="Fewer samples and fewer block sizes.")] = False,
    reps: Annotated[
        str | None, typer.Option(help="Samples in a launch, of large and of small messages (9,30; quick: 5,12).")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Print every row, not only those that fail.")] = False,
    tsv: TsvOption = None,
    stored: Annotated[list[Path] | None, typer.Option("--from", help="Judge stored samples instead.")] = None,
    json: JsonOption = False,
) -> None:
    """Measure layouts under the layer, against its parts and the ways that a program has without it.

    [bold]Examples:[/bold]

    gapless bench p2p --layouts applications,found --quick --mpi all --tsv p2p.tsv

    gapless bench p2p --layouts tests --quick --sizes 64000,2560000 --data constant

    gapless bench p2p --layouts found --filter column --calls waitall

    In each launch these take turns, beside MPI_Pack + send and a contiguous message of as many bytes:
      native  the datatype, the layer off;
      local   the layer on, and nothing through shared memory: each process packs its own, the library sends;
      paired  the layer as users get it, from layout to layout through memory that the two processes share.
    Where the layer's own counters say that nothing goes through shared memory (short messages, docs/tuning.md)
    local is what users get, and the column "paired" says "as local".

    A row fails where it is proved, over the launches, that what users get is more than 5 % slower than the best of
    native, MPI_Pack + send and, where it is paired, local; of the layouts of the tests also where it takes more than
    1.10 × (engine pack + contiguous send + engine unpack), each measured alone, or breaks GL1 to GL4 by more than 5 %.
    Fewer than five launches prove next to nothing.

    Exit status: 0 if nothing is proved against any row, 1 if rows fail, which are listed by name, 2 if the command line
    is wrong or nothing could be measured.
    """
    from gapless.bench.p2p import FAMILIES, measure_p2p, p2p_rows
    from gapless.bench.p2p_tables import modes_table, p2p_table, p2p_tsv, summarise, table_name
    from gapless.display import console
    from gapless.errors import GaplessError
    from gapless.lab.cases import Samples
    from gapless.lab.environment import environment_line
    from gapless.lab.launch_facts import peer_lines_text
    from gapless.lab.pingpong import CASES, PROGRAM, progress_bar
    from gapless.lab.results import Recorder, new_file, read

    families = [name.strip() for name in layouts.split(",")]
    if set(families) - set(FAMILIES):
        unknown = ", ".join(sorted(set(families) - set(FAMILIES)))
        raise GaplessError(f"--layouts: unknown: {unknown}", f"known: {', '.join(FAMILIES)}")
    found = {}
    if stored:
        for path in stored:
            found[path.stem] = read(path)
    else:
        large, _, small = (reps or ("5,12" if quick else "9,30")).partition(",")
        try:
            counts = [int(large), int(small or large)]
        except ValueError as error:
            raise GaplessError(f"--reps: '{reps}' is no two numbers", "for example --reps 9,30") from error
        if min(counts) < 1:
            raise GaplessError(f"--reps: '{reps}': at least 1 sample is needed", "for example --reps 9,30")
        samples = (Samples(counts[0], counts[0]), Samples(counts[1], counts[1]))
        arguments = ["--filter", only, "--sizes", sizes] + (["--quick"] if quick else [])
        for library in chosen_libraries(mpi):
            library.require(PROGRAM, CASES)
            recorder = Recorder(new_file(f"p2p-{library.name}"))
            recorder.add(environment_line(library, f"gapless {shlex.join(sys.argv[1:])}"))
            with progress_bar() as progress:
                measure_p2p(
                    library, launches, samples, data.value, arguments, families, recorder, progress, calls.value
                )
            found[library.name] = recorder.lines
            console(stderr=True).print(f"gapless: {library.name}: samples in {recorder.path}", soft_wrap=True)
    rows = {name: p2p_rows(name, lines) for name, lines in found.items()}
    everything = [row for of in rows.values() for row in of]
    if tsv:
        tsv.write_text(p2p_tsv(everything), encoding="utf-8")
    if json:
        json_module.dump([row.as_json() for row in everything], sys.stdout, indent=1)
        print()
    out = console()
    out.width = max(out.width, 230)
    for name, of in rows.items() if not json else ():
        if of:
            out.print(modes_table(f"{name}: the layer's times over other ways', medians over layouts", of))
        for table in dict.fromkeys(table_name(row) for row in of):
            shown = [row for row in of if table_name(row) == table and (every or not row.passes)]
            if shown:
                kind = "all rows" if every else "rows that fail"
                out.print(p2p_table(f"{name}, {table}, {kind}", shown))
        for summary in summarise(of):
            out.print(f"{name}, {summary}", soft_wrap=True, markup=False)
        peers = peer_lines_text(found[name])
        if peers:
            out.print(f"{name}: {peers}", soft_wrap=True, markup=False)
    if not everything:
        raise typer.Exit(2)
    raise typer.Exit(0 if all(row.passes for row in everything) else 1)


def register(bench: typer.Typer) -> None:
    """Make the commands known."""
    for command in (p2p, overhead, latency, types, flat):
        bench.command()(command)
