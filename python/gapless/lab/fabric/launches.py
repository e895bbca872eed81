"""Launches of the fabric's measuring program: its processes on one node or two, their lines, and how they ended."""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import shlex
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from gapless.deferred_signals import deferred_signals
from gapless.lab.fabric.settings import FabricSettings
from gapless.lab.plan import Group
from gapless.lab.results import SCHEMA, Line, Recorder
from gapless.paths import Build
from gapless.targets.two_nodes import ADDRESSES, Nodes

PROGRAM = "lab/fabric/fabric_exchange"
SILENCE_S = 120
WRONG_DATA = 1
# A message around the ring of idle channels: it fits into a frame.
RING_BYTES = 64
HERE = "127.0.0.1"
WORD_OF_INPUT = "/dev/stdin"


@dataclass
class Where:
    """Where the processes run: on this node, in turns on two that are made of it, or on hosts of a cluster.

    On hosts the measuring program lies at the same path as here, and GAPLESS_RSH (ssh) starts it. What a process is
    told goes through its standard input: the secret of the job stands on no command line.
    """

    build: Build
    provider: str
    nodes: Nodes | None = None
    hosts: tuple[str, ...] = ()

    def meeting_host(self) -> str:
        """Return where rank 0 listens."""
        return self.hosts[0] if self.hosts else ADDRESSES[0] if self.nodes else HERE

    def command(self, rank: int, processes: int, port: int, arguments: Sequence[str]) -> list[str]:
        """Return the command of one process."""
        words = [
            str(self.build.program(PROGRAM)), "--rank", str(rank), "--processes", str(processes), "--meeting",
            f"{self.meeting_host()}:{port}", "--provider", self.provider, *arguments,
        ]  # fmt: skip
        if not self.nodes:
            return words
        return [str(self.nodes.folder / "enter"), str(self.nodes.pids[rank % 2]), *words]

    def remote(self, rank: int, words: Sequence[str], settings: Mapping[str, str]) -> list[str]:
        """Return the command that runs `words` on a host, with the secret from the first line of its input."""
        script = 'read -r GAPLESS_JOB_SECRET && export GAPLESS_JOB_SECRET && exec env "$@"'
        told = [f"{name}={value}" for name, value in settings.items()] + list(words)
        shell = shlex.split(os.environ.get("GAPLESS_RSH", "ssh"))
        return [*shell, self.hosts[rank % len(self.hosts)], shlex.join(["sh", "-c", script, "sh", *told])]


@dataclass
class Ended:
    """How the processes of a launch ended: the exit status of each, and what they said last."""

    statuses: list[int] = field(default_factory=list)
    reason: str = ""


def free_port() -> int:
    """Return a port that nobody listens at now."""
    with socket.socket() as one:
        one.bind((HERE, 0))
        return int(one.getsockname()[1])


def _last(errors: IO[str]) -> str:
    errors.seek(0)
    lines = [line.strip() for line in errors if line.strip()]
    return lines[-1] if lines else ""


class _Watch:
    """Ends processes that say nothing for too long."""

    def __init__(self, processes: Sequence[subprocess.Popen[str]], silence_s: float) -> None:
        self._processes, self._silence_s = processes, silence_s
        self.is_over = False
        self._timer: threading.Timer | None = None
        self.heard()

    def heard(self) -> None:
        self.stop()
        self._timer = threading.Timer(self._silence_s, self._end)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _end(self) -> None:
        self.is_over = True
        for process in self._processes:
            process.kill()


def lines_of(
    where: Where, processes: int, arguments: Sequence[str], settings: Mapping[str, str], ended: Ended,
    silence_s: float = SILENCE_S, every: bool = False,
) -> Iterator[Line]:  # fmt: skip
    """Run the program as so many processes and yield the JSON lines of rank 0, or, with `every`, of all.

    `settings`: GAPLESS_FABRIC_*. `ended` says afterwards how they ended. Who stops reading ends them.
    """
    port, secret = free_port(), secrets.token_hex(16)
    told = arguments[1] if arguments[0] == "--job" else ""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GAPLESS_FABRIC_")}
    environment = {**kept, "GAPLESS_JOB_SECRET": secret, **settings}
    with contextlib.ExitStack() as stack:
        errors = [stack.enter_context(tempfile.TemporaryFile("w+", errors="replace")) for _ in range(processes)]
        outputs = [stack.enter_context(tempfile.TemporaryFile("w+")) if rank else None for rank in range(processes)]
        started: list[subprocess.Popen[str]] = []
        watch: _Watch | None = None
        try:
            for rank in range(processes):
                words = where.command(rank, processes, port, arguments)
                if where.hosts:
                    words = where.remote(rank, [WORD_OF_INPUT if word == told else word for word in words], settings)
                with deferred_signals():
                    process = subprocess.Popen(
                        words, env=environment, stdin=subprocess.PIPE if where.hosts else subprocess.DEVNULL,
                        stdout=outputs[rank] or subprocess.PIPE, stderr=errors[rank], text=True, errors="replace",
                    )  # fmt: skip
                    started.append(process)
                if process.stdin:
                    # Whoever has ended already says why.
                    with contextlib.suppress(BrokenPipeError), process.stdin as given:
                        given.write(secret + "\n" + (Path(told).read_text(encoding="utf-8") if told else ""))
            watch = _Watch(started, silence_s)
            out = started[0].stdout
            assert out is not None
            for row in out:
                watch.heard()
                if row.startswith("{"):
                    yield json.loads(row)
                    watch.heard()
            ended.statuses = [process.wait() for process in started]
            if every:
                for output in filter(None, outputs):
                    output.seek(0)
                    yield from (json.loads(row) for row in output if row.startswith("{"))
        finally:
            if watch:
                watch.stop()
            for process in started:
                if process.poll() is None:
                    process.kill()
                process.wait()
                if process.stdout:
                    process.stdout.close()
            said = [text for text in map(_last, errors) if text]
            silent = f"silent for {silence_s:.0f} s" if watch and watch.is_over else ""
            ended.reason = "; ".join(filter(None, [silent, *said])) or "it ended unexpectedly"


