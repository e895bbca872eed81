"""Faults in collective calls that go through the memory which the processes of a node share."""

from __future__ import annotations

from layer_checks import RULES, conformance, planted
from mutant import Check

SMALLEST = {"GAPLESS_SMALLEST_PAIRED": "1"}


def paired(what: str, ranks: int = 3, **settings: str) -> tuple[Check, ...]:
    """Return one of the cases of tests/conformance/paired.cpp."""
    return (conformance("paired", what, ranks=ranks, **settings),)


def routes(what: str, **settings: str) -> tuple[Check, ...]:
    """Return one of the cases of tests/conformance/paired_routes.cpp."""
    return (conformance("paired_routes", what, ranks=3, **{**SMALLEST, **settings}),)


PLAIN, MIXED, GRAPH, FREED = routes("plain"), routes("mixed"), routes("graph"), routes("freed")
TINY = routes("plain", GAPLESS_PAIRED_BYTES="400K")
CROWDED = routes("crowded", GAPLESS_PAIRED_BYTES="4M")
SPENT = routes("spent", GAPLESS_PAIRED_BYTES="2M")
THRESHOLD = routes("mixed", GAPLESS_SMALLEST_PAIRED="100")
UNDECODED = (conformance("coll_faults", "undecoded", ranks=3, **SMALLEST),)
APART = (paired("late")[0]._replace(first={"GAPLESS_SMALLEST_PAIRED": "1G"}),)

REFUSED = routes("refused")
ASKING = (conformance("paired_asking", "20", ranks=3, **SMALLEST),)


def each(what: str, ranks: int = 3, **settings: str) -> tuple[Check, ...]:
    """Return one of the cases of tests/conformance/paired_each.cpp."""
    return (conformance("paired_each", what, ranks=ranks, **{**SMALLEST, **settings}),)


ROOTED, NEIGHBOURS = each("rooted"), each("neighbours")

