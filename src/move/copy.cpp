#include "move/copy.hpp"

#include <algorithm>
#include <cstring>

#include "kernel/caches.hpp"
#include "move/iov.hpp"
#include "move/move.hpp"
#include "move/range.hpp"
#include "move/whole.hpp"

namespace gapless::move {
namespace {

using plan::Joint;
using Op = Joint::Op;
using Pack = Direction<true, Locality::kNear>;
using Unpack = Direction<false, Locality::kNear>;
using FarPack = Direction<true, Locality::kFar>;
using PackAhead = Direction<true, Locality::kNear, true>;
using FarUnpack = Direction<false, Locality::kFar>;

// Copies `count` repetitions of the runs of a pattern, tile by tile if there are several passes.
void runs(const kernel::Pattern& pattern, std::int64_t count, std::int64_t source, std::int64_t destination,
          const char* from, char* to) noexcept {
  const bool at_once = pattern.pack.size() + (pattern.longs.empty() ? 0 : 1) == 1;
  const std::int64_t each = at_once ? count : plan::tile_of(source, destination, pattern.bytes);
  for (; count > 0; count -= each, from += each * source, to += each * destination) {
    const std::int64_t n = std::min(each, count);
    for (const kernel::Pass& pass : pattern.pack) pass.copy(to, from, pass, {n, destination, source, 1, 0, 0});
    if (!pattern.longs.empty()) kernel::chosen().pattern.longs(to, from, pattern, n, destination, source);
  }
}

// Copies `rows` rows of a step of moves, with the given strides. The loop with more repetitions is the inner one.
void moves(const Joint& step, std::int64_t rows, std::int64_t source_row, std::int64_t destination_row,
           const char* from, char* to) noexcept {
  constexpr std::int64_t kFew = 8, kMany = 8;
  const kernel::Pattern& pattern = step.pattern->kernel();
  const std::int64_t source = step.source_stride, destination = step.destination_stride;
  const std::int64_t tile = plan::tile_of(source_row, destination_row, step.count * pattern.bytes);
  if (step.count == 1 || (step.count < kFew && tile >= kMany && step.count < rows)) {
    const std::int64_t each = step.count == 1 ? rows : tile;
    for (; rows > 0; rows -= each, from += each * source_row, to += each * destination_row)
      for (std::int64_t i = 0; i < step.count; ++i)
        runs(pattern, std::min(each, rows), source_row, destination_row, from + i * source, to + i * destination);
  } else if (pattern.longs.empty() && pattern.pack.size() == 1) {
    const kernel::Pass& pass = pattern.pack[0];
    pass.copy(to, from, pass, {step.count, destination, source, rows, destination_row, source_row});
  } else {
    for (; rows > 0; --rows, from += source_row, to += destination_row)
      runs(pattern, step.count, source, destination, from, to);
  }
}

// `count` repetitions of a step of strips.
void strips(const Joint& step, std::int64_t count, const char* from, char* to) noexcept {
  alignas(kernel::kLine) char strip[plan::kLongStripBytes];
  for (; count > 0; --count, from += step.source_stride, to += step.destination_stride) {
    if (step.from_far)
      whole<PackAhead>(*step.side, from, strip);
    else
      whole<Pack>(*step.side, from, strip);
    if (step.far)
      whole<FarUnpack>(*step.into, to, strip);
    else
      whole<Unpack>(*step.into, to, strip);
  }
}

void all(const Joint& step, const char* from, char* to) noexcept;

// Copies `count` repetitions of a loop, all repetitions of each step together while a tile is in the caches.
void repeat(const Joint& loop, std::int64_t count, const char* from, char* to) noexcept {
  const std::int64_t source = loop.source_stride, destination = loop.destination_stride;
  const std::int64_t each = plan::tile_of(loop);
  for (; count > 0; count -= each, from += each * source, to += each * destination) {
    const std::int64_t n = std::min(each, count);
    for (const Joint& step : loop.steps) {
      if (is_row(step)) {
        moves(step, n, source, destination, at(from, step.source), at(to, step.destination));
        continue;
      }
      for (std::int64_t i = 0; i < n; ++i) all(step, from + i * source, to + i * destination);
    }
  }
}

// Copies all of a step. Here and below, `from` and `to` are the origins of its parent.
void all(const Joint& step, const char* from, char* to) noexcept {
  from = at(from, step.source);
  to = at(to, step.destination);
  switch (step.op) {
    case Op::kBlock:
      Pack::bytes(from, to, step.bytes);
      return;
    case Op::kMoves:
      moves(step, step.rows, step.source_row, step.destination_row, from, to);
      return;
    case Op::kSquare: {
      const bool far = 4 * step.bytes >= kernel::far_bytes();
      step.square->copy[far](to, from, {step.destination_stride, step.source_stride, step.rows, step.columns});
      return;
    }
    case Op::kPack:
      if (step.far)
        whole<FarPack>(*step.side, from, to);
      else
        whole<Pack>(*step.side, from, to);
      return;
    case Op::kUnpack:
      if (step.far)
        whole<FarUnpack>(*step.side, to, from);
      else
        whole<Unpack>(*step.side, to, from);
      return;
    case Op::kStrips:
      strips(step, step.count, from, to);
      return;
    case Op::kListed:
      step.paired->copy[step.far](to, from, step.to, step.from, step.count, step.block);
      return;
    case Op::kLoop:
      repeat(step, step.count, from, to);
      return;
    case Op::kSequence:
      for (const Joint& one : step.steps) all(one, from, to);
      return;
  }
}

// Copies without a joint plan, or less than a step of one: from any byte to any byte.
class RunCopy {
 public:
  RunCopy(const Copy& copy, const char* source, char* destination) noexcept
      : copy_(copy), source_(source), destination_(destination) {}

