"""What creating and committing a large irregular type costs: the engine against MPI libraries, launched in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from rich.table import Table

from gapless.display import plain_table
from gapless.errors import GaplessError
from gapless.lab.programs import json_lines
from gapless.lab.statistics import median_of_medians
from gapless.launch.temporary import temporary_folder
from gapless.paths import Build
from gapless.targets.rivals import rivals

ENGINE = "gapless"
LIBRARIES = (ENGINE, "mpich", "openmpi", "impi")


@dataclass
class Measured:
    """What one library answered: its lines of every launch, or the reason why it did not."""

    library: str
    version: str = ""
    reason: str = ""
    launches: list[list[dict[str, Any]]] = field(default_factory=list)

    def samples(self, case: str, name: str) -> list[list[float]]:
        """Return the samples of a case, a list per launch."""
        return [line[name] for launch in self.launches for line in launch if line.get("case") == case]


@dataclass(frozen=True)
class CommitRow:
    """One case of one library, per block of the type; a `reason` instead of numbers if there are none."""

    case: str
    library: str
    blocks: int = 0
    create_ns: float | None = None
    free_ns: float | None = None
    bytes_kept: float | None = None
    ratio: float | None = None
    first_ns: float | None = None
    first_ratio: float | None = None
    reason: str = ""


def _commands(build: Build, names: Sequence[str], folder: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the command of every library that can be measured, and the reasons of those that cannot."""
    commands, reasons = {}, {}
    by_name = {rival.name: rival for rival in rivals(build)}
    for name in names:
        try:
            if name == ENGINE:
                commands[name] = [str(build.program("bench/commit_engine"))]
            elif name in by_name:
                commands[name] = by_name[name].compile("bench/commit_mpi.c", folder)
            else:
                raise GaplessError(f"no library is called {name}", f"choose from {', '.join(LIBRARIES)}")
        except GaplessError as error:
            if name not in by_name:
                raise
            reasons[name] = str(error)
    return commands, reasons


def measure_commit(
    build: Build,
    libraries: Sequence[str],
    blocks: int,
    repetitions: int,
    launches: int,
    now: Callable[[int], None] = lambda _: None,
) -> list[Measured]:
    """Launch every library in turn, as often as told; the first library and the first case change with each launch.

    Parameters
    ----------
    build : Build
        What to measure.
    libraries : sequence of str
        Names from LIBRARIES.
    blocks, repetitions, launches : int
        Blocks of a type, creations in a launch, and launches of each library.
    now : callable
        Told the number of finished rounds.
    """
    measured = {name: Measured(name) for name in libraries}
    with temporary_folder("gapless-bench-") as folder:
        commands, reasons = _commands(build, libraries, Path(folder))
        for name, reason in reasons.items():
            measured[name].reason = reason
        names = list(commands)
        for launch in range(launches):
            for name in names[launch % len(names) :] + names[: launch % len(names)]:
                answer = measured[name]
                if answer.reason:
                    continue
                command = [*commands[name], str(blocks), str(repetitions), str(launch)]
                try:
                    lines = list(json_lines(build, command, layer=False))
                except GaplessError as error:
                    answer.reason = str(error)
                    continue
                answer.version = next((line["library"] for line in lines if "library" in line), answer.version)
                answer.launches.append([line for line in lines if "case" in line])
            now(launch + 1)
    return list(measured.values())


def commit_rows(measured: Sequence[Measured]) -> list[CommitRow]:
    """Return the rows of the table: medians over launches of each launch's median, per block.

    `ratio` is the time of create and commit to that of the fastest *rival* in the same case: below 1 on the engine's
    row says that the engine is faster than all of them. It is None where no rival was measured. `first_ns` is the
    first creation of a process, whose memory the system must still hand out; one case of each launch has it.
    """
    cases = list(dict.fromkeys(line["case"] for of in measured for launch in of.launches for line in launch))
    rows = []
    for case in sorted(cases):
        blocks = next(line["blocks"] for of in measured for launch in of.launches for line in launch)
        times = {
            of.library: median_of_medians(of.samples(case, "create_ns")) / blocks
            for of in measured
            if not of.reason and of.samples(case, "create_ns")
        }
        first = {
            of.library: median(line["first_ns"] for launch in of.launches for line in launch
                               if line["case"] == case and "first_ns" in line) / blocks
            for of in measured
            if any(line["case"] == case and "first_ns" in line for launch in of.launches for line in launch)
        }  # fmt: skip
        best_first = min((time for library, time in first.items() if library != ENGINE), default=None)
        best = min((time for library, time in times.items() if library != ENGINE), default=None)
        for of in measured:
            if of.library not in times:
                rows.append(CommitRow(case, of.library, reason=of.reason or "it measured nothing"))
                continue
            kept = [line["bytes_kept"] for launch in of.launches for line in launch if line["case"] == case]
            rows.append(
                CommitRow(
                    case,
                    of.library,
                    blocks,
                    times[of.library],
                    median_of_medians(of.samples(case, "free_ns")) / blocks,
                    median(kept) / blocks,
                    times[of.library] / best if best else None,
                    first.get(of.library),
                    first[of.library] / best_first if best_first and of.library in first else None,
                )
            )
    return rows


def commit_table(rows: Sequence[CommitRow]) -> Table:
    """Render the rows: per case the engine and every rival, a missing one with its reason."""
    blocks = max((row.blocks for row in rows), default=0)
    table = plain_table(
        f"A type of {blocks:,} blocks, per block",
        ["case", "library", "first ns", "to fastest", "again ns", "to fastest", "free ns", "bytes kept"],
        left=2,
    )
    case = None
    for row in rows:
        if case is not None and case != row.case:
            table.add_section()
        name = "" if row.case == case else row.case
        case = row.case
        numbers = (row.first_ns, row.first_ratio, row.create_ns, row.ratio, row.free_ns, row.bytes_kept)
        forms = ("{:.2f}", "×{:.2f}", "{:.2f}", "×{:.2f}", "{:.2f}", "{:.2f}")
        cells = ["-" if number is None else form.format(number) for number, form in zip(numbers, forms, strict=True)]
        table.add_row(name, row.library, *cells)
    reasons = dict.fromkeys(f"{row.library}: {row.reason}" for row in rows if row.reason)
    table.caption = "\n".join(reasons) or None
    return table
