"""The books that watched ranks leave in the run folder (src/preload/watch/book.hpp), read back in nanoseconds."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Layouts that have no number, and peers that are no rank.
CONTIGUOUS, UNDECODED, OTHERS = 0, -1, -2
PEERS = {-1: None, -2: "any", -3: "null", -4: "foreign"}

ENTRY = struct.Struct("=6i7q")


@dataclass(frozen=True)
class Entry:
    """What one rank did with one layout at one place of the program."""

    procedure: str
    role: str  # send, receive, pack, unpack, file, other
    layout: int  # its number in this rank's words, or CONTIGUOUS, UNDECODED, OTHERS
    site: int  # 0: several
    peer: int | str | None  # rank in MPI_COMM_WORLD, any, null, foreign; None: none
    first: bool  # the first buffer of its call
    count: int
    calls: int
    bytes: int
    call_ns: float
    later_ns: float
    longest_ns: float


@dataclass(frozen=True)
class Book:
    """What one rank left.

    Attributes
    ----------
    rank : int
        In MPI_COMM_WORLD; -1 if it is not known.
    whole_ns : float
        From the end of MPI_Init to the beginning of MPI_Finalize, or to its last call if it did not get there.
    finalised : bool
        Whether it got there.
    left_out : int
        Calls with something new for which the book had no room: they are in the sums of their procedures alone.
    layouts, sites : dict
        The words for numbers.
    """

    rank: int
    whole_ns: float
    finalised: bool
    left_out: int
    entries: list[Entry] = field(default_factory=list)
    layouts: dict[int, dict[str, Any]] = field(default_factory=dict)
    sites: dict[int, dict[str, Any]] = field(default_factory=dict)


def read_books(folder: Path) -> list[Book]:
    """Read the books of all ranks that left one; what a rank did not finish writing is left out."""
    return [book for path in sorted(folder.glob("*.profile")) if (book := _read(path)) is not None]


def _read(path: Path) -> Book | None:
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        words = json.loads(head)
        rank = json.loads(path.with_suffix(".json").read_text(encoding="utf-8")).get("world_rank", -1)
    except (OSError, ValueError):
        return None
    width = len(words["clock"])
    clock = dict(zip(words["clock"], struct.unpack_from(f"={width}q", body), strict=True))
    if words["entry_bytes"] != ENTRY.size or not clock["began_ticks"]:
        return None
    # Two moments that lie apart: between them are MPI_Init and all of the program until it last did something new.
    tick_ns = (clock["latest_ns"] - clock["opened_ns"]) / max(1, clock["latest_ticks"] - clock["opened_ticks"])
    entries, last = [], clock["latest_ticks"]
    for k in range(clock["used"]):
        procedure, role, layout, site, peer, first, count, calls, nbytes, ticks, later, longest, end = (
            ENTRY.unpack_from(body, 8 * width + k * ENTRY.size)
        )
        last = max(last, end)
        if calls:
            entries.append(
                Entry(
                    words["procedures"][procedure], words["roles"][role], layout, site, PEERS.get(peer, peer),
                    bool(first), count, calls, nbytes, ticks * tick_ns, later * tick_ns, longest * tick_ns,
                )
            )  # fmt: skip
    finalised = bool(clock["ended_ticks"])
    whole = (clock["ended_ticks"] if finalised else last) - clock["began_ticks"]
    layouts, sites = _words(path.with_suffix(".words"))
    return Book(rank, whole * tick_ns, finalised, clock["left_out"], entries, layouts, sites)


def _words(path: Path) -> tuple[dict[int, dict[str, Any]], dict[int, dict[str, Any]]]:
    layouts, sites = {}, {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            said = json.loads(line)
        except ValueError:  # the rank ended while it wrote
            continue
        if "layout" in said:
            layouts[said["layout"]] = said
        elif "site" in said:
            sites[said["site"]] = said
    return layouts, sites
