"""Faults in how a receiver copies a message out of its sender's memory, and in when it is offered."""

from __future__ import annotations

from layer_checks import conformance, planted
from mutant import Check

MESSAGES = {"GAPLESS_SMALLEST_PAIRED": "16384"}
DIRECT = (conformance("p2p_random", "1", "60", **MESSAGES, GAPLESS_WAY="direct", CONFORMANCE_MEMORY="window"),)
KERNEL = (conformance("p2p_paired", "100", **MESSAGES, GAPLESS_WAY="kernel"),)
CHOICE = (Check("unit_test", ("--gtest_filter=Choice.*",)),)

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
        (
            "however often a message is taken back, the next ones are offered",
            "wire/choice.hpp",
            "lost_ns_ >= kMostWaits * waited_ns",
            "false",
            CHOICE,
        ),
        (
            "a trial without a result is not begun again",
            "wire/choice.hpp",
            "++undecided_ < kMostUndecided",
            "false",
            CHOICE,
        ),
        (
            "half a trial is enough, whatever it says",
            "wire/choice.hpp",
            "medians_[tried] >= kConfirms * medians_[taken]",
            "true",
            CHOICE,
        ),
        (
            "a trial that confirms the choice goes on to its end",
            "wire/choice.hpp",
            "medians_[tried] >= kConfirms * medians_[taken]",
            "false",
            CHOICE,
        ),
        (
            "half a trial can change the choice",
            "wire/choice.hpp",
            "static_cast<std::size_t>(is_other_), tried",
            "static_cast<std::size_t>(medians_[1] < medians_[0]), tried",
            CHOICE,
        ),
        (
            "what messages gain counts for nothing against waits",
            "wire/choice.hpp",
            "if (is_gained_) lost_ns_ =",
            "if (false) lost_ns_ =",
            CHOICE,
        ),
        (
            "what messages gain is put by against later waits",
            "wire/choice.hpp",
            "std::max<std::int64_t>(lost_ns_ - gain_ns_, 0);",
            "lost_ns_ - gain_ns_;",
            CHOICE,
        ),
        (
            "a message that was taken back has gained",
            "wire/choice.hpp",
            "    is_gained_ = false;\n    if (is_trying_",
            "    if (is_trying_",
            CHOICE,
        ),
        (
            "a way that is refused is tried again soon",
            "wire/choice.hpp",
            "give_up(Why::kRefused, kLongestPeriod)",
            "give_up(Why::kRefused, kFirstPeriod)",
            CHOICE,
        ),
    )
]
