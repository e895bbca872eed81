"""`gapless bench collectives`."""

from __future__ import annotations

import json as json_module
import shlex
import sys
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


def collectives(
    launches: LaunchesOption = 5,
    mpi: MpiOption = None,
    only: FilterOption = "",
    ranks: Annotated[
        str, typer.Option(metavar="LIST", help="Numbers of processes, e.g. 2,3,4; more than cores measure waiting.")
    ] = "2",
    quick: Annotated[
        bool, typer.Option("--quick", help="256 KB and 2.56 MB, A = 2 and 1000, tiled and alternating only.")
    ] = False,
    reps: Annotated[int, typer.Option(min=1, help="Samples of each way in a launch.")] = 7,
    tsv: TsvOption = None,
    stored: Annotated[list[Path] | None, typer.Option("--from", help="Judge stored samples instead.")] = None,
    json: JsonOption = False,
) -> None:
    """Measure strided collective calls within a node: by the library, packed, and through shared memory.

    [bold]Examples:[/bold]

    gapless bench collectives --mpi all --tsv collectives.tsv

    gapless bench collectives --quick --filter alltoallw --ranks 2,3,4

    gapless bench collectives --mpi openmpi --filter bcast/2/fresh/2560000

    MPI_Alltoallw without data to oneself, the same with the neighbours in a ring, MPI_Bcast and MPI_Allgather, of the
    basic layouts of Expectation Test 1 (A = 2, 10, 100, 1000 ints). In each launch four ways take turns:
      native      the library's typed call, the layer off;
      local       the layer on, each process packs its own, the library sends;
      paired      the layer on, from layout to layout through memory that the processes share, whatever the size;
      contiguous  the library's call on as many ints without gaps.
    Data are verified before and after timing; a sample is one call, of the process that took longest. "constant" data
    are never written again, "fresh" ones by all senders before each call: the ratio "with writing" has the time of
    that, too. A ratio is the time of paired over another way's: below 1 it is faster. "faster" and "slower" count the
    layouts whose whole interval lies more than 5 % beyond local; five launches make it one over launches.

    A group's name, for --filter: PATTERN/RANKS/DATA/BYTES/LAYOUT/A=NUMBER.
    """
    from gapless.bench.collectives import (
        PROGRAM,
        collective_rows,
        collective_table,
        collective_tsv,
        measure_collectives,
    )
    from gapless.display import console
    from gapless.errors import GaplessError
    from gapless.lab.environment import environment_line
    from gapless.lab.launch_facts import peer_lines_text
    from gapless.lab.pingpong import progress_bar
    from gapless.lab.results import Recorder, new_file, read

    if stored:
        lines = {path.stem: read(path) for path in stored}
    else:
        try:
            sizes = [int(word) for word in ranks.split(",")]
        except ValueError:
            sizes = [0]
        if min(sizes) < 2:
            raise GaplessError(f"--ranks {ranks}: that is no list of numbers from 2 on", "for example --ranks 2,4")
        recorders = {}
        libraries = chosen_libraries(mpi)
        for library in libraries:
            library.require(PROGRAM)
            recorders[library.name] = Recorder(new_file(f"collectives-{library.name}"))
            recorders[library.name].add(environment_line(library, f"gapless {shlex.join(sys.argv[1:])}"))
        with progress_bar() as progress:
            measure_collectives(libraries, sizes, launches, reps, quick, only, recorders, progress)
        lines = {name: recorder.lines for name, recorder in recorders.items()}
        for name, recorder in recorders.items():
            console(stderr=True).print(f"gapless: {name}: samples in {recorder.path}", soft_wrap=True)
    rows = {name: collective_rows(name, of) for name, of in lines.items()}
    everything = [row for of in rows.values() for row in of]
    if tsv:
        tsv.write_text(collective_tsv(everything), encoding="utf-8")
    if json:
        print(json_module.dumps([row.as_json() for row in everything]))
        return
    out = console()
    out.width = max(out.width, 160)
    for name, of in rows.items():
        out.print(collective_table(f"{name}: the time of paired over another way's, medians over layouts", of))
        peers = peer_lines_text(lines[name])
        if peers:
            out.print(f"{name}: {peers}", soft_wrap=True, markup=False)


def register(bench: typer.Typer) -> None:
    """Make the command known."""
    bench.command()(collectives)
