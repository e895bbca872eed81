"""`gapless measure trace`: what the shell sees of it."""

from __future__ import annotations

import json as json_module
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gapless.profile.trace import Measured, Trace

COLUMNS = (
    "library", "message", "type", "bytes", "messages", "contiguous_us", "native_us", "gapless_us", "faster", "low",
    "high", "launches",
)  # fmt: skip


def trace(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What 'gapless profile --json' wrote.")],
    mpi: Annotated[
        str | None,
        typer.Option("--mpi", metavar="NAMES", help="mpich, openmpi, intel, or a prefix; with commas."),
    ] = None,
    launches: Annotated[int, typer.Option(min=2, help="Launches of each library: the replicates.")] = 5,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the samples go (default: results/<time>-trace).")
    ] = None,
    layer: Annotated[bool, typer.Option(help="Also under the Gapless layer, interleaved.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Print the measured messages as JSON and nothing else.")] = False,
) -> None:
    """Measure the messages of a program's profile on any MPI library, natively and under the layer.

    [bold]Example:[/bold]

    gapless measure trace app.json --mpi mpich,openmpi --launches 10

    Each distinct layout and count goes to and fro between two ranks; data are verified; launches are the replicates
    (docs/methods.md). Peers, collective calls and overlap are not replayed: a message's time is weighted by how many
    of it the program sends.

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed or data were wrong (the rest is recorded); 2 usage.
    """
    from dataclasses import replace

    from gapless.cli.experiment import results_folder, say
    from gapless.lab.live import Display
    from gapless.lab.measure import new_session
    from gapless.lab.settings import PRESETS
    from gapless.profile.trace import measured, read_trace
    from gapless.targets.chosen import targets

    chosen = read_trace(file)
    settings = replace(
        PRESETS["quick"], tests=(), pairs=tuple(one.pair() for one in chosen.messages), launches=launches,
        fewest_launches=launches, budget_s=0, layer=layer,
    )  # fmt: skip
    folder = out or results_folder("trace")
    asked = {"mpi": mpi, "launcher": None, "two_nodes": False}
    with targets(mpi, None, False, say) as found, Display() as display:
        for target in found:
            if layer and not target.layer:
                display.say(f"{target.name} is measured without the layer: {target.reason}")
        session = new_session(folder, settings, found, f"gapless {shlex.join(sys.argv[1:])}", asked, display)
        session.measure()
    rows = measured(session.run(), chosen)
    if json:
        print(json_module.dumps([one.as_json() for one in rows], indent=1))
    else:
        _print(rows, chosen)
    for sentence in [*chosen.left_out, *session.failed]:
        say(sentence)
    say(f"samples in {folder}; 'gapless report {folder}' shows them")
    raise typer.Exit(1 if session.failed else 0)


def _print(rows: list[Measured], chosen: Trace) -> None:
    """Print a row for each message and library, and what all messages of the profile take together."""
    from gapless.display import bytes_text, console, plain_table
    from gapless.profile.texts import abridged, time_text
    from gapless.profile.trace import weighted

    cells = [
        (
            one.mpi, one.message.name, one.message.type, str(one.message.bytes), str(one.message.messages),
            f"{one.contiguous_ns / 1e3:.3f}", f"{one.native_ns / 1e3:.3f}",
            "" if one.gapless_ns is None else f"{one.gapless_ns / 1e3:.3f}",
            "" if one.gapless_ns is None else f"{one.native_ns / one.gapless_ns:.3f}",
            "" if one.low is None else f"{one.low:.3f}", "" if one.high is None else f"{one.high:.3f}",
            str(one.launches),
        )
        for one in rows
    ]  # fmt: skip
    if not sys.stdout.isatty():
        print("\t".join(COLUMNS))
        for row in cells:
            print("\t".join(row))
    else:
        table = plain_table("One message, one way", [name.replace("_", " ") for name in COLUMNS], left=3)
        for row in cells:
            table.add_row(*row[:2], abridged(row[2], 40), bytes_text(int(row[3])), *row[4:])
        console().print(table, markup=False)
    for mpi in dict.fromkeys(one.mpi for one in rows):
        contiguous, native, gapless = weighted(rows, mpi)
        said = f"contiguous {time_text(contiguous)}, natively {time_text(native)}"
        said += "" if gapless is None else f", under the layer {time_text(gapless)}"
        number = sum(one.messages for one in chosen.messages)
        print(f"gapless: {mpi}: all {number} messages of the profile, one after the other: {said}", file=sys.stderr)
