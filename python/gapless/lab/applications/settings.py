"""What a run of whole applications measures: as a preset and the command line have it, and as a stored run keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from gapless.errors import GaplessError
from gapless.lab.applications.catalogue import PROGRAMS, Preset, Scale
from gapless.lab.results import Line, of_kind

EXPERIMENT = "applications"


@dataclass(frozen=True)
class Settings:
    """Everything that decides what is launched, but for the libraries.

    Attributes
    ----------
    scales, programs : tuple
        Numbers of ranks and sizes; of `gapless.lab.applications.catalogue.PROGRAMS`.
    launches : int
        The replicates.
    steps : int
        Exchanges of each combination in a launch.
    layer : bool
        Whether also under the layer.
    seed : int
        Of all random orders.
    budget_s : float
        No round of launches is begun that would end later [s]; 0: no limit.
    """

    preset: str
    scales: tuple[Scale, ...]
    programs: tuple[str, ...] = PROGRAMS
    launches: int = 7
    steps: int = 40
    layer: bool = True
    seed: int = 1
    budget_s: float = 0.0

    @classmethod
    def of(cls, name: str, preset: Preset) -> Settings:
        """Return those of a preset."""
        return cls(name, preset.scales, launches=preset.launches, steps=preset.steps)

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Settings:
        """Return those of a stored run; GaplessError if it was stored before runs could go on."""
        if "scales" not in line:
            raise GaplessError(
                "the run was begun by a version whose runs of applications cannot go on", "begin a new one"
            )
        known = {field.name for field in fields(cls)}
        own = {name: of for name, of in line.items() if name in known}
        scales = tuple(Scale(**scale) for scale in own.pop("scales"))
        return cls(**own | {"scales": scales, "programs": tuple(own["programs"])})

    def as_json(self) -> Line:
        """Return them as the environment record of a run keeps them."""
        return {"experiment": EXPERIMENT, **asdict(self)}

    def with_ranks(self, ranks: list[int]) -> Settings:
        """Return the same of these numbers of ranks alone; all, if none is named."""
        scales = tuple(scale for scale in self.scales if not ranks or scale.ranks in ranks)
        if not scales:
            named = ",".join(map(str, ranks))
            raise GaplessError(
                f"--ranks {named}: the preset '{self.preset}' has none of them", "name others, or a preset"
            )
        return replace(self, scales=scales)


def stored_head(folder: Path, lines: list[Line]) -> Line:
    """Return the environment record of a run that is to go on; GaplessError if it is not one of applications."""
    head = next(iter(of_kind(lines, "environment")), {})
    found = head.get("settings", {}).get("experiment")
    if found != EXPERIMENT:
        raise GaplessError(
            f"{folder} is a run of '{found or 'guidelines'}'",
            f"go on with it by 'gapless measure {found or 'guidelines'} --resume {folder}'",
        )
    return head
