"""What `gapless` itself has, whichever its subcommand: its help, --version, and the check of the user's settings."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from gapless import __version__
from gapless.launch.variables import check_settings


def root() -> typer.Typer:
    """Return the command without a subcommand."""
    app = typer.Typer(
        no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
        help="MPI derived datatypes at contiguous speed: run programs under the layer, explain types, measure, "
        "and judge.",
    )  # fmt: skip
    app.callback()(_options)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"gapless {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Declare the options of the command itself; refuse settings that are not known, but never help."""
    words = sys.argv[1:]
    own = words[: words.index("--")] if "--" in words else words
    if not {"-h", "--help"} & set(own):
        check_settings(os.environ)