def charge_settings(charge: str) -> dict[str, str]:
    """Return the settings of a stated cost of registering memory; an empty text: none."""
    return {"GAPLESS_FABRIC_CHARGE": charge} if charge else {}


def run_launch(
    where: Where, name: str, charge: str, number: int, settings: FabricSettings, groups: Mapping[str, Group],
    recorder: Recorder, limit_s: float, more: Line | None = None,
) -> list[str]:  # fmt: skip
    """Run one launch of the fabric and record its lines, and how it ended; return sentences on what went wrong.

    Parameters
    ----------
    where : Where
        Where the two processes run.
    name, charge : str
        What the launch is called in the run file, and the stated cost under which it runs.
    number : int
        The launch, counted from 1.
    groups : mapping
        What is measured, by name.
    limit_s : float
        After so long the launch is cut at the end of a group.
    more : dict
        What else the job says: the tests' planted faults.
    """
    job: dict[str, Any] = settings.fabric_job(settings.seed * 1009 + number, groups) | (more or {})
    random.Random(settings.seed * 1009 + number).shuffle(job["groups"])
    order = [group["id"] for group in job["groups"]]
    wrong: list[str] = []
    status, reason, done, facts = "failed", "", 0, {}
    started, ended = time.monotonic(), Ended()
    try:
        with tempfile.TemporaryDirectory(prefix="gapless-fabric-") as folder:
            file = Path(folder) / "job.json"
            file.write_text(json.dumps(job), encoding="utf-8")
            for line in lines_of(where, 2, ["--job", str(file)], charge_settings(charge), ended):
                if line["kind"] == "facts":
                    facts = line
                elif line["kind"] == "progress":
                    done = line["done"]
                    if time.monotonic() - started > limit_s and done < line["of"]:
                        status, reason = "cut", f"the time of the run ended after {done} of {line['of']} groups"
                        break
                else:
                    recorder.add({**line, "mpi": name, "launch": number})
                    if line["kind"] == "error":
                        wrong.append(f"{name}, launch {number}, {line['group']}, {line['member']}: {line['reason']}")
        if status != "cut":
            if not any(ended.statuses):
                status = "ok"
            elif set(ended.statuses) <= {0, WRONG_DATA} and wrong:
                status, reason = "wrong data", wrong[0]
            else:
                reason = ended.reason
                group = order[done] if done < len(order) else ""
                recorder.add(
                    {"schema": SCHEMA, "kind": "error", "mpi": name, "launch": number, "group": group,
                     "reason": f"the program ended while this was measured: {reason}"}
                )  # fmt: skip
                wrong.append(f"{name}, launch {number}, {group}: {reason}")
    except KeyboardInterrupt:
        status = reason = "interrupted"
        raise
    finally:
        recorder.add(
            {"schema": SCHEMA, "kind": "launch", "mpi": name, "launch": number, "status": status, "reason": reason,
             "seconds": round(time.monotonic() - started, 2), "facts": facts}
        )  # fmt: skip
    return wrong


def open_peers(where: Where, processes: int, recorder: Recorder) -> list[str]:
    """Open a channel in each of so many processes and record what it holds; return what went wrong."""
    ended, found = Ended(), []
    for line in lines_of(where, processes, ["--idle", str(RING_BYTES)], {}, ended, every=True):
        found.append(line)
        recorder.add(line)
    wrong = [f"rank {line['rank']} of {processes}: wrong data around the ring" for line in found if not line["right"]]
    if any(ended.statuses) or len(found) != processes:
        wrong.append(f"{processes} processes: {ended.reason}")
    for reason in wrong:
        recorder.add({"schema": SCHEMA, "kind": "error", "mpi": where.provider, "launch": 0,
                      "group": f"{processes} processes", "reason": reason})  # fmt: skip
    return wrong
