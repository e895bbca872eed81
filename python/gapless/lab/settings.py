"""What one run measures and how long: the presets, and what the command line changes in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gapless.lab.cases import SMALL_BYTES
from gapless.lab.catalogue import TESTS
from gapless.lab.experiment import Experiment, Repetitions
from gapless.lab.own import Pair, add_pairs, from_table
from gapless.lab.plan import Place, Plan, Selection, add_twins, plan_of
from gapless.lab.results import Line

PAPER_TESTS = tuple(name for name in TESTS if name != "X")


@dataclass(frozen=True)
class Settings(Selection, Experiment):
    """What a run of the guidelines measures, and how."""

    experiment: str = "guidelines"
    tests: Sequence[str] = PAPER_TESTS
    pairs: tuple[Pair, ...] = ()

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

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Settings:
        """Return the settings of a run file's environment record."""
        pairs = tuple(from_table(table, "run file") for table in line.get("pairs", ()))
        # Runs from before it was recorded had constant data.
        return super().from_json({"data": "constant"} | dict(line) | {"pairs": pairs})


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
