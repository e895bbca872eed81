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
    tool: str = ""
    """Another tool is preloaded as well: "after" the layer or "before" it."""

    def name(self) -> str:
        """Return how the case is reported."""
        words = [self.program, *self.arguments, *(f"{k}={v}" for k, v in self.settings.items())]
        return " ".join(words)


ANY_CODE = tuple(range(256))
ANY_FAILURE = tuple(range(1, 256))
FORCED = {"GAPLESS_FORCE": "1"}

CASES = (
    Case("blocking", ("24",)),
    Case("blocking", ("9",), FORCED),
    Case("blocking_c", ("9",)),
    Case("files", ("16",)),
    Case("files", ("9",), FORCED),
    Case("files_c", ("9",)),
    Case("nonblocking", ("16",)),
    Case("nonblocking", ("9",), FORCED),
    Case("nonblocking_c", ("9",)),
    Case("matched", ("16",)),
    Case("matched_c", ("8",)),
    Case("completion", ("6",)),
    Case("completion", ("8",), is_long=True, timeout_s=600),
    Case("completion", ("3",), FORCED),
    Case("free_cancel", ("16",)),
    Case("free_cancel", ("8",), FORCED),
    Case("errors"),
    Case("errors", (), FORCED),
    Case("odd", ("16",)),
    Case("odd", ("9",), FORCED),
    Case("threads", ("32",)),
    Case("sessions", ("1",)),
    Case("sessions", ("3",)),
    Case("process", ("fork",)),
    Case("process", ("exhausted",), {"GAPLESS_POOL_BYTES": "128K", "GAPLESS_FORCE": "1"}),
    Case("process", ("no_finalize",), exit_codes=ANY_CODE, expects="leaves without MPI_Finalize"),
    # What it prints before may be lost with it; its code is not.
    Case("process", ("abort",), exit_codes=(3,)),
    Case("plugin_host"),
    Case("tools", ("after",), tool="after"),
    Case("tools", ("before",), tool="before"),
    Case("spawn", ranks=1, is_long=True),
    Case("huge", (), {"GAPLESS_POOL_BYTES": "8G", "GAPLESS_LONGEST_RUN": "1024G"}, is_long=True, timeout_s=300),
    Case("blocking", ("200",), is_long=True, timeout_s=600),
    Case("nonblocking", ("200",), is_long=True, timeout_s=600),
    Case("completion", ("64",), is_long=True, timeout_s=600),
    Case("threads", ("400",), is_long=True, timeout_s=600),
)
# Those that a library offers: libraries.py.
FORTRAN_CASES = tuple(Case(f"fortran_{flavour}") for flavour in ("mpif", "usempi", "f08"))
