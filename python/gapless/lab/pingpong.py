"""Several independent launches of ping-pongs by lab/exchange, recorded line by line."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from gapless.display import console
from gapless.errors import GaplessError, MeasurementFailed
from gapless.lab.cases import GAPLESS, PINGPONG, Case, Repeated, Samples, job, sample_line
from gapless.lab.programs import json_lines, run_lab
from gapless.lab.results import SCHEMA, Line, Recorder, of_kind
from gapless.paths import Build

PROGRAM, CASES = "lab/exchange", "lab/cases"


def progress_bar() -> Progress:
    """Return a progress bar on the error stream; on anything but a terminal it stays silent until it is done."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn(),
        TextColumn("{task.fields[now]}"), console=console(stderr=True), transient=sys.stderr.isatty(),
    )  # fmt: skip


def shown_by(progress: Progress) -> Callable[[float, str], None]:
    """Return what shows on a bar of its own which share of the launches is done, and what is being done."""
    task = progress.add_task("ping-pong", total=1, now="")
    return lambda share, text: progress.update(task, completed=share, now=text)


def find_cases(build: Build, arguments: Sequence[str]) -> list[Case]:
    """Return the cases of lab/cases that its arguments name.

    Raises
    ------
    GaplessError
        If there is none.
    """
    cases = []
    for line in json_lines(build, [str(build.program(CASES)), *arguments], layer=False):
        skipped, described = line.pop("skipped"), line.pop("described", {})
        types, tests = ({name: of[key] for name, of in described.items()} for key in ("type", "tests"))
        cases.append(Case(line, line.pop("messages", []), types, tests, skipped))
    if not cases:
        raise GaplessError("no layout has such a name", f"'build/release/{CASES} --all-layouts' prints them")
    return cases


def launch_lines(
    build: Build, cases: Sequence[Case], repeated: Repeated, launch: int,
    layer_settings: Mapping[str, str] | None = None,
) -> Iterator[Line]:  # fmt: skip
    """Measure every case in one process group, and yield lines for a result file, and progress.

    Parameters
    ----------
    build : Build
        What to measure.
    cases : sequence of Case
        Of which groups.
    repeated : Repeated
        How.
    launch : int
        Its number, which also changes the order of the methods.
    layer_settings : mapping, optional
        Settings of the layer (GAPLESS_*).
    """
    by_group = {case.group: case for case in cases}

    def left_out(case: Case, reason: str) -> Line:
        group = case.told.get("words", case.group)
        return {"schema": SCHEMA, "kind": "skipped", "group": group, "launch": launch, "reason": reason}

    for case in cases:
        yield from (left_out(case, reason) for reason in case.skipped)
    if not any(case.messages for case in cases):
        return
    facts: Line = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps(job(cases, repeated, launch)), encoding="utf-8")
        for line in run_lab(build, PROGRAM, ["--job", str(path)], launch, layer_settings):
            if line["kind"] == "facts":
                facts = line
                yield line | {"experiment": "pingpong", "launch": launch, "data": repeated.data}
            elif line["kind"] == "samples":
                of = sample_line(line, by_group[line["group"]], repeated.methods, launch, facts)
                yield of | {"pattern": repeated.pattern}
            elif line["kind"] == "refused":
                yield left_out(by_group[line["group"]], line["reason"])
            else:
                yield line | {"launch": launch}


def ask_layer(
    build: Build, cases: Sequence[Case], data: str, recorder: Recorder, pattern: str = PINGPONG
) -> list[Case]:
    """Ask the layer once, by its own counters, what it converts and what it sends through shared memory.

    Returns the cases, which now know what of them is paired. The answers are lines of the kind ``acts``.

    Raises
    ------
    GaplessError
        If the launch fails.
    """
    once, paired = Repeated((GAPLESS,), Samples(1, 1), Samples(1, 1), data, pattern=pattern), {}
    for line in launch_lines(build, cases, once, 1, {"GAPLESS_STATS": "1"}):
        if line["kind"] == "error":
            recorder.add(line)
            raise GaplessError(f"the ping-pong failed: {line['reason']}", f"the reason is in {recorder.path}")
        if line["kind"] == "samples":
            recorder.add({k: v for k, v in line.items() if k != "samples"} | {"kind": "acts"})
            if line.get("layer_pairs"):
                paired.setdefault(line["group"], set()).add(line["description"])
    return [replace(case, paired=paired.get(case.group, ())) for case in cases]


def measure_pingpong(
    build: Build,
    cases: Sequence[Case],
    repeated: Repeated,
    launches: int,
    recorder: Recorder,
    now: Callable[[float, str], None],
) -> None:
    """Measure every case so many times, each launch in a process group and an address space of its own.

    Parameters
    ----------
    build : Build
        What to measure.
    cases : sequence of Case
        Of which groups.
    repeated : Repeated
        How.
    launches : int
        The number of replicates.
    recorder : Recorder
        Where the lines go.
    now : callable
        Told which share is done, and what is being done.
    """
    for launch in range(1, launches + 1):
        of = f"launch {launch} of {launches}"
        now((launch - 1) / launches, of)
        for line in launch_lines(build, cases, repeated, launch):
            if line["kind"] == "progress":
                now((launch - 1 + line["done"] / line["of"]) / launches, f"{of}, {line['group']}")
            else:
                recorder.add(line)
    now(1.0, "")
    _require_measured(recorder)


def _require_measured(recorder: Recorder) -> None:
    """Fail if a launch failed, if nothing was measured, or if the layer was not there."""
    failed = of_kind(recorder.lines, "error")
    if failed:
        raise MeasurementFailed(
            f"launch {failed[0]['launch']} of the ping-pong failed: {failed[0]['reason']}",
            f"the samples so far and the reason are in {recorder.path}",
        )
    if not of_kind(recorder.lines, "samples"):
        raise GaplessError("the ping-pong measured nothing", f"the reasons are in {recorder.path}")
    if not all(line["layer_present"] for line in of_kind(recorder.lines, "samples")):
        raise MeasurementFailed(
            "the layer did not reach the lab's ranks",
            f"check with 'gapless run -- mpiexec -n 2 build/release/{PROGRAM} --help'",
        )
