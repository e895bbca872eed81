"""The `gapless` command: what the shell sees."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from gapless.errors import GaplessError


def _plain_launch(words: Sequence[str]) -> Sequence[str]:
    """Return the command of a `gapless run` without options of its own; otherwise nothing."""
    if words[:1] != ["run"]:
        return []
    command = words[2:] if words[1:2] == ["--"] else words[1:]
    return [] if command and command[0].startswith("-") else command


def main() -> None:
    """Run the command; an error of ours is one line, never a traceback."""
    try:
        # `gapless run` stands before every launch. Without options it needs no parser of options, which takes as long
        # to load as all the rest; with some it need not wait until the other subcommands are loaded.
        if command := _plain_launch(sys.argv[1:]):
            from gapless.launch.run import Stats, run_under_layer
            from gapless.launch.variables import check_settings

            check_settings(os.environ)
            sys.exit(run_under_layer(command, Stats.parse(os.environ.get("GAPLESS_STATS"))))
        elif sys.argv[1:2] == ["run"]:
            from gapless.cli.root import root
            from gapless.cli.run import add_run

            app = root()
            add_run(app)
        else:
            from gapless.cli.commands import app
        app()
    except GaplessError as error:
        print(f"gapless: error: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print("gapless: interrupted", file=sys.stderr)
        sys.exit(130)
