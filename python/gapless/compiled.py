"""Compiles a measuring program of this checkout when a command first runs it: `make build` leaves them for later."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
from collections import deque
from pathlib import Path

from gapless.display import OneLine
from gapless.errors import GaplessError

STEP = re.compile(r"\[(\d+)/(\d+)\] ")
KEPT_LINES = 200
"""Of what a failed build printed; the compiler's first error is looked for there."""


def is_compilable(folder: Path, relative: str) -> bool:
    """Return whether a build folder knows how to make a file.

    Parameters
    ----------
    folder : Path
        A build folder, configured by CMake for Ninja.
    relative : str
        The file, from that folder: ``lab/exchange``.
    """
    try:
        rules = (folder / "build.ninja").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return f"\nbuild {relative}:" in rules


def compile_program(folder: Path, relative: str) -> None:
    """Compile a program, with its progress on one line of the error stream.

    Parameters
    ----------
    folder, relative
        As for `is_compilable`.

    Raises
    ------
    GaplessError
        If it cannot be compiled; nothing half-made stays, for Ninja removes it.
    """
    cmake = _cmake(folder)
    command = [cmake, "--build", str(folder), "--target", relative]
    said: deque[str] = deque(maxlen=KEPT_LINES)
    # Ninja does not look whether another one works in the same folder.
    with (folder / ".compiling").open("w") as lock, OneLine(f"compiling {relative}") as progress:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, errors="replace", start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            remedy = "run 'make build ALL=1' where it can"
            raise GaplessError(f"{relative} is not built, and {cmake} cannot be run here", remedy) from error
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if step := STEP.match(line):
                    progress.now(int(step[1]) / int(step[2]))
                else:
                    said.append(line.strip())
        except BaseException:
            # As Ctrl-C does: Ninja ends its compilers, and removes what is half made.
            os.killpg(process.pid, signal.SIGINT)
            raise
        finally:
            process.wait()
    if process.returncode != 0:
        why = next((line for line in said if "error" in line.lower()), said[-1] if said else "no output")
        raise GaplessError(f"{relative} cannot be compiled ({why[:200]})", f"'{' '.join(command)}' prints all of it")


def _cmake(folder: Path) -> str:
    """Return the CMake that configured a folder."""
    cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    match = re.search(r"^CMAKE_COMMAND:INTERNAL=(.+)$", cache, re.MULTILINE)
    return match[1] if match else "cmake"
