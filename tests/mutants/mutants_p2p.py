"""Faults in the transfers between two processes, and in the requests that outlast a call."""

from __future__ import annotations

from layer_checks import (
    BLOCKING,
    CAPPED,
    COMPLETION,
    EQUIVALENCE,
    ERRORS,
    FILES,
    FREE_CANCEL,
    LAYER_ERRORS,
    MATCHED,
    NONBLOCKING,
    PACK_OVERLAP,
    PARTITIONED,
    PERSISTENT,
    PERSISTENT_ENDS,
    PERSISTENT_LONG,
    TRUNCATION,
    UNWRAPPED,
    conformance,
    planted,
    preload,
)

REPEATED = (conformance("repeated", GAPLESS_STATS="0"),)
REPEATED_LONG = tuple(
    conformance("repeated", ints, GAPLESS_STATS="0", GAPLESS_SMALLEST_PAIRED="16384") for ints in ("960", "2000")
)

SPLIT = (
    conformance("nonblocking", "9", GAPLESS_RULES="{source}/tests/preload/split.rules"),
    conformance("persistent", "9", GAPLESS_RULES="{source}/tests/preload/split.rules"),
)

REPEATED_NATIVE = (
    conformance(
        "repeated", "2000", GAPLESS_STATS="0", GAPLESS_SMALLEST_BYTES="100000", GAPLESS_SMALLEST_PAIRED="16384"
    ),
)
MIXED_TO_ITSELF = (preload("persistent_mixed_test", GAPLESS_RULES="{source}/tests/preload/expected_header.rules"),)

DELIVERY = [
    planted(
        "a receive that is staged for a header is the library's when it comes again",
        "transfer/repeated.cpp",
        "decided.path() == Path::kNative ? decided.reason() : Reason::kNone,",
        "decided.reason(),",
        REPEATED_NATIVE,
    ),
    planted(
        "rounds of a persistent send to itself are packed where the library cuts them",
        "transfer/paired.cpp",
        "    keep_uncut(Operation::kIsend, dest, comm);\n",
        "",
        MIXED_TO_ITSELF,
    ),
    planted(
        "what is as long as a header is never one where a message like before is received",
        "transfer/repeated.cpp",
        " && like.bytes != wire::kHeaderBytes)",
        ")",
        REPEATED_LONG,
    ),
    planted(
        "a header in place of a message like before is taken for a short one",
        "transfer/transfer.hpp",
        "    looks_ = bytes >= wire::kHeaderBytes && headers_may_come();\n",
        "",
        REPEATED_LONG,
    ),
    planted(
        "the second of two pieces is sent from where it is not",
        "transfer/transfer.cpp",
        "  if (is_split_) TwoPieces::part(static_cast<char*>(staging_.data()), bytes_);\n",
        "",
        SPLIT,
    ),
    planted(
        "a short message is one like before whatever type its handle is of now",
        "transfer/repeated.cpp",
        "mpi::remembered_type(type) != like->datatype.get() || !switched_on()",
        "!switched_on()",
        REPEATED,
    ),
    planted(
        "a short message that is shorter than the last one is unpacked whole",
        "transfer/repeated.cpp",
        " && own.bytes() == like.bytes && like.bytes",
        " && like.bytes",
        REPEATED,
    ),
    planted(
        "a message that is shorter than its type fills the type",
        "transfer.cpp",
        "if (received_bytes >= bytes_) return unpack_from",
        "if (received_bytes > 0) return unpack_from",
        BLOCKING,
    ),
    planted(
        "of a truncated message nothing is delivered",
        "transfer.cpp",
        "error_class == MPI_ERR_TRUNCATE;",
        "error_class == MPI_ERR_OTHER;",
        TRUNCATION,
    ),
    planted(
        "a message that ends inside a basic type is no error",
        "transfer.cpp",
        "if (rest == 0) return MPI_SUCCESS;",
        "if (rest >= 0) return MPI_SUCCESS;",
        ERRORS,
    ),
    planted(
        "a message that ends inside a basic type counts no element of its last one",
        "transfer.cpp",
        "received_bytes += whole - rest;",
        "received_bytes -= rest;",
        ERRORS,
    ),
    planted(
        "a status that the library left alone has our mark for its source",
        "transfer/transfer.cpp",
        "if (own_.MPI_SOURCE == mpi::kUnsetSource) own_.MPI_SOURCE = users_->MPI_SOURCE;",
        "",
        LAYER_ERRORS,
    ),
    planted(
        "a type of one run is sent from the buffer's address",
        "transfer.cpp",
        "path_ == Path::kInPlace ?",
        "path_ == Path::kPack ?",
        EQUIVALENCE,
    ),
    planted(
        "a null buffer is packed",
        "transfer.cpp",
        "lowest_byte(*plan_) < kLowestAddress",
        "lowest_byte(*plan_) < 0",
        ERRORS + LAYER_ERRORS,
    ),
    planted(
        "a received message stays in staging",
        "receive.cpp",
        "\n  return finish(data, own, code, comm);",
        "  own.give();\n  return code;",
        BLOCKING,
    ),
    planted(
        "a matched message stays in staging",
        "receive.cpp",
        "\n  return finish(data, own, code, MPI_COMM_NULL);",
        "  own.give();\n  return code;",
        MATCHED,
    ),
    planted(
        "MPI_Sendrecv and MPI_Sendrecv_replace send the staging as it was",
        "p2p/sendrecv.cpp",
        "  sent.pack();\n  return exchange_local",
        "  return exchange_local",
        BLOCKING,
    ),
    planted(
        "MPI_Isendrecv overwrites what a short message leaves alone",
        "isendrecv.cpp",
        "  received.pack();\n",
        "",
        NONBLOCKING,
    ),
    planted(
        "MPI_Unpack begins where the packed bytes do, not at the position",
        "p2p/pack.cpp",
        "data.unpack_from(static_cast<const char*>(in) + *position);",
        "data.unpack_from(static_cast<const char*>(in));",
        BLOCKING,
    ),
    planted(
        "MPI_Pack packs onto its own data",
        "p2p/pack.cpp",
        "data.overlaps(at) ? Reason::kOverlap : Reason::kNone;",
        "Reason::kNone;",
        PACK_OVERLAP,
    ),
    planted(
        "MPI_Pack takes any communicator",
        "p2p/pack.cpp",
        "(comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF) && world_is_up();",
        "true;",
        ERRORS + LAYER_ERRORS,
    ),
    planted(
        "a file's view of another representation is not remembered",
        "world/file.cpp",
        'std::strcmp(representation, "native") != 0) remember(file);',
        "false) remember(file);",
        FILES,
    ),
    planted(
        "a read that reaches the file's end fills the type",
        "world/file.cpp",
        "bytes == MPI_UNDEFINED ? 0 : bytes;",
        "bytes == MPI_UNDEFINED ? 0 : INT64_MAX;",
        FILES,
    ),
]

