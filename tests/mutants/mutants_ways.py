"""Faults in how a receiver copies a message out of its sender's memory."""

from __future__ import annotations

from layer_checks import conformance, planted

MESSAGES = {"GAPLESS_SMALLEST_PAIRED": "16384"}
DIRECT = (conformance("p2p_random", "1", "60", "window", **MESSAGES, GAPLESS_WAY="direct"),)
KERNEL = (conformance("p2p_paired", "100", **MESSAGES, GAPLESS_WAY="kernel"),)


MUTANTS = [
    planted(plants, file, before, after, noticed_by)
    for plants, file, before, after, noticed_by in (
        (
            "a window's part begins where the message does",
            "paired/mapped.cpp",
            "move::at(part.here + (first - part.begin), -low)",
            "move::at(part.here, -low)",
            DIRECT,
        ),
        ("the gaps of a span are data", "paired/pull.cpp", "span.is_run() ? part : span.bytes", "part", KERNEL),
    )
]
