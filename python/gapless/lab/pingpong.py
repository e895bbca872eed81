"""`gapless measure pingpong`: several independent launches of the lab's ping-pong, recorded line by line."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from gapless.display import console
from gapless.errors import GaplessError, MeasurementFailed
from gapless.lab.programs import run_lab
from gapless.lab.results import Recorder, of_kind
from gapless.paths import Build

PROGRAM = "lab/pingpong"


def progress_bar() -> Progress:
    """Return a progress bar on the error stream; on anything but a terminal it stays silent until it is done."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn(),
        TextColumn("{task.fields[now]}"), console=console(stderr=True), transient=sys.stderr.isatty(),
    )  # fmt: skip


def measure_pingpong(
    build: Build,
    launches: int,
    arguments: Sequence[str],
    recorder: Recorder,
    progress: Progress,
    layer_settings: Mapping[str, str] | None = None,
) -> None:
    """Run the ping-pong so many times, each launch in a process group and an address space of its own.

    Parameters
    ----------
    build : Build
        What to measure.
    launches : int
        The number of replicates.
    arguments : sequence of str
        Passed on to the lab's program.
    recorder : Recorder
        Where the lines go.
    progress : Progress
        Where the advance is shown.
    layer_settings : mapping, optional
        Settings of the layer (GAPLESS_*).
    """
    task = progress.add_task("ping-pong", total=launches, now="")
    for launch in range(1, launches + 1):
        for line in run_lab(build, PROGRAM, ["--launch", str(launch), *arguments], launch, layer_settings):
            if line["kind"] == "progress":
                done = launch - 1 + line["done"] / max(line["of"], 1)
                progress.update(task, completed=done, now=f"launch {launch} of {launches}, {line['group']}")
            else:
                recorder.add(line)
        progress.update(task, completed=launch, now="")
    require_measured(recorder, PROGRAM)


def require_measured(recorder: Recorder, program: str) -> None:
    """Fail if a launch of the ping-pong failed, if nothing was measured, or if the layer was not there."""
    failed = of_kind(recorder.lines, "error")
    if failed:
        raise MeasurementFailed(
            f"launch {failed[0]['launch']} of the ping-pong failed: {failed[0]['reason']}",
            f"the samples so far and the reason are in {recorder.path}",
        )
    if not of_kind(recorder.lines, "samples"):
        raise GaplessError("the ping-pong measured nothing", f"see 'build/release/{program} --help'")
    if not all(line["layer_present"] for line in of_kind(recorder.lines, "samples")):
        raise MeasurementFailed(
            "the layer did not reach the lab's ranks",
            f"check with 'gapless run -- mpiexec -n 2 build/release/{program} --help'",
        )
