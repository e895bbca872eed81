"""Temporary folders go with the process that made them, or with the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Command
from gapless.launch.temporary import OLD_S, temporary_folder
from gapless.paths import REPOSITORY


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place for temporary folders where nobody else's are."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


def folders(tmp_path: Path) -> list[str]:
    return sorted(folder.name for folder in tmp_path.glob("gapless-*"))


def test_what_a_killed_run_left_goes_with_the_next_one(gapless: Command, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "python")}
    command = [sys.executable, "-m", "gapless", "run", "--", "sleep", "60"]
    killed, lives = (
        subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True) for _ in range(2)
    )
    children: list[int] = []
    try:
        until = time.monotonic() + 30
        while len(list(tmp_path.glob("gapless-run-*/.held"))) < 2:
            assert time.monotonic() < until
            time.sleep(0.02)
        while not (text := Path(f"/proc/{killed.pid}/task/{killed.pid}/children").read_text()):
            assert time.monotonic() < until
        children = [int(child) for child in text.split()]
        killed.kill()
        killed.wait()
        assert len(folders(tmp_path)) == 2
        gapless("run", "--", "true")
        assert len(folders(tmp_path)) == 1, "that of the one that lives"
    finally:
        killed.kill()
        lives.send_signal(signal.SIGTERM)  # which it hands on
        assert lives.wait(timeout=30) == 128 + signal.SIGTERM
        for child in children:
            os.kill(child, signal.SIGKILL)
    assert folders(tmp_path) == []


def test_what_nobody_ever_held(tmp_path: Path) -> None:
    for name, age_s in (("gapless-x-old", OLD_S + 60), ("gapless-x-young", 60), ("gapless-y-old", OLD_S + 60)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age_s,) * 2)
    (tmp_path / "gapless-x-file").write_text("")
    with temporary_folder("gapless-x-") as inner, temporary_folder("gapless-x-") as other:
        assert Path(inner).is_dir() and Path(other).is_dir()
    assert folders(tmp_path) == ["gapless-x-file", "gapless-x-young", "gapless-y-old"]
