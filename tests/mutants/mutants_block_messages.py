"""Faults in blocks of nonblocking v- and w-calls that go as messages through shared memory."""

from __future__ import annotations

from layer_checks import conformance, planted

MESSAGES = {"GAPLESS_SMALLEST_PAIRED": "16384"}
RULES = {"GAPLESS_RULES": "{source}/tests/preload/gathered_header.rules"}
EACH = (conformance("coll_messages", "each", ranks=3, **MESSAGES),)
KINDS = (conformance("coll_messages", "kinds", ranks=3, **MESSAGES),)
GATHERED = (conformance("coll_messages", "kinds", ranks=3, **RULES),)
SCARCE = (conformance("coll_messages", "scarce", ranks=3, **MESSAGES, GAPLESS_PAIRED_BYTES="1M"),)
PARTICLES = (conformance("coll_messages", "particles", ranks=3, **MESSAGES),)
LINE = (conformance("coll_messages", "line", ranks=3, **MESSAGES),)
TOO_LONG = (conformance("coll_messages", "too_long", ranks=3, **MESSAGES),)
FINALIZING = (conformance("coll_messages", "finalizing_in_session", ranks=3, **MESSAGES),)
SWITCHED = (conformance("coll_messages", "switched", ranks=3, **MESSAGES),)

MUTANTS = [
    planted(
        "blocks go as messages between members of the wrong numbers",
        "collectives/messages.cpp",
        "const int number = numbers_[target];",
        "const int number = numbers_[targets_[0]];",
        EACH,
    ),
    planted(
        "no block goes as a message",
        "collectives/messages.cpp",
        "sends_ = some > 0 &&",
        "sends_ = false &&",
        EACH,
    ),
    planted(
        "a process that is switched off takes headers for data",
        "collectives/collective.cpp",
        "!may_exchange(call) && !may_meet_headers(call)",
        "!may_exchange(call)",
        SWITCHED,
    ),
    planted(
        "what the rules leave to the library is not looked at",
        "collectives/side.cpp",
        "route_ != Route::kStaged && messages == nullptr",
        "route_ != Route::kStaged",
        GATHERED,
    ),
    planted(
        "headers in a type's runs are looked for in front of them",
        "collectives/side.cpp",
        "route_ != Route::kStaged && !piece.is_contiguous()",
        "false",
        GATHERED,
    ),
    planted(
        "a call without blocks to send does not look at those that come",
        "collectives/all_to_all.cpp",
        "if (!sends && !BlockMessages::may_receive(in)) {",
        "if (!sends) {",
        KINDS,
    ),
    planted(
        "a block for which there is no memory has a header all the same",
        "collectives/side.cpp",
        "if (header_bytes == 0) piece.pack(",
        "if (messages == nullptr) piece.pack(",
        SCARCE,
    ),
    planted(
        "blocks of undecoded types are not put together from headers",
        "collectives/messages.cpp",
        "if (!is_decoded && has_room && is_all) {",
        "if (false) {",
        KINDS,
    ),
    planted(
        "a message is not counted",
        "collectives/collective.hpp",
        "    messages->count();\n",
        "",
        EACH,
    ),
    planted(
        "blocks in which a whole header would end inside a basic type go by the library",
        "collectives/messages.cpp",
        "gains && header_bytes_of(piece) > 0",
        "gains && header_bytes_of(piece) == wire::kHeaderBytes",
        PARTICLES,
    ),
    planted(
        "an absent neighbour must have an address",
        "collectives/blocks.cpp",
        "if (bytes == 0 || !(direction.out || direction.in)) return true;",
        "if (bytes == 0) return true;",
        LINE,
    ),
    planted(
        "a block that is too long for its place is no error",
        "collectives/messages.cpp",
        "if (bytes > room) error_ = MPI_ERR_TRUNCATE;",
        "",
        TOO_LONG,
    ),
    planted(
        "an error of a nonblocking collective goes to another communicator's handler",
        "collectives/collective.cpp",
        "  entry->comm = call.comm;\n",
        "",
        TOO_LONG,
    ),
    planted(
        "in MPI_Finalize the world has no members whose blocks come",
        "policy/members.cpp",
        "  world.members.size = size;\n",
        "",
        FINALIZING,
    ),
]