  void operator()(std::int64_t from, std::int64_t to) const noexcept {
    const std::int64_t source = mean_run(copy_.source), destination = mean_run(copy_.destination);
    if (destination >= plan::kLongRun && destination >= source && !transposes(copy_.source))
      along_destination(from, to);
    else if (source >= plan::kLongRun && !transposes(copy_.destination))
      along_source(from, to);
    else
      in_strips(from, to);
  }

 private:
  static constexpr std::int64_t kPieces = 64;

  static std::int64_t mean_run(const plan::Message& message) noexcept {
    return message.plan.size() / message.plan.run_count();
  }

  // True if many of its rows must be moved together so that each line is touched once.
  static bool transposes(const plan::Message& message) noexcept {
    const plan::Step* step = &message.plan.root();
    while (step->op == plan::Op::kLoop) step = step->steps[0].get();
    return step->op == plan::Op::kNest && step->transpose != nullptr;
  }

  // Each run of one side is moved by the other side's plan.
  void along_destination(std::int64_t from, std::int64_t to) const noexcept {
    along(copy_.destination, destination_, from, to, [&](std::int64_t at, const Piece& run) {
      pack(copy_.source.plan, copy_.source.count, source_, at, run.base, run.bytes);
    });
  }
  void along_source(std::int64_t from, std::int64_t to) const noexcept {
    along(copy_.source, source_, from, to, [&](std::int64_t at, const Piece& run) {
      unpack(copy_.destination.plan, copy_.destination.count, destination_, at, run.base, run.bytes);
    });
  }
  template <class Each>
  static void along(const plan::Message& message, const void* buffer, std::int64_t from, std::int64_t to,
                    Each each) noexcept {
    Piece pieces[kPieces];
    while (from < to) {
      const Exported found = iov(message.plan, message.count, buffer, from, pieces, kPieces);
      for (std::int64_t i = 0; i < found.pieces && from < to; ++i) {
        Piece run = pieces[i];
        run.bytes = std::min(run.bytes, to - from);
        each(from, run);
        from += run.bytes;
      }
    }
  }

  // For runs that are short on both sides: each side's own kernels move many of them at a time, through a strip that
  // stays in the second-level cache; a transposition on either side needs all of it. Copying run by run would cost a
  // mispredicted branch or two each.
  void in_strips(std::int64_t from, std::int64_t to) const noexcept {
    constexpr std::int64_t kLongStrip = 65536;
    alignas(kernel::kLine) char strip[kLongStrip];
    const plan::Message &of = copy_.source, &into = copy_.destination;
    const std::int64_t each = transposes(of) || transposes(into) ? kLongStrip : 2 * plan::kStripBytes;
    for (; from < to; from += each) {
      const std::int64_t bytes = std::min(each, to - from);
      pack(of.plan, of.count, source_, from, strip, bytes);
      unpack(into.plan, into.count, destination_, from, strip, bytes);
    }
  }

