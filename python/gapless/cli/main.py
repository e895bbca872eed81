"""The `gapless` command: what the shell sees."""

from __future__ import annotations

import sys

from gapless.errors import GaplessError


def main() -> None:
    """Run the command; an error of ours is one line, never a traceback."""
    try:
        # It stands before every launch, and need not wait until the others are loaded.
        if sys.argv[1:2] == ["run"]:
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
