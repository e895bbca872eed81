"""Measures the numbers of the all-to-all model, in a second, and keeps them beside the rules."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from gapless.errors import GaplessError
from gapless.lab.programs import json_lines, mpi_command
from gapless.launch.numbers import NAME, Numbers, Sections, numbers_text, parse_numbers, read_text
from gapless.launch.whole_file import write_whole
from gapless.targets.libraries import Library

PROGRAM = "lab/tune_numbers"


# A call of ours must be faster by so much: what is measured is noise otherwise.
GAIN = 0.92


def range_of(ratios: Sequence[tuple[int, float]]) -> tuple[int, int] | None:
    """Return the longest range of sizes in which every ratio gains, in bytes, or None if none does.

    Parameters
    ----------
    ratios : sequence of (bytes, ratio)
        By size; a ratio below 1 gains. What is below the least size is like it.
    """
    best: list[int] = []
    now: list[int] = []
    for size, ratio in ratios:
        now = [*now, size] if ratio <= GAIN else []
        best = max(best, now, key=len)
    if len(best) < 2:  # one alone is luck
        return None
    return (1 if best[0] == ratios[0][0] else best[0], best[-1])


def measure_numbers(library: Library) -> Sections:
    """Return the numbers of one library at one distance, as a section.

    The model's are the library's, measured with the layer off; where the layer's own all-to-alls are faster, with it.
    """
    settings = {"GAPLESS_ALLTOALL": "own"}
    for line in json_lines(library, mpi_command(library, PROGRAM, []), layer=True, layer_settings=settings):
        if line["kind"] == "numbers":
            name = " ".join(line["library"].partition(",")[0].split())
            measured = line["alltoall"] or {"calls": [], "in-place": []}
            numbers = Numbers(
                line["latency_s"], line["bandwidth"], line["pack"],
                range_of(measured["calls"]), range_of(measured["in-place"]),
            )  # fmt: skip
            return {name: {"near" if line["near"] else "far": numbers}}
    raise GaplessError(f"{library.name}: nothing was measured", "try 'gapless doctor'")


def keep_numbers(folder: Path, measured: Sections, command: str) -> Path:
    """Write them into the folder of this machine; other libraries' and the other distance's are kept.

    Parameters
    ----------
    folder : Path
        That of the rules.
    measured : Sections
        What was measured now.
    command : str
        For people who read the file.

    Returns
    -------
    Path
        The file.
    """
    path = folder / NAME
    sections: Sections = {}
    with contextlib.suppress(OSError, ValueError):  # what is there is not ours: it is replaced
        sections = parse_numbers(read_text(path))
    for library, distances in measured.items():
        sections[library] = sections.get(library, {}) | distances
    comments = (f"Written by gapless tune: docs/alltoallv.md. {date.today()} {command}",)
    write_whole(path, numbers_text(sections, comments), "--out")
    return path
