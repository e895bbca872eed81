"""Starts the lab's measuring programs and the examples under the MPI that they were built for."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gapless.deferred_signals import deferred_signals
from gapless.errors import GaplessError, MeasurementFailed
from gapless.lab.results import SCHEMA, Line
from gapless.launch.fronts import FrontName, choose_front
from gapless.launch.launcher import launcher_position, recognise
from gapless.launch.layer import put_under, without_layer
from gapless.launch.listener import Listener
from gapless.launch.process import end_group
from gapless.launch.rules import rules_setting
from gapless.paths import Build

TIMEOUT_S = 600
CHOSEN = ("GAPLESS_PAIRED_MESSAGES",)
"""Settings of the user's that say what is measured."""


def mpi_command(build: Build, program: str, arguments: Sequence[str], ranks: int = 2) -> list[str]:
    """Return the command that runs a built program on `ranks` ranks."""
    return [*build.launch(ranks), str(build.program(program)), *arguments]


class CommandFailed(MeasurementFailed):
    """A command that did not end well.

    Attributes
    ----------
    status : int
        Its exit status; negative: the signal that ended it.
    late : bool
        Whether it was ended because it took too long.
    """

    def __init__(self, command: Sequence[str], reason: str, status: int, late: bool = False) -> None:
        super().__init__(f"'{' '.join(map(str, command))}' failed ({reason})", "run it by hand to see all it prints")
        self.reason = reason
        self.status = status
        self.late = late


class _Watch:
    """Ends a command that prints nothing for too long, on a thread of its own."""

    def __init__(self, process: subprocess.Popen[str], silence_s: float) -> None:
        self.late = False
        self._process, self._silence_s = process, silence_s
        self._heard, self._over = time.monotonic(), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def heard(self) -> None:
        self._heard = time.monotonic()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(max(0.05, self._heard + self._silence_s - time.monotonic())):
            if time.monotonic() - self._heard >= self._silence_s:
                self.late = True
                end_group(self._process)
                return


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
        After so long without a word the command is ended.
    layer_settings : mapping, optional
        Settings of the layer (GAPLESS_*) for this run.

    Raises
    ------
    CommandFailed
        If the command fails; the last line of its error output is part of the message.
    """
    environment = without_layer() | dict(build.settings)
    with contextlib.ExitStack() as stack:
        listener = None
        if layer:
            listener = stack.enter_context(Listener(build.network))
            chosen = {name: os.environ[name] for name in CHOSEN if name in os.environ}
            settings = {**rules_setting(), **chosen, **(layer_settings or {}), **listener.settings}
            launcher = recognise(command[launcher_position(command)])
            # The front that `gapless run` takes: windows are shared only where it serves all of their procedures.
            front = choose_front(FrontName.AUTO, command, launcher, environment).path
            beside = build.preload.with_name(front.name)
            preload = beside if beside.exists() else build.preload
            launch = put_under(command, str(preload), settings, environment, launcher)
            command, environment = launch.command, launch.environment
        errors = stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace"))
        process = watch = None
        try:
            try:
                with deferred_signals():
                    process = subprocess.Popen(
                        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                        encoding="utf-8", errors="replace", start_new_session=True,
                    )  # fmt: skip
            except OSError as error:
                raise CommandFailed(command, f"cannot be started: {error.strerror}", 127) from error
            watch = _Watch(process, timeout_s)
            if listener is not None:
                listener.start()
            assert process.stdout is not None
            for row in process.stdout:
                watch.heard()
                if row.startswith("{"):
                    try:
                        line = json.loads(row)
                    except ValueError as error:
                        raise CommandFailed(command, f"it printed '{row.strip()[:80]}'", -1) from error
                    yield line
                    watch.heard()  # what the caller did meanwhile is not the command's silence
            status = process.wait()
        finally:
            if watch is not None:
                watch.end()
            if process is not None and process.poll() is None:
                end_group(process)
        if status != 0:
            errors.seek(0)
            last = [row.strip() for row in errors if row.strip()][-1:] or ["it printed no error"]
            reason = f"nothing heard for {timeout_s:.0f} s" if watch.late else f"exit status {status}, {last[0]}"
            raise CommandFailed(command, reason, status, watch.late)


def run_lab(
    build: Build,
    program: str,
    arguments: Sequence[str],
    launch: int,
    layer_settings: Mapping[str, str] | None = None,
) -> Iterator[Line]:
    """Run one launch of a measuring program; a failed launch ends with a line that records the reason."""
    command = mpi_command(build, program, arguments)
    try:
        yield from json_lines(build, command, layer=True, layer_settings=layer_settings)
    except GaplessError as error:
        yield {"schema": SCHEMA, "kind": "error", "experiment": program, "launch": launch, "reason": str(error)}


def run_example(build: Build, program: str, arguments: Sequence[str], layer: bool, ranks: int = 2) -> dict[str, Any]:
    """Run a program that prints one JSON object and return it."""
    lines = list(json_lines(build, mpi_command(build, program, arguments, ranks), layer))
    if not lines:
        raise MeasurementFailed(f"{program} printed no result", "run it by hand to see what it prints")
    return lines[-1]
