"""`gapless bench engine`."""

from __future__ import annotations

import json as json_module
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from gapless.cli.options import CaseOption, JsonOption, SizesOption, case_arguments


class Operation(str, Enum):
    """What is measured."""

    PACK = "pack"
    UNPACK = "unpack"


def engine(
    quick: Annotated[
        bool, typer.Option("--quick", help="A third of the cases, 32 KB and 2.56 MB, 11 repetitions: two minutes.")
    ] = False,
    launches: Annotated[int, typer.Option(min=1, help="Launches of each library: the replicates.")] = 1,
    repetitions: Annotated[
        int | None, typer.Option(min=5, help="Samples of every rival in a launch (default: 31, quick: 11).")
    ] = None,
    case: CaseOption = None,
    sizes: SizesOption = None,
    op: Annotated[Operation | None, typer.Option("--op", help="Only this (default: both).")] = None,
    mpi: Annotated[
        list[str] | None,
        typer.Option(
            "--mpi", metavar="NAME", help="mpich, openmpi, intel, or a prefix; repeatable (default: all here)."
        ),
    ] = None,
    isa: Annotated[
        str | None, typer.Option("--isa", metavar="NAME", help="Force these kernels: baseline, avx2, avx512, neon.")
    ] = None,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Measure cases that miss a target again, so often; all launches count.")
    ] = False,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="DIR", help="Keep the rows in DIR/engine.json (engine-ISA.json).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Keep all raw samples in this file.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure packing and unpacking by the engine against loops by hand, MPI libraries, and the memory's limit.

    [bold]Example:[/bold]  gapless bench engine --quick
    [bold]Example:[/bold]  gapless bench engine --case 'tiled/v1/A=2' --sizes 2560000 --op pack
    [bold]Example:[/bold]  gapless bench engine --isa baseline

    The rivals: hand (the best plain loop, sizes constant, -O3 -march=native), each library's MPI_Pack and MPI_Unpack,
    memcpy of the payload, limit (the best of several loops that copy the touched cache lines), the same message in 8 KB
    and 4 KB chunks, and the same message described differently. Every result is verified before it is timed; the rivals
    take turns in one process on one processor. A ratio is the engine's speed to the rival's: above 1 it is faster. The
    last table says what had to be shown, and which rows do not show it.

    All cases in all sizes take hours: choose some, or let nothing else run over night. One launch in twelve shows a
    ratio that is 5 % off: judge by --launches 5 --rerun.
    """
    from gapless.bench.engine import PROGRAM, engine_rows, measure_engine
    from gapless.bench.engine_tables import message_table, print_summary
    from gapless.bench.engine_targets import summarise
    from gapless.display import console
    from gapless.lab.environment import environment_line
    from gapless.lab.pingpong import progress_bar
    from gapless.lab.results import Line, Recorder
    from gapless.targets.libraries import libraries

    arguments = ["--repetitions", str(repetitions or (11 if quick else 31)), *case_arguments(None, sizes, quick)]
    arguments += ["--op", op.value] if op else []
    chosen = libraries(mpi)
    names = [library.name for library in chosen]
    for library in chosen:
        library.program(PROGRAM)
    recorder = Recorder(out) if out else None
    environment = environment_line(chosen[0], "gapless bench engine")
    if recorder:
        recorder.add(environment)
    keep = recorder.add if recorder else lambda _: None
    lines: list[Line] = []

    def measure(more: list[str], first: int) -> None:
        with progress_bar() as progress:
            task = progress.add_task("engine", total=launches * len(chosen), now="")
            lines.extend(
                measure_engine(
                    chosen, launches, [*arguments, *more],
                    lambda done, what: progress.update(task, completed=done, now=what), isa, first, keep,
                )
            )  # fmt: skip

    baseline = isa == "baseline"
    measure(case_arguments(case), 1)
    rows = engine_rows(lines)
    missed = {row.case for of in summarise(rows, names, baseline) for row in of.missed}
    if rerun and missed:
        measure(case_arguments(sorted(missed)), launches + 1)
        rows = engine_rows(lines)
    summaries = summarise(rows, names, baseline)
    result = {
        "environment": environment,
        "versions": {line["process"]: line["library"] for line in lines if line["kind"] == "start"},
        "isa": next(line["isa"] for line in lines if line["kind"] == "start"),
        "launches": launches,
        "targets": [summary.as_json() for summary in summaries],
        "rows": [vars(row) for row in rows],
    }
    if write:
        write.mkdir(parents=True, exist_ok=True)
        (write / f"engine{f'-{isa}' if isa else ''}.json").write_text(json_module.dumps(result, indent=1) + "\n")
    if json:
        print(json_module.dumps(result))
        return
    wide = console()
    wide.width = max(wide.width, 180)
    wide.print(message_table(rows, names))
    print_summary(wide, summaries)
    wide.print(f"kernels: {result['isa']}")
    for name, version in result["versions"].items():
        wide.print(f"{name}: {version}", markup=False, soft_wrap=True)


def register(bench: typer.Typer) -> None:
    """Make the command known."""
    bench.command()(engine)
