"""Faults in the schedules of all-to-all algorithms."""

from __future__ import annotations

from mutant import NOTHING, Check, Mutant

REGULAR, IRREGULAR = (Check("alltoall_test"),), (Check("irregular_test"),)


def planted(plants: str, file: str, before: str, after: str, noticed_by: tuple[Check, ...]) -> Mutant:
    """Return a mutant without settings."""
    return Mutant(plants, f"alltoall/{file}", before, after, NOTHING, noticed_by)


MUTANTS = [
    planted(
        "the last run of blocks that travel is cut short",
        "bruck.hpp",
        "j < first + run && j < processes; ++j)",
        "j < first + run && j < processes - 1; ++j)",
        REGULAR,
    ),
    planted(
        "zero-copy: the last of a block's places is a slot",
        "zero_copy.cpp",
        "rounds_ahead(j, round) % 2 == 0",
        "rounds_ahead(j, round) % 2 != 0",
        REGULAR,
    ),
    planted(
        "zero-copy: a block that has travelled comes from the send buffer",
        "zero_copy.cpp",
        "has_travelled(j, round) ? waited :",
        "has_travelled(j, round + 1) ? waited :",
        REGULAR,
    ),
    planted(
        "least slots: one fewer than there must be",
        "least_slots.cpp",
        "least = std::max(least, static_cast<int>(travel - waiting_to_travel));",
        "least = std::max(least, static_cast<int>(travel - waiting_to_travel - 1));",
        REGULAR,
    ),
    planted(
        "least slots: a place is taken again before what stands there has been received",
        "least_slots.cpp",
        "      free.release(place[static_cast<std::size_t>(blocks[i])]);\n      place",
        "      free.release(before[i] < 0 ? place[static_cast<std::size_t>(blocks[i])] : before[i]);\n      place",
        REGULAR,
    ),
    planted(
        "a place that is taken stays free",
        "free_places.hpp",
        "    is_free_[static_cast<std::size_t>(place)] = false;\n    return was_free;",
        "    return was_free;",
        REGULAR,
    ),
    planted(
        "irregular: memory that is given back is lost",
        "irregular_space.cpp",
        "  gaps_.insert(next, extent);\n",
        "",
        IRREGULAR,
    ),
    planted(
        "irregular: two blocks get the same memory",
        "irregular_space.cpp",
        "    chosen->offset += part;\n",
        "",
        IRREGULAR,
    ),
]
