"""Jobs of which a process is killed: for tests that the others end, and print nothing wrong."""

from __future__ import annotations

import dataclasses
import os
import random
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from layered import Layered

END_S = 30


def processes_of(program: Path) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if (
                    os.readlink(folder / "exe") == str(program)
                    and (folder / "stat").read_text().split(")")[1][1] != "Z"
                ):
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


@dataclasses.dataclass
class Killed:
    """A job of which a process was killed: how long the rest lived on, and the launcher's code."""

    lived_s: float
    code: int


def kill_one(
    layered: Layered,
    size: int,
    words: Sequence[object],
    settings: Mapping[str, str],
    draw: random.Random,
    launcher: bool = False,
) -> Killed:
    """Kill a rank of a job of this size that would run for ever and says when it runs, or its launcher."""
    program = Path(str(words[0]))
    launch = layered.launch(size, words, settings)
    with subprocess.Popen(
        launch.command, env=launch.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, errors="replace",
    ) as job:  # fmt: skip
        assert job.stdout is not None
        try:
            assert "runs" in job.stdout.readline()
            time.sleep(draw.uniform(0, 0.1))
            ranks = sorted(processes_of(program))
            assert len(ranks) == size
            os.kill(job.pid if launcher else draw.choice(ranks), signal.SIGKILL)
            began = time.monotonic()
            said, _ = job.communicate(timeout=END_S)
            while (left := processes_of(program)) and time.monotonic() < began + END_S:
                time.sleep(0.02)
            assert left == []
        except subprocess.TimeoutExpired:
            pytest.fail(f"the job did not end in {END_S} s, {processes_of(program)} of {ranks} are there")
        finally:
            job.kill()
            for process in processes_of(program):
                os.kill(process, signal.SIGKILL)
    assert "wrong" not in said, said
    assert job.returncode != 0
    return Killed(time.monotonic() - began, job.returncode)


__all__ = ["Killed", "kill_one"]
