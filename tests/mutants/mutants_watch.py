"""Faults in the recording of `gapless profile`."""

from __future__ import annotations

from layer_checks import planted, preload

# One process, as ctest runs it; both ways to watch.
WATCHED = tuple(preload("watched_test", GAPLESS_PROFILE=how)._replace(ranks=1) for how in ("native", "accelerated"))

MUTANTS = [
    planted(
        "a call that failed is counted",
        "watch/watch.cpp",
        "if (code == MPI_SUCCESS && is_noted)",
        "if (is_noted)",
        WATCHED,
    ),
    planted(
        "the time of completing calls is not that of the requests",
        "watch/watch.cpp",
        "add_later(*one.part.entry,",
        "if (false) add_later(*one.part.entry,",
        WATCHED,
    ),
    planted(
        "threads that ended leave their entries to nobody",
        "watch/notes.cpp",
        "if (index_ != nullptr) Index::leave(index_);",
        "",
        WATCHED,
    ),
    planted(
        "what no process is told is counted as sent",
        "watch/notes.cpp",
        "peer == kNullPeer || count < 0 ? 0 : size * count * blocks",
        "count < 0 ? 0 : size * count * blocks",
        WATCHED,
    ),
    planted(
        "both buffers of an exchange count as a call",
        "watch/book.cpp",
        "entry.first = is_first ? 1 : 0;",
        "entry.first = 1;",
        WATCHED,
    ),
    planted(
        "a full book forgets the calls",
        "watch/book.cpp",
        "++pages.clock.left_out;\n      return shared;",
        "++pages.clock.left_out;\n      return &pages.entries[0];",
        WATCHED,
    ),
    planted(
        "types are kept without a limit of bytes",
        "watch/book.cpp",
        "|| bytes > kMostKept - all.kept_bytes) return kOthers;",
        ") return kOthers;",
        WATCHED,
    ),
    planted(
        "the end of the world is not noted",
        "watch/book.cpp",
        "clock.ended_ticks = base::ticks();",
        "clock.ended_ticks = 0;",
        WATCHED,
    ),
]
