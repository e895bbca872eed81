"""What the command's exit status says, as `--help` and the manual have it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Command
from gapless.cli.manual import command_tree
from gapless.paths import Build


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["explain", "vectr(1, 1, 1, byte)"],
        ["report", "/no/such/run"],
        ["compare", "/no/such/run", "/no/such/run"],
        ["demo", "--mpi", "/no/such/prefix"],
        ["run", "--", "/no/such/program"],
        ["measure", "guidelines", "--preset", "none"],
        ["measure", "pingpong", "--mpi", "/no/such/prefix"],
        ["bench", "types", "--mpi", "/no/such/prefix"],
        ["doctor", "--mpi", "/no/such/prefix"],
    ],
    ids=" ".join,
)
def test_2_for_what_cannot_be_done_as_asked(gapless: Command, arguments: list[str]) -> None:
    answer = gapless(*arguments)
    assert answer.returncode == 2, answer.stdout + answer.stderr
    assert "Traceback" not in answer.stderr


def test_1_for_a_measurement_that_failed(gapless: Command, build: Build, tmp_path: Path) -> None:
    (tmp_path / "mpi" / "bin").mkdir(parents=True)
    launcher = tmp_path / "mpi" / "bin" / "mpiexec"
    launcher.write_text("#!/bin/sh\necho 'no slot is free' >&2\nexit 7\n")
    launcher.chmod(0o755)
    answer = gapless("measure", "pingpong", "--launches", 1, "--mpi", tmp_path / "mpi", "--out", "kept.jsonl")
    assert answer.returncode == 1, answer.stderr
    assert "no slot is free" in answer.stderr and "Traceback" not in answer.stderr
    assert "no slot is free" in (tmp_path / "kept.jsonl").read_text(), "a failed launch is recorded"


def test_130_for_ctrl_c(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gapless", "explain", "-"], cwd=tmp_path, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(0.2)
    waits = Path(f"/proc/{process.pid}/wchan")
    deadline = time.monotonic() + 5
    # Until it waits for its input: before, Python itself may be interrupted.
    while "pipe" not in waits.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors


def test_what_measures_says_that_it_may_fail() -> None:
    for node in command_tree().walk():
        if node.words[1:2] in (("run",), ("demo",), ("compare",), ("doctor",)) or node.words[1:] == (
            "measure",
            "pingpong",
        ):
            assert node.help.exit_status, node.name
