"""What a run of `gapless measure alltoall` measures and how long: the presets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gapless.lab.alltoall.names import IRREGULAR, REGULAR
from gapless.lab.alltoall.plan import plan_of
from gapless.lab.experiment import Experiment, Repetitions
from gapless.lab.plan import Place, Plan
from gapless.lab.results import Line

OWN, PAPER = "own", "paper"
# One all-to-all of equal blocks; the same through the irregular algorithms; blocks of random lengths.
REGULAR_PROBLEM, AS_IRREGULAR, RANDOM = "regular", "as-irregular", "random"
PROBLEMS = (REGULAR_PROBLEM, AS_IRREGULAR, RANDOM)
# Of a block [bytes]: the paper's range.
SIZES = (4, 64, 512, 4000, 40_000, 80_000)
PAPER_SIZES = (4, 16, 64, 256, 1000, 4000, 10_000, 40_000, 80_000)
# Up to here a call takes microseconds [bytes of a block], and the paper repeats it more often.
MICROSECONDS_BYTES = 1000
FEW_BYTES = 4096


@dataclass(frozen=True)
class AlltoallSettings(Experiment):
    """What such a run measures, and how.

    Attributes
    ----------
    data : str
        fresh: all ranks write their data before each call; constant: never again.
    protocol : str
        own: medians; paper: Tukey's filter on the upper side, the mean of what is left with its 95 % interval over
        repetitions (Träff, Rougier, Hunold, Implementing a classic).
    sizes : sequence of int
        Of a block [bytes], whole integers.
    problems : sequence of str
        Of `PROBLEMS`.
    algorithms, irregular : sequence of str
        Those that are measured.
    in_place : bool
        Regular ones with MPI_IN_PLACE.
    """

    experiment: str = "alltoall"
    data: str = "fresh"
    protocol: str = OWN
    sizes: Sequence[int] = SIZES
    problems: Sequence[str] = PROBLEMS
    algorithms: Sequence[str] = REGULAR
    irregular: Sequence[str] = IRREGULAR
    in_place: bool = False
    tolerance: float = 0.05
    small: Repetitions = Repetitions(12, 40, 1, 0.02, 6)
    large: Repetitions = Repetitions(6, 15, 1, 0.03, 12)

    @property
    def program(self) -> str:
        """The measuring program."""
        return "lab/every_alltoall"

    def plan(self) -> Plan:
        """Return what is measured and judged."""
        return plan_of(self)

    def repetitions(self, place: Place, members: int) -> Line:
        """Return the repetitions of a group, as the job file has them."""
        if self.exact:
            exact = 300 if place.bytes <= MICROSECONDS_BYTES else 40
            return {"min": exact, "max": exact, "precision": 0.0, "budget_ms": 0, "warmup": 1}
        reps = self.small if place.bytes <= FEW_BYTES else self.large
        return {
            "min": reps.fewest, "max": reps.most, "precision": reps.precision, "budget_ms": reps.member_ms * members,
            "warmup": 1,
        }  # fmt: skip


PRESETS = {
    settings.preset: settings
    for settings in (
        AlltoallSettings(
            preset="quick", sizes=(64, 4000, 40_000), budget_s=150, power=0.5,
            small=Repetitions(8, 20, 1, 0.03, 2), large=Repetitions(4, 8, 1, 0.03, 5),
        ),
        AlltoallSettings(preset="standard", budget_s=1740, fewest_launches=6),
        AlltoallSettings(
            preset="paper", sizes=PAPER_SIZES, problems=(REGULAR_PROBLEM, AS_IRREGULAR), data="constant", exact=True,
            protocol=PAPER, launches=1, layer=False,
            algorithms=(*(f"{name}/types" for name in REGULAR[:7]), "pairwise", "spread-out"),
        ),
    )
}  # fmt: skip
