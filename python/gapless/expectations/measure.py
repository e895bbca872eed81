"""`gapless measure guidelines`: launches of lab/exchange on every library in random order, recorded as they come.

A round is one launch on each library. Between rounds it is decided whether another one is wanted (by the power asked
for, from the spread seen so far) and whether there is time for it.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from gapless.environment import environment_line
from gapless.errors import GaplessError
from gapless.expectations.jobs import write_job
from gapless.expectations.live import Display
from gapless.expectations.plan import Plan
from gapless.expectations.power import launches_needed, spread_of
from gapless.expectations.run_file import NAME, Run, run_of
from gapless.expectations.settings import Settings
from gapless.expectations.verdicts import judge_run
from gapless.lab import json_lines, mpi_command
from gapless.results import SCHEMA, Line, Recorder, of_kind, read
from gapless.targets import Target

PROGRAM = "lab/exchange"
# Before anything is known of the machine: the spread [log ratio] of the launches of a quiet one.
USUAL_SPREAD = 0.03
PILOT_ROUNDS = 3
# Half the rows of every library seen so far are far from the tolerance; they raise the level of all others.
CLEAR_SHARE = 0.5
MOST_ROUNDS = 30
FAILURES = 2
# A launch that hangs must end: so many times what its groups are meant to take, and at least so long.
PATIENCE, LEAST_TIMEOUT_S, EXACT_TIMEOUT_S = 10, 120, 3600


@dataclass
class Session:
    """One run: what it measures, on what, and what came of it so far.

    Attributes
    ----------
    rounds : int
        How many launches of each library are wanted at present.
    failed : list of str
        Sentences on launches that failed and on groups whose data were wrong.
    shortened : str
        Why there are fewer launches than the power asks for, or empty.
    """

    settings: Settings
    plan: Plan
    targets: Sequence[Target]
    recorder: Recorder
    display: Display
    rounds: int = 0
    failed: list[str] = field(default_factory=list)
    shortened: str = ""
    _started: float = 0.0
    _given_up: set[str] = field(default_factory=set)
    _failures: dict[str, int] = field(default_factory=dict)

    def run(self) -> Run:
        """Return what is recorded so far."""
        return run_of(self.recorder.lines, self.recorder.path)

    def measure(self) -> None:
        """Run rounds until there are enough launches, or no time for another round."""
        self._started = time.monotonic()
        done = max((line["launch"] for line in of_kind(self.recorder.lines, "launch")), default=0)
        first = done
        self.rounds = self.settings.launches or max(self._wanted(USUAL_SPREAD), self.settings.fewest_launches)
        while done < self.rounds and len(self._given_up) < len(self.targets):
            done += 1
            self._round(done)
            spent_s = time.monotonic() - self._started
            if not self.settings.launches:
                if done >= PILOT_ROUNDS:
                    self.rounds = max(
                        self._wanted(spread_of(self.run()) or USUAL_SPREAD), self.settings.fewest_launches
                    )
                self._fit_budget(done, spent_s, spent_s / (done - first))
            self.display.verdicts(self._judged(), done, self.rounds)

    def _wanted(self, spread: float) -> int:
        rows = max(1, len(self.plan.rows))
        needed = launches_needed(
            rows, self.settings.power, self.settings.tolerance, spread, self.settings.q, share=CLEAR_SHARE
        )
        return min(needed, MOST_ROUNDS)

    def _fit_budget(self, done: int, spent_s: float, round_s: float) -> None:
        """Give up rounds that there is no time for."""
        if not self.settings.budget_s:
            return
        affordable = done + max(0, int((self.settings.budget_s - spent_s) / round_s))
        if affordable < self.rounds:
            self.shortened = (
                f"a power of {self.settings.power:.0%} asks for {self.rounds} launches of each library; there is time "
                f"for {affordable} in {self.settings.budget_s:.0f} s (--budget, --launches)"
            )
            self.rounds = affordable

    def _judged(self) -> list:
        return judge_run(self.run(), self.settings.tolerance, self.settings.q)

    def _round(self, number: int) -> None:
        """Launch every library once, in an order drawn anew."""
        order = [target for target in self.targets if target.name not in self._given_up]
        random.Random(self.settings.seed * 1_000_003 + number).shuffle(order)
        for place, target in enumerate(order):
            self.display.launch(target.name, number, self.rounds, place, len(order))
            left_s = self.settings.budget_s - (time.monotonic() - self._started)
            # Each library gets its share of what is left, lest the first one of a slow round takes all of it.
            limit_s = left_s / (len(order) - place) if self.settings.budget_s else inf
            self._launch(target, number, limit_s)

    def _launch(self, target: Target, number: int, limit_s: float) -> None:
        ended: Line = {"schema": SCHEMA, "kind": "launch", "mpi": target.name, "launch": number}
        started = time.monotonic()
        status, reason, facts, samples = "ok", "", {}, 0
        try:
            for line in self._lines(target, number):
                if line["kind"] == "facts":
                    facts = line
                elif line["kind"] == "progress":
                    self.display.progress(line["done"], line["of"])
                    if time.monotonic() - started > limit_s and line["done"] < line["of"]:
                        status, reason = "cut", f"the time of the run ended after {line['done']} of {line['of']} groups"
                        break
                else:
                    samples += line["kind"] == "samples"
                    self.recorder.add({**line, "mpi": target.name, "launch": number})
                    if line["kind"] == "error":
                        self.failed.append(f"{target.name}, launch {number}, group {line['group']}: {line['reason']}")
        except GaplessError as error:
            status, reason = "failed", str(error)
            # Groups whose data were wrong are recorded each by itself; the other groups of such a launch count.
            if (
                samples
                and facts
                and any(line.get("launch") == number for line in of_kind(self.recorder.lines, "error"))
            ):
                status = "incomplete"
        except KeyboardInterrupt:
            status, reason = "interrupted", "interrupted"
            raise
        finally:
            seconds = round(time.monotonic() - started, 2)
            self.recorder.add({**ended, "seconds": seconds, "status": status, "reason": reason, "facts": facts})
        if status == "failed":
            self.failed.append(f"{target.name}, launch {number}: {reason}")
            # One may be an accident of the machine; two are the library's.
            self._failures[target.name] = self._failures.get(target.name, 0) + 1
            if self._failures[target.name] == FAILURES:
                self._given_up.add(target.name)

    def _timeout_s(self) -> float:
        if self.settings.exact:
            return EXACT_TIMEOUT_S
        reps = (self.settings.repetitions(group.place, len(group.members)) for group in self.plan.groups)
        return LEAST_TIMEOUT_S + PATIENCE * sum(of["budget_ms"] for of in reps) / 1000

    def _lines(self, target: Target, number: int):  # noqa: ANN202
        with tempfile.TemporaryDirectory(prefix="gapless-job-") as folder:
            job = Path(folder) / "job.json"
            layer = self.settings.layer and target.layer
            write_job(job, self.plan.groups, self.settings, layer, self.settings.seed * 1009 + number)
            command = mpi_command(target.library, PROGRAM, ["--job", str(job)], self.settings.ranks)
            yield from json_lines(target.library, command, layer, self._timeout_s())


def new_session(
    folder: Path, settings: Settings, targets: Sequence[Target], command: str, asked: Line, display: Display
) -> Session:
    """Begin a run in a new folder: record the environment, the rows and what is refused.

    `asked` says how the libraries were named on the command line, so that the run can go on with the same.

    Raises
    ------
    GaplessError
        If the folder holds a run already, or nothing is left to measure.
    """
    path = folder / NAME
    if path.exists() and path.stat().st_size:
        raise GaplessError(
            f"{path} holds a run already", "go on with it by --resume, or name another folder with --out"
        )
    plan = settings.plan()
    if not plan.rows:
        why = f" ({plan.refused[0]['case']}: {plan.refused[0]['reason']})" if plan.refused else ""
        raise GaplessError(f"nothing is left to measure{why}", "see 'gapless measure guidelines --list'")
    recorder = Recorder(path)
    environment = environment_line(targets[0].library, command)
    environment |= {
        "preset": settings.preset,
        "tolerance": settings.tolerance,
        "asked": asked,
        "two_nodes": asked["two_nodes"],
        "settings": settings.as_json(),
        "libraries": {target.name: target.facts for target in targets},
    }
    recorder.add(environment)
    for row in plan.rows:
        recorder.add(row.as_json())
    for line in plan.refused:
        recorder.add(line)
    return Session(settings, plan, targets, recorder, display)


def resumed_session(folder: Path, settings: Settings, targets: Sequence[Target], display: Display) -> Session:
    """Go on with a run: its rows must be those that the settings make now, its libraries those that are measured."""
    recorder = Recorder(folder / NAME)
    recorder.lines = read(folder / NAME)
    plan = settings.plan()
    run = run_of(recorder.lines, recorder.path)
    if run.rows != plan.rows:
        raise GaplessError(
            f"{folder} was begun by another version of Gapless: its rows differ", "begin a new run in another folder"
        )
    return Session(settings, plan, targets, recorder, display)
