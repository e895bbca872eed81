"""What the conformance set runs: programs, their arguments and the layer's settings."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """One launch."""

    program: str
    arguments: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    ranks: int = 2
    exit_codes: tuple[int, ...] = (0,)
    is_long: bool = False
    """Only with --long: minutes, or gigabytes."""
    timeout_s: int = 120
    expects: str = ""
    """What must stand in the output."""

    def name(self) -> str:
        """Return how the case is reported."""
        words = [self.program, *self.arguments, *(f"{k}={v}" for k, v in self.settings.items())]
        return " ".join(words)


FORCED = {"GAPLESS_FORCE": "1"}

CASES = (
    Case("blocking", ("24",)),
    Case("blocking", ("9",), FORCED),
    Case("blocking_c", ("9",)),
    Case("nonblocking", ("24",)),
    Case("nonblocking", ("9",), FORCED),
    Case("nonblocking_c", ("9",)),
    Case("matched", ("16",)),
    Case("matched_c", ("8",)),
    Case("completion", ("8",)),
    Case("completion", ("3",), FORCED),
)
FORTRAN_CASES: tuple[Case, ...] = ()
