"""The suite on one library, with or without the layer: one launch, and another one after each crash or hang."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from launch import LaunchEnd, RankLines, launch
from layer import Account, Layer, place
from libraries import SUITE, Library

RANK_PROGRAM = Path(__file__).with_name("rank.py")
LEAVING_MPI = "(leaving MPI)"
LOST, NOT_RUN = "lost", "not run"
LOSSES_PER_MODULE = 3
SPAWNING = ("test_spawn", "test_dynproc")


@dataclass
class TestOutcome:
    """What became of one test on every rank."""

    __test__ = False

    outcomes: tuple[str, ...]
    seconds: float = 0.0
    text: str = ""
    paired: tuple[int, int] = (0, 0)  # calls of all ranks through shared memory: of messages, and collective ones


@dataclass
class SuiteRun:
    """What became of every test, what the layer did meanwhile, and how often ranks had to be started."""

    library: str = ""
    tests: dict[str, TestOutcome] = field(default_factory=dict)
    account: Account = field(default_factory=Account)
    launches: int = 0


@dataclass(frozen=True)
class Selection:
    """Which tests run: those of some modules, or only some of those."""

    modules: tuple[str, ...]
    only: frozenset[str] = frozenset()
    folder: Path = SUITE / "test"

    def write(self, path: Path, modules: Iterable[str], without: Iterable[str]) -> None:
        """Write the file that the ranks read, for modules that are still to run without some of their tests."""
        entry = {"folder": str(self.folder), "only": sorted(self.only)}
        path.write_text(json.dumps({**entry, "modules": list(modules), "without": sorted(without)}), encoding="utf-8")


def module_of(test: str) -> str:
    """Return the module of a test; setUpClass and its like read ``setUpClass (module.Class)``."""
    return test.partition("(")[2].partition(".")[0] if "(" in test else test.partition(".")[0]


def all_modules(folder: Path) -> list[str]:
    """Return the test modules of a folder, in the order in which mpi4py's own runner takes them."""
    return sorted(path.stem for path in folder.glob("test_*.py"))


@dataclass
class Progress:
    """Tells how many tests are done on all ranks."""

    show: Callable[[int, int], None]
    before: int = 0

    def __call__(self, ranks: Mapping[int, RankLines]) -> None:
        """Show the tests done by the slowest rank, those of earlier launches included."""
        done = min(len(rank.outcomes) for rank in ranks.values())
        self.show(self.before + done, self.before + max(len(rank.plan) for rank in ranks.values()))


def _take(run: SuiteRun, end: LaunchEnd, ranks: int) -> list[str]:
    """Add what all ranks finished to a run, and return what some did not, in the order of the plan."""
    lines = [end.ranks.get(rank, RankLines()) for rank in range(ranks)]
    names = dict.fromkeys(name for rank in lines for name in [*rank.plan, *rank.outcomes])
    unfinished = []
    for name in names:
        entries = [rank.outcomes.get(name) for rank in lines]
        texts = dict.fromkeys(entry["text"] for entry in entries if entry and entry["text"])
        seconds = max((entry["seconds"] for entry in entries if entry), default=0.0)
        ended = [entry is not None or rank.ended for entry, rank in zip(entries, lines, strict=True)]
        missing = [NOT_RUN if rank_ended else LOST for rank_ended in ended]
        outcomes = tuple(entry["outcome"] if entry else gone for entry, gone in zip(entries, missing, strict=True))
        paired = [entry["paired"] for entry in entries if entry]
        messages, collective = sum(calls[0] for calls in paired), sum(calls[1] for calls in paired)
        run.tests[name] = TestOutcome(outcomes, seconds, "\n".join(texts), (messages, collective))
        if not all(ended):
            unfinished.append(name)
    return unfinished


def run_suite(
    library: Library,
    ranks: int,
    layer: Layer,
    selection: Selection,
    folder: Path,
    stall_s: float,
    spawn: bool,
    show: Callable[[int, int], None],
) -> SuiteRun:
    """Run a selection of tests and return what became of each.

    After a crash the test in which a rank died is lost, after a hang the first that some rank did not finish, and the
    rest is started anew; a module that lost three tests is lost as a whole.

    Parameters
    ----------
    library : Library
        The MPI library.
    ranks : int
        Size of the world.
    layer : Layer
        Whether the ranks run under the layer, and how.
    selection : Selection
        The tests.
    folder : Path
        Where each launch gets a folder of its own.
    stall_s : float
        For so many seconds no rank may start or end a test.
    spawn : bool
        Whether tests may spawn processes.
    show : callable
        Told how many tests are done, of how many.
    """
    run = SuiteRun()
    modules = list(selection.modules)
    without: set[str] = set()
    losses: Counter[str] = Counter()
    while modules:
        run.launches += 1
        here = folder / f"launch-{run.launches}"
        here.mkdir(parents=True)
        selection.write(here / "selection.json", modules, without)
        program = [sys.executable, str(RANK_PROGRAM), str(here / "selection.json"), str(here)]
        environment = {**os.environ, **library.environment(spawn)}
        placement = place(library.command(ranks, program), environment, layer, here / "layer")
        end = launch(placement.launch, here, stall_s, Progress(show, len(without)))
        placement.add_to(run.account)
        run.library = next((rank.library for rank in end.ranks.values()), run.library)
        unfinished = _take(run, end, ranks)
        how = "hung" if end.hung else f"status {end.status}"
        if end.well:
            break
        if not unfinished:  # or not one rank got as far as its plan
            run.tests[LEAVING_MPI if end.ranks else "(starting)"] = TestOutcome((LOST,) * ranks, 0.0, how)
            break
        # Of a crash the test in which a rank says that it died; a hang begins where the slowest rank waits.
        died = [
            rank.running for rank in end.ranks.values() if rank.fault and not end.hung and rank.running in unfinished
        ]
        culprit = (died or unfinished)[0]
        module = module_of(culprit)
        losses[module] += 1
        again = [name for name in unfinished if name != culprit]
        if losses[module] == LOSSES_PER_MODULE:
            again = [name for name in again if module_of(name) != module]
        for name in unfinished:
            if name not in again:
                entry = run.tests[name]
                faults = "\n".join(rank.fault for rank in end.ranks.values() if rank.fault)
                entry.text = f"{faults}\n{how}, see {here}"
        without = set(run.tests) - set(again)
        modules = [name for name in modules if name in {module_of(test) for test in again}]
    return run
