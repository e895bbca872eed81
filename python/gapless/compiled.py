"""Compiles a measuring program of this checkout when a command first runs it: `make build` leaves them for later."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
from pathlib import Path

from gapless.deferred_signals import deferred_signals
from gapless.display import OneLine
from gapless.errors import GaplessError

STEP = re.compile(r"\[(\d+)/(\d+)\] ")
ALL = "run 'make build ALL=1' where there is a compiler"


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
    command = ninja(folder, relative)
    first, last = "", "no output"
    process = None
    try:
        # Ninja does not look whether another one works in the same folder (tools/build.sh takes the same lock).
        with (folder / ".building").open("a") as lock, OneLine(f"compiling {relative}") as progress:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                with deferred_signals():
                    process = subprocess.Popen(
                        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        text=True, errors="replace", start_new_session=True,
                    )  # fmt: skip
                assert process.stdout is not None
                for line in process.stdout:
                    if step := STEP.match(line):
                        progress.now(int(step[1]) / int(step[2]))
                    elif line.strip():
                        last = line.strip()
                        first = first or (last if "error: " in line.lower() else "")
            except BaseException:
                if process is not None and process.poll() is None:
                    # As Ctrl-C does: Ninja ends its compilers, and removes what is half made.
                    os.killpg(process.pid, signal.SIGINT)
                raise
            finally:
                if process is not None:
                    process.wait()
    except OSError as error:
        raise GaplessError(f"{relative} is not built, and cannot be built here ({error})", ALL) from error
    if process.returncode != 0:
        raise GaplessError(
            f"{relative} cannot be compiled ({(first or last)[:200]})", f"'{' '.join(command)}' prints all of it"
        )


def ninja(folder: Path, relative: str) -> list[str]:
    """Return the command that makes a file, by the Ninja that the folder was configured for."""
    try:
        cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        cache = ""
    match = re.search(r"^CMAKE_MAKE_PROGRAM:\w+=(.+)$", cache, re.MULTILINE)
    return [match[1] if match else "ninja", "-C", str(folder), relative]
