"""Which ranks the layer reached, told by the files they left behind; and why none, if none did."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gapless.launch.elf import is_static, runs_privileged


@dataclass(frozen=True)
class Rank:
    """What one rank that the layer reached wrote into the run folder."""

    world_rank: int
    world_size: int
    library: str
    stats: dict[str, Any] = field(default_factory=dict)
    rules: str = ""  # the file of rules that is in force; none: the built-in ones
    rules_refused: str = ""  # one that is not, and why
    refused: str = ""  # the settings that the rank did not know
    agreed: bool = False  # whether collective calls of its world are changed
    agreement: str = ""  # why, or why not; empty: it was not asked
    unshared: str = ""  # why it shares no memory with the other processes of its node; empty if it does
    native: str = ""  # why the layer, though loaded, leaves every call of this rank to the library
    finalised: bool = True  # whether it wrote its statistics itself; said of ranks that count calls


def read_kept_counters(path: Path) -> dict[str, Any]:
    """Read the counters that a rank keeps in a file, as it would have written them at its end.

    The first line says what the numbers behind it are, so that any build's can be read. A file that is not there, or
    not complete, has none.
    """
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        names = json.loads(head)
        numbers = array("q", body)
    except (OSError, ValueError):
        return {}
    fields, reasons, procedures = names["fields"], names["declined"], names["procedures"]
    left = names.get("unpaired", [])
    width = len(fields) + len(reasons) + len(left)
    if len(numbers) != width * len(procedures):
        return {}
    found = {}
    for k, procedure in enumerate(procedures):
        row = numbers[k * width : (k + 1) * width].tolist()
        count = dict(zip(fields, row, strict=False))
        behind = row[len(fields) :]
        declined = {reason: n for reason, n in zip(reasons, behind, strict=False) if n}
        unpaired = {reason: n for reason, n in zip(left, behind[len(reasons) :], strict=True) if n}
        calls = count["accelerated"] + count.pop("plain") + sum(declined.values())
        if calls:
            found[procedure] = {"calls": calls, **count, "declined": declined, "unpaired": unpaired}
    return {"procedures": found}


def _calls(stats: dict[str, Any]) -> int:
    return sum(int(entry.get("calls", 0)) for entry in stats.get("procedures", {}).values())


def read_ranks(folder: Path) -> list[Rank]:
    """Read the files of all ranks that the layer reached; a file cut off by a crash still counts as a rank.

    What a rank wrote when it finalised MPI and what it kept while it ran are the same; where it ended in between, or
    the folder's other copies lag behind, the one with more calls is the later one.
    """
    ranks = []
    for path in sorted(folder.glob("*.json")):
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            entry = {}
        if not isinstance(entry, dict):
            entry = {}
        library = str(entry.get("library", "")).strip().splitlines()
        kept = read_kept_counters(path.with_suffix(".counters"))
        ranks.append(
            Rank(
                world_rank=int(entry.get("world_rank", -1)),
                world_size=int(entry.get("world_size", 0)),
                library=library[0] if library else "",
                agreed=bool(entry.get("agreed", False)),
                agreement=str(entry.get("agreement", "")),
                unshared=str(entry.get("unshared", "")),
                native=str(entry.get("native", "")),
                rules=str(entry.get("rules", "")),
                rules_refused=str(entry.get("rules_refused", "")),
                refused=str(entry.get("refused", "")),
                stats=max(entry.get("stats") or kept, kept, key=_calls),
                finalised=bool(entry.get("stats")),
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


def agreements(ranks: Sequence[Rank]) -> list[tuple[bool, str]]:
    """Return for each kind of world whether its processes agreed that collective calls are changed, and why."""
    return sorted({(rank.agreed, rank.agreement) for rank in ranks if rank.agreement})


def unshared(ranks: Sequence[Rank]) -> list[str]:
    """Return why ranks share no memory with the others of their node, each reason once."""
    return sorted({rank.unshared for rank in ranks if rank.unshared})


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


def unfinished_line(ranks: Sequence[Rank]) -> str:
    """Return what the statistics lack because ranks ended without MPI_Finalize; empty if none did."""
    unfinished = [rank for rank in ranks if not rank.finalised]
    lost = sum(not rank.stats for rank in unfinished)
    if not unfinished:
        return ""
    line = f"{len(unfinished)} of {len(ranks)} ranks ended without MPI_Finalize"
    if lost < len(unfinished):
        line += "; what they counted is in the sums, up to the call in which they ended"
    if lost:
        line += f"; the counts of {lost} are lost: there was no room for them in the folder of temporary files (TMPDIR)"
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
        "MPI is called past the loader's order: opened with dlmopen, or found otherwise than by dlsym",
        "what the ranks ran is a setuid program or a static one: nothing can be preloaded into it",
        "MPI is linked into the program as a static library (libmpi.a): link against libmpi.so",
        "the launcher or a wrapper script does not pass LD_PRELOAD and GAPLESS_RUN_DIR on to the ranks",
        "the ranks ran on other nodes and TMPDIR is not a folder that all nodes share",
    ]
