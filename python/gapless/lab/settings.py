"""What one run measures and how long: the presets, and what the command line changes in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from gapless.errors import GaplessError
from gapless.lab.cases import SMALL_BYTES
from gapless.lab.catalogue import TESTS
from gapless.lab.own import Pair, add_pairs, from_table
from gapless.lab.plan import Place, Plan, Selection, add_twins, plan_of
from gapless.lab.results import Line, of_kind, read
from gapless.lab.run_file import NAME

PAPER_TESTS = tuple(name for name in TESTS if name != "X")


@dataclass(frozen=True)
class Repetitions:
    """How often a launch repeats a member, by message size.

    Attributes
    ----------
    fewest, most : int
        Samples of each member.
    together : int
        Round trips of a ping-pong that are timed as one.
    precision : float
        The launch stops earlier if the 95 % interval of each median is within this of it.
    member_ms : float
        Or when a group has taken so much for each of its members [ms].
    """

    fewest: int
    most: int
    together: int
    precision: float
    member_ms: float


@dataclass(frozen=True)
class Settings(Selection):
    """Everything that decides what a run measures; kept in the run file, so that it can go on.

    Attributes
    ----------
    launches : int
        So many of each library; 0: as many as the power asks for and the budget allows.
    budget_s : float
        The whole run, all libraries together [s]; 0: no limit.
    power : float
        How surely a row whose true ratio is 1 is decided.
    plant : float
        The factor by which everything but contiguous messages, and a twin of each, is slowed down: the lab's test of
        itself.
    """

    tests: Sequence[str] = PAPER_TESTS
    preset: str = "standard"
    pairs: tuple[Pair, ...] = ()
    # Short launches, and many: launches of one library differ by more than the samples within one.
    small: Repetitions = field(default_factory=lambda: Repetitions(10, 40, 10, 0.02, 8))
    large: Repetitions = field(default_factory=lambda: Repetitions(5, 9, 1, 0.03, 25))
    exact: bool = False  # the paper's numbers of repetitions
    launches: int = 0
    fewest_launches: int = 4
    budget_s: float = 0
    power: float = 0.8
    tolerance: float = 0.10
    q: float = 0.05
    ranks: int = 2
    seed: int = 1
    plant: float = 1.0

    def plan(self) -> Plan:
        """Return what is measured and judged."""
        plan = plan_of(self)
        if self.plant != 1:
            add_twins(plan)
        add_pairs(plan, list(self.pairs), self)
        return plan

    def repetitions(self, place: Place, members: int) -> Line:
        """Return the repetitions of a group, as the job file has them."""
        if self.exact:
            exact = (
                100 if place.pattern == "pingpong" or place.bytes <= 32_000 else 50 if place.bytes <= 320_000 else 20
            )
            return {"min": exact, "max": exact, "inner": 1, "precision": 0.0, "budget_ms": 0, "warmup": 1}
        reps = self.small if place.bytes <= SMALL_BYTES else self.large
        together = reps.together if place.pattern == "pingpong" else 1
        # A walk through a buffer of the caches' size precedes every cold sample.
        times = 8 if place.cache == "cold" else 1
        return {
            "min": reps.fewest, "max": reps.most, "inner": 1 if place.cache == "cold" else together,
            "precision": reps.precision, "budget_ms": reps.member_ms * members * times, "warmup": 2,
        }  # fmt: skip

    def as_json(self) -> Line:
        """Return the settings as the environment record keeps them."""
        return asdict(self)


def from_json(line: Mapping[str, Any]) -> Settings:
    """Return the settings of a run file's environment record."""
    known = {of.name for of in fields(Settings)}
    given = {name: tuple(v) if isinstance(v, list) else v for name, v in line.items() if name in known}
    given |= {name: Repetitions(**line[name]) for name in ("small", "large")}
    given.setdefault("data", "constant")  # runs from before it was recorded
    given["pairs"] = tuple(from_table(table, "run file") for table in line.get("pairs", ()))
    return Settings(**given)


def stored_settings(folder: Path) -> Settings:
    """Return the settings of a run that is to go on."""
    lines = read(folder / NAME)
    environment = (of_kind(lines, "environment") or [{}])[0]
    if "settings" not in environment:
        raise GaplessError(f"{folder / NAME} has no record of its settings", "begin a new run")
    return from_json(environment["settings"])


PRESETS = {
    settings.preset: settings
    for settings in (
        Settings(
            preset="quick",
            tests=("ET1", "ET3", "ET4", "ET5", "ET6", "ET7", "ET8", "ET10"),
            blocks=(2, 10, 1000),
            sizes=(3200, 2_560_000),
            variants=(1,),
            collective_blocks=(10,),
            small=Repetitions(6, 20, 10, 0.03, 3),
            large=Repetitions(3, 5, 1, 0.03, 15),
            budget_s=165,
            power=0.5,
        ),
        Settings(preset="standard", budget_s=1740, fewest_launches=8),
        Settings(preset="paper", exact=True, launches=5, data="constant"),
    )
}
PRESET_TEXTS = {
    "quick": "at most 3 minutes for all libraries together: A = 2, 10, 1000, variant 1, two sizes",
    "standard": "at most 30 minutes for all libraries together: every case of Expectation Tests 1 to 11",
    "paper": "repetitions (100; collectives 100, 50, 20), 5 launches and constant data of the paper; no limit of time",
}


def changed(settings: Settings, **changes: object) -> Settings:
    """Return settings with what the command line names; None and empty sequences change nothing."""
    given = {
        name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in changes.items()
        if value is not None and value != [] and value != ()
    }
    return replace(settings, **given)  # type: ignore[arg-type]
