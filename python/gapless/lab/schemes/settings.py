"""What a run of `gapless measure schemes` measures and how long: the presets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gapless.lab.experiment import Repetitions
from gapless.lab.plan import Plan
from gapless.lab.schemes.plan import plan_of
from gapless.lab.ways.settings import PAPER, WaysSettings

# Two a decade [bytes].
SIZES = tuple(round(10 ** (half / 2)) for half in range(6, 19))


@dataclass(frozen=True)
class SchemesSettings(WaysSettings):
    """What a run of the send schemes measures, and how.

    Attributes
    ----------
    sizes : sequence of int
        Of messages [bytes], rounded to whole blocks.
    block, stride : int
        Doubles of a block, and from the beginning of one to that of the next.
    irregular : bool
        Blocks lie at random distances of `stride` on average.
    """

    experiment: str = "schemes"
    sizes: Sequence[int] = SIZES
    block: int = 1
    stride: int = 2
    irregular: bool = False

    def plan(self) -> Plan:
        """Return what is measured and judged."""
        return plan_of(self)


PRESETS = {
    settings.preset: settings
    for settings in (
        SchemesSettings(
            preset="quick", sizes=(1000, 10_000, 65_536, 1_000_000, 10_000_000, 32_000_000), budget_s=150, power=0.5,
            small=Repetitions(6, 12, 5, 0.03, 3), large=Repetitions(2, 5, 1, 0.03, 15), member_limit_ms=250,
        ),
        SchemesSettings(preset="standard", budget_s=1740, fewest_launches=6),
        SchemesSettings(
            preset="paper", exact=True, launches=5, data="constant", cache="cold_sender", protocol=PAPER,
            member_limit_ms=5000,
        ),
    )
}  # fmt: skip
