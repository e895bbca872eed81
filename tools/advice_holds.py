#!/usr/bin/env python3
"""How often `gapless advise` is right on rows that it was not made from.

Of stored runs (`gapless measure vector`, `apps`): each message whose fastest way is decided is advised for
from all others, and each by half of its launches against the other half.

    tools/advice_holds.py results/vector results/apps
"""

from __future__ import annotations

import sys
from pathlib import Path

from gapless.lab.advice.held_out import Tried, other_launches, other_rows
from gapless.lab.advice.stored import known_of
from gapless.lab.run_file import read_run


def say(name: str, tried: Tried) -> None:
    """Print a line."""
    share = f"{tried.right / tried.said:.1%}" if tried.said else "-"
    print(f"{name}\t{tried.rows}\t{tried.said}\t{tried.right}\t{share}\t{tried.named}")


def main() -> None:
    """Print the table."""
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        raise SystemExit(__doc__)
    stored = [known for name in sys.argv[1:] for known in known_of(read_run(Path(name)))]
    print("held out", "decided rows", "advised", "right", "of advised", "named right", sep="\t")
    say("the row and its group", other_rows(stored))
    say("half of the launches", other_launches([known.point for known in stored]))


if __name__ == "__main__":
    main()
