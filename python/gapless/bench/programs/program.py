"""What `gapless bench programs` knows of a program: how it is installed and started, and what it says of itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gapless.errors import GaplessError
from gapless.launch.process import Ended
from gapless.targets.libraries import Library
from gapless.targets.on_demand import Say

RANK_PROGRAMS = Path(__file__).parent / "ranks"


@dataclass(frozen=True)
class Answer:
    """What a launch found: its own times, what tells its result from another, and whether that is right.

    Attributes
    ----------
    samples_s : list of float
        Seconds of the slowest rank, repetition by repetition.
    result : list of str
        Equal exactly if the results are, as far as the program shows them.
    passed : bool
        Whether the result is right by the program's own measure.
    """

    samples_s: list[float]
    result: list[str]
    passed: bool


@dataclass(frozen=True)
class Started:
    """What the ranks run, and what their environment must say besides the library's own settings."""

    words: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """A program and how it is driven.

    Attributes
    ----------
    name, package : str
        What users call it here, and where it comes from.
    what : str
        What it does, and with which datatypes.
    shows : str
        What of its result is compared, and what of it is timed.
    libraries : tuple of str
        The MPI libraries that it is built for.
    install : callable
        Fetches and builds it unless it is there, saying what it does.
    start : callable
        Prepares an empty folder, in which the ranks start, and returns what they run there.
    read : callable
        Returns the answer of a launch that ended well, or None if it gave none.
    """

    name: str
    package: str
    what: str
    shows: str
    libraries: tuple[str, ...]
    install: Callable[[Say], None]
    start: Callable[[Library, Path], Started]
    read: Callable[[Ended, Path], Answer | None]
    ranks: int = 2


def rank_words(folder: Path, name: str, *arguments: object, python: str = sys.executable) -> list[str]:
    """Return what ranks run that report into files (ranks/report.py)."""
    return [python, str(RANK_PROGRAMS / f"{name}.py"), str(folder), *map(str, arguments)]


def read_reports(ended: Ended, folder: Path) -> Answer | None:
    """Return the answer of ranks that reported into files: a repetition lasts as long as its slowest rank."""
    found = []
    for path in sorted(folder.glob("rank-*.json")):
        try:
            found.append(json.loads(path.read_text(encoding="utf-8")))
        except ValueError:
            return None
    if not found:
        return None
    samples = [max(of) for of in zip(*(rank["samples_s"] for rank in found), strict=True)]
    return Answer(samples, [rank["digest"] for rank in found], all(rank["passed"] for rank in found))


def choose(programs: Mapping[str, Program], names: list[str] | None) -> list[Program]:
    """Return the programs of these names, each once; all if none is named.

    Raises
    ------
    GaplessError
        If one is not known.
    """
    for name in names or ():
        if name not in programs:
            raise GaplessError(f"--program {name}: there is none of that name", f"name one of {', '.join(programs)}")
    return [programs[name] for name in dict.fromkeys(names or programs)]
