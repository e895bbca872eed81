"""Faults in messages that are offered to their receivers, and in what both ends need for that."""

from __future__ import annotations

from mutant import Check
from mutants_wire import planted, tests

DELIVERED = "  record.offer.store(static_cast<std::uint32_t>(Offer::kDelivered), std::memory_order_release);"
OFFERS = (Check("offers_test"),)

PROTOCOL = [
    planted(plants, "offer.hpp", before, after, OFFERS)
    for plants, before, after in (
        (
            "who pulls does not ask if the message is packed",
            "  auto found = static_cast<std::uint32_t>(Offer::kOffered);\n",
            "  auto found = record.offer.load(std::memory_order_relaxed);\n",
        ),
        ("a sender takes back what is being pulled", "{Offer::kOffered, Offer::kRefused}", "{Offer::kPulled}"),
        (
            "that a message is delivered is no release",
            "Offer::kDelivered), std::memory_order_release)",
            "Offer::kDelivered), std::memory_order_relaxed)",
        ),
        (
            "what became of an offer is read without acquire",
            "record.offer.load(std::memory_order_acquire)",
            "record.offer.load(std::memory_order_relaxed)",
        ),
        (
            "that a part is copied is no release",
            "copied.fetch_add(1, std::memory_order_release)",
            "copied.fetch_add(1, std::memory_order_relaxed)",
        ),
        (
            "that all parts are copied is read without acquire",
            "copied.load(std::memory_order_acquire)",
            "copied.load(std::memory_order_relaxed)",
        ),
        (
            "the receiver goes on when some part is copied",
            "std::memory_order_acquire) == parts",
            "std::memory_order_acquire) != 0",
        ),
        (
            "the next message begins with the parts of the last one",
            "  record.copied.store(0, std::memory_order_relaxed);\n",
            "",
        ),
        ("the record of a pulled message is never given back", "  record.give_back();\n", ""),
        (
            "a record is given back when its sender may have it again",
            "  record.give_back();\n" + DELIVERED,
            DELIVERED + "\n  record.give_back();",
        ),
    )
] + [planted("a refused message is never packed", "message.hpp", "return refuse_offer(record);", "return;", OFFERS)]

BOARD = [
    planted(plants, "board.cpp", before, after, tests("BoardTest.*"))
    for plants, before, after in (
        ("two layouts have one number", ".serial = ++last_serial_", ".serial = last_serial_ + 1"),
        ("a place is not taken", "      std::fill_n(at, units, true);\n", ""),
        ("a place is never free again", "units_of(place.bytes), false", "units_of(place.bytes), true"),
        ("a place may end outside of its chunk", "place.unit + units_of(place.bytes) > kUnits ||", ""),
    )
]

REACH = [
    planted(
        "half of a read is enough",
        "reach.cpp",
        "static_cast<std::size_t>(done) == bytes",
        "done > 0",
        tests("ReachTest.*"),
    ),
    planted("whoever asks seems to be reached", "segment.cpp", "    if (can) {\n", "    {\n", tests("ReachTest.*")),
]

MUTANTS = [*PROTOCOL, *BOARD, *REACH]
