"""Starts the lab's measuring programs and the examples under the MPI that they were built for."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gapless.errors import GaplessError
from gapless.launch import put_under
from gapless.launcher import launcher_position, recognise
from gapless.paths import Build
from gapless.process import end_group
from gapless.results import SCHEMA, Line

TIMEOUT_S = 600


def mpi_command(build: Build, program: str, arguments: Sequence[str], ranks: int = 2) -> list[str]:
    """Return the command that runs a built program on `ranks` ranks."""
    return [*build.launch(ranks), str(build.program(program)), *arguments]


def without_layer() -> dict[str, str]:
    """Return our environment without what would change a measurement: the layer's settings and its preload."""
    return {
        name: value for name, value in os.environ.items() if name != "LD_PRELOAD" and not name.startswith("GAPLESS_")
    }


def json_lines(
    build: Build,
    command: Sequence[str],
    layer: bool,
    timeout_s: float = TIMEOUT_S,
    layer_settings: Mapping[str, str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Run a command and yield the JSON objects that it prints, as it prints them.

    Parameters
    ----------
    build : Build
        The build whose layer is used.
    command : sequence of str
        The whole command, launcher first.
    layer : bool
        Whether the ranks run under the layer.
    timeout_s : float
        After so long the command is ended.
    layer_settings : mapping, optional
        Settings of the layer (GAPLESS_*) for this run.

    Raises
    ------
    GaplessError
        If the command fails; the last line of its error output is part of the message.
    """
    environment = without_layer() | dict(build.settings)
    if layer:
        launcher = recognise(command[launcher_position(command)])
        launch = put_under(command, str(build.preload), layer_settings or {}, environment, launcher)
        command, environment = launch.command, launch.environment
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
            start_new_session=True,
        )  # fmt: skip
        late = threading.Event()

        def give_up() -> None:
            late.set()
            end_group(process)

        timer = threading.Timer(timeout_s, give_up)
        timer.start()
        try:
            assert process.stdout is not None
            for row in process.stdout:
                if row.startswith("{"):
                    yield json.loads(row)
            status = process.wait()
        finally:
            timer.cancel()
            if process.poll() is None:
                end_group(process)
        if status != 0:
            errors.seek(0)
            last = [row.strip() for row in errors if row.strip()][-1:] or ["it printed no error"]
            reason = f"no end within {timeout_s:.0f} s" if late.is_set() else f"exit status {status}, {last[0]}"
            raise GaplessError(
                f"'{' '.join(map(str, command))}' failed ({reason})", "run it by hand to see all it prints"
            )


def run_lab(
    build: Build,
    program: str,
    arguments: Sequence[str],
    launch: int,
    layer_settings: Mapping[str, str] | None = None,
) -> Iterator[Line]:
    """Run one launch of a measuring program; a failed launch ends with a line that records the reason."""
    command = mpi_command(build, program, ["--launch", str(launch), *arguments])
    try:
        yield from json_lines(build, command, layer=True, layer_settings=layer_settings)
    except GaplessError as error:
        yield {"schema": SCHEMA, "kind": "error", "experiment": program, "launch": launch, "reason": str(error)}


def run_example(build: Build, program: str, arguments: Sequence[str], layer: bool, ranks: int = 2) -> dict[str, Any]:
    """Run a program that prints one JSON object and return it."""
    lines = list(json_lines(build, mpi_command(build, program, arguments, ranks), layer))
    if not lines:
        raise GaplessError(f"{program} printed no result", "run it by hand to see what it prints")
    return lines[-1]
