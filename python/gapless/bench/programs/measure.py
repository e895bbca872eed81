"""Launches programs without and with the layer in turn, and records what each launch found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.progress import Progress

from gapless.bench.programs.program import Program
from gapless.lab.results import SCHEMA, Line, Recorder
from gapless.launch.counters import as_json, total
from gapless.launch.fronts import FrontName, choose_front
from gapless.launch.launcher import recognise
from gapless.launch.layer import put_under, without_layer
from gapless.launch.process import run_watched
from gapless.launch.reach import library_name, read_ranks
from gapless.launch.temporary import temporary_folder
from gapless.targets.libraries import Library

TIMEOUT_S = 300


def launch_once(program: Program, library: Library, layer: bool) -> Line:
    """Launch a program once; a launch that fails is a line that says why.

    Parameters
    ----------
    program : Program
        What the ranks run.
    library : Library
        The MPI to run on.
    layer : bool
        Whether the ranks run under the layer, as `gapless run --stats` puts it there.
    """
    line: Line = {
        "schema": SCHEMA, "kind": "program", "program": program.name, "library": library.name, "layer": layer,
        "ranks": program.ranks,
    }  # fmt: skip
    with temporary_folder("gapless-program-") as folder:
        work, left = Path(folder, "work"), Path(folder, "ranks")
        work.mkdir()
        left.mkdir()
        started = program.start(library, work)
        environment = without_layer() | dict(library.settings) | dict(started.environment)
        command = [*library.launch(program.ranks), "-wdir", str(work), *started.words]
        if layer:
            launcher = recognise(command[0])
            front = choose_front(FrontName.AUTO, command, launcher, environment)
            settings = {"GAPLESS_RUN_DIR": str(left), "GAPLESS_STATS": "1"}
            under = put_under(command, str(front.path), settings, environment, launcher)
            command, environment = under.command, under.environment
        ended = run_watched(command, environment, TIMEOUT_S)
        answer = program.read(ended, work) if ended.status == 0 else None
        reached = [rank for rank in read_ranks(left) if not rank.native]
    reason = ended.failure(TIMEOUT_S) or ("it printed no result" if answer is None else None)
    if layer:
        line |= {"front": front.name, "mpi": library_name(reached), "procedures": as_json(total(reached))}
        if reason is None and len(reached) != program.ranks:
            reason = f"the layer reached {len(reached)} of {program.ranks} ranks"
    return line | {"wall_s": ended.wall_s} | ({"reason": reason} if reason else vars(answer))


def measure_program(
    program: Program, libraries: Sequence[Library], launches: int, recorder: Recorder, progress: Progress
) -> Iterator[Line]:
    """Launch a program on each library without and with the layer in turn; which goes first alternates.

    After a launch that failed, the program is not launched again on that library: its row says why.
    """
    task = progress.add_task(program.name, total=2 * launches * len(libraries), now="")
    for library in libraries:
        failed = False
        for launch in range(1, launches + 1):
            for layer in (False, True) if launch % 2 else (True, False):
                progress.update(task, now=f"{library.name}, {'with' if layer else 'without'} the layer")
                if not failed:
                    line = launch_once(program, library, layer) | {"launch": launch}
                    failed = "reason" in line
                    recorder.add(line)
                    yield line
                progress.advance(task)
