"""Which ranks the layer reached, told by the files they left behind; and why none, if none did."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gapless.elf import is_static, runs_privileged


@dataclass(frozen=True)
class Rank:
    """What one rank that the layer reached wrote into the run folder."""

    world_rank: int
    world_size: int
    library: str
    stats: dict[str, Any] = field(default_factory=dict)
    native: str = ""  # why the layer, though loaded, leaves every call of this rank to the library


def read_ranks(folder: Path) -> list[Rank]:
    """Read the files of all ranks that the layer reached; a file cut off by a crash still counts as a rank."""
    ranks = []
    for path in sorted(folder.glob("*.json")):
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            entry = {}
        if not isinstance(entry, dict):
            entry = {}
        library = str(entry.get("library", "")).strip().splitlines()
        ranks.append(
            Rank(
                world_rank=int(entry.get("world_rank", -1)),
                world_size=int(entry.get("world_size", 0)),
                library=library[0] if library else "",
                native=str(entry.get("native", "")),
                stats=entry.get("stats") or {},
            )
        )
    return ranks


def expected_ranks(ranks: Sequence[Rank]) -> int:
    """Return how many ranks there were, to the knowledge of those that were reached.

    One command may start several worlds (a script with two mpiexec calls, MPI_Comm_spawn): a world rank that occurs
    twice among ranks of equal world size stands for two worlds of that size.
    """
    total = 0
    for size in {rank.world_size for rank in ranks}:
        worlds = Counter(rank.world_rank for rank in ranks if rank.world_size == size)
        total += max(worlds.values()) * size
    return max(total, len(ranks))


def library_name(ranks: Sequence[Rank]) -> str:
    """Return the MPI library in a few words, for example ``MPICH 5.0.2``."""
    names = {rank.library.replace("Version:", " ") for rank in ranks if rank.library}
    short = sorted({" ".join(name.partition(",")[0].split()[:4]) for name in names})
    return ", ".join(short) if short else "unknown MPI"


def reached_line(ranks: Sequence[Rank]) -> str:
    """Return the line that ends a run: how many ranks the layer reached, and on which MPI."""
    expected = expected_ranks(ranks)
    line = f"the layer reached {len(ranks)} of {expected} ranks ({library_name(ranks)})"
    if len(ranks) < expected:
        line += "; ranks on other nodes can report only if TMPDIR is a folder that all nodes share"
    return line


def likely_causes(program: Path | None, unserved: Sequence[Rank] = ()) -> list[str]:
    """Return why the layer may have reached no rank, the certain causes first and alone.

    Parameters
    ----------
    program : Path or None
        The program that the ranks ran, if it could be told from the command.
    unserved : sequence of Rank
        Ranks into which the layer was loaded, but which it cannot serve.
    """
    if unserved:
        return [
            f"{library_name([rank])}: {rank.native}; every call went straight to the library"
            for rank in {(rank.library, rank.native): rank for rank in unserved}.values()
        ]
    if program is not None and is_static(program):
        return [f"{program} is a static program, nothing can be preloaded into it: link it dynamically"]
    if program is not None and runs_privileged(program):
        return [
            f"{program} is setuid or has file capabilities, so the loader ignores LD_PRELOAD: run a plain copy of it"
        ]
    return [
        "the program never called MPI_Init",
        "what the ranks ran is a setuid program or a static one: nothing can be preloaded into it",
        "MPI is linked into the program as a static library (libmpi.a): link against libmpi.so",
        "the launcher or a wrapper script does not pass LD_PRELOAD and GAPLESS_RUN_DIR on to the ranks",
        "the ranks ran on other nodes and TMPDIR is not a folder that all nodes share",
    ]
