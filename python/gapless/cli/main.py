"""The `gapless` command: what the shell sees. Each subcommand parses, calls one function, and maps its outcome."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from gapless import __version__
from gapless.cli.advise import advise
from gapless.cli.bench import bench
from gapless.cli.compare import compare
from gapless.cli.demo import demo
from gapless.cli.doctor import doctor
from gapless.cli.explain import explain
from gapless.cli.measure import measure
from gapless.cli.profile import profile
from gapless.cli.report import report
from gapless.cli.run import RunCommand, run
from gapless.cli.tune import tune
from gapless.errors import GaplessError
from gapless.launch.variables import check_settings

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="MPI derived datatypes at contiguous speed: run programs under the layer, explain types, measure, and judge.",
)  # fmt: skip
app.command()(explain)
app.command()(doctor)
app.command()(report)
app.command(cls=RunCommand, context_settings={"allow_interspersed_args": False})(run)
app.command(context_settings={"allow_interspersed_args": False})(profile)
app.command()(compare)
app.command()(advise)
app.command()(tune)
app.command()(demo)
app.add_typer(measure, name="measure")
app.add_typer(bench, name="bench")


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
