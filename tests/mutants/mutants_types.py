"""Faults in what the layer knows of types, in its staging and in its rules."""

from __future__ import annotations

from layer_checks import (
    ATTRIBUTES,
    DATATYPE,
    DECODE,
    HANDLE_REUSE,
    IN_FORCE,
    RULES,
    SESSIONS,
    STAGING,
    STRUCTURES,
    WARM,
    conformance,
    planted,
)

STAGED = [
    planted(
        "a block is handed out twice",
        "staging/pool.cpp",
        "region.free & (region.free - 1)",
        "region.free",
        STAGING,
    ),
    planted(
        "the pool does not know its cap",
        "staging/pool.cpp",
        "cap() - mapped.load(std::memory_order_relaxed);",
        "cap();",
        STAGING,
    ),
    planted(
        "what an overrun left behind an isolated block stays there",
        "staging.cpp",
        "if (std::exchange(overrun_, false)) pool::trim(block);",
        "",
        STAGING,
    ),
    planted(
        "the blocks of a thread that ended are lost",
        "staging/pool.cpp",
        "clear(shelf);\n  unlink(shelves, shelf);",
        "unlink(shelves, shelf);",
        STAGING,
    ),
    planted(
        "a thread keeps no block",
        "size_class.hpp",
        "static_cast<int>(std::min<std::int64_t>(64,",
        "static_cast<int>(std::min<std::int64_t>(1,",
        WARM,
    ),
    planted(
        "idle blocks of other sizes are not given up for a new one",
        "staging/pool.cpp",
        "while (drop_one_idle(isolated && windows >= kMaxWindows)) {",
        "while (false) {",
        STAGING,
    ),
    planted(
        "the reserve hands out what is taken",
        "reserve.cpp",
        "from = all.taken[k].to;",
        "from = all.taken[k].from;",
        (conformance("coll_mixed", "outstanding", "8", GAPLESS_POOL_BYTES="64K"),),
    ),
    planted(
        "the reserve takes back what it never gave",
        "reserve.cpp",
        "std::copy(piece + 1, end, piece);",
        "",
        (conformance("coll_mixed", "outstanding", "8", GAPLESS_POOL_BYTES="64K", GAPLESS_PAIRED="0"),),
    ),
]

HANDLES = [
    planted(
        "the facts of a freed type stay under its handle",
        "handle_cache.hpp",
        "all.kept.erase(found);\n      forget(index_of(key));",
        "forget(index_of(key));",
        HANDLE_REUSE + DATATYPE,
    ),
    planted(
        "a thread remembers a type that was freed",
        "handle_cache.hpp",
        "all.kept.erase(found);\n      forget(index_of(key));",
        "all.kept.erase(found);",
        HANDLE_REUSE + DATATYPE,
    ),
    planted(
        "the types of an epoch that ended are found in the next",
        "handle_cache.hpp",
        "dropped.swap(all.kept);",
        "",
        SESSIONS + DATATYPE,
    ),
    planted(
        "the copy of a committed type is not known",
        "world/type.cpp",
        "&& mpi::is_known_committed(type)) mpi::register_type(*copy);",
        "&& false) mpi::register_type(*copy);",
        HANDLE_REUSE,
    ),
    planted(
        "holding a type copies its attributes",
        "types/held_type.cpp",
        "library.Type_create_resized(type, static_cast<MPI_Aint>(lb), static_cast<MPI_Aint>(extent), &made)",
        "library.Type_dup(type, &made)",
        ATTRIBUTES,
    ),
    planted(
        "lists of blocks have the shape of vectors",
        "types/datatype.cpp",
        "found.has_lists = true;",
        "found.has_lists = false;",
        IN_FORCE,
    ),
    planted(
        "types of unlike components are one structure",
        "types/decode.cpp",
        "builtin_part(types[k]) : part.cached->serial;",
        "builtin_part(types[k]) : 0;",
        STRUCTURES + DECODE,
    ),
    planted(
        "vectors of all basic types are one structure",
        "type_cache.hpp",
        "return key_of(type) | std::uint64_t{1} << 63;",
        "return 0 * key_of(type) | std::uint64_t{1} << 63;",
        STRUCTURES + DECODE,
    ),
    planted(
        "structures are equal whose numbers are as many bytes",
        "type_cache.cpp",
        " || std::memcmp(arguments_.data(), arguments.data(), arguments.size()) == 0;",
        " || arguments_.size() == arguments.size();",
        STRUCTURES,
    ),
    planted(
        "the last numbers of a constructor are not compared",
        "types/contents.cpp",
        "of_integers + integers.size_bytes() - of_large}",
        "of_integers + (integers.size() > 1 ? integers.size() - 1 : 0) * sizeof(int) - of_large}",
        STRUCTURES,
    ),
    planted(
        "structures that were dropped are still counted",
        "type_cache.cpp",
        "counts_.bytes -= (*last)->bytes;",
        "",
        STRUCTURES,
    ),
    planted(
        "the library's bounds are not taken",
        "types/decode.cpp",
        "return layout::resized(reported.lb, reported.extent, std::move(type));",
        "return type;",
        DECODE,
    ),
]

