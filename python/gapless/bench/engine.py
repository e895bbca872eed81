"""`gapless bench engine`: launches the measuring program on every library in turn, and makes rows of what it says."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gapless.errors import GaplessError
from gapless.lab.programs import json_lines, mpi_command
from gapless.lab.results import SCHEMA, Line
from gapless.lab.statistics import median_of_medians, ratio_of_medians
from gapless.targets.libraries import Library

PROGRAM = "bench/engine/bench_engine"
SETS = "baseline, avx2 and avx512 on x86-64, baseline and neon on AArch64"
# A launch over all cases takes the better part of an hour.
TIMEOUT_S = 24 * 3600
LINE_BYTES = 64


@dataclass(frozen=True)
class EngineRow:
    """One message, one way, one rival.

    Attributes
    ----------
    case, group, op, caches : str
        What was measured: "tiled/v1/A=2", "layout", "pack", "warm".
    bytes, nominal_bytes : int
        Payload, and the size that was asked for (0: the case has one of its own).
    chunk : int
        0 for the whole message in one call; else the bytes of each call, and the rival is "whole" or "touched".
    rival : str
        hand, memcpy, limit, whole, touched, description:NAME, or a library's name.
    loop : str
        Which of the rival's loops was the fastest.
    gb_per_s, rival_gb_per_s : float
        Payload over time; of "limit", the payload over the time for all touched lines.
    ratio, ci_low, ci_high : float
        Speed of Gapless to that of the rival (docs/methods/engine.md says how); above 1 Gapless is faster.
    launches : int
        Replicates.
    shortest_run : int
        Bytes of the shortest contiguous run of the message.
    transposes : bool
        The message visits cache lines again and again.
    """

    case: str
    group: str
    op: str
    bytes: int
    nominal_bytes: int
    caches: str
    chunk: int
    rival: str
    loop: str
    gb_per_s: float
    rival_gb_per_s: float
    ratio: float
    ci_low: float
    ci_high: float
    launches: int
    shortest_run: int
    transposes: bool


def measure_engine(
    libraries: Sequence[Library],
    launches: int,
    arguments: Sequence[str],
    now: Callable[[float, str], None] = lambda _, __: None,
    isa: str | None = None,
    first_launch: int = 1,
    keep: Callable[[Line], None] = lambda _: None,
) -> list[Line]:
    """Launch the program on every library in turn, as often as told.

    In each launch another library begins, and its process measures all rivals; in those of the others the engine runs
    against the library alone.

    Parameters
    ----------
    libraries : sequence of Library
        What to compare with.
    launches : int
        Launches of each library.
    arguments : sequence of str
        For the program.
    now : callable
        Told the number of finished processes, with a fraction, and what is measured now.
    isa : str, optional
        The kernels to force (GAPLESS_ISA).
    first_launch : int
        The number of the first launch.
    keep : callable
        Given each line as it comes, so that an interrupted run leaves what it measured.

    Raises
    ------
    GaplessError
        If a process fails, as it does where a byte is wrong, or runs other kernels than `isa`.
    """
    lines: list[Line] = []
    if isa is not None:
        libraries = [
            dataclasses.replace(of, environment=dict(of.environment) | {"GAPLESS_ISA": isa}) for of in libraries
        ]
    done = 0
    for launch in range(first_launch, first_launch + launches):
        turn = (launch - 1) % len(libraries)
        for i, library in enumerate([*libraries[turn:], *libraries[:turn]]):
            extent = [] if i == 0 else ["--rival", "library", "--temperature", "warm"]
            command = mpi_command(library, PROGRAM, ["--launch", str(launch), *arguments, *extent], ranks=1)
            for line in json_lines(library, command, layer=False, timeout_s=TIMEOUT_S):
                if line["kind"] == "progress":
                    now(done + line["done"] / max(line["of"], 1), f"{library.name}, {line['case']}")
                    continue
                if line["kind"] == "start" and isa not in (None, line["isa"]):
                    raise GaplessError(
                        f"the kernels for {isa} are not in force on {library.name}, but those for {line['isa']}",
                        f"leave out --isa, or name one that this machine runs: there are {SETS}",
                    )
                if line.get("rival") == "library":
                    line["rival"] = library.name
                lines.append({"schema": SCHEMA, "process": library.name, **line})
                keep(lines[-1])
            done += 1
            now(done, "")
    if not any(line["kind"] == "samples" for line in lines):
        raise GaplessError("no case was measured", f"'build/release/{PROGRAM} --list' names the cases")
    return lines


def limit_factor(line: Line) -> float:
    """Return how many bytes the engine moves for each that a loop over the touched lines moves.

    The loop reads and writes every line of the user's side. The engine moves those lines on that side once, and the
    payload on the other; of an unpack it also reads the lines that it writes only in part.
    """
    lines = line["lines"] + (line["partial_lines"] if line["op"] == "unpack" else 0)
    return (lines * LINE_BYTES + line["bytes"]) / (2 * line["lines"] * LINE_BYTES)


Set = dict[tuple[str, int], Line]


def _sets(lines: Iterable[Line]) -> dict[tuple[Any, ...], list[Set]]:
    """Return, for each message, the rivals that were measured together: a set per process."""
    found: dict[tuple[Any, ...], dict[tuple[Any, ...], Set]] = {}
    for line in lines:
        if line["kind"] == "samples":
            key = tuple(line[name] for name in ("case", "op", "nominal_bytes", "temperature"))
            process = (line["launch"], line["process"])
            found.setdefault(key, {}).setdefault(process, {})[line["rival"], line["chunk"]] = line
    return {key: list(of.values()) for key, of in found.items()}


def engine_rows(lines: Iterable[Line]) -> list[EngineRow]:
    """Return the rows of the table: every rival of every message, launches together."""
    rows = []
    for sets in _sets(lines).values():
        for rival, chunk in dict.fromkeys(key for of in sets for key in of):
            if (rival, chunk) == ("gapless", 0):
                continue
            together = [of for of in sets if (rival, chunk) in of]
            theirs = [of[rival, chunk] for of in together]
            # Of parts, the engine's own are rated against its whole messages; others are against the engine's parts.
            ours = [of["gapless", 0 if rival == "gapless" else chunk] for of in together]
            if rival == "gapless":
                theirs, ours = ours, theirs
            line = theirs[0]
            samples = [(them["samples"], us["samples"]) for them, us in zip(theirs, ours, strict=True)]
            factor = limit_factor(line) if rival == "limit" else 1.0
            ratio = ratio_of_medians(samples)
            rows.append(
                EngineRow(
                    case=line["case"],
                    group=line["group"],
                    op=line["op"],
                    bytes=line["bytes"],
                    nominal_bytes=line["nominal_bytes"],
                    caches=line["temperature"],
                    chunk=chunk,
                    rival="whole" if rival == "gapless" else rival,
                    loop=line["loop"],
                    gb_per_s=line["bytes"] / median_of_medians(us for _, us in samples),
                    rival_gb_per_s=line["bytes"] / median_of_medians(them for them, _ in samples),
                    ratio=factor * ratio.ratio,
                    ci_low=factor * ratio.low,
                    ci_high=factor * ratio.high,
                    launches=len(samples),
                    shortest_run=line["shortest_run"],
                    transposes=line["transposes"],
                )
            )
    return rows


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(ratios))))


def best_library_rows(rows: Iterable[EngineRow], libraries: Sequence[str]) -> list[EngineRow]:
    """Return, for every message, the row of the fastest library there: the one with the least ratio."""
    best: dict[tuple[Any, ...], EngineRow] = {}
    for row in rows:
        if row.rival in libraries:
            key = (row.case, row.op, row.nominal_bytes, row.caches)
            best[key] = min(best.get(key, row), row, key=lambda of: of.ratio)
    return list(best.values())
