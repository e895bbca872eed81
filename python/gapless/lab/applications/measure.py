"""Launches of the applications, without the layer and under it in turn, on every library, in an order drawn anew.

A launch is one process on each rank, which runs all ways and calls from the same start: they are compared within it.
The layer cannot be switched inside an ordinary program, so a launch under it is compared with the one without it that
was made beside it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import product

from gapless.lab.applications.catalogue import Scale, arguments
from gapless.lab.programs import CommandFailed, json_lines, mpi_command
from gapless.lab.results import SCHEMA, Line, Recorder
from gapless.targets.chosen import Target

SILENCE_S = 120.0
WRONG = 1  # the programs' exit status: wrong halos, or results that differ


def measure(
    targets: Sequence[Target], scales: Sequence[Scale], programs: Sequence[str], launches: int, steps: int, layer: bool,
    seed: int, recorder: Recorder, now: Callable[[str], None],
) -> list[str]:  # fmt: skip
    """Measure and record; return a sentence for each launch that failed, or whose results differ.

    Parameters
    ----------
    targets : sequence of Target
        The libraries.
    scales : sequence of Scale
        Numbers of ranks and sizes.
    programs : sequence of str
        Of `gapless.lab.applications.catalogue.PROGRAMS`.
    launches : int
        The replicates.
    steps : int
        Exchanges of each combination.
    layer : bool
        Whether also under the layer.
    seed : int
        Of the order.
    recorder : Recorder
        Where the lines go: one for each combination, one for each launch.
    now : callable
        Told what is launched next.
    """
    failed: list[str] = []
    for number in range(1, launches + 1):
        order = list(product(targets, scales, programs, (False, True) if layer else (False,)))
        random.Random(seed * 1_000_003 + number).shuffle(order)
        for target, scale, program, under in order:
            if under and not target.layer:
                continue
            now(f"{target.name}, {program}, {scale.text}{', under the layer' if under else ''}")
            head: Line = {"schema": SCHEMA, "mpi": target.name, "program": program, "launch": number, "layer": under,
                          "ranks": scale.ranks, "size": scale.size, "weak": scale.weak}  # fmt: skip
            command = mpi_command(
                target.library, f"examples/applications/{program}", arguments(scale, steps, seed + number), scale.ranks
            )
            reason = ""
            try:
                for line in json_lines(target.library, command, under, SILENCE_S):
                    recorder.add({**line, **head, "kind": "application"})
            except CommandFailed as error:
                reason = error.reason
                what = "wrong halos or differing results" if error.status == WRONG else "failed"
                failed.append(f"{target.name}, {program}, {scale.text}, launch {number}: {what}: {reason}")
            recorder.add({**head, "kind": "launch", "status": "failed" if reason else "ok", "reason": reason})
    return failed + differing(recorder.lines)


def differing(lines: Sequence[Line]) -> list[str]:
    """Return a sentence for each program and field whose result is not the same everywhere: library, layer, ranks."""
    found: dict[tuple[str, int, int, int], set[str]] = {}
    for line in lines:
        if line["kind"] == "application":
            field = (line["program"], line["rows"], line["columns"], line["steps"])
            found.setdefault(field, set()).add(line["hash"])
    return [
        f"{program}, {rows} x {columns}, {steps} steps: the results differ: {', '.join(sorted(hashes))}"
        for (program, rows, columns, steps), hashes in found.items()
        if len(hashes) > 1
    ]
