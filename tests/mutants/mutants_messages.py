"""Faults in messages from point to point that go through the memory which the processes of a node share."""

from __future__ import annotations

from layer_checks import FORCED, PERSISTENT_LONG, conformance, planted, preload

# The programs know from which size on messages are paired; the built-in rules are measured.
MESSAGES = {"GAPLESS_SMALLEST_PAIRED": "16384"}
PAIRED = (conformance("p2p_paired", "40", **MESSAGES),)
TRUNCATED = (conformance("p2p_ends", "truncated", **MESSAGES),)
BUSY = (conformance("p2p_busy", **MESSAGES),)
PROBES = tuple(conformance("p2p_probes", str(seed), ranks=3, **FORCED) for seed in range(4))
RANDOM = (conformance("p2p_random", "1", "40", **MESSAGES), conformance("p2p_random", "1", "40", ranks=3, **FORCED))

PERSISTENT = (conformance("p2p_persistent", **MESSAGES),)

SEEN = (conformance("p2p_arguments", "types", **MESSAGES),)
STARTED_TWICE = (conformance("p2p_arguments", "started", **MESSAGES),)
ASKED = (conformance("p2p_arguments", "probes", **MESSAGES),)
BUFFERED = (conformance("p2p_arguments", "buffer", **MESSAGES),)
HANDLES = (conformance("handles", "callback"), conformance("handles", "threads", "400", GAPLESS_PAIRED="0"))

FIRST_USE = (preload("first_use_test", GAPLESS_RULES="{source}/tests/preload/packs_all.rules"),)
GATHERED = (preload("gathered_header_test", GAPLESS_RULES="{source}/tests/preload/gathered_header.rules"),)
EXPECTED = (preload("expected_header_test", GAPLESS_RULES="{source}/tests/preload/expected_header.rules"),)
IN_FORCE = (preload("rules_in_force_test", "paired", GAPLESS_RULES="{source}/tests/preload/paired_in_force.rules"),)

