"""What the layer accelerated and declined, summed over the ranks of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table

from gapless.display import plain_table
from gapless.launch.reach import Rank


@dataclass
class ProcedureCount:
    """The calls of one MPI procedure on all ranks."""

    calls: int = 0
    accelerated: int = 0
    bytes: int = 0
    pack_ns: int | None = None  # None: the layer did not say
    unpack_ns: int | None = None
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
            if "pack_ns" in entry:
                count.pack_ns = (count.pack_ns or 0) + int(entry["pack_ns"])
            if "unpack_ns" in entry:
                count.unpack_ns = (count.unpack_ns or 0) + int(entry["unpack_ns"])
            count.declined.update({reason: int(n) for reason, n in entry.get("declined", {}).items() if n})
    return totals


def as_json(totals: dict[str, ProcedureCount]) -> dict[str, dict[str, Any]]:
    """Return the sums in the form that a rank writes its own counts in; a time that no rank gave is left out."""
    return {
        name: {key: value for key, value in vars(count).items() if value is not None}
        | {"declined": dict(count.declined)}
        for name, count in sorted(totals.items())
    }


def _milliseconds(time_ns: int | None) -> str:
    return "-" if time_ns is None else f"{time_ns / 1e6:.3f}"


def counter_table(totals: dict[str, ProcedureCount]) -> Table:
    """Render the sums as a table, most bytes first."""
    table = plain_table(
        "What the layer did, all ranks together",
        ["procedure", "calls", "accelerated", "bytes", "pack ms", "unpack ms", "declined"],
    )
    for name, count in sorted(totals.items(), key=lambda item: (-item[1].bytes, item[0])):
        if count.calls == 0:
            continue
        declined = ", ".join(f"{reason} {n}" for reason, n in count.declined.most_common())
        numbers = [f"{count.calls}", f"{count.accelerated}", f"{count.bytes}"]
        table.add_row(name, *numbers, _milliseconds(count.pack_ns), _milliseconds(count.unpack_ns), declined or "-")
    return table
