"""What the engine's benchmark must show, and which rows do not show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gapless.bench.engine import EngineRow, best_library_rows, geometric_mean

Chosen = Callable[[EngineRow], bool]

REPORTED_ONLY_BYTES = 4096
CACHED_BYTES = 2_560_000
LARGE_BYTES = 60_000_000


@dataclass(frozen=True)
class Target:
    """A line of the summary.

    Attributes
    ----------
    against, where : str
        For people.
    chosen : callable
        Which rows it judges.
    each, mean : float, optional
        What every ratio, and their geometric mean, must reach; None: it is only reported.
    at_most : float, optional
        What no ratio may exceed.
    each_of : callable, optional
        The rows that `each` is for, if not all.
    best_library : bool
        The rows are those of the fastest library of each message, and the interval must reach 1.
    """

    against: str
    where: str
    chosen: Chosen
    each: float | None = None
    mean: float | None = None
    at_most: float | None = None
    each_of: Chosen | None = None
    best_library: bool = False


@dataclass(frozen=True)
class Summary:
    """What the rows of a target show."""

    target: Target
    rows: int
    mean: float
    worst: EngineRow
    missed: list[EngineRow] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether no row misses it, nor the mean."""
        return not self.missed and (self.target.mean is None or self.mean >= self.target.mean)

    def as_json(self) -> dict[str, object]:
        """Return it for a file."""
        return {
            "against": self.target.against,
            "where": self.target.where,
            "rows": self.rows,
            "geometric_mean": self.mean,
            "mean_target": self.target.mean,
            "worst": self.worst.ratio,
            "worst_case": name_of(self.worst),
            "each_target": self.target.each,
            "missed": [name_of(row) for row in self.missed],
            "holds": self.holds,
        }


def name_of(row: EngineRow) -> str:
    """Return what a row measured, for people."""
    chunk = f", chunks of {row.chunk}" if row.chunk else ""
    return f"{row.case} {row.op} {row.bytes:,} B{chunk} / {row.rival}"


def cached(row: EngineRow) -> bool:
    """Whether the payload is one of those that are judged in cache."""
    return REPORTED_ONLY_BYTES < row.bytes <= CACHED_BYTES


def large(row: EngineRow) -> bool:
    """Whether the payload is 64 MB or so."""
    return row.bytes >= LARGE_BYTES


def between(row: EngineRow) -> bool:
    """Whether the payload, one of a case's own, is between the two."""
    return CACHED_BYTES < row.bytes < LARGE_BYTES


def judged(row: EngineRow) -> bool:
    """Whether the payload is judged at all: 4 KB and less are reported only."""
    return row.bytes > REPORTED_ONLY_BYTES


def _of(rival: str, where: Chosen = judged, groups: Sequence[str] = (), caches: str = "warm") -> Chosen:
    """Return the choice of a rival's rows; without groups, of all that have no target of their own."""

    def chosen(row: EngineRow) -> bool:
        ours = row.group in groups if groups else row.group not in ("small", "transpose", "memory_list")
        return row.rival == rival and row.caches == caches and ours and where(row)

    return chosen


def _chunks(size: int, transposing: bool) -> Chosen:
    return lambda row: row.rival == "whole" and row.chunk == size and row.transposes == transposing and judged(row)


def _lists(op: str) -> Chosen:
    of = _of("hand", groups=("memory_list",))
    return lambda row: of(row) and row.op == op


def _hand(baseline: bool) -> list[Target]:
    """Return the targets against loops by hand, by payload."""
    if baseline:
        return [Target("hand, baseline kernels", "all sizes", _of("hand"), each=0.7, mean=0.9)]
    return [
        Target("hand", "in cache", _of("hand", cached), each=0.95, mean=1.0),
        Target("hand", "between", _of("hand", between), each=0.95),
        Target("hand", "64 MB", _of("hand", large), each=0.95, mean=1.2),
    ]


def targets(baseline: bool = False) -> list[Target]:
    """Return the summary's lines; those of the plainest x86-64 kernels against loops by hand are lower."""
    long_runs: Chosen = lambda row: row.shortest_run >= 16  # noqa: E731
    return [
        *_hand(baseline),
        Target("hand, caches flushed", "in cache", _of("hand", cached, caches="cold")),
        Target(
            "fastest library", "all sizes",
            lambda row: row.caches == "warm" and row.group != "small" and judged(row),
            each=0.97, mean=1.5, best_library=True,
        ),
        Target("limit", "in cache", _of("limit", cached), each=0.5, mean=0.85, each_of=long_runs),
        Target("limit", "between", _of("limit", between), each=0.5, each_of=long_runs),
        Target("limit", "64 MB", _of("limit", large), each=0.5, mean=0.65, each_of=long_runs),
        Target("whole, by 8 KB chunks", "all sizes", _chunks(8192, False), each=0.9, mean=0.97),
        Target("whole, by 4 KB chunks", "all sizes", _chunks(4096, False), each=0.85, mean=0.97),
        Target("whole, by 8 KB chunks", "transposing", _chunks(8192, True)),
        Target("lines of 8 KB chunks", "transposing", lambda row: row.rival == "touched" and row.chunk == 8192),
        Target(
            "equal message", "all sizes",
            lambda row: row.rival.startswith("description:") and judged(row), each=0.95, at_most=1.05,
        ),
        Target("naive transposition", "8 MB to 512 MB", _of("hand", groups=("transpose",)), each=3, mean=6),
        Target("naive list, pack", "from memory", _lists("pack"), each=1, mean=1.25),
        Target("naive list, unpack", "from memory", _lists("unpack"), each=1, mean=1.05),
        Target(
            "fastest library", "64 bytes, the call",
            lambda row: row.caches == "warm" and row.group == "small" and row.op == "pack", each=1.5, best_library=True,
        ),
    ]  # fmt: skip


def _misses(target: Target, row: EngineRow) -> bool:
    if target.each_of is not None and not target.each_of(row):
        return False
    if target.each is not None and row.ratio < target.each:
        return True
    if target.each is not None and target.best_library and row.ci_high < 1:
        return True
    return target.at_most is not None and row.ratio > target.at_most


def summarise(rows: Sequence[EngineRow], libraries: Sequence[str], baseline: bool = False) -> list[Summary]:
    """Judge the rows by every target that has any."""
    found = []
    best = best_library_rows(rows, libraries)
    for target in targets(baseline):
        of = [row for row in (best if target.best_library else rows) if target.chosen(row)]
        if not of:
            continue
        strict = [row for row in of if target.each_of is None or target.each_of(row)] or of
        if target.at_most is None:
            worst = min(strict, key=lambda row: row.ratio)
        else:
            worst = max(strict, key=lambda row: max(row.ratio, 1 / row.ratio))
        missed = sorted((row for row in of if _misses(target, row)), key=lambda row: row.ratio)
        found.append(Summary(target, len(of), geometric_mean([row.ratio for row in of]), worst, missed))
    return found