MUTANTS = [
    planted(
        "an active send that is started again loses its round",
        "p2p/persistent.cpp",
        "if (n == 1 && held[0]->stand_in != MPI_REQUEST_NULL && held[0]->is_active()) return call(&held[0]->stand_in);",
        "",
        STARTED_TWICE,
    ),
    planted(
        "the header is taken for the data of a type of which no commit was seen",
        "transfer/paired.cpp",
        "= reason_ == Reason::kUnregistered && learn_type();",
        "= false;",
        SEEN,
    ),
    planted(
        "a claimed message is not read into a type of which no commit was seen",
        "transfer/paired.cpp",
        "  if (!mpi::is_known_committed(type_)) learn_type();\n",
        "",
        SEEN,
    ),
    planted(
        "a probe of a rank that is not there waits for its message",
        "paired/claims.cpp",
        "if (!may_come(source, tag, comm)) return",
        "if (!may_come(0, tag, comm)) return",
        ASKED,
    ),
    planted(
        "who gets the handle of an operation that is being completed finds its entry",
        "requests/requests.cpp",
        "held.entry->is_in_call_ = true;",
        "held.entry->is_in_call_ = false;",
        HANDLES,
    ),
    planted(
        "a persistent receive that was inactive has completed once it is started",
        "requests/completion.cpp",
        "    if (entry.was_inactive(own[k])) return false;\n",
        "",
        (conformance("handles", "started", GAPLESS_PAIRED="0"),),
    ),
    planted(
        "of two threads that ask for the status of a request one finds no entry",
        "requests/requests.hpp",
        "return use == Use::kStarts || (use == Use::kCompletes && !entry.persistent);",
        "return use != Use::kCompletes || !entry.persistent;",
        (conformance("handles", "asked", GAPLESS_PAIRED="0"),),
    ),
    planted(
        "a probe takes what it does not ask for",
        "paired/claims.cpp",
        "mpi::library.Iprobe(source, tag, comm, &flag, &status)",
        "mpi::library.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status)",
        PROBES,
    ),
    planted(
        "a header that ends inside a basic type is taken for data",
        "request_entry.cpp",
        "  deliver(status);\n  const bool broken = is_broken(status);",
        "  const bool broken = is_broken(status);\n  deliver(status);",
        PAIRED,
    ),
    planted(
        "a buffered send is an error no more where its buffer is too small",
        "p2p/send.cpp",
        "GAPLESS_SEND(Bsend, kNotPair)",
        "GAPLESS_SEND(Bsend, kPair)",
        BUFFERED,
    ),
    planted(
        "nonblocking sends are paired by the rules of blocking ones",
        "policy/shared_memory.cpp",
        "sending == wire::Sending::kAlone ? Operation::kPaired : Operation::kIpaired",
        "Operation::kPaired",
        IN_FORCE,
    ),
    planted(
        "persistent sends are paired by the rules of blocking ones",
        "transfer/paired.cpp",
        "receiver_on_node(wire::Sending::kAmongOthers, dest, comm) : -1",
        "receiver_on_node(wire::Sending::kAlone, dest, comm) : -1",
        IN_FORCE,
    ),
    planted(
        "a type that is used once is looked up for any message",
        "transfer/transfer.cpp",
        "may_pass ? &first : nullptr",
        "nullptr",
        FIRST_USE,
    ),
    planted(
        "the first types of a program are not looked up",
        "mpi/types/datatype.cpp",
        "looked_up.load(std::memory_order_relaxed) < kMostLookedUp",
        "false",
        FIRST_USE,
    ),
    planted(
        "the type of a persistent request is not looked up",
        "transfer/transfer.cpp",
        " && !is_lasting(procedure_);",
        ";",
        FIRST_USE,
    ),
    planted(
        "a receive takes every message of a header's length for data",
        "transfer/paired.cpp",
        "may_be = received_bytes == wire::kHeaderBytes || received_bytes == kAnyBytes;",
        "may_be = received_bytes == kAnyBytes;",
        PAIRED,
    ),
    planted(
        "a receive expects a header where none ever came",
        "transfer/paired.cpp",
        "if (is_known) return came == mpi::Datatype::Came::kPaired;",
        "",
        EXPECTED,
    ),
    planted(
        "a receive that got a header expects none",
        "transfer/paired.cpp",
        "datatype_->note_arrival(is_paired)",
        "datatype_->note_arrival(false)",
        EXPECTED,
    ),
    planted(
        "a contiguous receive does not look for a header",
        "transfer/paired.cpp",
        "    looks_ = bytes_ >= wire::kHeaderBytes;\n    return;",
        "    return;",
        PAIRED,
    ),
    planted(
        "the status of a blocking receive counts the header",
        "transfer/transfer.cpp",
        "  status.correct(data.counted_bytes());\n",
        "",
        PAIRED,
    ),
    planted(
        "the status of a message that is too long counts what there is room for",
        "policy/strategy.hpp",
        "    return sent >= counts_all_from ? sent : std::min(sent, room);",
        "    return std::min(sent, room);",
        TRUNCATED,
    ),
    planted(
        "a status that the library leaves empty counts what came",
        "request_entry.cpp",
        "  if (mpi::received_bytes(status) == wire::kHeaderBytes) {\n",
        "  {\n",
        PERSISTENT_LONG,
    ),
    planted(
        "the status of a request counts the header",
        "request_entry.cpp",
        "  if (mpi::received_bytes(status) == wire::kHeaderBytes) {\n",
        "  if (false) {\n",
        PAIRED,
    ),
    planted(
        "a message that is too long is no error",
        "transfer/transfer.hpp",
        "return paired_bytes() > bytes_ ? MPI_ERR_TRUNCATE : MPI_SUCCESS;",
        "return MPI_SUCCESS;",
        TRUNCATED,
    ),
    planted(
        "the memory of a message is not lent again when it was sent",
        "paired/sender.cpp",
        "  shared_.pool.lend(message_.lease(), withdrawn_ ? 0 : message_.used_chunks());\n",
        "",
        BUSY,
    ),
    planted(
        "a round of a persistent send has the header of another one",
        "transfer/paired.cpp",
        "  std::memcpy(&header, outgoing_->header(), sizeof header);\n",
        "",
        PERSISTENT,
    ),
    planted(
        "a header is not looked for where there is no staging",
        "transfer/paired.cpp",
        "  looks_ = path_ != Path::kNative || can_gather;\n",
        "  looks_ = path_ != Path::kNative;\n",
        GATHERED,
    ),
    planted(
        "a process that probes goes on taking messages",
        "paired/claims.cpp",
        "  refuse(Refusal::kProbes);\n",
        "",
        PROBES,
    ),
    planted(
        "a probe that finds a header counts its bytes",
        "paired/claims.cpp",
        "    mpi::set_bytes(claim.status, claim.paired->bytes());\n",
        "",
        PROBES,
    ),
    planted(
        "claimed messages are searched from the last",
        "paired/claims.cpp",
        "  all().queue.push_back(std::move(claim));",
        "  all().queue.insert(all().queue.begin(), std::move(claim));",
        PROBES,
    ),
    planted(
        "a receive looks at the library's messages alone while some are claimed",
        "p2p/receive.cpp",
        "    return receive_claiming(data, large, source, tag, comm, status);",
        "    return native(status);",
        PROBES,
    ),
    planted(
        "a switched off process is sent messages that its receives do not look for",
        "paired/acceptance.cpp",
        "  if (!declined_off) set_declined_off(true);\n",
        "",
        BUSY + RANDOM,
    ),
    planted(
        "a receive that does not look lets messages come again as soon as the layer is on",
        "paired/acceptance.cpp",
        "  if (unchecked == 0) set_declined_off(false);",
        "  set_declined_off(false);",
        BUSY + RANDOM,
    ),
]
