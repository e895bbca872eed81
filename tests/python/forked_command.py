"""The command in a process of its own for each call, forked from one that has imported it and what it imports later.

Run as a program it is that process: it reads what to do, a line of JSON each time, and answers with the exit status.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# What only a new process heeds.
FOR_THE_LOADER = ("LD_", "PYTHON")


class ForkedCommand:
    """Runs the command as `python -m gapless` would."""

    def __init__(self, folder: Path) -> None:
        """Start the process; what a call prints goes to files in this folder."""
        self._printed = [folder / "stdout", folder / "stderr"]
        self._parent = self._start()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # a process that forks should have no other threads
        )

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], limit_s: float
    ) -> subprocess.CompletedProcess[str]:
        """Run the command in a folder."""
        assert self._parent.stdin is not None and self._parent.stdout is not None
        order = [arguments, str(folder), dict(environment), list(map(str, self._printed))]
        try:
            self._parent.stdin.write(json.dumps(order) + "\n")
            self._parent.stdin.flush()
            if not select.select([self._parent.stdout], [], [], limit_s)[0]:
                raise subprocess.TimeoutExpired(arguments, limit_s)
            code = int(self._parent.stdout.readline())
        except BaseException:
            # With the call; the next one finds another.
            os.killpg(self._parent.pid, signal.SIGKILL)
            self._parent.wait()
            self._parent = self._start()
            raise
        return subprocess.CompletedProcess(arguments, code, *(file.read_text() for file in self._printed))

    def close(self) -> None:
        """End the process."""
        self._parent.communicate()


def serve() -> None:
    """Fork for each line; return in the child, which is then as a new process is."""
    while line := sys.stdin.readline():
        if child := os.fork():
            _, status = os.waitpid(child, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        arguments, folder, environment, printed = json.loads(line)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        for at, file in enumerate([os.devnull, *printed]):
            opened = os.open(file, os.O_RDWR | (os.O_CREAT | os.O_TRUNC | os.O_APPEND if at else 0))
            os.dup2(opened, at)
            os.close(opened)
        sys.argv = ["gapless", *arguments]
        return
    sys.exit()


if __name__ == "__main__":
    import jinja2  # noqa: F401
    import numpy as np  # noqa: F401
    import plotly.offline  # noqa: F401
    import rich.live  # noqa: F401
    import rich.markup  # noqa: F401
    import rich.progress  # noqa: F401
    import rich.tree  # noqa: F401
    from gapless.cli.commands import app
    from gapless.cli.main import main
    from scipy import optimize, special  # noqa: F401
    from typer.testing import CliRunner

    assert CliRunner().invoke(app, ["--version"]).exit_code == 0
    serve()
    sys.exit(main())
