"""What the checkers of directions share: arrows between folders, and what is said of a repository."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path


def closure(arrows: Mapping[str, tuple[str, ...]], folder: str) -> set[str]:
    """Return the folders that `folder` may see, itself among them."""
    reached, ahead = set(), [folder]
    while ahead:
        current = ahead.pop()
        if current not in reached:
            reached.add(current)
            ahead.extend(arrows[current])
    return reached


def main(name: str, usage: str | None, check: Callable[[Path], tuple[list[str], int]]) -> int:
    """Check the repository named on the command line."""
    if len(sys.argv) != 2:
        print(usage, file=sys.stderr)
        return 2
    violations, files = check(Path(sys.argv[1]))
    for violation in violations:
        print(violation)
    if files == 0:
        print(f"{name}: nothing to check below {sys.argv[1]}", file=sys.stderr)
        return 2
    print(f"{name}: {files} files, {len(violations)} violations")
    return 1 if violations else 0