DECODED = [
    planted(
        f"decoding takes the arguments of MPI_Type_{name} in another order",
        "construct.cpp",
        before,
        after,
        DECODE,
    )
    for name, before, after in (
        ("contiguous", "layout::contiguous(count, child)", "layout::contiguous(count - (count > 3), child)"),
        ("vector", "layout::vector(count, length, stride, child)", "layout::vector(length, count, stride, child)"),
        ("create_hvector", "stride = arguments.address();", "stride = 2 * arguments.address();"),
        ("indexed", "layout::indexed(lengths, displacements, child)", "layout::indexed(displacements, lengths, child)"),
        (
            "create_hindexed",
            "arguments.addresses(count);\n      return arguments.complete() ? layout::hindexed(lengths, displacements,",
            "arguments.addresses(count);\n      return arguments.complete() ? layout::hindexed(displacements, lengths,",
        ),
        ("create_indexed_block", "layout::indexed_block(", "layout::hindexed_block("),
        (
            "create_struct",
            "lengths = arguments.integers(count), displacements = arguments.addresses(count);\n      const bool whole",
            "lengths = arguments.addresses(count), displacements = arguments.integers(count);\n      const bool whole",
        ),
        ("create_subarray", "layout::subarray(sizes, subsizes, starts,", "layout::subarray(sizes, starts, subsizes,"),
        (
            "create_darray",
            "arguments.small(), rank = arguments.small(),",
            "arguments.small(), rank = 0 * arguments.small(),",
        ),
    )
]
DECODED += [
    planted(
        "decoding takes a default distribution argument for a number",
        "construct.cpp",
        "code == MPI_DISTRIBUTE_DFLT_DARG ? layout::kDefaultDistribution : code",
        "code",
        DECODE,
    ),
    planted(
        "decoding puts the index of a pair right behind its value",
        "construct.cpp",
        "(children[0]->extent + alignment - 1) / alignment * alignment;",
        "children[0]->extent + 0 * alignment;",
        DECODE,
    ),
    planted(
        "decoding takes large displacements from the list of small ones",
        "contents.cpp",
        "contents_.is_large() ? take(contents_.large_counts, large_) : take(contents_.addresses, address_);",
        "take(contents_.addresses, address_);",
        DECODE,
    ),
    planted(
        "decoding takes MPI_SHORT_INT for MPI_2INT",
        "types/named.cpp",
        'return "short_int";',
        'return "2int";',
        DECODE,
    ),
]

RULED = [
    planted(
        "a size between two measured ones is taken for the smaller one",
        "policy/rules.cpp",
        "static_cast<double>(values[k]) * static_cast<double>(values[k + 1])",
        "static_cast<double>(values[k + 1]) * static_cast<double>(values[k + 1])",
        RULES,
    ),
    planted(
        "half octaves begin at whole ones",
        "policy/rules.hpp",
        "static_cast<int>(bytes >> (power - 1) & 1);",
        "0;",
        RULES,
    ),
    planted(
        "what lies beyond the last class belongs to the first",
        "policy/rules.hpp",
        "return number < classes ? number : classes - 1;",
        "return number < classes ? number : 0;",
        RULES,
    ),
    planted(
        "a text cannot say that nothing is paired",
        "policy/rules.cpp",
        'if (smallest == "never") bytes = kNeverPaired;',
        'if (smallest == "never") bytes = 1;',
        RULES,
    ),
    planted(
        "a table is laid for the first of its operations alone",
        "policy/rules.cpp",
        "operation <= last_[0];",
        "operation <= first_[0];",
        RULES,
    ),
    planted(
        "a table is laid for all distances",
        "policy/rules.cpp",
        "int distance = first_[1]; distance <= last_[1];",
        "int distance = 0; distance < kDistances;",
        RULES + IN_FORCE,
    ),
    planted(
        "the shape is not looked up",
        "policy/rules.hpp",
        "[static_cast<int>(distance)][static_cast<int>(shape)];",
        "[static_cast<int>(distance)][0];",
        RULES,
    ),
    planted(
        "what is packed past the caches is not packed",
        "policy/rules.cpp",
        "static_cast<std::uint32_t>(cell != '-') << k;",
        "static_cast<std::uint32_t>(cell == '+') << k;",
        RULES,
    ),
    planted(
        "a section for another library is taken",
        "policy/rules.cpp",
        'takes_ = !found_ && (name == "*" || here_.library.find(name) != Text::npos);',
        "takes_ = !found_;",
        RULES,
    ),
    planted(
        "a section for another vendor's processors is taken",
        "policy/rules.cpp",
        "if (!takes_ || name == here_.vendor) return;",
        "if (!takes_ || name != here_.vendor) return;",
        RULES,
    ),
    planted(
        "rules that were cut off are taken",
        "policy/rules.cpp",
        "if (!ended_) return",
        "if (false) return",
        RULES,
    ),
]
RULED += [
    planted(
        "all processes on one node are taken for far",
        "distance.cpp",
        "if (here == world_size) found = Distance::kNear;",
        "if (here == world_size) found = Distance::kFar;",
        IN_FORCE,
    ),
    planted(
        "processes that are alone on their nodes are taken for near",
        "distance.cpp",
        "if (here == 1 && world_size > 1) found = Distance::kFar;",
        "if (here == 1 && world_size > 1) found = Distance::kNear;",
        IN_FORCE,
    ),
    planted(
        "runs are looked up by the bytes of the message",
        "strategy.hpp",
        "shape_of(type, count), bytes, type.mean_run_bytes());",
        "shape_of(type, count), bytes, bytes);",
        IN_FORCE,
    ),
    planted(
        "many small elements have the shape of their type",
        "strategy.hpp",
        "count >= kMany &&",
        "count < 0 &&",
        IN_FORCE,
    ),
    planted(
        "a nonblocking send is looked up as a blocking one",
        "isend.cpp",
        "Operation::kIsend",
        "Operation::kSend",
        IN_FORCE,
    ),
]

MUTANTS = [*STAGED, *HANDLES, *DECODED, *RULED]
