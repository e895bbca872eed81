"""What every run says that sends one layout in many ways: data, caches, protocol, repetitions."""

from __future__ import annotations

from dataclasses import dataclass

from gapless.lab.cases import SMALL_BYTES
from gapless.lab.experiment import Experiment, Repetitions
from gapless.lab.plan import Place
from gapless.lab.results import Line

OWN, PAPER = "own", "paper"
# Of messages beyond this [bytes] few repetitions are enough, and all that there is time for.
HUGE_BYTES = 8 << 20


@dataclass(frozen=True)
class WaysSettings(Experiment):
    """What such a run measures, and how.

    Attributes
    ----------
    data, cache : str
        fresh: the sender writes its data before each message; constant: never again. warm, cold, or cold_sender.
    protocol : str
        own: both directions carry the message, medians; paper: the answer is empty, each sample is one message, and a
        launch's value is the mean of those within one standard deviation (Eijkhout, Performance of MPI sends of
        non-contiguous data).
    pairs : int
        So many pairs of ranks at once.
    member_limit_ms : float
        Ways of which one message takes longer are left out, and that is said [ms].
    """

    data: str = "fresh"
    cache: str = "warm"
    protocol: str = OWN
    pairs: int = 1
    member_limit_ms: float = 1000
    tolerance: float = 0.05
    small: Repetitions = Repetitions(8, 24, 5, 0.02, 6)
    large: Repetitions = Repetitions(5, 9, 1, 0.03, 25)

    def group_options(self) -> Line:
        """Return what the job file says of every group beside its messages."""
        return {"pong": "empty" if self.protocol == PAPER else "full", "pairs": self.pairs > 1}

    def repetitions(self, place: Place, members: int) -> Line:
        """Return the repetitions of a group, as the job file has them."""
        if self.exact:
            return {"min": 20, "max": 20, "inner": 1, "precision": 0.0, "budget_ms": 0, "warmup": 0,
                    "member_limit_ms": self.member_limit_ms}  # fmt: skip
        reps = self.small if place.bytes <= SMALL_BYTES else self.large
        few = place.bytes > HUGE_BYTES
        # A walk through a buffer of the caches' size precedes every cold sample.
        times = 8 if place.cache != "warm" else 1
        return {
            "min": min(3, reps.fewest) if few else reps.fewest, "max": reps.most,
            "inner": 1 if place.cache != "warm" else reps.together, "precision": reps.precision,
            "budget_ms": reps.member_ms * members * times, "warmup": 0 if few else 1,
            "member_limit_ms": self.member_limit_ms,
        }  # fmt: skip
