"""What a layout gained under the layer: native runs against accelerated ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gapless.profile.profile import Profile

LEVEL = 0.05
FEWEST_RUNS = 3


@dataclass(frozen=True)
class Gain:
    """A layout, or the whole program, without and with the layer.

    Attributes
    ----------
    native_ns, accelerated_ns : float
        The times of all ranks together, means over the runs.
    low, high : float or None
        The 95 % interval of native over accelerated time; None where there are too few runs for one.
    """

    native_ns: float
    accelerated_ns: float
    low: float | None
    high: float | None

    @property
    def saved_ns(self) -> float:
        """What is saved."""
        return self.native_ns - self.accelerated_ns

    @property
    def factor(self) -> float:
        """How many times as fast it is; geometric means are compared where there is an interval."""
        return self.native_ns / self.accelerated_ns if self.accelerated_ns else float("inf")

    @property
    def verdict(self) -> str:
        """What can be said: gained, lost, undecided, or that so few runs decide nothing."""
        if self.low is None or self.high is None:
            return "not decided: too few runs" if self.accelerated_ns else "not seen under the layer"
        return "gained" if self.low > 1 else "lost" if self.high < 1 else "undecided"

    def as_json(self) -> dict[str, object]:
        """Return it for the file."""
        return vars(self) | {"verdict": self.verdict}


def _gain(native: list[float], accelerated: list[float]) -> Gain:
    low = high = None
    if min(len(native), len(accelerated)) >= FEWEST_RUNS and min(native + accelerated) > 0:
        from gapless.lab.statistics import of_differences, of_launches, ratio_interval

        of = of_differences(of_launches([np.log(native)]), of_launches([np.log(accelerated)]))
        lows, highs = ratio_interval(of, LEVEL)
        low, high = float(lows[0]), float(highs[0])
    return Gain(float(np.mean(native)), float(np.mean(accelerated)), low, high)


def gains(profile: Profile) -> dict[str, Gain]:
    """Return what each layout gained, by its text; empty if the program did not run under the layer."""
    if not profile.accelerated:
        return {}
    return {
        text: _gain([run.time_ns(text) for run in profile.native], [run.time_ns(text) for run in profile.accelerated])
        for text in profile.layouts
    }


def whole_gain(profile: Profile) -> Gain | None:
    """Return what the whole program gained, or None if it did not run under the layer."""
    if not profile.accelerated:
        return None
    return _gain(
        [sum(run.whole_ns.values()) for run in profile.native],
        [sum(run.whole_ns.values()) for run in profile.accelerated],
    )
