"""What processes of a node keep for each other: memory of simulated peers, counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.table import Table

from gapless.display import plain_table
from gapless.lab.programs import json_lines
from gapless.paths import Build

PROGRAM = "bench/node_memory"
MOST = 1024  # src/wire/segment.hpp


@dataclass(frozen=True)
class NodeMemoryRow:
    """One node, all in bytes; of processes the mean.

    Attributes
    ----------
    processes, peers : int
        On the node, and with which each of them exchanges messages.
    bytes : int
        Of a message.
    records, pool, channel : int
        Of the memory that all share: what is there before any message; for messages, and layouts; for collective calls
        of one communicator of all.
    tables, layouts, page_tables : int
        Of a process by itself: its view of the others; the layouts of these; the system's tables of what it has mapped.
    mappings : int
        Parts of the memory with an access of their own, which the system lists.
    address_space : int
        Of a process, most of which never has memory.
    """

    processes: int
    peers: int
    bytes: int
    records: int
    pool: int
    channel: int
    tables: int
    layouts: int
    page_tables: int
    mappings: int
    address_space: int

    @property
    def of_process(self) -> float:
        """Memory for each process, its share of the node's with it, without the channel [bytes]."""
        return (self.records + self.pool) / self.processes + self.tables + self.layouts + self.page_tables

    @property
    def of_node(self) -> float:
        """Memory of all of them [bytes]."""
        return self.of_process * self.processes


def measure_node_memory(
    build: Build, processes: Sequence[int], peers: int | None, message: int, now: Callable[[int], None] = lambda _: None
) -> list[NodeMemoryRow]:
    """Return a row for each number of processes.

    Parameters
    ----------
    build : Build
        What to measure.
    processes : sequence of int
        On a node, 2 to `MOST`.
    peers : int, optional
        With how many each exchanges messages, as far as there are so many (default: with all).
    message : int
        Its length [bytes].
    now : callable
        Told the number of processes of a node before it is measured.
    """
    rows = []
    for number in processes:
        now(number)
        partners = number - 1 if peers is None else min(peers, number - 1)
        command = [str(build.program(PROGRAM)), str(number), str(partners), str(message)]
        rows += [NodeMemoryRow(**line) for line in json_lines(build, command, layer=False)]
    return rows


def node_memory_table(rows: Sequence[NodeMemoryRow]) -> Table:
    """Render the rows: of a process in KB, of a node in MB."""
    message = f"{rows[0].bytes} bytes" if rows else "no size"
    table = plain_table(
        f"Memory of processes that exchange messages of {message}: KB a process; MB of a node, and of a channel",
        ["processes", "peers", "records", "pool", "tables", "layouts", "page tables", "in all", "a peer", "node",
         "channel"],
        left=0,
    )  # fmt: skip
    for row in rows:
        shared = [row.records / row.processes, row.pool / row.processes]
        own = [row.tables, row.layouts, row.page_tables]
        each = (row.layouts + row.page_tables) / row.peers
        table.add_row(
            str(row.processes), str(row.peers), *(f"{of / 1e3:.1f}" for of in (*shared, *own, row.of_process, each)),
            f"{row.of_node / 1e6:.1f}", f"{row.channel / 1e6:.2f}",
        )  # fmt: skip
    return table
