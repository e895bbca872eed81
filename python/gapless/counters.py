"""What the layer accelerated and declined, summed over the ranks of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.table import Table

from gapless.display import plain_table
from gapless.reach import Rank


@dataclass
class ProcedureCount:
    """The calls of one MPI procedure on all ranks."""

    calls: int = 0
    accelerated: int = 0
    bytes: int = 0
    declined: Counter[str] = field(default_factory=Counter)


def total(ranks: Iterable[Rank]) -> dict[str, ProcedureCount]:
    """Sum the counts of all ranks, procedure by procedure."""
    totals: dict[str, ProcedureCount] = {}
    for rank in ranks:
        for name, entry in rank.stats.get("procedures", {}).items():
            count = totals.setdefault(name, ProcedureCount())
            count.calls += int(entry.get("calls", 0))
            count.accelerated += int(entry.get("accelerated", 0))
            count.bytes += int(entry.get("bytes", 0))
            count.declined.update({reason: int(n) for reason, n in entry.get("declined", {}).items() if n})
    return totals


def counter_table(totals: dict[str, ProcedureCount]) -> Table:
    """Render the sums as a table, most bytes first."""
    table = plain_table(
        "What the layer did, all ranks together", ["procedure", "calls", "accelerated", "bytes", "declined"]
    )
    for name, count in sorted(totals.items(), key=lambda item: (-item[1].bytes, item[0])):
        if count.calls == 0:
            continue
        declined = ", ".join(f"{reason} {n}" for reason, n in count.declined.most_common())
        table.add_row(name, f"{count.calls}", f"{count.accelerated}", f"{count.bytes}", declined or "-")
    return table
