"""`gapless bench node-memory`: what the shell sees of it."""

from __future__ import annotations

import json as json_module
from typing import Annotated

import typer

from gapless.cli.options import BuildOption, JsonOption

POWERS = "2,4,8,16,32,64,128,256,512,1024"


def node_memory(
    processes: Annotated[str, typer.Option(metavar="NUMBERS", help="Processes of a node, with commas.")] = POWERS,
    peers: Annotated[
        int | None, typer.Option(min=1, help="With how many others each exchanges messages (default: with all).")
    ] = None,
    size: Annotated[int, typer.Option(min=64, max=1 << 20, help="Of a message [bytes].")] = 65_536,
    mpi: BuildOption = None,
    json: JsonOption = False,
) -> None:
    """Count the memory that processes of a node keep for each other, without an MPI library.

    [bold]Example:[/bold]  gapless bench node-memory --processes 2,64,256
    [bold]Example:[/bold]  gapless bench node-memory --peers 6 --json

    Each of so many processes sends a vector of doubles to its peers in turn, as the layer does it, and receives one
    from each; the data are compared. Records and pool are memory that all share, and are shown by process; tables,
    layouts and the system's page tables are a process's own; "a peer" is layouts and page tables divided by the number
    of peers; a channel is what collective calls of a communicator of all add to the node. All processes exist, so 1024
    of them take a minute on two cores, and 3 GB.
    """
    from gapless.bench.node_memory import MOST, PROGRAM, measure_node_memory, node_memory_table
    from gapless.display import console
    from gapless.errors import GaplessError
    from gapless.lab.pingpong import progress_bar
    from gapless.paths import Build

    numbers = [int(word) if word.strip().isdecimal() else 0 for word in processes.split(",")]
    if not all(2 <= number <= MOST for number in numbers):
        raise GaplessError(
            f"--processes {processes}: that is no list of numbers from 2 to {MOST}", "for example --processes 2,64"
        )
    build = Build.find(mpi)
    build.program(PROGRAM)
    with progress_bar() as progress:
        # The time that a node takes grows with the square of its processes.
        task = progress.add_task("node memory", total=sum(number * number for number in numbers), now="")
        measured = 0

        def now(number: int) -> None:
            nonlocal measured
            progress.update(task, completed=measured, now=f"{number} processes")
            measured += number * number

        rows = measure_node_memory(build, numbers, peers, size, now)
        progress.update(task, completed=measured)
    if json:
        print(json_module.dumps([vars(row) | {"of_process": row.of_process, "of_node": row.of_node} for row in rows]))
    else:
        console().print(node_memory_table(rows))