COMPLETING = [
    planted(
        "MPI_Wait does not deliver",
        "requests/completion.cpp",
        "const Outcome outcome = held.complete(index_of(k), own[k], error);",
        "const Outcome outcome = of == Of::kOne ? Outcome::kDelivered : held.complete(index_of(k), own[k], error);",
        NONBLOCKING,
    ),
    planted(
        "MPI_Test ends a persistent operation that is under way",
        "requests/completion.cpp",
        "if (single) return all || code != MPI_SUCCESS;",
        "if (single) return true;",
        PERSISTENT,
    ),
    planted(
        "MPI_Request_get_status does not deliver",
        "requests/completion.cpp",
        "return entry->tell(own[k]);",
        "return of != Of::kOne ? entry->tell(own[k]) : Outcome::kDelivered;",
        COMPLETION,
    ),
    planted(
        "MPI_Testall ends persistent operations that are under way",
        "requests/completion.cpp",
        "(output == nullptr || value != 0);",
        "(of == Of::kAll || output == nullptr || value != 0);",
        PERSISTENT,
    ),
    planted(
        "MPI_Waitall does not say that a status has an error",
        "requests/completion.cpp",
        "if (raised == MPI_SUCCESS || code != MPI_SUCCESS) return code;",
        "if (raised == MPI_SUCCESS || of == Of::kAll || code != MPI_SUCCESS) return code;",
        ERRORS,
    ),
    planted(
        "MPI_Request_get_status_all does not deliver",
        "requests/completion.cpp",
        "return entry->tell(own[k]);",
        "return of != Of::kAll ? entry->tell(own[k]) : Outcome::kDelivered;",
        COMPLETION,
    ),
    planted(
        "MPI_Waitall delivers by the status of the request before",
        "requests/completion.cpp",
        "const Outcome outcome = held.complete(index_of(k), own[k], error);",
        "const Outcome outcome = held.complete(index_of(k), own[of == Of::kAll && k > 0 ? k - 1 : k], error);",
        COMPLETION,
    ),
    planted(
        "MPI_Testany takes the first request where the library names none",
        "requests/completion.cpp",
        "returned.value_or(of == Of::kAny ? MPI_UNDEFINED : 0);",
        "std::max(returned.value_or(0), 0);",
        PERSISTENT + PERSISTENT_ENDS,
    ),
    planted(
        "MPI_Waitany does not deliver",
        "requests/completion.cpp",
        "const Outcome outcome = held.complete(index_of(k), own[k], error);",
        "const Outcome outcome = of == Of::kAny ? Outcome::kDelivered : held.complete(index_of(k), own[k], error);",
        COMPLETION,
    ),
    planted(
        "MPI_Request_get_status_any does not deliver",
        "requests/completion.cpp",
        "return entry->tell(own[k]);",
        "return of != Of::kAny ? entry->tell(own[k]) : Outcome::kDelivered;",
        COMPLETION,
    ),
    planted(
        "MPI_Waitsome delivers by the place in the answer, not by the index in it",
        "requests/completion.cpp",
        "const Outcome outcome = held.complete(index_of(k), own[k], error);",
        "const Outcome outcome = held.complete(k, own[k], error);",
        COMPLETION,
    ),
    planted(
        "MPI_Request_get_status_some does not deliver",
        "requests/completion.cpp",
        "return entry->tell(own[k]);",
        "return of != Of::kSome ? entry->tell(own[k]) : Outcome::kDelivered;",
        COMPLETION,
    ),
    planted(
        "MPI_Waitsome does not say that a status has an error",
        "requests/completion.cpp",
        "if (raised == MPI_SUCCESS || code != MPI_SUCCESS) return code;",
        "if (raised == MPI_SUCCESS || of == Of::kSome || code != MPI_SUCCESS) return code;",
        ERRORS,
    ),
    planted(
        "a status says our mark in the place of the program's MPI_ERROR",
        "requests/completion.cpp",
        "if (given.MPI_ERROR == kUnsetError) given.MPI_ERROR = errors ? MPI_SUCCESS : users_[k].MPI_ERROR;",
        "",
        COMPLETION + ERRORS,
    ),
    planted(
        "of what was cut off completing calls deliver nothing",
        "request_entry.cpp",
        "if (has_data_after(error, status)) deliver(status);",
        "",
        ERRORS + TRUNCATION,
    ),
    planted(
        "a short persistent message fills the type",
        "request_entry.cpp",
        "std::min(received_bytes, received.bytes())",
        "received.bytes()",
        PERSISTENT_LONG,
    ),
    planted(
        "a persistent operation stays inactive when it starts",
        "request_entry.cpp",
        "  set(State::kActive);\n  return before;",
        "  return before;",
        PERSISTENT,
    ),
    planted(
        "a persistent send is not packed when it starts",
        "request_entry.cpp",
        "    if (!begin_round()) sent.pack();\n",
        "",
        PERSISTENT,
    ),
]

