"""`gapless bench engine`."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import typer

from gapless.cli.options import CaseOption, JsonOption, Row, SizesOption, case_arguments, with_options


class Operation(str, Enum):
    """What is measured."""

    PACK = "pack"
    UNPACK = "unpack"


OPTIONS = (
    Row("quick", bool, False, "A third of the cases, 32 KB and 2.56 MB, 11 repetitions: two minutes.", "--quick"),
    Row("launches", int, 1, "Launches of each library: the replicates.", min=1),
    Row("repetitions", int, None, "Samples of every rival in a launch (default: 31, quick: 11).", min=5),
    Row.of("case", CaseOption, None),
    Row.of("sizes", SizesOption, None),
    Row("op", Operation, None, "Only this (default: both)."),
    Row("mpi", list[str], None, "mpich, openmpi, intel, or a prefix; repeatable (default: all here).", metavar="NAME"),
    Row("isa", str, None, "Force these kernels: baseline, avx2, avx512, neon.", metavar="NAME"),
    Row("rerun", bool, False, "Measure cases that miss a target again, so often; all launches count.", "--rerun"),
    Row("write", Path, None, "Keep the rows in DIR/engine.json (engine-ISA.json).", metavar="DIR"),
    Row("out", Path, None, "Keep all raw samples in this file.", metavar="FILE"),
    Row.of("json", JsonOption, False),
)


@with_options(OPTIONS)
def engine(given: SimpleNamespace) -> None:
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
    from gapless.bench.engine_targets import summarise
    from gapless.lab.environment import environment_line
    from gapless.lab.pingpong import progress_bar
    from gapless.lab.results import Line, Recorder
    from gapless.targets.libraries import libraries

    repetitions = given.repetitions or (11 if given.quick else 31)
    arguments = ["--repetitions", str(repetitions), *case_arguments(None, given.sizes, given.quick)]
    arguments += ["--op", given.op.value] if given.op else []
    chosen = libraries(given.mpi)
    names = [library.name for library in chosen]
    for library in chosen:
        library.program(PROGRAM)
    keep = Recorder(given.out).add if given.out else lambda _: None
    environment = environment_line(chosen[0], "gapless bench engine")
    keep(environment)
    lines: list[Line] = []

    def measure(cases: list[str], first: int) -> None:
        with progress_bar() as progress:
            task = progress.add_task("engine", total=given.launches * len(chosen), now="")
            lines.extend(
                measure_engine(
                    chosen, given.launches, [*arguments, *case_arguments(cases)],
                    lambda done, what: progress.update(task, completed=done, now=what), given.isa, first, keep,
                )
            )  # fmt: skip

    baseline = given.isa == "baseline"
    measure(given.case, 1)
    rows = engine_rows(lines)
    missed = {row.case for of in summarise(rows, names, baseline) for row in of.missed}
    if given.rerun and missed:
        measure(sorted(missed), given.launches + 1)
        rows = engine_rows(lines)
    summaries = summarise(rows, names, baseline)
    result = {
        "environment": environment,
        "versions": {line["process"]: line["library"] for line in lines if line["kind"] == "start"},
        "isa": next(line["isa"] for line in lines if line["kind"] == "start"),
        "launches": given.launches,
        "targets": [summary.as_json() for summary in summaries],
        "rows": [vars(row) for row in rows],
    }
    if given.write:
        given.write.mkdir(parents=True, exist_ok=True)
        name = f"engine{f'-{given.isa}' if given.isa else ''}.json"
        (given.write / name).write_text(json.dumps(result, indent=1) + "\n")
    if given.json:
        print(json.dumps(result))
    else:
        _show(rows, names, summaries, result)


def _show(rows: list[Any], names: list[str], summaries: list[Any], result: dict[str, Any]) -> None:
    from gapless.bench.engine_tables import message_table, print_summary
    from gapless.display import console

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
