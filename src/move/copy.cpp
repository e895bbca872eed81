#include "move/copy.hpp"

#include <algorithm>
#include <cstdlib>
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

// What both sides of a tile touch stays in the first cache, where more than one pass goes over it [bytes].
constexpr std::int64_t kTileBytes = 16384;

void moves(const kernel::Pattern& pattern, std::int64_t count, std::int64_t from_stride, std::int64_t to_stride,
           const char* from, char* to) noexcept {
  const bool at_once = pattern.pack.size() + (pattern.longs.empty() ? 0 : 1) == 1;
  const std::int64_t apart = std::abs(from_stride) + std::abs(to_stride);
  const std::int64_t each = at_once ? count : kTileBytes / apart + 1;
  for (; count > 0; count -= each, from += each * from_stride, to += each * to_stride) {
    const std::int64_t n = std::min(each, count);
    for (const kernel::Pass& pass : pattern.pack) pass.copy(to, from, pass.moves, n, to_stride, from_stride);
    for (const kernel::LongMove& run : pattern.longs)
      for (std::int64_t i = 0; i < n; ++i)
        std::memcpy(to + i * to_stride + run.packed, from + i * from_stride + run.user,
                    static_cast<std::size_t>(run.bytes));
  }
}

using Pack = Direction<true, Reach::kNear>;
using Unpack = Direction<false, Reach::kNear>;

// All of a step. `from` and `to`: the origins of what it is a step of, here and below.
void all(const Joint& step, const char* from, char* to) noexcept {
  from = at(from, step.source);
  to = at(to, step.destination);
  switch (step.op) {
    case Op::kBlock:
      std::memcpy(to, from, static_cast<std::size_t>(step.bytes));
      return;
    case Op::kMoves:
      moves(step.pattern->kernel(), step.count, step.source_stride, step.destination_stride, from, to);
      return;
    case Op::kSquare: {
      const bool far = 4 * step.bytes >= kernel::far_bytes();
      step.square->copy[far](to, from, {step.destination_stride, step.source_stride, step.rows, step.columns});
      return;
    }
    case Op::kPack:
      whole<Pack>(*step.side, from, to);
      return;
    case Op::kUnpack:
      whole<Unpack>(*step.side, to, from);
      return;
    case Op::kListed:
      step.paired->copy[step.spread](to, from, step.to, step.from, step.count, step.block);
      return;
    case Op::kLoop:
      for (std::int64_t i = 0; i < step.count; ++i)
        all(step.steps[0], from + i * step.source_stride, to + i * step.destination_stride);
      return;
    case Op::kSequence:
      for (const Joint& one : step.steps) all(one, from, to);
      return;
  }
}

// Without a joint plan, or for what is too small a part of one: from any byte to any byte.
class Walk {
 public:
  Walk(const Copy& copy, const char* source, char* destination) noexcept
      : copy_(copy), source_(source), destination_(destination) {}

  void operator()(std::int64_t from, std::int64_t to) const noexcept {
    const std::int64_t source = mean_run(copy_.source), destination = mean_run(copy_.destination);
    if (destination >= kLongRun && destination >= source && !transposes(copy_.source))
      along_destination(from, to);
    else if (source >= kLongRun && !transposes(copy_.destination))
      along_source(from, to);
    else
      in_strips(from, to);
  }

 private:
  static constexpr std::int64_t kLongRun = 2048;  // [bytes]: worth a call of the other side's plan
  static constexpr std::int64_t kPieces = 64;

  static std::int64_t mean_run(const plan::Message& message) noexcept {
    return message.plan.size() / message.plan.run_count();
  }

  // Whether many of its rows must be taken together to touch a line once.
  static bool transposes(const plan::Message& message) noexcept {
    const plan::Step* step = &message.plan.root();
    while (step->op == plan::Op::kLoop) step = step->steps[0].get();
    return step->op == plan::Op::kNest && step->transpose != nullptr;
  }

  // Each run of the one side is moved by the other side's plan.
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

  // Runs that are short on both sides: each side's own kernels move many of them at a time, by way of a strip that
  // never leaves the second cache. Going from run to run instead costs a mispredicted branch or two each.
  void in_strips(std::int64_t from, std::int64_t to) const noexcept {
    constexpr std::int64_t kStrip = 65536;
    alignas(kernel::kLine) char strip[kStrip];
    const plan::Message &of = copy_.source, &into = copy_.destination;
    for (; from < to; from += kStrip) {
      const std::int64_t bytes = std::min(kStrip, to - from);
      pack(of.plan, of.count, source_, from, strip, bytes);
      unpack(into.plan, into.count, destination_, from, strip, bytes);
    }
  }

  const Copy& copy_;
  const char* source_;
  char* destination_;
};

// Bytes [from, to) of a step, whose own first byte is byte `start` of the message; what no step below can do whole is
// walked.
class Range {
 public:
  explicit Range(const Walk& walk) noexcept : walk_(walk) {}

  void operator()(const Joint& step, std::int64_t start, std::int64_t first, std::int64_t last, const char* from,
                  char* to) const noexcept {
    if (first == 0 && last == step.bytes) return all(step, from, to);
    from = at(from, step.source);
    to = at(to, step.destination);
    switch (step.op) {
      case Op::kMoves: {
        const kernel::Pattern& pattern = step.pattern->kernel();
        split(
            pattern.bytes, first, last, start + first,
            [&](std::int64_t, std::int64_t head, std::int64_t end, std::int64_t own) { walk_(own, own + end - head); },
            [&](std::int64_t i, std::int64_t n, std::int64_t) {
              moves(pattern, n, step.source_stride, step.destination_stride, from + i * step.source_stride,
                    to + i * step.destination_stride);
            });
        return;
      }
      case Op::kPack:
        range<Pack>(*step.side, first, last, from, to + first);
        return;
      case Op::kUnpack:
        range<Unpack>(*step.side, first, last, to, from + first);
        return;
      case Op::kLoop: {
        const Joint& body = step.steps[0];
        split(
            body.bytes, first, last, start + first,
            [&](std::int64_t i, std::int64_t head, std::int64_t end, std::int64_t own) {
              (*this)(body, own - head, head, end, from + i * step.source_stride, to + i * step.destination_stride);
            },
            [&](std::int64_t i, std::int64_t n, std::int64_t) {
              for (std::int64_t k = i; k < i + n; ++k)
                all(body, from + k * step.source_stride, to + k * step.destination_stride);
            });
        return;
      }
      case Op::kSequence: {
        const auto behind = std::upper_bound(step.starts.begin(), step.starts.end(), first);
        for (auto i = static_cast<std::size_t>(behind - step.starts.begin() - 1); first < last; ++i) {
          const std::int64_t own = step.starts[i], end = std::min(last, own + step.steps[i].bytes);
          (*this)(step.steps[i], start + own, first - own, end - own, from, to);
          first = end;
        }
        return;
      }
      default:
        walk_(start + first, start + last);
    }
  }

 private:
  const Walk& walk_;
};

}  // namespace

void copy(const Copy& copy, const void* source, void* destination, std::int64_t position, std::int64_t bytes) noexcept {
  const Walk walk(copy, static_cast<const char*>(source), static_cast<char*>(destination));
  const Range range(walk);
  if (copy.joint == nullptr)
    walk(position, position + bytes);
  else
    range(*copy.joint, 0, position, position + bytes, static_cast<const char*>(source),
          static_cast<char*>(destination));
}

}  // namespace gapless::move
