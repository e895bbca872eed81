"""One launch of a measuring program on one library: its job, its lines in the run file, and how it ended."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from gapless.deferred_signals import deferred_signals
from gapless.errors import GaplessError
from gapless.lab.experiment import Experiment
from gapless.lab.jobs import write_job
from gapless.lab.live import Display
from gapless.lab.plan import Group
from gapless.lab.programs import CommandFailed, json_lines, mpi_command
from gapless.lab.results import SCHEMA, Line, Recorder
from gapless.targets.chosen import Target

# A launch that is silent for so long hangs; a group may take so many times what it is meant to.
LEAST_SILENCE_S, PATIENCE, EXACT_SILENCE_S = 120, 30, 1800
WRONG_DATA = 1  # the program's exit status


@dataclass
class Launch:
    """A launch, and how it ended.

    Attributes
    ----------
    status : str
        ok, wrong data (of groups that are recorded as errors; all others count), cut (the time of the run was over),
        interrupted, or failed.
    crashed : str
        The group that was being measured when a launch failed.
    """

    target: Target
    number: int
    status: str = "failed"
    reason: str = "it ended unexpectedly"
    crashed: str = ""
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0
    facts: Line = field(default_factory=dict)

    def as_json(self) -> Line:
        """Return the line of the run file."""
        return {
            "schema": SCHEMA, "kind": "launch", "mpi": self.target.name, "launch": self.number,
            "seconds": round(self.seconds, 2), "status": self.status, "reason": self.reason, "facts": self.facts,
        }  # fmt: skip


def _silence_s(groups: Collection[Group], settings: Experiment) -> float:
    if settings.exact:
        return EXACT_SILENCE_S
    longest = max(settings.repetitions(group.place, len(group.members))["budget_ms"] for group in groups)
    return LEAST_SILENCE_S + PATIENCE * longest / 1000


@contextmanager
def _job_folder(parent: Path) -> Iterator[Path]:
    """Make a folder that goes, also if Ctrl-C comes while it is being made or removed."""
    folder = None
    try:
        with deferred_signals():
            folder = Path(tempfile.mkdtemp(prefix=".job-", dir=parent))
        yield folder
    finally:
        if folder is not None:
            try:
                shutil.rmtree(folder)
            except KeyboardInterrupt:
                shutil.rmtree(folder, ignore_errors=True)
                raise


def run_launch(
    target: Target, number: int, groups: Collection[Group], settings: Experiment, recorder: Recorder, display: Display,
    limit_s: float,
) -> Launch:  # fmt: skip
    """Run one launch and record its lines, and at last how it ended, whatever ends it.

    Parameters
    ----------
    target : Target
        The library.
    number : int
        The launch, counted from 1 for each library.
    groups : collection of Group
        What is measured.
    settings : Settings
        How.
    recorder : Recorder
        Where the lines go.
    display : Display
        Told of the advance.
    limit_s : float
        After so long the launch is cut at the end of a group.
    """
    launch = Launch(target, number)
    started = time.monotonic()
    order, done = [], 0
    try:
        # In the folder of the run, which ranks on other nodes see where they see the program.
        with _job_folder(recorder.path.parent.resolve()) as folder:
            job, layer = folder / "job.json", settings.layer and target.layer
            planted = replace(settings, plant=target.plant) if target.plant else settings
            order = write_job(job, list(groups), planted, layer, settings.seed * 1009 + number, number == 1)
            command = mpi_command(target.library, settings.program, ["--job", str(job)], settings.ranks)
            silence_s = _silence_s(groups, settings)
            layer_settings = {**settings.layer_settings, **target.layer_settings}
            for line in json_lines(target.library, command, layer, silence_s, layer_settings):
                if line["kind"] == "facts":
                    launch.facts = line
                elif line["kind"] == "progress":
                    done = line["done"]
                    display.progress(done, line["of"])
                    if time.monotonic() - started > limit_s and done < line["of"]:
                        launch.status = "cut"
                        launch.reason = f"the time of the run ended after {done} of {line['of']} groups"
                        break
                else:
                    recorder.add({**line, "mpi": target.name, "launch": number})
                    if line["kind"] == "error":
                        launch.wrong.append(f"{target.name}, launch {number}, {line['group']}: {line['reason']}")
            else:
                launch.status, launch.reason = "ok", ""
    except CommandFailed as error:
        launch.reason = error.reason
        if error.status == WRONG_DATA and not error.late and launch.wrong:
            launch.status = "wrong data"
        elif launch.facts and done < len(order):
            launch.crashed = order[done]
            recorder.add(
                {"schema": SCHEMA, "kind": "error", "mpi": target.name, "launch": number, "group": launch.crashed,
                 "reason": f"the program ended while this was measured: {error.reason}"}
            )  # fmt: skip
    except GaplessError as error:
        launch.reason = str(error)
    except KeyboardInterrupt:
        launch.status = launch.reason = "interrupted"
        raise
    finally:
        launch.seconds = time.monotonic() - started
        recorder.add(launch.as_json())
    return launch
