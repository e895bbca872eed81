"""`gapless measure guidelines`: rounds of launches of lab/exchange, one on every library in random order.

Between rounds it is decided whether another one is wanted (by the power asked for, from the spread seen so far) and
whether there is time for it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from gapless.errors import GaplessError
from gapless.lab.environment import environment_line, require_same
from gapless.lab.experiment import Experiment
from gapless.lab.launches import Launch, run_launch
from gapless.lab.live import Display
from gapless.lab.plan import Plan
from gapless.lab.power import launches_needed, spread_of
from gapless.lab.results import Line, Recorder, of_kind, read
from gapless.lab.run_file import NAME, Run, run_of
from gapless.lab.verdicts import judge_run
from gapless.targets.chosen import Target

# Before anything is known of the machine: the spread [log ratio] of the launches of a quiet one.
USUAL_SPREAD = 0.05
PILOT_ROUNDS = 3
# Half the rows of every library seen so far are far from the tolerance; they raise the level of all others.
CLEAR_SHARE = 0.5
# More help only rows that are too close to the tolerance, or that the library itself makes fast or slow by chance.
MOST_ROUNDS = 30
# In a row, on one library: one failure may be an accident of the machine, two are the library's.
MOST_FAILURES = 2
# Groups that made a library crash and are left out from then on.
MOST_CRASHES = 5


@dataclass
class Session:
    """One run: what it measures, on what, and what came of it so far.

    Attributes
    ----------
    failed : list of str
        Sentences on launches that failed and on groups whose data were wrong.
    shortened : str
        Why there are fewer launches than are wanted, or empty; it names no option but those of every command that
        measures.
    """

    settings: Experiment
    plan: Plan
    targets: Sequence[Target]
    recorder: Recorder
    display: Display
    failed: list[str] = field(default_factory=list)
    shortened: str = ""
    _started: float = 0.0
    _failures: dict[str, int] = field(default_factory=dict)
    _crashed: dict[str, set[str]] = field(default_factory=dict)

    def run(self) -> Run:
        """Return what is recorded so far."""
        return run_of(self.recorder.lines, self.recorder.path)

    def measure(self) -> None:
        """Run rounds until there are enough launches, or no time for another round."""
        self._started = time.monotonic()
        rounds, done, now = self._rounds(self.run(), 0, 0), self._least_done(), 0
        while done < rounds and self._active():
            self._round(rounds)
            now += 1
            run, done = self.run(), self._least_done()
            rounds = self._rounds(run, now, (time.monotonic() - self._started) / now)
            self.display.verdicts(judge_run(run, self.settings.tolerance, self.settings.q), done, rounds)

    def _done(self, target: Target) -> int:
        """Return how many launches of a library were measured as a whole."""
        return sum(
            line["mpi"] == target.name and line["status"] in ("ok", "wrong data", "failed")
            for line in of_kind(self.recorder.lines, "launch")
        )

    def _active(self) -> list[Target]:
        return [target for target in self.targets if self._failures.get(target.name, 0) < MOST_FAILURES]

    def _least_done(self) -> int:
        return min((self._done(target) for target in self._active()), default=0)

    def _rounds(self, run: Run, now: int, round_s: float) -> int:
        """Return how many launches of each library are wanted, and can be had in the time.

        Parameters
        ----------
        run : Run
            What is recorded so far.
        now : int
            Rounds of this session.
        round_s : float
            What one takes [s].
        """
        self.shortened = ""
        if self.settings.launches:
            wanted = self.settings.launches
        else:
            done = self._least_done()
            spread = (spread_of(run) if done >= PILOT_ROUNDS else None) or USUAL_SPREAD
            needed = launches_needed(
                max(1, len(self.plan.rows)), self.settings.power, self.settings.tolerance, spread, self.settings.q,
                share=CLEAR_SHARE,
            )  # fmt: skip
            wanted = max(min(needed, MOST_ROUNDS), self.settings.fewest_launches)
            if needed > wanted:
                self.shortened = (
                    f"a power of {self.settings.power:.0%} asks for {needed} launches of each library in a machine as "
                    f"restless as this; {wanted} is the limit (--launches asks for more)"
                )
        if not self.settings.budget_s or not now:
            return wanted
        left_s = self.settings.budget_s - (time.monotonic() - self._started)
        affordable = self._least_done() + max(0, int(left_s / round_s))
        if affordable < wanted:
            reason = "" if self.settings.launches else f" for a power of {self.settings.power:.0%}"
            self.shortened = (
                f"{wanted} launches of each library are wanted{reason}; "
                f"there is time for {affordable} in {self.settings.budget_s:.0f} s (--budget, --launches)"
            )
        return min(wanted, affordable)

    def _round(self, rounds: int) -> None:
        """Launch every library that needs it once, in an order drawn anew."""
        order = [target for target in self._active() if self._done(target) < rounds]
        number = {target.name: self._next_number(target) for target in order}
        random.Random(self.settings.seed * 1_000_003 + sum(number.values())).shuffle(order)
        for place, target in enumerate(order):
            self.display.launch(target.name, number[target.name], rounds, place, len(order))
            left_s = self.settings.budget_s - (time.monotonic() - self._started)
            # Each library gets its share of what is left, lest the first one of a slow round takes all of it.
            limit_s = left_s / (len(order) - place) if self.settings.budget_s else inf
            crashed = self._crashed.setdefault(target.name, set())
            groups = [group for group in self.plan.groups if group.id not in crashed]
            self._note(
                run_launch(target, number[target.name], groups, self.settings, self.recorder, self.display, limit_s)
            )

    def _next_number(self, target: Target) -> int:
        """Return a number that no launch of the library has, not even one that was killed."""
        lines = (line for line in self.recorder.lines if line.get("mpi") == target.name and "launch" in line)
        return 1 + max((line["launch"] for line in lines), default=0)

    def _note(self, launch: Launch) -> None:
        """Remember what went wrong, and when to give a library up."""
        name = launch.target.name
        self.failed += launch.wrong
        if launch.status != "failed":
            self._failures[name] = 0
            return
        self.failed.append(f"{name}, launch {launch.number}: {launch.reason}")
        crashed = self._crashed[name]
        if launch.crashed and len(crashed) < MOST_CRASHES:
            crashed.add(launch.crashed)
        else:
            self._failures[name] = self._failures.get(name, 0) + 1


def new_session(
    folder: Path, settings: Experiment, targets: Sequence[Target], command: str, asked: Line, display: Display
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
        raise GaplessError(f"nothing is left to measure{why}", f"see 'gapless measure {settings.experiment} --list'")
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


def resumed_session(folder: Path, settings: Experiment, targets: Sequence[Target], display: Display) -> Session:
    """Go on with a run: its rows must be those that the settings make now, its libraries those that are measured.

    Raises
    ------
    GaplessError
        If they are not, or if it was begun on another machine.
    """
    recorder = Recorder(folder / NAME)
    recorder.lines = read(folder / NAME)
    plan = settings.plan()
    run = run_of(recorder.lines, recorder.path)
    if run.rows != plan.rows:
        raise GaplessError(
            f"{folder} was begun by another version of Gapless: its rows differ", "begin a new run in another folder"
        )
    require_same(folder, run.environment, {target.name: target.facts for target in targets})
    return Session(settings, plan, targets, recorder, display)
