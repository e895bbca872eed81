"""Run files made by code: ratios that are known, launches that differ as they are told to."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gapless.lab.experiment import Experiment
from gapless.lab.plan import Group
from gapless.lab.run_file import Row, Run, run_of
from gapless.lab.ways.settings import PAPER

Noise = Callable[[tuple[int, ...]], np.ndarray]


def row(number: int, expectation: str = "not slower", **changes: Any) -> Row:
    """Return a row of a group of its own."""
    values: dict[str, Any] = {
        "row": f"r{number}", "test": "ET6", "guideline": "GL4", "case": f"tiled/v1/A={number}/tiled_vector",
        "pattern": "pingpong", "bytes": 3200, "payload_bytes": 3200, "base": "int32", "cache": "warm", "layer": False,
        "group": f"g{number}", "compared": "tiled_vector:native", "reference": "tiled:native",
        "expectation": expectation, "layout": "tiled", "variant": 1, "A": number,
    }  # fmt: skip
    return Row(**values | changes)


def lines_of(
    rows: Sequence[Row],
    times_ns: Callable[[Row, str], float],
    launches: int = 6,
    spread: float = 0.03,
    seed: int = 1,
    libraries: Sequence[str] = ("mpich",),
) -> list[dict[str, Any]]:
    """Return the lines of a run: every member, and the contiguous one, 9 samples a launch, a tenth of them far off."""
    random = np.random.default_rng(seed)
    lines: list[dict[str, Any]] = [{"schema": 1, "kind": "environment", "libraries": dict.fromkeys(libraries, {})}]
    lines += [one.as_json() for one in rows]
    for mpi in libraries:
        for launch in range(1, launches + 1):
            for group, one in {one.group: one for one in rows}.items():
                named = [name for other in rows if other.group == group for name in (other.compared, other.reference)]
                for member in dict.fromkeys((*named, "contiguous:native")):
                    effect = np.exp(spread / np.sqrt(2) * random.standard_normal())
                    within = np.exp(0.005 * random.standard_t(2, 9))
                    samples = times_ns(one, member) * effect * within
                    lines.append(
                        {"schema": 1, "kind": "samples", "experiment": "exchange", "group": one.group, "mpi": mpi,
                         "member": member, "launch": launch, "samples": samples.tolist(), "unit": "ns"}
                    )  # fmt: skip
            lines.append({"schema": 1, "kind": "launch", "mpi": mpi, "launch": launch, "status": "ok"})
    return lines


def run_with(*arguments: Any, **options: Any) -> Run:
    """Return a run read from such lines."""
    return run_of(lines_of(*arguments, **options), Path("synthetic"))


def write(lines: Sequence[dict[str, Any]], folder: Path) -> Path:
    """Write lines as the run file of a folder."""
    folder.mkdir(parents=True)
    (folder / "run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


# Of a group, a member and a launch: what one message takes [us]; None: that was not measured.
Us = Callable[[Group, str, int], float | None]
# Of a member and its sample [ns]: what else its line has.
More = Callable[[str, float], dict[str, Any]]


def planned_lines(
    settings: Experiment, us: Us, launches: int = 6, more: More | None = None, libraries: Sequence[str] = ("mpich",)
) -> list[dict[str, Any]]:
    """Return the lines of a run of what the settings plan; by its protocol a sample is one message, or a round trip."""
    share, plan = 1 if getattr(settings, "protocol", "") == PAPER else 2, settings.plan()
    lines: list[dict[str, Any]] = [
        {"schema": 1, "kind": "environment", "settings": settings.as_json(), "libraries": dict.fromkeys(libraries, {})}
    ]
    lines += [row.as_json() for row in plan.rows] + plan.refused
    for mpi in libraries:
        for launch in range(1, launches + 1):
            for group in plan.groups:
                for member in group.members:
                    taken = us(group, member, launch)
                    if taken is not None:
                        ns = taken * 1000 * share
                        lines.append(
                            {"schema": 1, "kind": "samples", "mpi": mpi, "launch": launch, "group": group.id,
                             "member": member, "samples": [ns] * 3} | (more(member, ns) if more else {})
                        )  # fmt: skip
            lines.append({"schema": 1, "kind": "launch", "mpi": mpi, "launch": launch, "status": "ok"})
    return lines


def planned_run(settings: Experiment, us: Us, *arguments: Any, **options: Any) -> Run:
    """Return a run read from such lines."""
    return run_of(planned_lines(settings, us, *arguments, **options), Path("planned"))


def wobble(member: str, launch: int, spread: float = 0.01) -> float:
    """Return a factor near 1, the same each time for a member and a launch."""
    seed = zlib.crc32(f"{member} {launch}".encode())
    return float(np.exp(spread * np.random.default_rng(seed).standard_normal()))
