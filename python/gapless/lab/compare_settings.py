"""What `gapless compare --run` measures, and how long: few members, short launches, many rounds of both sides."""

from __future__ import annotations

from gapless.lab.experiment import Repetitions
from gapless.lab.settings import Settings

# Launches of one library differ by more than the samples within one, so a launch is as short as it can be.
_SMALL, _LARGE = Repetitions(5, 9, 10, 0.05, 2), Repetitions(3, 5, 1, 0.05, 8)

COMPARE_PRESETS = {
    settings.preset: settings
    for settings in (
        Settings(
            preset="quick", tests=("ET3", "ET5"), blocks=(2, 10), sizes=(3200, 2_560_000), variants=(1,),
            patterns=("pingpong",), small=_SMALL, large=_LARGE, launches=20, budget_s=120,
        ),
        Settings(
            preset="standard", tests=("ET1", "ET3", "ET4", "ET5", "ET6", "ET7", "ET8", "ET10"), blocks=(2, 10, 1000),
            sizes=(3200, 2_560_000), variants=(1,), collective_blocks=(10,), small=_SMALL, large=_LARGE, launches=30,
            budget_s=900,
        ),
    )
}  # fmt: skip
