"""Faults in collective calls, and in the agreement on them."""

from __future__ import annotations

from layer_checks import (
    ALIASED,
    APART,
    COLL_ERRORS,
    COLLECTIVES,
    COLLECTIVES_LONG,
    CONTIGUOUS,
    FINALIZE,
    FORCED,
    INTERCOMM,
    SESSION_AFTER,
    TIGHT,
    conformance,
    planted,
)

DYING = (conformance("paired_life", "dying", ranks=3, GAPLESS_SMALLEST_PAIRED="1"),)

COLLECTIVE = [
    planted(
        "v-blocks stand at multiples of their type's size",
        "collectives/blocks.cpp",
        "!product(given.displacements[k], elements_.extent, displacement)",
        "!product(given.displacements[k], elements_.size, displacement)",
        COLLECTIVES,
    ),
    planted(
        "a v-block's count is taken from the first block",
        "collectives/blocks.cpp",
        "const Count count = given.counts[k];",
        "const Count count = given.counts[0];",
        COLLECTIVES,
    ),
    planted(
        "w-blocks stand at the beginning of the buffer",
        "collectives/blocks.cpp",
        "displacement = given.displacements[k];",
        "displacement = 0 * given.displacements[k];",
        COLLECTIVES,
    ),
    planted(
        "MPI_IN_PLACE: the blocks behind a process's own are not received",
        "collectives/blocks.cpp",
        "directions.of(from))) {",
        "directions.of(directions.own >= 0 && from > directions.own ? directions.own : from))) {",
        COLLECTIVES,
    ),
    planted(
        "blocks that lie ready are said to lie as if they were packed",
        "collectives/blocks.cpp",
        "staging != nullptr ? piece.at : piece.address - base_",
        "piece.at",
        CONTIGUOUS + COLLECTIVES,
    ),
    planted(
        "a process gives itself what another one's block is",
        "side.cpp",
        "if (own.direction.in) return own.unpack(there);",
        "if (own.direction.in) return own.unpack(there - (many_->route_ == Route::kStaged ? other.at : 0));",
        COLLECTIVES_LONG,
    ),
    planted(
        "what a process gives itself stays in the library's place",
        "collectives/pieces.cpp",
        "from == nullptr || to == nullptr) {",
        "to != nullptr) {\n    return pack(packed);\n  } else if (from == nullptr || to == nullptr) {",
        COLLECTIVES,
    ),
    planted(
        "blocks of absent neighbours are unpacked",
        "side.cpp",
        "if (!piece.direction.in || piece.is_paired ||",
        "if (piece.is_paired ||",
        COLLECTIVES,
    ),
    planted(
        "the neighbour behind is taken for the one before",
        "neighbours.cpp",
        "std::uint64_t{2} << (2 * k)",
        "std::uint64_t{1} << (2 * k)",
        COLLECTIVES,
    ),
    planted(
        "neighbours that send are taken for those that receive",
        "neighbours.cpp",
        "(call.comm, &peers.in, &peers.out, &n)",
        "(call.comm, &peers.out, &peers.in, &n)",
        COLLECTIVES,
    ),
    planted(
        "MPI_Alltoall in place sends what lies in staging",
        "all_to_all.hpp",
        ": Directions{kOutAndIn};",
        ": Directions{kIn};",
        COLLECTIVES_LONG,
    ),
    planted(
        "MPI_Scatter is unpacked nowhere",
        "rooted.cpp",
        "kSingle = gathers ? kOut : kIn;",
        "kSingle = gathers ? kOut : kStays;",
        COLLECTIVES,
    ),
    planted(
        "the root of MPI_Scatter or MPI_Scatterv sends itself nothing",
        "rooted.cpp",
        "in_place ? kStays : kMany}",
        "gathers && !in_place ? kMany : kStays}",
        COLLECTIVES,
    ),
    planted(
        "MPI_Bcast is unpacked nowhere",
        "bcast.cpp",
        "call.members.rank == root ? kOut : kIn",
        "call.members.rank == root ? kOut : kStays",
        COLLECTIVES,
    ),
    planted(
        "a call that could need more than the reserve is changed where it does not",
        "collectives/collective.cpp",
        "call.scope == DecisionScope::kAll && !may_be_staged(call.max_bytes)",
        "false",
        (conformance("coll_mixed", "outstanding", "8", GAPLESS_RESERVE_BYTES="64K", GAPLESS_POOL_BYTES="16K"),),
    ),
    planted(
        "the reserve has no room for rounding a call's buffers to pages",
        "reserve.cpp",
        "bytes + kMaxBuffers * base::page_bytes();",
        "bytes;",
        TIGHT,
    ),
    planted(
        "buffers that the library refuses are packed",
        "refusal.hpp",
        "begins_at(block, blocks, k, bytes) && refuses_aliases();",
        "false;",
        ALIASED,
    ),
    planted(
        "buffers are refused that the library takes",
        "refusal.hpp",
        "block.count > 0 && block.count == blocks.count && block.type == blocks.type &&",
        "",
        ALIASED + COLLECTIVES,
    ),
    planted(
        "a type that is not committed is taken",
        "policy/own_comm.cpp",
        "return !mpi::is_registered(type) &&",
        "return false &&",
        COLL_ERRORS,
    ),
    planted(
        "a communicator that the library refuses is looked at further",
        "policy/members.cpp",
        "if (code != MPI_SUCCESS || inter == kUnset) return false;",
        "if (code != MPI_SUCCESS) return false;",
        COLL_ERRORS,
    ),
    planted(
        "the layer ends before the program's callbacks in MPI_Finalize",
        "world/lifecycle.cpp",
        "if (!has_callback || (mpi::kCallbacksWaitForSessions && !mpi::is_last_epoch())) world_ending();",
        "world_ending();",
        FINALIZE,
    ),
    planted(
        "with a session open the layer ends in its last MPI_Session_finalize, not in MPI_Finalize",
        "world/lifecycle.cpp",
        "if (!has_callback || (mpi::kCallbacksWaitForSessions && !mpi::is_last_epoch())) world_ending();",
        "if (!has_callback) world_ending();",
        SESSION_AFTER,
    ),
    planted(
        "what is sent on a session's communicator is not received after MPI_Finalize",
        "world/lifecycle.cpp",
        "const int code = mpi::library.Finalize();",
        "const int code = mpi::library.Finalize();\n  forget_acceptance();",
        SESSION_AFTER,
    ),
]