# Whether a block goes through shared memory, on both sides alike.
DECISION = [
    planted(
        "a v- or w-call whose arguments are refused on one process has no part in the vote",
        "all_to_all.hpp",
        "if (!in_place) prepare_blocks(call);",
        "if (!in_place && (among != Among::kAll || in.counts[call.members.size - 1] >= 0)) prepare_blocks(call);",
        REFUSED,
    ),
    planted(
        "a process that is switched off does not look what others have decided",
        "collectives/collective.cpp",
        "!switched_on() && !may_exchange(call) &&",
        "!switched_on() &&",
        paired("switched"),
    ),
    planted(
        "MPI_Bcast: who has contiguous data takes no part",
        "bcast.cpp",
        "if (may_exchange(call, Traffic::kFromRoot, data.count)) return false;",
        "",
        PLAIN,
    ),
    planted(
        "MPI_Allgather, MPI_Alltoall: who has contiguous data takes no part",
        "all_to_all.hpp",
        "asks_to_exchange(call, data_out.count) ||",
        "",
        PLAIN,
    ),
    planted(
        "MPI_Gather, MPI_Scatter: who has contiguous data takes no part",
        "rooted.cpp",
        "may_exchange<gathers>(call, of_each.count) ||",
        "",
        PLAIN,
    ),
    planted(
        "v-calls: who has contiguous data takes no part",
        "plain_side.hpp",
        "if (!asking(k).is_silent(call_.procedure)) return false;",
        "",
        ASKING,
    ),
    planted(
        "MPI_Alltoallv: who receives does not count the calls in which nobody asks",
        "plain_side.hpp",
        "  received.keep_silent();",
        "",
        ASKING,
    ),
    planted(
        "MPI_Gatherv, MPI_Scatterv: the root does not count the calls in which nobody asks",
        "rooted_v.cpp",
        "of_root.keep_silent();",
        "",
        ASKING,
    ),
    planted(
        "MPI_Gatherv, MPI_Scatterv: the root alone counts the calls in which nobody asks",
        "rooted_v.cpp",
        "if (may_ask && asking->asks(call.procedure)) return false;",
        "if (may_ask && !asking->is_silent(call.procedure)) return false;",
        ASKING,
    ),
    planted(
        "MPI_Allgatherv: contiguous blocks lie as many bytes apart as elements",
        "plain_side.hpp",
        "__builtin_mul_overflow(given.displacements[k], size, &displacements_[k])",
        "__builtin_mul_overflow(given.displacements[k], 1, &displacements_[k])",
        ASKING,
    ),
    planted(
        "who receives does not learn that nothing is paired",
        "pairing.cpp",
        "of(near.from, member).learn(is_paired);",
        "static_cast<void>(is_paired);",
        ASKING,
    ),
    planted(
        "one member alone learns that nothing is paired",
        "pairing.cpp",
        "if (call.asks.has_value()) call",
        "if (call.asks.has_value() && call.members.rank == 0) call",
        ASKING,
    ),
    planted(
        "processes that keep silent never ask again",
        "asking.hpp",
        "    --silent_;\n",
        "",
        RULES,
    ),
    planted(
        "a vote is put off whatever was wished",
        "asking.hpp",
        "static void wish() noexcept { unpaired_.store(0, std::memory_order_relaxed); }",
        "static void wish() noexcept {}",
        RULES,
    ),
    planted(
        "who has contiguous blocks does not count the calls before a vote that is put off",
        "rooted_v.cpp",
        "    prepare_blocks(call);\n",
        "    if (View probe = single; !rewrite_as_bytes(probe, 1)) prepare_blocks(call);\n",
        ASKING,
    ),
    planted(
        "silence outlasts the procedure",
        "asking.hpp",
        "if (without_c(procedure) != last_) *this = Asking(without_c(procedure));",
        "",
        RULES,
    ),
    planted(
        "what is contiguous everywhere is paired",
        "pairing.cpp",
        "exchange->takes_all() && exchange->is_wished());",
        "exchange->takes_all());",
        PLAIN,
    ),
    planted(
        "what is contiguous at the root is paired",
        "pairing.cpp",
        "wish == Exchange::Wish::kPaired ? wish : Exchange::Wish::kByLibrary)",
        "wish)",
        PLAIN,
    ),
    planted(
        "that another process has gaps is not heard",
        "collectives/exchange.cpp",
        "wished_ = wished_ || (letter.word & kWished) != 0;",
        "",
        PLAIN,
    ),
    planted(
        "that a process receives with gaps is no reason to pair",
        "pairing.cpp",
        " || std::any_of(received.begin(), received.end(), is_strided)\n",
        "\n",
        PLAIN,
    ),
    planted(
        "MPI_Gather: what the root told is not looked at",
        "collectives/exchange.cpp",
        "  paired = (letter.word & kPaired) != 0;\n  return true;",
        "  return true;",
        PLAIN,
    ),
    planted(
        "MPI_Gather: the root does not ask whether all blocks can be paired",
        "pairing.cpp",
        "bool whole = exchange->takes_all() && (",
        "bool whole = (",
        TINY + UNDECODED,
    ),
    planted(
        "a process that has room for some of its blocks pairs these",
        "collectives/exchange.cpp",
        "if (takes_all_sent()) return;",
        "return;",
        CROWDED,
    ),
    planted(
        "a type that is not decoded is paired",
        "collectives/exchange.cpp",
        "wish != Wish::kByLibrary && piece.is_moved_here() && parts",
        "wish != Wish::kByLibrary && parts",
        UNDECODED,
    ),
    planted(
        "MPI_Alltoall in place is taken for MPI_Allgather",
        "all_to_all.hpp",
        "if (reason == Reason::kNone && same) pair_whole",
        "if (reason == Reason::kNone) pair_whole",
        PLAIN,
    ),
    planted(
        "in place, the first block is sent, whose ever it is",
        "all_to_all.hpp",
        "std::span(in).subspan(own, 1)",
        "std::span(in).subspan(0 * own, 1)",
        PLAIN,
    ),
    planted(
        "a process pairs with itself in a w-call",
        "pairing.cpp",
        "return member != rank && is_single(met, member)",
        "return is_single(met, member)",
        PLAIN,
    ),
    planted(
        "blocks are paired of which there are several from one process to another",
        "pairing.cpp",
        "met[static_cast<std::size_t>(member)] == 1",
        "met[static_cast<std::size_t>(member)] >= 1",
        paired("torus", ranks=4),
    ),
    planted(
        "who only receives long blocks takes no part",
        "pairing.cpp",
        "has_long_block(collective.sent) || has_long_block(collective.received)",
        "has_long_block(collective.sent)",
        paired("idle", GAPLESS_STATS="0"),
    ),
    planted(
        "neighbours that receive are taken for those that send",
        "neighbours.cpp",
        "peers.in, ends.sources.data(), weights.data(), peers.out,\n"
        "                                             ends.targets.data()",
        "peers.in, ends.targets.data(), weights.data(), peers.out,\n"
        "                                             ends.sources.data()",
        GRAPH,
    ),
    planted(
        "the smallest block that is paired is no fact that processes agree on",
        "policy/agreement.cpp",
        "text += pairing_facts();",
        "",
        APART,
    ),
]

