"""Faults in what a watched process notes (GAPLESS_PROFILE)."""

from __future__ import annotations

from layer_checks import planted
from mutant import Check

WATCHED = (Check("watched_test", (), 1, {"GAPLESS_PROFILE": "native"}),)

MUTANTS = [
    planted(
        "a call that failed is noted",
        "watch/watch.cpp",
        "if (code == MPI_SUCCESS && is_noted) {",
        "if (is_noted) {",
        WATCHED,
    ),
    planted(
        "the time of completing calls is not that of the requests",
        "watch/watch.cpp",
        "    add_later(*one.part.entry, ",
        "    add_later(*one.part.entry, 0 * ",
        WATCHED,
    ),
    planted(
        "a thread that begins has entries of its own",
        "watch/notes.cpp",
        "    if (all.left.empty()) return new Index;",
        "    return new Index;",
        WATCHED,
    ),
    planted(
        "calls are left out when the book is full",
        "watch/notes.cpp",
        "  const auto add = is_shared(&entry) ? add_shared : add_own;",
        "  if (is_shared(&entry)) return;\n  const auto add = add_own;",
        WATCHED,
    ),
]
