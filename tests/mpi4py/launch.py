"""One launch: starts ranks, watches that they get on, and ends all of them if they do not."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gapless.launch.layer import Launch

MARK = "MPI4PY_SUITE_LAUNCH"
POLL_S = 0.1


@dataclass
class RankLines:
    """What one rank has written so far."""

    pid: int = 0
    library: str = ""
    plan: list[str] = field(default_factory=list)
    running: str = ""
    ended: bool = False
    fault: str = ""  # where it was when it crashed, or was ended
    outcomes: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass
class LaunchEnd:
    """How a launch ended: the lines of its ranks, the launcher's status, and whether it hung."""

    ranks: dict[int, RankLines]
    status: int
    hung: bool

    @property
    def well(self) -> bool:
        """Whether every rank ran its tests to the end and left MPI well."""
        return not self.hung and self.status == 0 and bool(self.ranks) and all(r.ended for r in self.ranks.values())


class Watch:
    """Reads the files of the ranks as they grow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ranks: dict[int, RankLines] = {}
        self.offsets: dict[int, int] = {}

    def news(self) -> int:
        """Read what is new and return how many lines that was."""
        lines = 0
        for path in self.folder.glob("rank-*.jsonl"):
            rank = int(path.stem.removeprefix("rank-"))
            with path.open("rb") as file:
                file.seek(self.offsets.get(rank, 0))
                text = file.read()
            text = text[: text.rfind(b"\n") + 1]
            self.offsets[rank] = self.offsets.get(rank, 0) + len(text)
            for row in text.splitlines():
                self._take(self.ranks.setdefault(rank, RankLines()), json.loads(row))
                lines += 1
        return lines

    def _take(self, rank: RankLines, line: dict[str, Any]) -> None:
        kind = line.pop("kind")
        if kind == "plan":
            rank.pid, rank.library, rank.plan = line["pid"], line["library"], line["tests"]
        elif kind == "start":
            rank.running = line["test"]
        elif kind == "outcome":
            rank.outcomes[line.pop("test")] = line
            rank.running = ""
        else:
            rank.ended = True


def _marked(mark: str) -> list[int]:
    """Return the processes whose environment carries a mark: launchers put ranks into sessions of their own."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def _end_all(process: subprocess.Popen[bytes], mark: str, ranks: Mapping[int, RankLines]) -> None:
    """Let the ranks say where they are, then end the launcher and everything that it started."""
    alive = set(_marked(mark))
    for rank in ranks.values():
        if rank.pid in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rank.pid, signal.SIGUSR2)
    time.sleep(0.5)
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=5)
    while pids := _marked(mark):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
        process.poll()


def launch(
    started: Launch,
    folder: Path,
    stall_s: float,
    progress: Callable[[Mapping[int, RankLines]], None],
) -> LaunchEnd:
    """Run a command whose ranks write into a folder, and return how it ended.

    Parameters
    ----------
    started : Launch
        The launcher, its arguments, and its whole environment.
    folder : Path
        Where the ranks write their lines; what they print goes to ``output.log`` there.
    stall_s : float
        For so many seconds no rank may start or end a test before the launch counts as hung.
    progress : callable
        Told what the ranks have written, whenever there is news.
    """
    mark = uuid.uuid4().hex
    watch = Watch(folder)
    hung = False
    with (folder / "output.log").open("wb") as log:
        process = subprocess.Popen(
            started.command,
            env={**started.environment, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=folder,
            start_new_session=True,
        )
        try:
            last = time.monotonic()
            while process.poll() is None and not hung:
                time.sleep(POLL_S)
                if watch.news():
                    last = time.monotonic()
                    progress(watch.ranks)
                hung = time.monotonic() - last > stall_s
        finally:
            if process.poll() is None or _marked(mark):
                _end_all(process, mark, watch.ranks)
    watch.news()
    for number, rank in watch.ranks.items():
        with contextlib.suppress(OSError):
            rank.fault = (folder / f"rank-{number}.fault").read_text(encoding="utf-8", errors="replace")
    return LaunchEnd(watch.ranks, process.returncode or 0, hung)
