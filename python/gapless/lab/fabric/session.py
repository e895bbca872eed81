"""A run of `gapless measure fabric`: launches of the fabric with each stated cost, and of MPI libraries, by rounds."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from gapless.errors import GaplessError
from gapless.lab.environment import environment_line
from gapless.lab.fabric.launches import Where, open_peers, run_launch
from gapless.lab.fabric.settings import PEERS, FabricSettings, library_groups, reuse_of
from gapless.lab.launches import run_launch as run_library
from gapless.lab.live import Display
from gapless.lab.plan import Group, Plan
from gapless.lab.results import Line, Recorder
from gapless.lab.run_file import NAME, Run, run_of
from gapless.targets.chosen import Target
from gapless.targets.two_nodes import TRANSPORT

HERE = "within one node"


def name_of(provider: str, charge: str) -> str:
    """Return what launches of a provider with a stated cost are called.

    Examples
    --------
    >>> name_of("tcp", "20000,200"), name_of("tcp", "")
    ('tcp charged 20000+200', 'tcp')
    """
    return f"{provider} charged {charge.replace(',', '+')}" if charge else provider


@dataclass
class FabricSession:
    """One run, and what came of it so far.

    Attributes
    ----------
    failed : list of str
        Sentences on launches that failed and on data that were wrong.
    shortened : str
        Why there are fewer launches than are wanted, or empty.
    planted : dict
        What else the jobs say: a fault, for the tests.
    """

    settings: FabricSettings
    plan: Plan
    where: Where
    targets: Sequence[Target]
    recorder: Recorder
    display: Display
    planted: Line = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    shortened: str = ""

    def run(self) -> Run:
        """Return what is recorded so far."""
        return run_of(self.recorder.lines, self.recorder.path)

    def measure(self) -> None:
        """Open the idle channels; then run rounds until there are enough launches, or no time for another one."""
        settings, started = self.settings, time.monotonic()
        if PEERS in settings.parts:
            # On one node: it is their number that counts.
            here = replace(self.where, nodes=None, hosts=())
            for processes in settings.peers:
                self.failed += open_peers(here, processes, self.recorder)
        groups = {group.id: group for group in self.plan.groups}
        launches: dict[str, Callable[[int, float], list[str]]] = {}
        # Kept buffers are registered once: a charge is asked of the map.
        mapped = {name: group for name, group in groups.items() if reuse_of(name)}
        for charge in settings.charge:
            measured = mapped if charge and "" in settings.charge else groups
            if measured:
                launches[name_of(settings.provider, charge)] = self._fabric(charge, measured)
        shared = library_groups(self.plan)
        for target in self.targets if shared else ():
            launches[target.name] = self._library(target, shared)
        for number in range(1, settings.launches + 1):
            begun = time.monotonic()
            order = list(launches)
            random.Random(settings.seed * 1_000_003 + number).shuffle(order)
            for place, name in enumerate(order):
                self.display.launch(name, number, settings.launches, place, len(order))
                left_s = settings.budget_s - (time.monotonic() - started)
                limit_s = max(left_s, 0) / (len(order) - place) if settings.budget_s else inf
                self.failed += launches[name](number, limit_s)
            left_s = settings.budget_s - (time.monotonic() - started)
            if settings.budget_s and number < settings.launches and left_s < time.monotonic() - begun:
                self.shortened = (
                    f"{settings.launches} launches of each are wanted; there was time for {number} in "
                    f"{settings.budget_s:.0f} s (--budget, --launches)"
                )
                break

    def _fabric(self, charge: str, groups: dict[str, Group]) -> Callable[[int, float], list[str]]:
        name = name_of(self.settings.provider, charge)
        return lambda number, limit_s: run_launch(
            self.where, name, charge, number, self.settings, groups, self.recorder, limit_s, self.planted
        )

    def _library(self, target: Target, groups: list[Group]) -> Callable[[int, float], list[str]]:
        def launch(number: int, limit_s: float) -> list[str]:
            done = run_library(target, number, groups, self.settings, self.recorder, self.display, limit_s)
            failed = [f"{target.name}, launch {number}: {done.reason}"] if done.status == "failed" else []
            return done.wrong + failed

        return launch


def new_session(
    folder: Path, settings: FabricSettings, where: Where, targets: Sequence[Target], command: str, asked: Line,
    display: Display,
) -> FabricSession:  # fmt: skip
    """Begin a run in a new folder: record the environment, the rows and what is refused.

    Raises
    ------
    GaplessError
        If the folder holds a run already, or nothing is left to measure.
    """
    path = folder / NAME
    if path.exists() and path.stat().st_size:
        raise GaplessError(f"{path} holds a run already", "name another folder with --out")
    plan = settings.plan()
    if not plan.rows and set(settings.parts) != {PEERS}:
        raise GaplessError("nothing is left to measure", "see 'gapless measure fabric --list'")
    recorder = Recorder(path)
    transport = f"between {' and '.join(where.hosts)}" if where.hosts else TRANSPORT if where.nodes else HERE
    facts = {
        name_of(settings.provider, charge): {
            "mpi_library": "libgapless_fabric", "version": "", "charge": charge,
            "transport": f"{settings.provider} of libfabric, {transport}",
        }
        for charge in settings.charge
    }  # fmt: skip
    recorder.add(
        environment_line(where.build, command)
        | {
            "preset": settings.preset, "tolerance": settings.tolerance, "asked": asked,
            "two_nodes": bool(where.nodes), "settings": settings.as_json(),
            "libraries": facts | {target.name: target.facts for target in targets},
        }
    )  # fmt: skip
    for row in plan.rows:
        recorder.add(row.as_json())
    for line in plan.refused:
        recorder.add(line)
    return FabricSession(settings, plan, where, targets, recorder, display)
