"""`gapless bench watching`: what the shell sees of it."""

from __future__ import annotations

import json as json_module
from functools import partial
from typing import Annotated

import typer

from gapless.cli.options import JsonOption, MpiOption, chosen_libraries


def watching(
    launches: Annotated[int, typer.Option(min=1, help="Launches natively, and as many watched.")] = 5,
    mpi: MpiOption = None,
    json: JsonOption = False,
) -> None:
    """Measure what 'gapless profile' adds to a call while it watches (limit: 100 ns).

    [bold]Example:[/bold]  gapless bench watching --mpi all

    Calls without a partner, so that no transport drowns the difference; the fastest launch of each side counts. Exits
    with status 1 if watching adds more.
    """
    from gapless.bench.watching import LIMIT_NS, PROGRAM, watched_calls
    from gapless.display import console, plain_table
    from gapless.lab.pingpong import progress_bar

    table = plain_table(
        f"What watching adds to a call, {launches} launches each",
        ["library", "call", "natively ns", "watched ns", "extra ns", "limit"],
        left=2,
    )
    chosen, found = chosen_libraries(mpi), []
    with progress_bar() as progress:
        task = progress.add_task("watching", total=launches * len(chosen), now="")
        for library in chosen:
            library.require(PROGRAM)
            shown = partial(progress.update, task, advance=1, now=library.name)
            for of in watched_calls(library, launches, lambda _, show=shown: show()):
                found.append({"library": library.name} | of.as_json())
                numbers = (f"{number:.1f}" for number in (min(of.native_ns), min(of.watched_ns), of.extra_ns))
                table.add_row(library.name, of.name, *numbers, f"{LIMIT_NS:.0f}")
    if json:
        print(json_module.dumps(found))
    else:
        console().print(table)
    raise typer.Exit(1 if any(of["extra_ns"] > LIMIT_NS for of in found) else 0)