# What the library gets of a call, and what moves beside it.
PARTS = [
    planted(
        "the library gets a call that was paired as a whole",
        "collectives/collective.hpp",
        "collective.whole ? MPI_SUCCESS : rewritten(collective, nullptr);",
        "rewritten(collective, nullptr);",
        (conformance("paired_routes", "early", ranks=3),),
    ),
    planted(
        "the library packs paired blocks as well",
        "side.cpp",
        "!piece.direction.out || piece.is_paired ||",
        "!piece.direction.out ||",
        MIXED + THRESHOLD,
    ),
    planted(
        "paired blocks are unpacked from the library's staging",
        "side.cpp",
        "!piece.direction.in || piece.is_paired ||",
        "!piece.direction.in ||",
        MIXED + THRESHOLD,
    ),
    planted(
        "the other blocks stay where they were among all",
        "collectives/blocks.cpp",
        "    piece.at = bytes_;\n    bytes_ += piece.bytes();",
        "    bytes_ += piece.bytes();",
        MIXED + THRESHOLD,
    ),
    planted(
        "the library sends paired blocks too, as they are",
        "collectives/blocks.cpp",
        "pieces_[k].is_paired ? 0 : given.counts[k];",
        "given.counts[k];",
        paired("switched") + THRESHOLD,
    ),
    planted(
        "the library sends paired blocks too, as bytes",
        "collectives/blocks.cpp",
        "piece.is_paired ? 0 : static_cast<Count>(piece.header_bytes",
        "static_cast<Count>(piece.header_bytes",
        MIXED + THRESHOLD,
    ),
    planted(
        "of a plain side a block stands at a multiple of its type's size",
        "collectives/blocks.cpp",
        "moved(base_, k * whole.count * elements_.extent);",
        "moved(base_, k * whole.count * elements_.size);",
        PLAIN,
    ),
    planted(
        "what a process gives itself is forgotten",
        "collectives/exchange.cpp",
        "copies_.push_back({&from, &to});",
        "",
        PLAIN,
    ),
    planted(
        "what a process gives itself is copied back",
        "collectives/exchange.cpp",
        "block.from->copy_to(*block.to,",
        "block.to->copy_to(*block.from,",
        PLAIN,
    ),
    planted(
        "a block that comes for the library to unpack has no staging",
        "collectives/exchange.cpp",
        "return block.piece->is_moved_here() || block.whole.reserve(letter.ticket.bytes);",
        "return true;",
        UNDECODED,
    ),
    planted(
        "a block that the library has to unpack is not unpacked",
        "collectives/exchange.cpp",
        "      piece.unpack_by_library(block.whole.data());",
        "",
        UNDECODED,
    ),
    planted(
        "a message that is longer than its block is no error",
        "collectives/collective.cpp",
        "} else if (collective.exchange->differs()) {\n    collective.error = MPI_ERR_TRUNCATE;",
        "",
        paired("truncated"),
    ),
]

