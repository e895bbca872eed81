"""Launches of the applications, without the layer and under it in turn, on every library, in an order drawn anew.

A launch is one process on each rank, which runs all ways and calls from the same start: they are compared within it.
The layer cannot be switched inside an ordinary program, so a launch under it is compared with the one without it that
was made beside it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from time import monotonic

from gapless.lab.applications.catalogue import Scale, arguments
from gapless.lab.applications.settings import Settings
from gapless.lab.programs import CommandFailed, json_lines, mpi_command
from gapless.lab.results import SCHEMA, Line, Recorder, of_kind
from gapless.targets.chosen import Target

SILENCE_S = 120.0
WRONG = 1  # the programs' exit status: wrong halos, or results that differ


Launch = tuple[int, str, str, int, str, bool, bool]  # number, library, program, ranks, size, weak, under the layer


def measure(
    targets: Sequence[Target], settings: Settings, recorder: Recorder, now: Callable[[str], None]
) -> tuple[list[str], int]:
    """Measure and record, but for the launches that are recorded already and did not fail.

    Parameters
    ----------
    targets : sequence of Target
        The libraries.
    settings : Settings
        What is measured.
    recorder : Recorder
        Where the lines go: one for each combination, one for each launch.
    now : callable
        Told what is launched next.

    Returns
    -------
    failed : list of str
        A sentence for each launch that failed, or whose results differ.
    rounds : int
        How many launches of everything there are; fewer than were asked for where the budget ended it.
    """
    failed: list[str] = []
    # What failed is tried again.
    known = {_launch(line) for line in of_kind(recorder.lines, "launch") if line["status"] == "ok"}
    began, longest = monotonic(), 0.0
    for number in range(1, settings.launches + 1):
        round_began = monotonic()
        if settings.budget_s and longest and round_began - began + longest > settings.budget_s:
            return failed + differing(recorder.lines), number - 1
        order = list(
            product(targets, settings.scales, settings.programs, (False, True) if settings.layer else (False,))
        )
        random.Random(settings.seed * 1_000_003 + number).shuffle(order)
        for target, scale, program, under in order:
            head: Line = {"schema": SCHEMA, "mpi": target.name, "program": program, "launch": number, "layer": under,
                          "ranks": scale.ranks, "size": scale.size, "weak": scale.weak}  # fmt: skip
            if (under and not target.layer) or _launch(head) in known:
                continue
            what = f"{target.name}, {program}, {scale.text}"
            now(f"{what}{', under the layer' if under else ''}")
            reason = ""
            try:
                for line in _lines(target, settings, scale, program, under, number):
                    recorder.add({**line, **head, "kind": "application"})
            except CommandFailed as error:
                reason = error.reason
                how = "wrong halos or differing results" if error.status == WRONG else "failed"
                failed.append(f"{what}, launch {number}: {how}: {reason}")
            recorder.add({**head, "kind": "launch", "status": "failed" if reason else "ok", "reason": reason})
            longest = max(longest, monotonic() - round_began)
    return failed + differing(recorder.lines), settings.launches


def _lines(target: Target, settings: Settings, scale: Scale, program: str, under: bool, number: int) -> Iterator[Line]:
    """Run one launch; yield what it prints."""
    words = arguments(scale, settings.steps, settings.seed + number)
    command = mpi_command(target.library, f"examples/applications/{program}", words, scale.ranks)
    return json_lines(target.library, command, under, SILENCE_S)


def _launch(line: Line) -> Launch:
    """Return which launch a line is of."""
    return (line["launch"], line["mpi"], line["program"], line["ranks"], line["size"], line["weak"], line["layer"])


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
