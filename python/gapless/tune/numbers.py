"""Measures the numbers of the all-to-all model, in a second, and keeps them beside the rules."""

from __future__ import annotations

import contextlib
from datetime import date
from pathlib import Path

from gapless.errors import GaplessError
from gapless.lab.programs import json_lines, mpi_command
from gapless.launch.numbers import NAME, Numbers, Sections, numbers_text, parse_numbers, read_text
from gapless.launch.whole_file import write_whole
from gapless.targets.libraries import Library

PROGRAM = "lab/tune_numbers"


def measure_numbers(library: Library) -> Sections:
    """Return the numbers of one library at one distance, as a section. Native: what is measured is the library's."""
    for line in json_lines(library, mpi_command(library, PROGRAM, []), layer=False):
        if line["kind"] == "numbers":
            name = " ".join(line["library"].partition(",")[0].split())
            numbers = Numbers(line["latency_s"], line["bandwidth"], line["pack"])
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