# What a communicator's members have in common, and what is given back.
LIFE = [
    planted(
        "the channel of a communicator that was freed is kept",
        "members.cpp",
        "kept.near = std::make_shared<Near>();",
        "kept.near = std::shared_ptr<Near>(new Near, [](Near*) {});",
        FREED,
    ),
    planted(
        "the memory of a call that goes back to the library stays taken",
        "collectives/exchange.cpp",
        "    lend(block);\n    block.is_paired",
        "    block.message = {};\n    block.is_paired",
        SPENT,
    ),
    planted(
        "the memory of a message stays taken",
        "collectives/exchange.cpp",
        "for (Sent& block : sent_) lend(block);",
        "",
        SPENT,
    ),
    planted(
        "while letters are waited for, the library makes no progress",
        "collectives/exchange.cpp",
        "std::size_t posted = 0, read = 0;\n  wire::Wait wait(shared_.segment, make_progress);",
        "std::size_t posted = 0, read = 0;\n  wire::Wait wait(shared_.segment, nullptr);",
        paired("outstanding"),
    ),
    planted(
        "a process whose memory was made later than another's learns nothing of it",
        "collectives/exchange.cpp",
        "if (!shared_.segment.is_known(static_cast<int>(letter.ticket.process), 0)) return false;",
        "if (!shared_.segment.is_known(shared_.segment.self(), 0)) return false;",
        PLAIN,
    ),
]

# To and from a root, and among neighbours that send one block to all, or equal ones.
EACH = [
    planted(
        "MPI_Gatherv, MPI_Scatterv: a process whose arguments are refused has no part in the vote",
        "rooted_v.cpp",
        "    prepare_blocks(call);\n",
        "    if (single.count >= 0) prepare_blocks(call);\n",
        each("refused"),
    ),
    planted(
        "MPI_Gatherv, MPI_Scatterv: the root's blocks are all its own",
        "rooted_v.cpp",
        "if (is_many) std::iota(ends.begin(), ends.end(), 0);",
        "",
        ROOTED,
    ),
    planted(
        "MPI_Gatherv: the library gets a block that is paired, too",
        "collectives/blocks.hpp",
        "piece_count_ == 1 && pieces_[0].is_paired ? View{given.buffer, 0, given.type} : given;",
        "given;",
        ROOTED,
    ),
    planted(
        "MPI_Gatherv, MPI_Scatterv: the root joins an own block that was copied",
        "rooted_v.cpp",
        "!in_place && of_each.is_rewritten())",
        "!in_place)",
        ROOTED + each("rooted", GAPLESS_SMALLEST_PAIRED="100"),
    ),
    planted(
        "neighbours of whom one is met twice get a block once",
        "pairing.cpp",
        "    const int from = ends.sources[k];\n",
        "    const int from = ends.sources[k];\n"
        "    if (std::find(ends.sources.begin(), ends.sources.begin() + static_cast<long>(k), from) !=\n"
        "        ends.sources.begin() + static_cast<long>(k)) continue;\n",
        NEIGHBOURS,
    ),
    planted(
        "what a process gives to itself among neighbours goes by the library when all else is paired",
        "pairing.cpp",
        "if (ends.sources[k] == rank) room = exchange->copy(sent[0], received[k]);",
        "",
        NEIGHBOURS,
    ),
    planted(
        "what a process gives to itself among neighbours is copied when all else goes by the library",
        "pairing.cpp",
        "wished = wished && exchange->takes_all_sent();",
        "",
        each("neighbours", GAPLESS_PAIRED_BYTES="400K"),
    ),
    planted(
        "who sends no long block to neighbours hears of none",
        "neighbours.cpp",
        "std::max(sent.bytes, received.bytes) >=",
        "sent.bytes >=",
        each("unequal", GAPLESS_SMALLEST_PAIRED="10000"),
    ),
    planted(
        "MPI_Neighbor_allgather: each neighbour has a block of its own",
        "neighbours.cpp",
        "same ? 0 : sent.extent",
        "sent.extent",
        NEIGHBOURS,
    ),
    planted(
        "MPI_Neighbor_alltoall: all neighbours have one block",
        "neighbours.cpp",
        "same ? 0 : sent.extent",
        "0 * sent.extent",
        NEIGHBOURS,
    ),
    planted(
        "contiguous blocks of a w-side are rewritten where the buffer begins",
        "side.hpp",
        "if constexpr (!kIsTyped<Given>) route_",
        "route_",
        (conformance("collectives", "4", ranks=3, **SMALLEST),),
    ),
]

MUTANTS = [*DECISION, *PARTS, *LIFE, *EACH]