AGREEMENT = [
    planted(
        "an intercommunicator is taken for one of the world",
        "members.cpp",
        "if (inter != 0 || !world_agreed())",
        "if (!world_agreed())",
        INTERCOMM,
    ),
    planted(
        "facts are kept of a communicator that is being freed",
        "types/handle_cache.hpp",
        "if (all.dying.contains(key)) return {facts};",
        "",
        DYING,
    ),
    planted(
        "processes with other settings are taken for equal",
        "policy/agreement.cpp",
        "same = same && one.facts == all.facts;",
        "",
        APART,
    ),
    planted(
        "GAPLESS_FORCE is no fact that processes agree on",
        "policy/agreement.cpp",
        'policy.force ? "force " : "";',
        '"";',
        # What is paired differs by it as well.
        (conformance("coll_faults", "apart", ranks=3, GAPLESS_PAIRED="0")._replace(first=FORCED),),
    ),
    planted(
        "who has no layer is not missed",
        "policy/agreement.cpp",
        "members.size() == static_cast<std::size_t>(size)",
        "members.size() <= static_cast<std::size_t>(size)",
        APART,
    ),
    planted(
        "who vouches for all is not asked whether settings are equal",
        "policy/agreement.cpp",
        "return own != 0 && in[0] == own && in[1] == -own;",
        "return own != 0;",
        (conformance("coll_faults", "apart", ranks=3, GAPLESS_EVERYWHERE="1")._replace(first=FORCED),),
    ),
]

MUTANTS = [*COLLECTIVE, *AGREEMENT]
