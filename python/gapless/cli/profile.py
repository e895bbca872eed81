"""`gapless profile ...`: what the shell sees of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gapless.launch.fronts import FrontName

if TYPE_CHECKING:
    from gapless.profile.profile import Profile


def profile(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="The command as you would type it.")],
    both: Annotated[
        bool, typer.Option("--both", help="Run it once more under the layer, and compare layout by layout.")
    ] = False,
    runs: Annotated[
        int, typer.Option("--runs", min=1, help="Run it so often (each way in turn); from 3 on there are intervals.")
    ] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The page (default: gapless-profile.html).")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON, too; - is stdout.")
    ] = None,
    front: Annotated[FrontName, typer.Option("--front", help="The preload object, as for 'gapless run'.")] = (
        FrontName.AUTO
    ),
) -> None:
    """Show what its datatypes cost a program: each layout, who sends it where, how often, and how long that takes.

    [bold]Examples:[/bold]

    gapless profile -- mpiexec -n 2 ./app input.dat

    gapless profile --both --runs 5 -o app.html --json app.json -- mpiexec -n 2 ./app

    gapless profile -- mpiexec -n 4 python3 script.py

    The program runs natively, with the layer watching: every call goes
    straight to the MPI library, and each is noted, which takes at most 100 ns;
    of a datatype that is new, as where a program makes one for each
    message, several times that.
    With --both it runs as often under the layer, watched in the same way.

    The page needs no network: layouts as text and picture, call sites by
    module and offset (addr2line knows the line), peers, counts, bytes, the
    lengths of runs, times, and shares of the time from MPI_Init to
    MPI_Finalize. Packing is measured when the program has ended.

    A summary goes to standard error: a row for each layout; where that is no
    terminal, one for each message, with tabs between.

    'gapless measure trace FILE.json' measures the same messages on any MPI
    library. docs/profile.md says how to read all of it.

    [bold]Exit status:[/bold] the program's own; 3 if that is 0 and no rank was watched; 2 if the program could not be
    started.
    """
    import json as json_module

    from gapless.display import console
    from gapless.launch.whole_file import check_writable, write_whole
    from gapless.profile.profile import profile_json
    from gapless.profile.replay import replay
    from gapless.profile.watch import watched

    err = console(stderr=True)

    def say(text: str) -> None:
        err.print(f"gapless: {text}", soft_wrap=True, markup=False)

    target = output or Path("gapless-profile.html")
    check_writable(target, "-o")
    if json is not None and json != Path("-"):
        check_writable(json, "--json")
    found = watched(command, front, runs, both, say)
    replay(found)
    from gapless.profile.page import page

    write_whole(target, page(found), "-o")
    if json is not None:
        text = json_module.dumps(profile_json(found), indent=1) + "\n"
        if json == Path("-"):
            sys.stdout.write(text)
        else:
            write_whole(json, text, "--json")
    _print_summary(found)
    say(f"the page is {target}")
    raise typer.Exit(found.status)


def _print_summary(found: Profile) -> None:
    """Print sentences, and a table: for people on a terminal, with tabs elsewhere."""
    from gapless.display import console, plain_table
    from gapless.profile.texts import COLUMNS, SUMMARY, gain_lines, head_lines, summary_rows, table_rows

    err = console(stderr=True)
    for line in [*head_lines(found), *gain_lines(found)]:
        err.print(f"gapless: {line}", soft_wrap=True, markup=False)
    if not sys.stderr.isatty():
        rows = table_rows(found)
        if rows:
            print("\t".join(COLUMNS), file=sys.stderr)
        for row in rows:
            print("\t".join(row), file=sys.stderr)
        return
    rows = summary_rows(found)
    if not rows:
        return
    columns = SUMMARY if found.accelerated else SUMMARY[:-1]
    table = plain_table("Layouts, the most time first", columns, left=3)
    for row in rows:
        table.add_row(*row[: len(columns)])
    err.print(table, markup=False)
