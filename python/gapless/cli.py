"""The `gapless` command: what the shell sees. Each subcommand parses, calls one function, and maps its outcome."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from gapless import __version__
from gapless.cli_bench import bench
from gapless.cli_compare import compare
from gapless.cli_doctor import doctor
from gapless.cli_explain import explain
from gapless.cli_measure import measure
from gapless.cli_report import report
from gapless.cli_run import RunCommand, run
from gapless.cli_tune import tune
from gapless.errors import GaplessError
from gapless.paths import Build
from gapless.variables import check_settings

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="MPI derived datatypes at contiguous speed: run programs under the layer, explain types, measure, and judge.",
)  # fmt: skip
app.command()(explain)
app.command()(doctor)
app.command()(report)
app.command(cls=RunCommand, context_settings={"allow_interspersed_args": False})(run)
app.command()(compare)
app.command()(tune)
app.add_typer(measure, name="measure")
app.add_typer(bench, name="bench")

MpiOption = Annotated[
    Path | None,
    typer.Option(
        "--mpi",
        metavar="PREFIX",
        help="Measure the MPI there, which 'make build MPI=PREFIX' built for (default: that of 'make build').",
    ),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"gapless {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Declare the options of the command itself; refuse settings that are not known, but never help."""
    words = sys.argv[1:]
    own = words[: words.index("--")] if "--" in words else words
    if not {"-h", "--help"} & set(own):
        check_settings(os.environ)


@app.command()
def demo(
    mpi: MpiOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print the rows as a JSON list and nothing else.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A few seconds: one launch, two messages.")] = False,
) -> None:
    """Show what derived datatypes cost on this machine, and what they cost with Gapless (4 minutes).

    [bold]Example:[/bold]  gapless demo --json > table.json

    Prints a table and writes report.html here; the samples go to results/.

    [bold]Exit status:[/bold] 1 if a launch failed, or if the layer changed a result.
    """
    from gapless.demo import FULL, QUICK, run_demo

    run_demo(Build.find(mpi), QUICK if quick else FULL, json)


def main() -> None:
    """Run the command; an error of ours is one line, never a traceback."""
    try:
        app()
    except GaplessError as error:
        print(f"gapless: error: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print("gapless: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
