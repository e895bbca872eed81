"""What every experiment of the lab says of a run: what is measured, how often, and how surely it is to be decided.

An experiment is a class derived from `Experiment`, and a name in `EXPERIMENTS`, by which a stored run finds it again.
Rounds of launches (`gapless.lab.measure`), job files, the run file and the verdicts are the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gapless.errors import GaplessError
from gapless.lab.results import Line, of_kind, read
from gapless.lab.run_file import NAME

if TYPE_CHECKING:
    from typing_extensions import Self

    from gapless.lab.plan import Place, Plan


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
class Experiment(ABC):
    """Everything that decides what a run measures; kept in the run file, so that it can go on.

    Attributes
    ----------
    experiment : str
        Its name in `EXPERIMENTS`.
    layer : bool
        Whether messages are also sent with the layer on.
    small, large : Repetitions
        Of messages up to `gapless.lab.cases.SMALL_BYTES`, and of larger ones. Short launches, and many: launches of one
        library differ by more than the samples within one.
    exact : bool
        The paper's numbers of repetitions, whatever time they take.
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

    experiment: str = ""
    preset: str = "standard"
    layer: bool = True
    small: Repetitions = field(default_factory=lambda: Repetitions(10, 40, 10, 0.02, 8))
    large: Repetitions = field(default_factory=lambda: Repetitions(5, 9, 1, 0.03, 25))
    exact: bool = False
    launches: int = 0
    fewest_launches: int = 4
    budget_s: float = 0
    power: float = 0.8
    tolerance: float = 0.10
    q: float = 0.05
    ranks: int = 2
    seed: int = 1
    plant: float = 1.0

    @property
    def program(self) -> str:
        """The measuring program, which reads the job files."""
        return "lab/exchange"

    @property
    def layer_settings(self) -> Mapping[str, str]:
        """Settings of the layer (GAPLESS_*) under which all launches run."""
        return {}

    @abstractmethod
    def plan(self) -> Plan:
        """Return what is measured and judged."""

    @abstractmethod
    def repetitions(self, place: Place, members: int) -> Line:
        """Return the repetitions of a group, as the job file has them."""

    def as_json(self) -> Line:
        """Return the settings as the environment record keeps them."""
        return asdict(self)

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Return the settings that `as_json` wrote; what a later version has besides is left out."""
        known = {of.name for of in fields(cls)}
        given = {name: tuple(v) if isinstance(v, list) else v for name, v in line.items() if name in known}
        given |= {name: Repetitions(**line[name]) for name in ("small", "large")}
        return cls(**given)


Kind = TypeVar("Kind", bound=Experiment)

# Where each is; read only when it is asked for. The first is that of runs from before there were several.
EXPERIMENTS = {
    "guidelines": "gapless.lab.settings:Settings",
    "apps": "gapless.lab.apps.settings:AppsSettings",
    "schemes": "gapless.lab.schemes.settings:SchemesSettings",
    "vector": "gapless.lab.vector.settings:VectorSettings",
    "adaptive": "gapless.lab.adaptive.settings:AdaptiveSettings",
    "creation": "gapless.lab.creation.settings:CreationSettings",
    "advice": "gapless.lab.advice.settings:AdviceSettings",
    "alltoall": "gapless.lab.alltoall.settings:AlltoallSettings",
    "fabric": "gapless.lab.fabric.settings:FabricSettings",
}


def experiment_of(line: Mapping[str, Any]) -> Experiment:
    """Return the settings of a run file's environment record, of whichever experiment."""
    name = line.get("experiment") or next(iter(EXPERIMENTS))
    if name == "applications":  # programs of their own, and no rows of the lab's
        raise GaplessError(
            "it is a run of whole applications", "go on with it by 'gapless measure applications --resume'"
        )
    if name not in EXPERIMENTS:
        raise GaplessError(f"the run is of an experiment '{name}' that this version does not know", "update Gapless")
    module, _, of = EXPERIMENTS[name].partition(":")
    found: type[Experiment] = getattr(import_module(module), of)
    return found.from_json(line)


def stored_settings(folder: Path) -> Experiment:
    """Return the settings of a run that is to go on.

    Raises
    ------
    GaplessError
        If it has no record of them.
    """
    lines = read(folder / NAME)
    environment = (of_kind(lines, "environment") or [{}])[0]
    if "settings" not in environment:
        raise GaplessError(f"{folder / NAME} has no record of its settings", "begin a new run")
    return experiment_of(environment["settings"])


def changed(settings: Kind, **changes: object) -> Kind:
    """Return settings with what the command line names; None and empty sequences change nothing."""
    given = {
        name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in changes.items()
        if value is not None and value != [] and value != ()
    }
    return replace(settings, **given)
