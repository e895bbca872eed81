"""What is measured: three programs of examples/applications, three ways to describe a halo, three calls to send it."""

from __future__ import annotations

from dataclasses import dataclass

PROGRAMS = ("flow", "life", "image")
WAYS = ("hand", "vector", "subarray")
CALLS = ("waitall", "neighbor", "persistent")
TITLES = {"flow": "Jacobi flow solver", "life": "Game of Life", "image": "image reconstruction"}


@dataclass(frozen=True)
class Scale:
    """A number of ranks, and the field that they share.

    Attributes
    ----------
    weak : bool
        Whether the size is that of each rank's block.
    """

    ranks: int
    size: str
    weak: bool = False

    @property
    def text(self) -> str:
        """The scale in a few words."""
        return f"{self.ranks} ranks, {self.size} {'a rank' if self.weak else 'in all'}"


@dataclass(frozen=True)
class Preset:
    """How much is measured.

    Attributes
    ----------
    launches : int
        Of each program, library and scale, with and without the layer: the replicates.
    steps : int
        Exchanges of each combination in a launch.
    """

    scales: tuple[Scale, ...]
    launches: int
    steps: int


_STRONG = tuple(Scale(ranks, "1024x1024") for ranks in (1, 2, 3, 4))
_WEAK = tuple(Scale(ranks, "512x512", weak=True) for ranks in (1, 2, 3, 4))
PRESETS = {
    "quick": Preset((Scale(2, "1024x1024"),), launches=5, steps=20),
    "standard": Preset((*_STRONG, *_WEAK), launches=7, steps=40),
}


def arguments(scale: Scale, steps: int, seed: int) -> list[str]:
    """Return what a program is told: every way by every call in turn, verified before, each exchange timed."""
    weak = ["--weak"] if scale.weak else []
    all_of = ["--way", "all", "--call", "all", "--verify", "--together", "--samples", "--json"]
    return ["--size", scale.size, *weak, "--steps", str(steps), "--seed", str(seed), *all_of]
