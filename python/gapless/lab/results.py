"""Result files: one JSON object a line, written as they come, read back for tables and reports."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from gapless.errors import GaplessError

SCHEMA = 1
Line = dict[str, Any]


def new_file(kind: str) -> Path:
    """Return a fresh path ``results/<timestamp>-<kind>.jsonl`` below the current folder."""
    return Path("results") / f"{datetime.now():%Y%m%d-%H%M%S}-{kind}.jsonl"


class Recorder:
    """Appends lines to a result file and keeps them in memory.

    Parameters
    ----------
    path : Path
        The file; its folder is made if it is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[Line] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except OSError as error:
            raise GaplessError(f"cannot write {path}: {error.strerror}", "choose another file with --out") from error

    def add(self, line: Line) -> None:
        """Append one line; it is on disk when this returns, so an interrupted run keeps what it measured."""
        self.lines.append(line)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def read(path: Path) -> list[Line]:
    """Read a result file; a line of another schema or no JSON is an error that names it."""
    lines: list[Line] = []
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise GaplessError(f"cannot read {path}: {error.strerror}", "name a file from results/") from error
    except UnicodeDecodeError as error:
        raise GaplessError(f"{path} is no result file ({error.reason})", "name a file from results/") from error
    for number, row in enumerate(text.splitlines(), 1):
        try:
            line = json.loads(row)
            schema = line["schema"]
        except (ValueError, KeyError, TypeError) as error:
            raise GaplessError(f"{path}:{number} is not a result line", "remove the line, or measure again") from error
        if schema != SCHEMA:
            raise GaplessError(
                f"{path}:{number} has schema {schema}, not {SCHEMA}", "read it with the version that wrote it"
            )
        lines.append(line)
    return lines


@dataclass(frozen=True)
class Key:
    """What a set of ping-pong samples measured."""

    group: str
    description: str
    method: str


def samples_by_key(lines: Iterable[Line]) -> dict[Key, list[Line]]:
    """Collect the sample lines of the ping-pong, all launches of one measurement together."""
    collected: dict[Key, list[Line]] = {}
    for line in lines:
        if line["kind"] == "samples" and line.get("experiment") == "pingpong":
            collected.setdefault(Key(line["group"], line["description"], line["method"]), []).append(line)
    return collected


def of_kind(lines: Iterable[Line], kind: str) -> list[Line]:
    """Return the lines of one kind."""
    return [line for line in lines if line["kind"] == kind]
