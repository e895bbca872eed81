"""Starts children: one that stands for us, and gets our signals; or one that is watched, and ended in time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gapless.deferred_signals import deferred_signals
from gapless.errors import GaplessError

FORWARDED = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}


def run_child(
    command: Sequence[str], environment: Mapping[str, str], started: Callable[[], None] = lambda: None
) -> int:
    """Run a command with our own stdin, stdout and stderr; hand signals on; return its exit status.

    With a terminal as stdin the child stays in our process group, so that it may read the terminal and Ctrl-Z stops
    both of us; Ctrl-C then reaches it without our help. Otherwise it gets a group of its own, which is what signals
    sent to us are handed on to, so that a wrapper script's children end too.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    environment : mapping
        The child's whole environment.
    started : callable
        Called when the child runs; a thread that it starts gets none of our signals.
    """
    own_group = not sys.stdin.isatty()
    watched = FORWARDED | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)

    def in_child() -> None:
        if own_group:
            os.setpgid(0, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    try:
        try:
            child = subprocess.Popen(list(command), env=dict(environment), preexec_fn=in_child)  # noqa: PLW1509
        except OSError as error:
            raise GaplessError(
                f"cannot start {command[0]}: {error.strerror}", "check the name, and that it may be executed"
            ) from error
        started()
        while child.poll() is None:
            news = signal.sigwaitinfo(watched)
            if news.si_signo == signal.SIGCHLD:
                continue
            # A positive code means that the kernel sent it (the terminal, to the whole foreground group).
            with contextlib.suppress(ProcessLookupError):
                if own_group:
                    os.killpg(child.pid, news.si_signo)
                elif news.si_code <= 0:
                    os.kill(child.pid, news.si_signo)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def end_group(process: subprocess.Popen[str]) -> None:
    """End a child that leads a process group, and all of the group: a launcher with its ranks."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@dataclass(frozen=True)
class Ended:
    """How a watched child ended."""

    status: int
    output: str
    errors: str
    late: bool = False
    wall_s: float = 0.0

    def failure(self, timeout_s: float) -> str | None:
        """Return in a few words why the child failed, or None if it did not."""
        if self.late:
            return f"no end within {timeout_s:.0f} s"
        if self.status == 0:
            return None
        how = f"signal {-self.status}" if self.status < 0 else f"exit status {self.status}"
        texts = [row.strip() for row in f"{self.errors}\n{self.output}".splitlines()]
        said = next((row for row in texts if any(c.isalnum() for c in row) and not row.startswith("{")), None)
        return f"{how}: {said[:200]}" if said else how


def run_watched(command: Sequence[str], environment: Mapping[str, str], timeout_s: float) -> Ended:
    """Run a command to its end, without input; whatever ends us, Ctrl-C too, ends it and its group first.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    environment : mapping
        The child's whole environment.
    timeout_s : float
        After so long it is ended.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = None
        late, began = False, time.monotonic()
        try:
            with deferred_signals():
                process = subprocess.Popen(
                    list(command), env=dict(environment), stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                    start_new_session=True, text=True,
                )  # fmt: skip
            process.wait(timeout=timeout_s)
        except OSError as error:
            return Ended(127, "", f"cannot start {command[0]}: {error.strerror}")
        except subprocess.TimeoutExpired:
            late = True
        finally:
            if process is not None and process.poll() is None:
                end_group(process)
        wall_s = time.monotonic() - began
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return Ended(process.returncode, *texts, late, wall_s)
