"""The mutants: faults that the random types must notice. Each replaces one exact piece of one source file.

A piece must occur exactly once in its file; the runner fails otherwise, so that the list cannot rot.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """One planted fault."""

    plants: str
    file: str
    before: str
    after: str


MUTANTS = [
    Mutant(
        "nested_loop takes an inner loop that is one stride too short",
        "src/normal/rules/nested_loop.cpp",
        "__builtin_mul_overflow(inner->count, inner->stride, &whole)",
        "__builtin_mul_overflow(inner->count + 1, inner->stride, &whole)",
    ),
    Mutant(
        "arithmetic_table makes a loop that is one copy short",
        "src/normal/rules/arithmetic_table.cpp",
        "static_cast<std::int64_t>(offsets.size())",
        "static_cast<std::int64_t>(offsets.size()) - 1",
    ),
    Mutant(
        "arithmetic_table does not look at the last offset",
        "src/normal/rules/arithmetic_table.cpp",
        "i < offsets.size(); ++i",
        "i + 1 < offsets.size(); ++i",
    ),
    Mutant(
        "join_loops joins across a gap of one stride",
        "src/normal/rules/join_loops.cpp",
        "__builtin_mul_overflow(first, pattern->stride, &next)",
        "__builtin_mul_overflow(first + 1, pattern->stride, &next)",
    ),
    Mutant(
        "fuse_adjacent fuses a run with the one before it in memory",
        "src/normal/rules/fuse_adjacent.cpp",
        "a.offset + a.node->bytes == b.offset",
        "b.offset + b.node->bytes == a.offset",
    ),
    Mutant(
        "dense_loop ignores the direction of the stride",
        "src/normal/rules/dense_loop.cpp",
        "node.stride != node.body->bytes",
        "(node.stride != node.body->bytes && node.stride != -node.body->bytes)",
    ),
    Mutant(
        "flatten_sequence forgets the outer offset",
        "src/normal/rules/flatten_sequence.cpp",
        "part.offset + piece.offset",
        "piece.offset",
    ),
    Mutant(
        "a loop is called disjoint though its copies share a byte",
        "src/normal/build.cpp",
        "if (level.stride < span) return false;",
        "if (level.stride < span - 1) return false;",
    ),
    Mutant(
        "a vector's stride misses one element",
        "src/normal/normalise.cpp",
        "loop(type.count, type.stride * unit,",
        "loop(type.count, (type.stride + 1) * unit,",
    ),
    Mutant(
        "the last block of a kernel's row is lost beyond a multiple of four",
        "src/kernel/baseline/strided.cpp",
        "for (std::int64_t i = 0; i < count; ++i) {",
        "for (std::int64_t i = 0; i < (count > 4 ? count & ~std::int64_t{3} : count); ++i) {",
    ),
    Mutant(
        "a kernel writes one byte into the gap behind a block, with its old value plus one",
        "src/kernel/baseline/strided.cpp",
        "std::memcpy(dst, src, kBlock);",
        "std::memcpy(dst, src, kBlock); if (dst_step > kBlock) ++dst[kBlock];",
    ),
    Mutant(
        "scatter starts at the second offset",
        "src/kernel/baseline/scattered.cpp",
        "std::memcpy(dst + offsets[i], src + i * kBlock, kBlock);",
        "std::memcpy(dst + offsets[i ? i : count - 1], src + i * kBlock, kBlock);",
    ),
    Mutant(
        "the prefix sums of a sequence skip its first part",
        "src/plan/compile.cpp",
        "start += part.node->bytes;",
        "start += step.steps.size() > 1 ? part.node->bytes : 0;",
    ),
    Mutant(
        "a list is walked backwards",
        "src/move/whole.hpp",
        "whole<Direction>(body, user + offset, packed);",
        "whole<Direction>(body, user + (step.offsets.back() - offset), packed);",
    ),
    Mutant(
        "loops are exchanged although the last write wins",
        "src/move/direction.hpp",
        "static bool any_order(bool disjoint) noexcept { return disjoint; }",
        "static bool any_order(bool) noexcept { return true; }",
    ),
    Mutant(
        "a message's further elements count as disjoint because the first one is",
        "src/move/move.cpp",
        "root.disjoint && std::abs(root.outer_stride) >= row",
        "root.disjoint && row >= 0",
    ),
    Mutant(
        "resuming inside a block is off by one byte",
        "src/move/range.hpp",
        "Direction::bytes(user + i * step.inner_stride + head, out, end - head);",
        "Direction::bytes(user + i * step.inner_stride + head - (head > 1), out, end - head);",
    ),
    Mutant(
        "a seek to the last byte of a part finds the part behind it",
        "src/move/range.hpp",
        "std::upper_bound(step.starts.begin(), step.starts.end(), from)",
        "std::upper_bound(step.starts.begin(), step.starts.end(), from + 1)",
    ),
    Mutant(
        "a message moves one byte more than its budget",
        "src/move/overlap.hpp",
        "std::min(budget, total - position)",
        "std::min(budget + 1, total - position)",
    ),
    Mutant(
        "the upper bound of a struct is never rounded up",
        "src/layout/bounds.cpp",
        "if (round_up && !set) {",
        "if (round_up && !set && alignment_ > 8) {",
    ),
    Mutant(
        "explicit bounds do not decide alone",
        "src/layout/bounds.cpp",
        "set ? set_bounds_ : bounds_;",
        "set && !bounds_.any ? set_bounds_ : bounds_;",
    ),
    Mutant(
        "a Fortran subarray is read as a C one",
        "src/normal/normalise.cpp",
        "type.order == layout::Order::kC ? dimensions - 1 - i : i",
        "dimensions - 1 - i",
    ),
    Mutant(
        "a last block that just fits the bound is lost",
        "src/layout/pattern.cpp",
        "left >= blocklength ? 1 : 0",
        "left > blocklength ? 1 : 0",
    ),
    Mutant(
        "the pieces of a bounded vector are rounded up like a struct",
        "src/layout/pattern.cpp",
        "bounds.finish(*type);",
        "bounds.finish(*type, true);",
    ),
    Mutant(
        "a circular vector that wraps inside a block loses the block's last element",
        "src/layout/vectors.cpp",
        "std::min(blocklength - phase, after_wrap)",
        "std::min(std::max<std::int64_t>(blocklength - phase - 1, 1), after_wrap)",
    ),
    Mutant(
        "the processes of a darray are numbered in Fortran order",
        "src/layout/darray.cpp",
        "for (std::size_t d = dimensions; d-- > 0;) {",
        "for (std::size_t d = 0; d < dimensions; ++d) {",
    ),
    Mutant(
        "the blocks of a darray are one element too far apart",
        "src/layout/darray.cpp",
        "pattern.add(first, share.size - first, blocklength, stride);",
        "pattern.add(first, share.size - first, blocklength, stride + (stride > 3));",
    ),
]