  const Copy& copy_;
  const char* source_;
  char* destination_;
};

// Copies bytes [first, last) of a step whose own first byte is byte `start` of the message; what is less than a step is
// copied without the joint plan.
class PartialCopy {
 public:
  explicit PartialCopy(const RunCopy& walk) noexcept : walk_(walk) {}

  void operator()(const Joint& step, std::int64_t start, std::int64_t first, std::int64_t last, const char* from,
                  char* to) const noexcept {
    if (first == 0 && last == step.bytes) return all(step, from, to);
    from = at(from, step.source);
    to = at(to, step.destination);
    switch (step.op) {
      case Op::kMoves:
        split(
            step.bytes / step.rows, first, last, start + first,
            [&](std::int64_t i, std::int64_t head, std::int64_t end, std::int64_t own) {
              row(step, own, head, end, from + i * step.source_row, to + i * step.destination_row);
            },
            [&](std::int64_t i, std::int64_t n, std::int64_t) {
              moves(step, n, step.source_row, step.destination_row, from + i * step.source_row,
                    to + i * step.destination_row);
            });
        return;
      case Op::kStrips:
        split(
            step.side->bytes, first, last, start + first,
            [&](std::int64_t, std::int64_t head, std::int64_t end, std::int64_t own) { walk_(own, own + end - head); },
            [&](std::int64_t i, std::int64_t n, std::int64_t) {
              strips(step, n, from + i * step.source_stride, to + i * step.destination_stride);
            });
        return;
      case Op::kPack:
        range<Pack>(*step.side, first, last, from, to + first);
        return;
      case Op::kUnpack:
        range<Unpack>(*step.side, first, last, to, from + first);
        return;
      case Op::kLoop:
        split(
            step.bytes / step.count, first, last, start + first,
            [&](std::int64_t i, std::int64_t head, std::int64_t end, std::int64_t own) {
              sequence(step, own - head, head, end, from + i * step.source_stride, to + i * step.destination_stride);
            },
            [&](std::int64_t i, std::int64_t n, std::int64_t) {
              repeat(step, n, from + i * step.source_stride, to + i * step.destination_stride);
            });
        return;
      case Op::kSequence:
        sequence(step, start, first, last, from, to);
        return;
      default:
        walk_(start + first, start + last);
    }
  }

 private:
  // Of the steps, once.
  void sequence(const Joint& of, std::int64_t start, std::int64_t first, std::int64_t last, const char* from,
                char* to) const noexcept {
    const auto behind = std::upper_bound(of.starts.begin(), of.starts.end(), first);
    for (auto i = static_cast<std::size_t>(behind - of.starts.begin() - 1); first < last; ++i) {
      const std::int64_t own = of.starts[i], end = std::min(last, own + of.steps[i].bytes);
      (*this)(of.steps[i], start + own, first - own, end - own, from, to);
      first = end;
    }
  }

  // Of one row of moves, whose byte `first` is byte `own` of the message.
  void row(const Joint& step, std::int64_t own, std::int64_t first, std::int64_t last, const char* from,
           char* to) const noexcept {
    split(
        step.pattern->kernel().bytes, first, last, own,
        [&](std::int64_t, std::int64_t head, std::int64_t end, std::int64_t at) { walk_(at, at + end - head); },
        [&](std::int64_t i, std::int64_t n, std::int64_t) {
          runs(step.pattern->kernel(), n, step.source_stride, step.destination_stride, from + i * step.source_stride,
               to + i * step.destination_stride);
        });
  }

  const RunCopy& walk_;
};

}  // namespace

void copy(const Copy& copy, const void* source, void* destination, std::int64_t position, std::int64_t bytes) noexcept {
  const RunCopy walk(copy, static_cast<const char*>(source), static_cast<char*>(destination));
  const PartialCopy range(walk);
  if (copy.joint == nullptr)
    walk(position, position + bytes);
  else
    range(*copy.joint, 0, position, position + bytes, static_cast<const char*>(source),
          static_cast<char*>(destination));
}

}  // namespace gapless::move
