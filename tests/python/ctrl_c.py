"""Ctrl-C while a command of the lab measures: what is true of each."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from gapless.lab.results import of_kind, read
from gapless.lab.run_file import NAME

BEGIN_S, END_S, GONE_S = 120, 60, 5


def interrupted(arguments: Sequence[str], folder: Path, launches: int, **environment: str) -> str:
    """Interrupt the command when so many launches are recorded; return what it printed.

    It ends with status 130 and without a traceback, and leaves neither processes nor job folders.

    Parameters
    ----------
    arguments : sequence of str
        Of `gapless`.
    folder : Path
        Where they say that the results go; or, of a command that keeps none, where its temporary files go.
    launches : int
        Of all libraries; 0: in the first one.
    **environment : str
        What else its environment has.
    """
    clean = {k: v for k, v in os.environ.items() if k == "GAPLESS_BUILD_DIR" or not k.startswith("GAPLESS_")}
    with subprocess.Popen(
        [sys.executable, "-m", "gapless", *arguments], cwd=folder.parent, env=clean | environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        limit = time.monotonic() + BEGIN_S
        while time.monotonic() < limit and process.poll() is None:
            lines = [line for file in _files(folder) for line in read(file)]
            done = sum(line["status"] == "ok" for line in of_kind(lines, "launch"))
            if done >= launches if launches else any(folder.glob("**/.job-*")):
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=END_S)
    assert process.returncode == 130, output
    assert "Traceback" not in output
    # The system takes its time to bury what was killed where it is busy.
    gone_by = time.monotonic() + GONE_S
    while left := subprocess.run(["pgrep", "-s", str(process.pid)], capture_output=True, text=True, check=False).stdout:
        assert time.monotonic() < gone_by, left
        time.sleep(0.05)
    assert not list(folder.glob("**/.job-*"))
    return output


def _files(folder: Path) -> list[Path]:
    """Return the run file there, or in the temporary folder of a command."""
    return [*folder.glob(NAME), *folder.glob(f"*/{NAME}")]
