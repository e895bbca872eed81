"""What the layer accelerated and declined, summed over the ranks of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gapless.display import plain_table
from gapless.launch.reach import Rank

if TYPE_CHECKING:
    from rich.table import Table


@dataclass
class ProcedureCount:
    """The calls of one MPI procedure on all ranks."""

    calls: int = 0
    accelerated: int = 0
    bytes: int = 0
    pack_ns: int | None = None  # None: the layer did not say
    unpack_ns: int | None = None
    declined: Counter[str] = field(default_factory=Counter)
    paired: int = 0  # calls of which something went through memory that processes share
    paired_sent: int = 0  # blocks
    paired_received: int = 0
    paired_sent_bytes: int = 0
    paired_received_bytes: int = 0
    unpaired: Counter[str] = field(default_factory=Counter)  # blocks that stayed out of it, by the reason


# What is left out of the JSON where nothing of it was counted.
PAIRED = ("paired", "paired_sent", "paired_received", "paired_sent_bytes", "paired_received_bytes")


@dataclass
class Pool:
    """The shared memory of all ranks that have some, and what each sent to each.

    Attributes
    ----------
    chunks, busy : int
        The chunks of all pools, and those that were in use when MPI ended.
    used_bytes, cap_bytes : int
        On the node that used most, and its cap.
    blocks : dict
        From the sender's and the receiver's rank to the number of blocks and bytes.
    ways : Counter
        What became of messages that were offered to their receivers: ``offered``, of which ``taken_back`` or
        ``refused`` ones were packed and ``helped`` ones copied by both; read by the ``kernel`` or ``direct``;
        ``layout_new``, ``layout_known``.
    """

    chunks: int = 0
    busy: int = 0
    used_bytes: int = 0
    cap_bytes: int = 0
    blocks: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    ways: Counter[str] = field(default_factory=Counter)


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
            for key in PAIRED:
                setattr(count, key, getattr(count, key) + int(entry.get(key, 0)))
            for key in ("declined", "unpaired"):
                getattr(count, key).update({reason: int(n) for reason, n in entry.get(key, {}).items() if n})
    return totals


def pools(ranks: Iterable[Rank]) -> Pool:
    """Sum what the ranks say of their shared memory; one that ended without MPI_Finalize says nothing."""
    all_pools = Pool()
    for rank in ranks:
        of = rank.stats.get("shared_memory", {})
        all_pools.chunks += int(of.get("chunks", 0))
        all_pools.busy += int(of.get("busy", 0))
        used = int(of.get("used_bytes", 0))
        if used >= all_pools.used_bytes:
            all_pools.used_bytes, all_pools.cap_bytes = used, int(of.get("cap_bytes", 0))
        all_pools.ways.update({name: int(n) for name, n in of.get("ways", {}).items()})
        for peer, entry in of.get("peers", {}).items():
            if not entry["sent"]:
                continue
            blocks, nbytes = all_pools.blocks.get((rank.world_rank, int(peer)), (0, 0))
            all_pools.blocks[rank.world_rank, int(peer)] = (blocks + entry["sent"], nbytes + entry["sent_bytes"])
    return all_pools


def as_json(totals: dict[str, ProcedureCount]) -> dict[str, dict[str, Any]]:
    """Return the sums in the form that a rank writes its own counts in; a time that no rank gave is left out."""
    return {
        name: {
            key: dict(value) if isinstance(value, Counter) else value
            for key, value in vars(count).items()
            if value is not None and (value or key not in (*PAIRED, "unpaired"))
        }
        for name, count in sorted(totals.items())
    }


def pools_json(of: Pool) -> dict[str, Any]:
    """Return the sums of shared memory for scripts."""
    return {key: value for key, value in vars(of).items() if key != "blocks"} | {
        "blocks": [
            {"from": sender, "to": receiver, "blocks": blocks, "bytes": nbytes}
            for (sender, receiver), (blocks, nbytes) in sorted(of.blocks.items())
        ]
    }


def _milliseconds(time_ns: int | None) -> str:
    return "-" if time_ns is None else f"{time_ns / 1e6:.3f}"


def _reasons(counts: Counter[str]) -> str:
    return ", ".join(f"{reason} {n}" for reason, n in counts.most_common()) or "-"


def counter_table(totals: dict[str, ProcedureCount]) -> Table:
    """Render the sums as a table, most bytes first."""
    table = plain_table(
        "What the layer did, all ranks together",
        ["procedure", "calls", "accelerated", "bytes", "pack ms", "unpack ms", "declined"],
    )
    for name, count in sorted(totals.items(), key=lambda item: (-item[1].bytes, item[0])):
        if count.calls == 0:
            continue
        numbers = [f"{count.calls}", f"{count.accelerated}", f"{count.bytes}"]
        table.add_row(
            name, *numbers, _milliseconds(count.pack_ns), _milliseconds(count.unpack_ns), _reasons(count.declined)
        )
    return table


def paired_table(totals: dict[str, ProcedureCount]) -> Table | None:
    """Render what went through memory that processes share, most bytes first; None where nothing could have."""
    table = plain_table(
        "Through shared memory, all ranks together",
        ["procedure", "calls paired", "blocks sent", "bytes", "received", "bytes", "blocks left to the library"],
    )
    for name, count in sorted(totals.items(), key=lambda item: (-item[1].paired_sent_bytes, item[0])):
        if count.paired or count.unpaired:
            table.add_row(name, *(f"{getattr(count, key)}" for key in
                          ("paired", "paired_sent", "paired_sent_bytes", "paired_received", "paired_received_bytes")),
                          _reasons(count.unpaired))  # fmt: skip
    return table if table.row_count else None


def pool_lines(of: Pool, most: int = 8) -> list[str]:
    """Return what is said of the pools: their chunks, and the pairs of ranks that sent most."""
    if not of.chunks:
        return []
    lines = [
        f"shared memory: {of.chunks} chunks in all pools, {of.busy} in use at the end; "
        f"{of.used_bytes} of {of.cap_bytes} bytes used on a node"
    ]
    pairs = sorted(of.blocks.items(), key=lambda item: (-item[1][1], item[0]))
    lines += [f"  rank {s} to {r}: {blocks} blocks, {nbytes} bytes" for (s, r), (blocks, nbytes) in pairs[:most]]
    if len(pairs) > most:
        lines.append(f"  and {len(pairs) - most} pairs more: --stats json:FILE has all")
    if of.ways["allocated"]:
        lines.append(f"  {of.ways['allocated']} times MPI_Alloc_mem handed out memory that the node can map")
    if of.ways["offered"]:
        packed = of.ways["taken_back"] + of.ways["refused"]
        layouts = of.ways["layout_new"] + of.ways["layout_known"]
        lines.append(
            f"  {of.ways['offered']} of them offered: {of.ways['kernel']} read by the kernel, {of.ways['direct']} by "
            f"loads ({of.ways['helped']} by both ends), {packed} packed all the same; layouts known "
            f"{of.ways['layout_known']} of {layouts} times"
        )
    return lines
