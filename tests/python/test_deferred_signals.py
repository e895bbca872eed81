"""A signal that comes while a folder is made or removed, or a child started, leaves neither behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gapless.deferred_signals import deferred_signals
from gapless.launch.process import run_watched
from gapless.launch.temporary import temporary_folder


@pytest.fixture(autouse=True)
def a_handler_that_raises() -> Iterator[None]:
    """What `gapless doctor` installs; nothing for the signal of a closed terminal."""
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    of_interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    of_hangup = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)
    signal.signal(signal.SIGINT, of_interrupt)
    signal.signal(signal.SIGHUP, of_hangup)


def then_signal(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
    """Let a function send us SIGTERM after its work, before its caller has the result."""
    whole = getattr(owner, name)

    def both(*arguments: Any, **named: Any) -> Any:
        result = whole(*arguments, **named)
        signal.raise_signal(signal.SIGTERM)
        return result

    monkeypatch.setattr(owner, name, both)


@pytest.mark.parametrize(("owner", "name"), [(tempfile, "mkdtemp"), (os, "rmdir")])
def test_no_folder_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    then_signal(monkeypatch, owner, name)
    with pytest.raises(SystemExit) as ended, temporary_folder("gapless-x-") as folder:
        (Path(folder) / "inner").mkdir()
        (Path(folder) / "other").mkdir()
    assert ended.value.code == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_no_child_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Signalling(subprocess.Popen[str]):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            started.append(self.pid)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(subprocess, "Popen", Signalling)
    with pytest.raises(SystemExit):
        run_watched(["sleep", "60"], os.environ, 60)
    with pytest.raises(ChildProcessError):
        os.waitpid(started[0], os.WNOHANG)  # ended, and waited for


def test_the_handlers_are_as_before_and_the_default_action_stays() -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with deferred_signals(), deferred_signals():
        assert signal.getsignal(signal.SIGTERM) is not handlers[1]
        assert signal.getsignal(signal.SIGHUP) == handlers[2] == signal.SIG_DFL
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask, "a child would inherit it"
    assert handlers == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]


def test_all_handlers_are_back_before_one_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    install = signal.signal

    def then_interrupt(number: int, handler: Any) -> Any:
        result = install(number, handler)
        if number == signal.SIGINT and handler is before[0]:
            signal.raise_signal(signal.SIGINT)
        return result

    monkeypatch.setattr(signal, "signal", then_interrupt)
    with pytest.raises(KeyboardInterrupt), deferred_signals():
        pass
    monkeypatch.undo()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGTERM)