REQUESTS = [
    planted(
        "an operation keeps its staging when its handle comes again",
        "requests.cpp",
        "while (RequestEntry* const old = find(handle)) {",
        "while (RequestEntry* const old = static_cast<RequestEntry*>(nullptr)) {",
        CAPPED,
    ),
    planted(
        "an entry is given away while its request lives",
        "requests.cpp",
        "--entry->holds_ == 0 && !entry->listed_;",
        "--entry->holds_ == 0;",
        COMPLETION,
    ),
    planted(
        "the filter overlooks a lone request",
        "requests.hpp",
        "filter_[bucket(handle)].load(std::memory_order_acquire) != 0;",
        "filter_[bucket(handle)].load(std::memory_order_relaxed) > 1;",
        NONBLOCKING,
    ),
    planted(
        "where completions are not seen a receive is staged all the same",
        "requests/start.hpp",
        "if (staged(received)) received->stay_without_entry(Reason::kCompletion);",
        "",
        UNWRAPPED,
    ),
    planted(
        "a request that the program freed is not delivered",
        "orphans.cpp",
        "if (code == MPI_SUCCESS && stays == orphan->entry->persistent) orphan->entry->deliver(status);",
        "",
        FREE_CANCEL,
    ),
    planted(
        "a cancelled receive delivers what lay in staging",
        "abi/status.cpp",
        "cancelled != 0) return 0;",
        "cancelled != 0) return INT64_MAX;",
        FREE_CANCEL,
    ),
    planted(
        "MPI_Pready_range forgets the last partition",
        "partitions.cpp",
        "(high - std::int64_t{low} + 1) * each_bytes_;",
        "(high - std::int64_t{low} + (high == low)) * each_bytes_;",
        PARTITIONED,
    ),
    planted(
        "MPI_Pready_list packs the first partitions, not those in the list",
        "partitioned.cpp",
        "all.pack(sent, partitions[k], partitions[k]);",
        "all.pack(sent, k, k);",
        PARTITIONED,
    ),
    planted(
        "MPI_Parrived unpacks what has not arrived",
        "partitioned.cpp",
        "code == MPI_SUCCESS && answer.value_or(0) != 0;",
        "code == MPI_SUCCESS;",
        PARTITIONED,
    ),
    planted(
        "partitions that were unpacked once are not unpacked after the next start",
        "request_entry.cpp",
        "partitions->reset();",
        "",
        PARTITIONED,
    ),
    planted(
        "of a short partitioned message the rest is unpacked, too",
        "partitions.cpp",
        "std::min(to * each_bytes_, received_bytes);",
        "to * each_bytes_;",
        PARTITIONED + ERRORS,
    ),
]

MUTANTS = [*DELIVERY, *COMPLETING, *REQUESTS]
