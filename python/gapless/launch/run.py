"""`gapless run`: a program under the layer, and the account of what the layer reached."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gapless.display import console
from gapless.errors import GaplessError
from gapless.launch.counters import as_json, counter_table, paired_table, pool_lines, pools, pools_json, total
from gapless.launch.fronts import Front, FrontName, choose_front
from gapless.launch.gained import gained_line
from gapless.launch.launcher import Launcher, RanksProgram, assigned, launcher_of, launcher_position, ranks_programs
from gapless.launch.layer import put_under
from gapless.launch.listener import Listener
from gapless.launch.numbers import numbers_setting
from gapless.launch.process import run_child
from gapless.launch.reach import (
    Rank,
    agreements,
    expected_ranks,
    likely_causes,
    reached_line,
    read_ranks,
    unfinished_line,
    unshared,
)
from gapless.launch.rules import rules_setting
from gapless.launch.temporary import temporary_folder
from gapless.launch.tuned import rules_lines
from gapless.launch.variables import check_settings

NOT_REACHED = 3
STATS_SCHEMA = 1
JSON_PREFIX = "json:"


def enabled(name: str) -> bool:
    """Say whether a GAPLESS_* switch is on: set, and neither empty nor 0."""
    return os.environ.get(name, "") not in ("", "0")


@dataclass(frozen=True)
class Stats:
    """Whether calls are counted, and where the sums go: into a file, or (without one) as a table to stderr."""

    on: bool = False
    file: Path | None = None

    @classmethod
    def parse(cls, text: str | None) -> Stats:
        """Read the value of --stats or GAPLESS_STATS: nothing or 0, ``json:FILE``, or anything else for the table.

        Raises
        ------
        GaplessError
            If the file cannot be written: known before a program runs for hours.
        """
        if text in (None, "", "0"):
            return cls()
        if not text.startswith(JSON_PREFIX):
            return cls(on=True)
        file = Path(text.removeprefix(JSON_PREFIX)).expanduser()
        try:
            with file.open("a", encoding="utf-8"):
                pass
        except OSError as error:
            raise GaplessError(
                f"the statistics cannot be written to {file} ({error.strerror})", "name another file: --stats json:FILE"
            ) from error
        return cls(on=True, file=file.resolve())


def _record(command: Sequence[str], front: Front, status: int, ranks: Sequence[Rank]) -> dict[str, Any]:
    """Return what the statistics file holds."""
    return {
        "schema": STATS_SCHEMA,
        "kind": "run",
        "command": list(command),
        "status": status,
        "front": front.as_json(),
        "ranks": {
            "reached": len(ranks),
            "expected": expected_ranks(ranks),
            "unfinished": sum(not rank.finalised for rank in ranks),
            "lost": sum(not rank.stats for rank in ranks),
        },
        "libraries": sorted({rank.library for rank in ranks if rank.library}),
        "agreements": [{"agreed": agreed, "why": why} for agreed, why in agreements(ranks)],
        "unshared": unshared(ranks),
        "procedures": as_json(total(ranks)),
        "shared_memory": pools_json(pools(ranks)),
    }


@dataclass(frozen=True)
class Prepared:
    """A command that can be run under the layer, any number of times."""

    command: Sequence[str]
    launcher: Launcher
    programs: Sequence[RanksProgram]
    front: Front

    def run(self, folder: Path, settings: Mapping[str, str]) -> int:
        """Run it with the layer under its ranks, which tell what became of them in a folder; return its exit status."""
        with Listener() as listener:
            kept = rules_setting() | numbers_setting()
            all_settings = {"GAPLESS_RUN_DIR": str(folder)} | kept | listener.settings | dict(settings)
            launch = put_under(self.command, str(self.front.path), all_settings, os.environ, self.launcher)
            return run_child(launch.command, launch.environment, listener.start)


def prepared(command: Sequence[str], wanted: FrontName, subcommand: str) -> Prepared:
    """Find out how a command is put under the layer.

    Raises
    ------
    GaplessError
        If there is no command, or the environment holds settings that are not known.
    """
    if not command:
        raise GaplessError(f"no command to {subcommand}", f"try 'gapless {subcommand} -- mpiexec -n 2 ./app'")
    launcher = launcher_of(command, os.environ)
    programs = ranks_programs(command, launcher, os.environ)
    for environment in (
        os.environ | assigned(command[: launcher_position(command)]),
        *(one.environment for one in programs),
    ):
        check_settings(environment)
    return Prepared(command, launcher, programs, choose_front(wanted, command, launcher, os.environ))


def run_under_layer(command: Sequence[str], stats: Stats, wanted: FrontName = FrontName.AUTO) -> int:
    """Run a command with the layer under its ranks and return the exit status for the shell.

    Parameters
    ----------
    command : sequence of str
        The user's command, launcher and all.
    stats : Stats
        Whether to count calls, and where the sums go.
    wanted : FrontName
        Which preload object to use.
    """
    launched = prepared(command, wanted, "run")
    front, programs = launched.front, launched.programs
    with temporary_folder("gapless-run-") as folder:
        # Watching natively, which the user's environment may ask for, is the opposite of this command.
        settings = {"GAPLESS_PROFILE": ""} | ({"GAPLESS_STATS": "1"} if stats.on else {})
        status = launched.run(Path(folder), settings)
        loaded = read_ranks(Path(folder))
    ranks = [rank for rank in loaded if not rank.native]
    if stats.file is not None:
        try:
            stats.file.write_text(json.dumps(_record(command, front, status, ranks), indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            _say(f"error: {stats.file}: {error.strerror}")
    if enabled("GAPLESS_DISABLE"):
        _say("the layer is disabled (GAPLESS_DISABLE is set): every call went straight to MPI")
        return status
    if not ranks:
        ended = f" (the program ended with status {status})" if status else ""
        _say(f"error: the layer reached no rank{ended}. Likely causes:")
        for cause in likely_causes(programs[0].path if programs else None, loaded):
            print(f"  - {cause}", file=sys.stderr)
        return status or NOT_REACHED
    _say(reached_line(ranks))
    for refused in sorted({rank.refused for rank in ranks if rank.refused}):
        _say(f"on some ranks {refused}")
    if stats.on or enabled("GAPLESS_LOG"):
        _say(f"front {front.name}: {front.reason}")
    if stats.on:
        _print_counts(ranks, table=stats.file is None)
    for line in rules_lines(ranks):
        _say(line)
    _say(gained_line(ranks))
    return status


def _say(line: str) -> None:
    print(f"gapless: {line}", file=sys.stderr)


def _print_counts(ranks: Sequence[Rank], table: bool) -> None:
    """Print the sums of all ranks, and what is missing from them."""
    sums = total(ranks)
    if table and sums:
        console(stderr=True).print(counter_table(sums))
    elif table and any(rank.stats for rank in ranks):
        _say("no call was counted: the ranks called nothing that the layer looks at")
    for agreed, why in agreements(ranks) if table else []:
        _say(f"collectives {'accelerated' if agreed else 'left to the library'}: {why}")
    paired = paired_table(sums) if table else None
    if paired is not None:
        console(stderr=True).print(paired)
    for line in pool_lines(pools(ranks)) if table else []:
        _say(line)
    for why in unshared(ranks) if table else []:
        _say(f"some ranks share no memory with their node: {why}")
    lacking = unfinished_line(ranks)
    if lacking:
        _say(lacking)
