"""Faults in collective calls, and in the agreement on them."""

from __future__ import annotations

from layer_checks import (
    ALIASED,
    APART,
    COLL_ENDS,
    COLL_ERRORS,
    COLLECTIVES,
    COLLECTIVES_LONG,
    CONTIGUOUS,
    FORCED,
    INTERCOMM,
    conformance,
    planted,
)

COLLECTIVE = [
    planted(
        "v-blocks stand at multiples of their type's size",
        "blocks.cpp",
        "!product(displacements[k], elements_.extent, displacement)",
        "!product(displacements[k], elements_.size, displacement)",
        COLLECTIVES,
    ),
    planted(
        "a v-block's count is taken from the first block",
        "blocks.cpp",
        "pieces_[k] = {moved(base_, displacement), counts[k], bytes_, nullptr, its.out, its.in};",
        "pieces_[k] = {moved(base_, displacement), counts[0], bytes_, nullptr, its.out, its.in};",
        COLLECTIVES,
    ),
    planted(
        "w-blocks stand at the beginning of the buffer",
        "blocks.cpp",
        "pieces_[k] = {moved(base_, displacements[k]),",
        "pieces_[k] = {moved(base_, 0 * displacements[k]),",
        COLLECTIVES,
    ),
    planted(
        "MPI_IN_PLACE: the blocks behind a process's own are not received",
        "blocks.cpp",
        "part((own + 1) * count, all, direction);",
        "part((own + 1) * count, all, own_direction);",
        COLLECTIVES,
    ),
    planted(
        "blocks that lie ready are said to lie as if they were packed",
        "blocks.cpp",
        "is_staged() ? pieces_[k].at : pieces_[k].address - base_",
        "pieces_[k].at",
        CONTIGUOUS + COLLECTIVES,
    ),
    planted(
        "a process gives itself what another one's block is",
        "blocks.cpp",
        "static_cast<const char*>(joined_->staging_.data()) + from.at",
        "static_cast<const char*>(joined_->staging_.data())",
        COLLECTIVES_LONG,
    ),
    planted(
        "what a process gives itself stays in the library's place",
        "blocks.cpp",
        "from == nullptr || to == nullptr) {",
        "to != nullptr) {\n    return pack_piece(out, packed);\n  } else if (from == nullptr || to == nullptr) {",
        COLLECTIVES,
    ),
    planted(
        "blocks of absent neighbours are unpacked",
        "blocks.cpp",
        "if (piece.comes_in && piece.bytes() > 0)",
        "if (piece.bytes() > 0)",
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
        "peers.in, {true, true});",
        "peers.in, {false, true});",
        COLLECTIVES_LONG,
    ),
    planted(
        "MPI_Scatter is unpacked nowhere",
        "rooted.cpp",
        "single.type, 1, {gathers, !gathers});",
        "single.type, 1, {gathers, false});",
        COLLECTIVES,
    ),
    planted(
        "the root of MPI_Scatterv sends itself nothing",
        "rooted_v.cpp",
        "{!gathers && !in_place, false});",
        "{false, false});",
        COLLECTIVES,
    ),
    planted(
        "MPI_Bcast is unpacked nowhere",
        "bcast.cpp",
        "{is_root, !is_root});",
        "{is_root, false});",
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
        "refusal.cpp",
        "return !mpi::is_registered(type) &&",
        "return false &&",
        COLL_ERRORS,
    ),
]

AGREEMENT = [
    planted(
        "an intercommunicator is taken for one of the world",
        "members.cpp",
        "members.agreed = inter == 0 &&",
        "members.agreed =",
        INTERCOMM,
    ),
    planted(
        "a communicator that was freed is remembered",
        "members.cpp",
        "Communicators::keep(comm, found.facts);",
        "Communicators::keep(comm, found.facts, false);",
        INTERCOMM + COLL_ENDS + COLLECTIVES,
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
        APART,
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
