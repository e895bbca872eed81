"""Faults in the engine that random types, or pairs of them, must notice."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mutant import Check, Mutant

# Every message of some length goes past the caches.
FAR: Mapping[str, str] = MappingProxyType({"GAPLESS_NT_BYTES": "1"})
# The better sets have these loops of their own.
BASELINE: Mapping[str, str] = MappingProxyType({"GAPLESS_ISA": "baseline"})

# One thread, for the mutants take the other cores.
TYPES = (Check("random_types_test", ("--types", "20000", "--threads", "1", "--no-thresholds")),)
FOREIGN = (Check("unit_test", ("--gtest_filter=Foreign.*",)),)
COLUMNS = (Check("unit_test", ("--gtest_filter=MoveColumn.*",)),)
PAIRS = (Check("copy_pairs_test", ("--pairs", "6000", "--threads", "1", "--no-thresholds")),)

PLANTED = [
    Mutant(
        "progression makes a loop that is one copy short",
        "normal/rules/progression.cpp",
        "return {loop, next - i};",
        "return {{loop.offset, loop.letter, loop.count - (loop.count > 5), loop.stride}, next - i};",
    ),
    Mutant(
        "progression joins across a gap of one stride",
        "normal/rules/progression.cpp",
        "__builtin_mul_overflow(loop.count, loop.stride, &reach)",
        "__builtin_mul_overflow(loop.count + (next.count > 1), loop.stride, &reach)",
    ),
    Mutant(
        "repetition does not look at the last place",
        "normal/rules/repetition.cpp",
        "const std::size_t copies = agree / p + 1;",
        "const std::size_t copies = (agree + 1) / p + 1;",
    ),
    Mutant(
        "repetition does not compare distances",
        "normal/rules/repetition.cpp",
        "items[j].same_as(items[j + p]) && items[j + p].offset - items[j].offset == distance)",
        "items[j].same_as(items[j + p]) && items[j + p].offset > items[j].offset + 0 * distance)",
    ),
    Mutant(
        "join_copies does not compare offsets within a word",
        "normal/rules/join_copies.cpp",
        "|| from[i].offset - offset != word[i].offset) return false;",
        "|| (i == 0 && from[i].offset - offset != word[i].offset)) return false;",
    ),
    Mutant(
        "join_copies counts a joined loop as one copy",
        "normal/rules/join_copies.cpp",
        "loop.count += next.count;",
        "loop.count += 1;",
    ),
    Mutant(
        "fuse_runs fuses a run with the one before it in memory",
        "normal/rules/fuse_runs.cpp",
        "a.end() == b.offset;",
        "(a.end() == b.offset || b.end() == a.offset);",
    ),
    Mutant(
        "fuse_runs makes a run twice as long as its first half",
        "normal/rules/fuse_runs.cpp",
        "alphabet.run(out.back().letter->bytes + pending.back().letter->bytes);",
        "alphabet.run(2 * out.back().letter->bytes);",
    ),
    Mutant(
        "rotate_left leaves the last copy one stride behind",
        "normal/rules/rotate_left.cpp",
        "loop.offset + (loop.count - 1) * loop.stride + last.offset;",
        "loop.offset + loop.count * loop.stride + last.offset;",
    ),
    Mutant(
        "rotate_left does not look where the copy before the loop stands",
        "normal/rules/rotate_left.cpp",
        "before.offset != place)",
        "before.offset > place)",
    ),
    Mutant(
        "equal_parts takes any part that is as long",
        "normal/rules/equal_parts.cpp",
        "parts[i].node == node;",
        "parts[i].node->bytes == node->bytes;",
    ),
    Mutant(
        "two_copies compares only how the first parts are moved",
        "normal/rules/two_copies.cpp",
        "parts[j + p].offset - parts[j].offset != parts[i + p].offset - parts[i].offset)",
        "parts[i + p].offset <= parts[i].offset)",
    ),
    Mutant(
        "irregular_list forgets where the parts of a sequence stand",
        "normal/rules/irregular_list.cpp",
        "append(*part.node, origin + part.offset);",
        "append(*part.node, origin);",
    ),
    Mutant(
        "irregular_list makes a table of runs of which only the ends are equal",
        "normal/rules/irregular_list.cpp",
        "for (const std::int64_t length : lengths)\n      if (length != lengths[0]) return false;",
        "if (lengths.front() != lengths.back()) return false;",
    ),
    Mutant(
        "repeat adds copies to the first loop that there is",
        "normal/repeat.cpp",
        "if (bytes % unit != 0 || count < each || __builtin_mul_overflow(each, step, &reach) || reach != stride) "
        "continue;",
        "if (__builtin_mul_overflow(each, step, &reach)) continue;",
    ),
    Mutant(
        "repeat adds one copy a body where a body has several",
        "normal/repeat.cpp",
        "core.count += more * sample.each;",
        "core.count += more;",
    ),
    Mutant(
        "a loop goes on across copies that stand closer than it is long",
        "normal/repeat.cpp",
        "!__builtin_mul_overflow(item.count, item.stride, &whole) && whole == stride)",
        "!__builtin_mul_overflow(item.count, item.stride, &whole) && whole >= stride)",
    ),
    Mutant(
        "what stands behind a rolled up core is not moved",
        "normal/repeat.cpp",
        "items[i].offset += more * stride;",
        "items[i].offset += (more - 1) * stride;",
    ),
    Mutant(
        "what follows a growing core stands one element too early",
        "normal/repeat.cpp",
        "item.offset -= kSample * stride;",
        "item.offset -= (kSample + 1) * stride;",
    ),
    Mutant(
        "a growing core is one copy short",
        "normal/repeat.cpp",
        "folded.extra = count - kSample * folded.each;",
        "folded.extra = count - kSample * folded.each - 1;",
    ),
    Mutant(
        "empty blocks in front are not seen",
        "normal/lists.cpp",
        "seams += (next == end) | (length == 0);",
        "seams += next == end;",
    ),
    Mutant(
        "a fused list fuses runs across one byte",
        "normal/lists.cpp",
        "runs.offsets.back() + runs.lengths.back() == offset)",
        "runs.offsets.back() + runs.lengths.back() + 1 >= offset && runs.offsets.back() < offset)",
    ),
    Mutant(
        "a list of unlike lengths is a table when its first ones are equal",
        "normal/lists.cpp",
        "equal = entries.length(i) == entries.length(from);",
        "equal = i > from + 1 || entries.length(i) == entries.length(from);",
    ),
    Mutant(
        "a regular stretch goes on where the lengths do not",
        "normal/stretch.hpp",
        "(Entries::kEqual || entries_.length(i + period) == entries_.length(i));",
        "true;",
    ),
    Mutant(
        "a regular stretch takes one entry too many",
        "normal/stretch.hpp",
        "const std::size_t taken = end - begin + period;",
        "const std::size_t taken = end - begin + period + (end + period < entries_.count);",
    ),
    Mutant(
        "what follows a stretch begins one period early",
        "normal/stretch.hpp",
        "from = stretch.from + stretch.copies * stretch.period;",
        "from = stretch.from + (stretch.copies - 1) * stretch.period;",
    ),
    Mutant(
        "an opened loop writes its last copy in the place of the first",
        "normal/reduce.cpp",
        "if (back) push_copy(item.count - 1, false, true);",
        "if (back) push_copy(front ? item.count - 1 : 0, false, true);",
    ),
    Mutant(
        "an opened loop keeps a copy in its middle that was written out",
        "normal/reduce.cpp",
        "last = item.count - (back ? 1 : 0);",
        "last = item.count - (back && front ? 1 : 0);",
    ),
    Mutant(
        "a loop is called disjoint though its copies share a byte",
        "normal/finish.cpp",
        "if (level.stride < span) return false;",
        "if (level.stride < span - 1) return false;",
    ),
    Mutant(
        "a list is called disjoint though its runs share bytes",
        "normal/finish.cpp",
        "ascending &= offset + body_low >= previous;",
        "ascending &= offset + body_low + 4 >= previous;",
    ),
    Mutant(
        "a form's growth forgets the bytes before its core",
        "move/move.cpp",
        "const std::int64_t first = folded.before ? folded.before->bytes : 0;",
        "const std::int64_t first = folded.before && folded.before->bytes > 8 ? folded.before->bytes : 0;",
    ),
    Mutant(
        "what follows a message's core is not moved by the extents",
        "move/move.cpp",
        "folded.after_offset + count * extent)",
        "folded.after_offset + (count - 1) * extent)",
    ),
    Mutant(
        "what stands before a growing loop stands one element further",
        "plan/compile.cpp",
        "folded->before_offset = message.before.offset;",
        "folded->before_offset = message.before.offset + extent;",
    ),
    Mutant(
        "what many elements need is made of another type when it is asked for",
        "plan/compile.cpp",
        "folded_ = compile(*type_)->compiled_;",
        "folded_ = compile(*layout::contiguous(2, type_))->compiled_;",
    ),
    Mutant(
        "a plan's growth forgets how many copies an element has",
        "plan/compile.cpp",
        "folded->each = message.each;",
        "folded->each = 1;",
    ),
    Mutant(
        "a vector's stride misses one element",
        "normal/normalise.cpp",
        "return repeated(type.count, type.stride * unit,",
        "return repeated(type.count, (type.stride + 1) * unit,",
    ),
    Mutant(
        "nest kernels forget what four do not divide",
        "kernel/generic/nest.hpp",
        "for (; i < count; ++i, dst += to, src += from) generic::copy<kBlock>(dst, src);",
        "for (; i < (count > 4 ? count & ~std::int64_t{3} : count); ++i, dst += to, src += from) "
        "generic::copy<kBlock>(dst, src);",
    ),
    Mutant(
        "nest kernels of blocks of a constant length touch the byte behind the first of four",
        "kernel/generic/nest.hpp",
        "      generic::copy<kBlock>(dst, src);\n      generic::copy<kBlock>(dst + to, src + from);",
        "      generic::copy<kBlock>(dst, src);\n      if (!kPack && stride > kBlock) ++dst[kBlock];\n"
        "      generic::copy<kBlock>(dst + to, src + from);",
    ),
    Mutant(
        "a column of whole pages forgets its last one",
        "kernel/generic/nest.hpp",
        "for (std::int64_t i = 0; i < count; ++i, dst += to, src += from) {\n    generic::copy<kBlock>(dst, src);",
        "for (std::int64_t i = 0; i < count - (kPack ? 0 : 1); ++i, dst += to, src += from) {\n"
        "    generic::copy<kBlock>(dst, src);",
        noticed_by=COLUMNS,
    ),
    Mutant(
        "close blocks of 12 bytes are shuffled wrongly",
        "kernel/generic/close.hpp",
        "shuffled<2, 4, 5, 6>(third, fourth)",
        "shuffled<2, 4, 5, 7>(third, fourth)",
    ),
    Mutant(
        "words three apart are shuffled wrongly",
        "kernel/generic/close.hpp",
        "shuffled<2, 5, 2, 5>(load_words(src + 16)",
        "shuffled<2, 6, 2, 6>(load_words(src + 16)",
        BASELINE,
    ),
    Mutant(
        "far unpacking forgets the end of a run",
        "kernel/generic/stream.hpp",
        "const std::int64_t tail = bytes - head - lines; tail != 0",
        "const std::int64_t tail = bytes - head - lines; tail > 1",
        FAR,
    ),
    Mutant(
        "a stream loses what is left when its buffer is full",
        "kernel/generic/stream.hpp",
        "copy<kLine>(buffer_, buffer_ + lines);",
        "copy<kLine / 2>(buffer_, buffer_ + lines);",
        FAR,
    ),
    Mutant(
        "a transposition forgets the columns before the first whole line",
        "kernel/generic/transpose.hpp",
        "  edge<kBlock>(s, whole_rows, first);\n",
        "  edge<kBlock>(s, whole_rows, first - (first > 1));\n",
    ),
    Mutant(
        "a transposition swaps the words of a square",
        "kernel/generic/transpose.hpp",
        "put16<M, kStream>(s.dst + 2 * s.dst_stride, shuffled<0, 1, 4, 5>(ef, gh));",
        "put16<M, kStream>(s.dst + 2 * s.dst_stride, shuffled<0, 1, 4, 4>(ef, gh));",
    ),
    Mutant(
        "a transposition swaps the rows of a square of two",
        "kernel/generic/transpose.hpp",
        "put16<M, kStream>(s.dst + s.dst_stride, shuffled<2, 3, 6, 7>(a, b));",
        "put16<M, kStream>(s.dst + s.dst_stride, shuffled<6, 7, 2, 3>(a, b));",
        BASELINE,
    ),
    Mutant(
        "more rows are transposed than interleave",
        "move/whole.hpp",
        "rows <= std::abs(step.inner_stride) / step.block;",
        "rows <= 2 * std::abs(step.inner_stride) / step.block;",
    ),
    Mutant(
        "a list is cut into blocks of which the third is the second again",
        "plan/units.cpp",
        "offsets.push_back(first + at);",
        "offsets.push_back(first + (at > unit ? unit : at));",
    ),
    Mutant(
        "a pattern's words are taken from the front of its runs",
        "plan/run_pattern.cpp",
        "static_cast<std::int32_t>((run.user + at) / 4);",
        "static_cast<std::int32_t>((run.user + std::min<std::int64_t>(at, 4)) / 4);",
    ),
    Mutant(
        "a far pattern streams its first run again and again",
        "kernel/generic/pattern.hpp",
        "stream.append(src + run.user, run.bytes);",
        "stream.append(src + pattern.runs[0].user, run.bytes);",
        FAR,
    ),
    Mutant(
        "a pass that looks its moves up forgets the last one of each width",
        "kernel/generic/pattern.hpp",
        "for (; move != end; ++move) copy<kBytes>(dst + move->dst, src + move->src);",
        "for (; move < end - 1; ++move) copy<kBytes>(dst + move->dst, src + move->src);",
        noticed_by=PAIRS,
    ),
    Mutant(
        "a plan that moves in any order is made where the order matters",
        "plan/joint.cpp",
        "(!any_order && !keeps_order(all))",
        "(!any_order && false)",
        noticed_by=PAIRS,
    ),
    Mutant(
        "a pass of one narrow move forgets the last repetitions",
        "kernel/generic/pattern.hpp",
        "for (; count > 0; --count, d += to, s += from) copy<kBytes>(d, s);",
        "for (; count > 1; --count, d += to, s += from) copy<kBytes>(d, s);",
    ),
    Mutant(
        "a pattern ends a run where a whole number of moves does",
        "plan/run_pattern.cpp",
        "cut(run.bytes - length);",
        "cut(at - length);",
    ),
    Mutant(
        "a pattern forgets its last long run",
        "kernel/generic/pattern.hpp",
        "for (const LongMove& run : pattern.longs)\n      copy_long(",
        "for (const LongMove& run : pattern.longs.first(pattern.longs.size() - (pattern.longs.size() > 1)))\n"
        "      copy_long(",
    ),
    Mutant(
        "a pattern of long runs alone forgets its last one",
        "kernel/generic/pattern.hpp",
        "for (const LongMove& run : pattern.longs)\n        copy(",
        "for (const LongMove& run : pattern.longs.first(pattern.longs.size() - (pattern.longs.size() > 1)))\n"
        "        copy(",
    ),
    Mutant(
        "a row of long blocks forgets its last one",
        "kernel/generic/nest.hpp",
        "for (std::int64_t j = 0; j < nest.inner_count; ++j, d += to, s += from) copy(",
        "for (std::int64_t j = 0; j + (j > 0) < nest.inner_count; ++j, d += to, s += from) copy(",
    ),
    Mutant(
        "a copy forgets its last long run",
        "kernel/generic/pattern.hpp",
        "for (const LongMove& run : pattern.longs)\n      if (",
        "for (const LongMove& run : pattern.longs.first(pattern.longs.size() - (pattern.longs.size() > 1)))\n"
        "      if (",
        noticed_by=PAIRS,
    ),
    Mutant(
        "listed blocks begin at the last one",
        "kernel/generic/listed.hpp",
        "return raw[i] * (kScale != 0 ? kScale : scale);",
        "return raw[i || kPack ? i : count - 1] * (kScale != 0 ? kScale : scale);",
    ),
    Mutant(
        "runs of four bytes are two of two",
        "kernel/generic/bytes.hpp",
        "else if (bytes >= 4)",
        "else if (bytes >= 3)",
    ),
    Mutant(
        "offsets of runs are not scaled",
        "kernel/generic/listed.hpp",
        "user = offset[i] * offsets.scale;",
        "user = offset[i];",
    ),
    Mutant(
        "a long run's last vector is forgotten",
        "kernel/generic/bytes.hpp",
        "if (at < bytes) copy<32>(dst + bytes - 32, src + bytes - 32);",
        "if (at + 1 < bytes) copy<32>(dst + bytes - 32, src + bytes - 32);",
    ),
    Mutant(
        "a part of a list of blocks ends a run early",
        "move/range.hpp",
        "static_cast<std::int64_t>(last.run - first.run - 1)",
        "static_cast<std::int64_t>(last.run - first.run - 1) - (last.run > first.run + 2)",
    ),
    Mutant(
        "the part of the first block is written at the front of the message",
        "move/range.hpp",
        "packed + (second_start - from), static_cast",
        "packed + (second_start - first.start), static_cast",
    ),
    Mutant(
        "a seek to the first byte of a block stops at the one before it",
        "move/find_run.hpp",
        "raw[found.run] * scale <= position)",
        "raw[found.run] * scale < position)",
    ),
    Mutant(
        "a seek into a list of blocks forgets its groups",
        "move/find_run.hpp",
        "FoundRun found{group * plan::kStartsEach,",
        "FoundRun found{group,",
    ),
    Mutant(
        "the prefix sums of a sequence skip its first part",
        "plan/compile.cpp",
        "start += part.node->bytes;",
        "start += step.steps.size() > 1 ? part.node->bytes : 0;",
    ),
    Mutant(
        "a list is walked backwards",
        "move/whole.hpp",
        "whole<Direction>(body, user + offset, packed);",
        "whole<Direction>(body, user + (step.offsets.back() - offset), packed);",
    ),
    Mutant(
        "loops are exchanged although the last write wins",
        "move/direction.hpp",
        "static bool any_order(bool disjoint) noexcept { return kPack || disjoint; }",
        "static bool any_order(bool) noexcept { return true; }",
    ),
    Mutant(
        "resuming inside a block is off by one byte",
        "move/range.hpp",
        "Direction::bytes(user + i * step.inner_stride + head, out, end - head);",
        "Direction::bytes(user + i * step.inner_stride + head - (head > 1), out, end - head);",
    ),
    Mutant(
        "a seek to the last byte of a part finds the part behind it",
        "move/range.hpp",
        "std::upper_bound(step.starts.begin(), step.starts.end(), from)",
        "std::upper_bound(step.starts.begin(), step.starts.end(), from + 1)",
    ),
    Mutant(
        "a message moves one byte more than its budget",
        "move/overlap.hpp",
        "std::min(budget, total - position)",
        "std::min(budget + 1, total - position)",
    ),
    Mutant(
        "the upper bound of a struct is never rounded up",
        "layout/bounds.cpp",
        "if (round_up && !set) {",
        "if (round_up && !set && alignment_ > 8) {",
    ),
    Mutant(
        "explicit bounds do not decide alone",
        "layout/bounds.cpp",
        "set ? set_bounds_ : bounds_;",
        "set && !bounds_.any ? set_bounds_ : bounds_;",
    ),
    Mutant(
        "a Fortran subarray is read as a C one",
        "normal/normalise.cpp",
        "type.order == layout::Order::kC ? dimensions - 1 - i : i",
        "dimensions - 1 - i",
    ),
    Mutant(
        "a last block that just fits the bound is lost",
        "layout/strided_blocks.cpp",
        "left >= blocklength ? 1 : 0",
        "left > blocklength ? 1 : 0",
    ),
    Mutant(
        "the pieces of a bounded vector are rounded up like a struct",
        "layout/strided_blocks.cpp",
        "bounds.finish(*type);",
        "bounds.finish(*type, true);",
    ),
    Mutant(
        "a circular vector that wraps inside a block loses the block's last element",
        "layout/vectors.cpp",
        "std::min(blocklength - phase, after_wrap)",
        "std::min(std::max<std::int64_t>(blocklength - phase - 1, 1), after_wrap)",
    ),
    Mutant(
        "the processes of a darray are numbered in Fortran order",
        "layout/darray.cpp",
        "for (std::size_t d = dimensions; d-- > 0;) {",
        "for (std::size_t d = 0; d < dimensions; ++d) {",
    ),
    Mutant(
        "the blocks of a darray are one element too far apart",
        "layout/darray.cpp",
        "owned.add(first, dimension.size - first, blocklength, stride);",
        "owned.add(first, dimension.size - first, blocklength, stride + (stride > 3));",
    ),
    Mutant(
        "a copy takes the rows of a square for its columns",
        "plan/joint_leaf.cpp",
        "step.rows = outer_reads_on ? outer.count : row.count;",
        "step.rows = outer_reads_on ? row.count : outer.count;",
        noticed_by=PAIRS,
    ),
    Mutant(
        "a copy forgets the last repetition of a loop's last tile",
        "move/copy.cpp",
        "        moves(step, n, source, destination, at(from, step.source)",
        "        moves(step, n - (n < each && n > 1), source, destination, at(from, step.source)",
        noticed_by=PAIRS,
    ),
    Mutant(
        "a copy's last strip is as long as the others",
        "plan/joint_builder.cpp",
        "if (n % each != 0) add(n - n % each, 1, n % each);",
        "if (n % each != 0) add(n - n % each, 1, each);",
        noticed_by=PAIRS,
    ),
    Mutant(
        "what is packed ahead into a strip is one word short",
        "kernel/generic/nest.hpp",
        "j < nest.inner_count; ++j, dst += kBlock, from += stride",
        "j < nest.inner_count - 1; ++j, dst += kBlock, from += stride",
        environment=FAR,
        noticed_by=PAIRS,
    ),
    Mutant(
        "a copy of many elements leaves the last one's end where that of the first is",
        "plan/segments.cpp",
        "forms.after.offset + count * extent",
        "forms.after.offset + extent + 0 * count",
        noticed_by=PAIRS,
    ),
    Mutant(
        "a copy begins a period with what is left of any copy",
        "plan/joint_builder.cpp",
        " || runs != expected)\n      return Shifted::kNoMatch;",
        ")\n      return Shifted::kNoMatch;",
        noticed_by=PAIRS,
    ),
    Mutant(
        "a copy resumes a list at its first block",
        "plan/joint_leaf.cpp",
        "static_cast<const std::int32_t*>(side.list.data()) + side.first",
        "static_cast<const std::int32_t*>(side.list.data()) + side.first * 0",
        noticed_by=PAIRS,
    ),
    Mutant(
        "each process's layout is made anew",
        "copy/foreign.cpp",
        "found == known_.end() ? nullptr : found->second.lock()",
        "nullptr",
        noticed_by=FOREIGN,
    ),
    Mutant(
        "layouts that nobody uses are kept",
        "copy/foreign.cpp",
        "return entry.second.expired();",
        "return entry.second.expired() && entry.first.empty();",
        noticed_by=FOREIGN,
    ),
    Mutant(
        "layouts that are used go with the others",
        "copy/foreign.cpp",
        "return entry.second.expired();",
        "return !entry.first.empty();",
        noticed_by=FOREIGN,
    ),
]

# Those that name no program are for the types.
MUTANTS = [mutant if mutant.noticed_by else mutant._replace(noticed_by=TYPES) for mutant in PLANTED]
