"""The exchanges of applications, as lab/cases prints them: sixteen tests of DDTBench and their sizes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from gapless.errors import GaplessError
from gapless.lab.cases import PAYLOAD
from gapless.lab.catalogue import CONTIGUOUS
from gapless.lab.layouts.layout import Message
from gapless.lab.results import Line
from gapless.targets.libraries import find_library

PROGRAM = "lab/cases"
# The names of DDTBench. Of WRF there are two descriptions, and each is a test.
TESTS = (
    "WRF_x_vec", "WRF_x_sa", "WRF_y_vec", "WRF_y_sa", "MILC_su3_zd", "NAS_LU_x", "NAS_LU_y", "NAS_MG_x", "NAS_MG_y",
    "NAS_MG_z", "FFT2", "SPECFEM3D_mt", "SPECFEM3D_oc", "SPECFEM3D_cm", "LAMMPS_full", "LAMMPS_atomic",
)  # fmt: skip
DDTBENCH, LARGER, GHOST = "applications", "larger", "ghost"


@dataclass(frozen=True)
class AppCase:
    """One exchange of one application in one size.

    Attributes
    ----------
    name : str
        For example ``WRF_x/2x2``.
    family : str
        ``applications`` (a size of DDTBench), ``larger`` (one of the study of 2022) or ``ghost`` (a face
        of miniGhost, from the same study; without loops by hand).
    bytes : int
        What one rank sends on the whole [bytes], as DDTBench counts.
    pattern : str
        pingpong or alltoall.
    base : str
        float or double.
    contiguous : Message
        The same bytes as an array of the base type.
    descriptions : dict
        Each way to describe it as an MPI datatype, by name.
    """

    name: str
    family: str
    bytes: int
    pattern: str
    base: str
    contiguous: Message
    descriptions: dict[str, Message]

    @property
    def layout(self) -> str:
        """Return for example ``WRF_x``."""
        return self.name.partition("/")[0]

    def test(self, description: str) -> str:
        """Return the name that DDTBench has for it."""
        return f"{self.layout}_{description}" if len(self.descriptions) > 1 else self.layout


def read_case(line: Line) -> AppCase:
    """Return a case from a line of lab/cases."""
    payload, *described = line["messages"]
    assert payload["name"] == PAYLOAD
    descriptions = {}
    for message in described:
        more = {key: message[key] for key in ("origin", "receive") if key in message}
        more |= {"loops": line["loops"]} if "loops" in line else {}
        # NAS_LU_x is dense, and so its description is called as the reference of every group is.
        name = "dense" if message["name"] == CONTIGUOUS else message["name"]
        descriptions[name] = Message(message["count"], message["type"], more=more)
    blocks = line["blocks"]
    return AppCase(
        line["group"], line["family"], line["payload_bytes"] * blocks, "alltoall" if blocks > 1 else "pingpong",
        payload["type"], Message(payload["count"], payload["type"]), descriptions,
    )  # fmt: skip


@cache
def all_cases() -> tuple[AppCase, ...]:
    """Return every case, of DDTBench, larger, and faces of a grid.

    Raises
    ------
    GaplessError
        If the program that prints them was not built, or fails.
    """
    library = find_library()
    command = [str(library.program(PROGRAM)), "--layouts", f"{DDTBENCH},{LARGER},{GHOST}", "--loops"]
    environment = {**os.environ, **library.settings}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise GaplessError(f"{command[0]} failed: {done.stderr.strip()[-300:]}", "run 'make build ALL=1'")
    return tuple(read_case(json.loads(line)) for line in done.stdout.splitlines())


def named_tests(words: Sequence[str]) -> list[str]:
    """Return the tests that words name: each its own name, or the beginning that several have in common.

    Raises
    ------
    GaplessError
        If a word names none.

    Examples
    --------
    >>> named_tests(["NAS_LU", "FFT2"])
    ['NAS_LU_x', 'NAS_LU_y', 'FFT2']
    """
    found: list[str] = []
    for word in words:
        named = [test for test in TESTS if test == word or test.startswith(f"{word}_")]
        if not named:
            raise GaplessError(f"--tests: there is no '{word}'", f"there are {', '.join(TESTS)}")
        found += [test for test in named if test not in found]
    return found
