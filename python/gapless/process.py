"""Starts a child, hands signals on to it, and returns its exit status as a shell would."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

from gapless.errors import GaplessError

FORWARDED = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}


def run_child(command: Sequence[str], environment: Mapping[str, str]) -> int:
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
