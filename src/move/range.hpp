// Parts of steps: the bytes [from, to) of a step's packed stream. Every level finds its first part by division or
// binary search, so a seek costs the depth of the plan times the logarithm of its longest list.
#pragma once

#include <algorithm>

#include "move/find_run.hpp"
#include "move/whole.hpp"

namespace gapless::move {

// `packed` is where the byte at `from` goes, here and below.
template <class Direction>
void range(const plan::Step& step, std::int64_t from, std::int64_t to, typename Direction::User user,
           typename Direction::Packed packed) noexcept;

// Splits [from, to) into a head inside one repetition, whole repetitions, and a tail inside one. `each`: bytes a
// repetition. part(index, from, to, packed) runs a part of one, all(first, count, packed) runs whole ones.
template <class Packed, class Part, class All>
void split(std::int64_t each, std::int64_t from, std::int64_t to, Packed packed, Part part, All all) noexcept {
  std::int64_t first = from / each;
  const std::int64_t head = from % each;
  if (head != 0) {
    const std::int64_t end = std::min(each, head + (to - from));
    part(first, head, end, packed);
    packed += end - head;
    from += end - head;
    ++first;
  }
  const std::int64_t last = to / each;
  if (from < to && first < last) {
    all(first, last - first, packed);
    packed += (last - first) * each;
    from = last * each;
  }
  if (from < to) part(from / each, std::int64_t{0}, to - from, packed);
}

// Bytes of one repetition of a pattern: few enough runs to look at each.
template <class Direction>
void range_pattern(const kernel::Pattern& pattern, std::int64_t from, std::int64_t to, typename Direction::User user,
                   typename Direction::Packed packed) noexcept {
  for (const kernel::LongMove& run : pattern.runs) {
    const std::int64_t first = std::max(from, run.packed), last = std::min(to, run.packed + run.bytes);
    if (first < last) Direction::bytes(user + (run.user + first - run.packed), packed + (first - from), last - first);
  }
}

// One row of blocks.
template <class Direction>
void range_row(const plan::Step& step, std::int64_t from, std::int64_t to, typename Direction::User user,
               typename Direction::Packed packed) noexcept {
  split(
      step.block, from, to, packed,
      [&](std::int64_t i, std::int64_t head, std::int64_t end, auto out) {
        Direction::bytes(user + i * step.inner_stride + head, out, end - head);
      },
      [&](std::int64_t i, std::int64_t count, auto out) {
        Direction::nest(*step.nest, user + i * step.inner_stride, out, {step.block, count, step.inner_stride, 1, 0});
      });
}

template <class Direction>
void range_table(const plan::Step& step, std::int64_t from, std::int64_t to, typename Direction::User user,
                 typename Direction::Packed packed) noexcept {
  split(
      step.block, from, to, packed,
      [&](std::int64_t i, std::int64_t head, std::int64_t end, auto out) {
        Direction::bytes(user + step.offsets[static_cast<std::size_t>(i)] + head, out, end - head);
      },
      [&](std::int64_t i, std::int64_t count, auto out) { Direction::listed(step, user, out, i, count); });
}

template <class Direction>
void range_blocks(const plan::Step& step, std::int64_t from, std::int64_t to, typename Direction::User user,
                  typename Direction::Packed packed) noexcept {
  const FoundRun first = find_run(step, from), last = find_run(step, to - 1);
  const auto part = [&](const FoundRun& of, std::int64_t head, std::int64_t end) {
    Direction::bytes(user + step.offsets[of.run] + (head - of.start), packed + (head - from), end - head);
  };
  if (first.run == last.run) {
    part(first, from, to);
    return;
  }
  const std::int64_t second_start = first.start + step.lengths[first.run];
  part(first, from, second_start);
  Direction::runs(step, user, packed + (second_start - from), static_cast<std::int64_t>(first.run + 1),
                  static_cast<std::int64_t>(last.run - first.run - 1));
  part(last, last.start, to);
}

template <class Direction>
void range_indexed(const plan::Step& step, std::int64_t from, std::int64_t to, typename Direction::User user,
                   typename Direction::Packed packed) noexcept {
  const plan::Step& body = *step.steps[0];
  const auto place = [&](std::int64_t i) { return user + step.offsets[static_cast<std::size_t>(i)]; };
  split(
      body.bytes, from, to, packed,
      [&](std::int64_t i, std::int64_t head, std::int64_t end, auto out) {
        range<Direction>(body, head, end, place(i), out);
      },
      [&](std::int64_t first, std::int64_t count, auto out) {
        for (std::int64_t i = 0; i < count; ++i) whole<Direction>(body, place(first + i), out + i * body.bytes);
      });
}

template <class Direction>
void range_sequence(const plan::Step& step, std::int64_t from, std::int64_t to, typename Direction::User user,
                    typename Direction::Packed packed) noexcept {
  const auto behind = std::upper_bound(step.starts.begin(), step.starts.end(), from);
  for (auto i = static_cast<std::size_t>(behind - step.starts.begin() - 1); from < to; ++i) {
    const std::int64_t start = step.starts[i];
    const std::int64_t end = std::min(to, start + step.steps[i]->bytes);
    range<Direction>(*step.steps[i], from - start, end - start, user + step.offsets[i], packed);
    packed += end - from;
    from = end;
  }
}

// `count` copies of `body`, `stride` apart, from byte `from` to byte `to` of all of them.
template <class Direction>
void range_loop(const plan::Step& body, std::int64_t stride, std::int64_t from, std::int64_t to,
                typename Direction::User user, typename Direction::Packed packed) noexcept {
  split(
      body.bytes, from, to, packed,
      [&](std::int64_t i, std::int64_t head, std::int64_t end, auto out) {
        if (body.pattern && body.outer_count == 1)
          range_pattern<Direction>(body.pattern->kernel(), head, end, user + i * stride, out);
        else
          range<Direction>(body, head, end, user + i * stride, out);
      },
      [&](std::int64_t i, std::int64_t n, auto out) { loop<Direction>(body, n, stride, user + i * stride, out); });
}

// Bytes [from, to) of rows; there may be more rows than the step has if a message continues its plan's loop.
// `disjoint`: no two of those rows overlap.
template <class Direction>
void range_nest(const plan::Step& step, std::int64_t from, std::int64_t to, typename Direction::User user,
                typename Direction::Packed packed, bool disjoint) noexcept {
  split(
      step.block * step.inner_count, from, to, packed,
      [&](std::int64_t i, std::int64_t head, std::int64_t end, auto out) {
        if (step.pattern)
          range_pattern<Direction>(step.pattern->kernel(), head, end, user + i * step.outer_stride, out);
        else
          range_row<Direction>(step, head, end, user + i * step.outer_stride, out);
      },
      [&](std::int64_t i, std::int64_t n, auto out) {
        nest<Direction>(step, n, user + i * step.outer_stride, out, disjoint);
      });
}

template <class Direction>
void range(const plan::Step& step, std::int64_t from, std::int64_t to, typename Direction::User user,
           typename Direction::Packed packed) noexcept {
  if (from == 0 && to == step.bytes) {
    whole<Direction>(step, user, packed);
    return;
  }
  switch (step.op) {
    case plan::Op::kNest:
      range_nest<Direction>(step, from, to, user, packed, step.disjoint);
      return;
    case plan::Op::kTable:
      range_table<Direction>(step, from, to, user, packed);
      return;
    case plan::Op::kBlocks:
      range_blocks<Direction>(step, from, to, user, packed);
      return;
    case plan::Op::kLoop:
      range_loop<Direction>(*step.steps[0], step.stride, from, to, user, packed);
      return;
    case plan::Op::kIndexed:
      range_indexed<Direction>(step, from, to, user, packed);
      return;
    case plan::Op::kSequence:
      range_sequence<Direction>(step, from, to, user, packed);
      return;
  }
}

}  // namespace gapless::move
