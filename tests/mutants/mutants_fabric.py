"""Faults in the channel between nodes: what it says of itself, and what it believes of a peer."""

from __future__ import annotations

from mutant import NOTHING, Check, Mutant


def tests(cases: str) -> tuple[Check, ...]:
    """Return some of the channel's tests."""
    return (Check("channel_test", (f"--gtest_filter={cases}",)),)


FRAME, HOSTILE, LAYOUTS = tests("Frame.*"), tests("Hostile.*"), tests("LayoutsTest.*")

FABRIC = [
    Mutant(plants, file, before, after, NOTHING, noticed_by)
    for plants, file, before, after, noticed_by in (
        (
            "a frame is taken whatever its number is",
            "channel/mail.cpp",
            "header->sequence != peer->frames_in + 1 || ",
            "",
            HOSTILE,
        ),
        (
            "a seal is not looked at",
            "channel/peers.hpp",
            "return peer ? peer->in.is_right(frame, tag)",
            "return peer ? frame.size() < (std::size_t{1} << 60)",
            HOSTILE,
        ),
        (
            "a seal covers no body",
            "channel/mail.cpp",
            "header.kind == Kind::kEager ? sizeof header : sizeof header + header.body",
            "sizeof header",
            HOSTILE,
        ),
        (
            "what a peer says that it has received is believed",
            "channel/mail.hpp",
            "return header.matched - peer.matched_out <= peer.messages_out - peer.matched_out;",
            "return header.matched == peer.matched_out || peer.messages_out < UINT32_MAX;",
            HOSTILE,
        ),
        (
            "messages come in any order",
            "channel/channel.cpp",
            "header.message != peer.messages_in + 1 || ",
            "",
            HOSTILE,
        ),
        (
            "more messages are kept than the window lets through",
            "channel/channel.cpp",
            " || peer.arrived.size() >= kWindow)",
            ")",
            HOSTILE,
        ),
        (
            "a write of an earlier message counts",
            "channel/incoming.cpp",
            " || target.generation != immediate.generation)",
            ")",
            HOSTILE,
        ),
        (
            "a part counts twice",
            "channel/incoming.cpp",
            " || (message.unpacked >> ahead & 1) != 0)",
            ")",
            HOSTILE,
        ),
        (
            "a part beyond the ring is taken",
            "channel/incoming.cpp",
            "if (ahead >= settings_.parts || ",
            "if (",
            HOSTILE,
        ),
        (
            "a layout may lead outside of the memory that its owner names",
            "channel/outgoing.cpp",
            "bytes <= place.bytes - (here - place.here)",
            "bytes > 0",
            HOSTILE,
        ),
        (
            "a layout of another generation will do",
            "channel/outgoing.cpp",
            " || form->generation != clear->form_generation)",
            ")",
            HOSTILE,
        ),
        (
            "a layout may be too short for its message",
            "channel/outgoing.cpp",
            " || bytes < message->bytes)",
            ")",
            HOSTILE,
        ),
        (
            "memory may be too short for its message",
            "channel/outgoing.cpp",
            "if (clear->places[0].bytes < header.bytes) return refuse",
            "if (clear->places.empty()) return refuse",
            HOSTILE,
        ),
        (
            "a message is cleared twice",
            "channel/outgoing.cpp",
            " || message->is_clear || header.bytes",
            " || header.bytes",
            HOSTILE,
        ),
        (
            "credit is given for what was not written",
            "channel/outgoing.cpp",
            "header.number > message->parts || ",
            "",
            HOSTILE,
        ),
        (
            "chunks are sent without credit",
            "channel/segments.cpp",
            " && message.parts < message.credits &&",
            " &&",
            HOSTILE,
        ),
        (
            "credit is given for chunks that nobody awaits",
            "channel/segments.cpp",
            "message.told += more;",
            "message.told += more + 1;",
            HOSTILE,
        ),
        (
            "credit may go back",
            "channel/outgoing.cpp",
            " || header.number + message->clear.parts < message->credits)",
            ")",
            HOSTILE,
        ),
        (
            "a form's part may come out of its turn",
            "channel/incoming.cpp",
            " ||\n      form->bytes.size() != part->offset)",
            ")",
            HOSTILE,
        ),
        (
            "a form may be longer than it says",
            "channel/frame.cpp",
            " || part > head->total - head->offset)",
            ")",
            FRAME,
        ),
        (
            "a form may be as long as it likes",
            "channel/frame.cpp",
            " || head->total > kMostFormBytes)",
            ")",
            FRAME,
        ),
        (
            "a place may wrap",
            "channel/frame.cpp",
            " || place.address + place.bytes < place.address",
            "",
            FRAME,
        ),
        (
            "a ring may be longer than its place",
            "channel/frame.cpp",
            "if (clear.where == Clear::Where::kRing && clear.part > clear.places[0].bytes / clear.parts)",
            "if (clear.where == Clear::Where::kRing && clear.part > clear.places[0].bytes)",
            FRAME,
        ),
        (
            "a part of nothing is sent for ever",
            "channel/frame.cpp",
            "(clear.part == 0 || ",
            "(",
            FRAME,
        ),
        (
            "a request of who has ended waits for its data",
            "channel/incoming.cpp",
            "if (message.peer->is_gone)\n",
            "if (message.peer->is_gone && message.bytes < 0)\n",
            HOSTILE,
        ),
        (
            "a layout's number has the same generation for ever",
            "channel/layouts.cpp",
            "form->generation = ++generations_[form->number];",
            "form->generation = generations_[form->number];",
            LAYOUTS,
        ),
        (
            "what is forgotten stays registered for others",
            "channel/layouts.cpp",
            "(placement.is_ready() && ",
            "(placement.uses < 0 && ",
            LAYOUTS,
        ),
        (
            "the thread beside registers what was forgotten",
            "channel/layouts.cpp",
            "    std::erase_if(queue_, [&](const PlacementPtr& placement) { return lies_there(*placement); });\n",
            "",
            LAYOUTS,
        ),
        (
            "runs a page apart are registered as one",
            "channel/layouts.cpp",
            "gap = fabric::Memory::kPage;",
            "gap = fabric::Memory::kPage + 1;",
            LAYOUTS,
        ),
        (
            "a piece may reach beyond its range",
            "channel/layouts.cpp",
            "return offset + bytes <= ranges[index].offset + ranges[index].bytes ?",
            "return offset <= ranges[index].offset + ranges[index].bytes ?",
            LAYOUTS,
        ),
        (
            "keys of registered memory are counted up",
            "wire/fabric/endpoint.cpp",
            "  std::memcpy(&key, random.data(), std::min(key_bytes, sizeof key));\n",
            "  static std::uint64_t last = 0;\n  key = key_bytes > 0 && !random.empty() ? ++last : 0;\n",
            HOSTILE,
        ),
        (
            "who closes does not tell those that send to it",
            "channel/channel.cpp",
            "if (message->peer == &peer && !message->is_clear) end(",
            "if (message->peer == nullptr) end(",
            tests("Close.WhileOthersSend"),
        ),
    )
]

MUTANTS = FABRIC
