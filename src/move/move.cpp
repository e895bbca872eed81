#include "move/move.hpp"

#include <cstdint>
#include <cstdlib>

#include "move/overlap.hpp"
#include "move/range.hpp"

namespace gapless::move {
namespace {

// True if the rows of a nest do not overlap, even if there are more than the plan has: if the stride is at least a row.
bool rows_apart(const plan::Step& nest) noexcept {
  const std::int64_t row = (nest.inner_count - 1) * std::abs(nest.inner_stride) + nest.block;
  return nest.disjoint && std::abs(nest.outer_stride) >= row;
}

// Moves bytes [from, to) of any number of copies of what a loop repeats.
template <class Direction>
void folded_body(const plan::Step& body, std::int64_t from, std::int64_t to, typename Direction::User user,
                 typename Direction::Packed packed) noexcept {
  if (body.op == plan::Op::kNest && body.outer_count == 1) {
    range_row<Direction>(body, from, to, user, packed);
  } else if (body.op == plan::Op::kNest) {
    range_nest<Direction>(body, from, to, user, packed, rows_apart(body));
  } else {
    range_loop<Direction>(*body.steps[0], body.stride, from, to, user, packed);
  }
}

// Moves all of `copies` copies of what a loop repeats.
template <class Direction>
void folded_whole(const plan::Step& body, std::int64_t copies, typename Direction::User user,
                  typename Direction::Packed packed) noexcept {
  if (body.op != plan::Op::kNest)
    loop<Direction>(*body.steps[0], copies, body.stride, user, packed);
  else if (body.outer_count == 1)
    Direction::nest(*body.nest, user, packed, {body.block, copies, body.inner_stride, 1, 0});
  else
    nest<Direction>(body, copies, user, packed, rows_apart(body));
}

// (count, t) runs as (1, contiguous(count, t)) does: the plan knows what any number of elements becomes.
template <class Direction>
void folded_range(const plan::FoldedSteps& folded, std::int64_t extent, std::int64_t count, std::int64_t from,
                  std::int64_t to, typename Direction::User user, typename Direction::Packed packed) noexcept {
  const std::int64_t first = folded.before ? folded.before->bytes : 0;
  const std::int64_t second = first + (folded.each * count + folded.extra) * folded.copy_bytes;
  if (from < first) {
    const std::int64_t end = std::min(to, first);
    range<Direction>(*folded.before, from, end, at(user, folded.before_offset), packed);
    packed += end - from;
    from = end;
  }
  if (from < to && from < second) {
    const std::int64_t end = std::min(to, second);
    folded_body<Direction>(*folded.body, from - first, end - first, at(user, folded.body_offset), packed);
    packed += end - from;
    from = end;
  }
  if (from < to)
    range<Direction>(*folded.after, from - second, to - second, at(user, folded.after_offset + count * extent), packed);
}

template <class Direction>
void message(const plan::Plan& plan, std::int64_t count, std::int64_t from, std::int64_t to,
             typename Direction::User user, typename Direction::Packed packed) noexcept {
  std::int64_t ignored;
  if (count == 1)
    range<Direction>(plan.root(), from, to, at(user, plan.first_byte()), packed);
  else if (plan.is_contiguous())
    Direction::bytes(at(user, plan.first_byte() + from), packed, to - from);
  else if (const plan::FoldedSteps* const folded = plan.folded();
           folded != nullptr && count >= folded->min_count && !__builtin_mul_overflow(count, plan.size(), &ignored) &&
           !__builtin_mul_overflow(count, plan.extent(), &ignored))
    folded_range<Direction>(*folded, plan.extent(), count, from, to, user, packed);
  else
    range_loop<Direction>(plan.root(), plan.extent(), from, to, at(user, plan.first_byte()), packed);
}

template <bool kPack, class User, class Packed>
std::int64_t run(const plan::Plan& plan, std::int64_t count, User buffer, std::int64_t position, Packed packed,
                 std::int64_t budget) noexcept {
  const std::int64_t moved = bytes_to_move(plan, count, position, budget);
  if (moved == 0) return 0;
  if (count > plan.far_count() && moved >= kMinFar) [[unlikely]]
    message<Direction<kPack, Locality::kFar>>(plan, count, position, position + moved, buffer, packed);
  else
    message<Direction<kPack, Locality::kNear>>(plan, count, position, position + moved, buffer, packed);
  return moved;
}

template <class Direction>
void all(const plan::Plan& plan, std::int64_t count, typename Direction::User buffer,
         typename Direction::Packed packed) noexcept {
  if (count == 1) {
    whole<Direction>(plan.root(), at(buffer, plan.first_byte()), packed);
  } else if (plan.is_contiguous()) {
    Direction::bytes(at(buffer, plan.first_byte()), packed, plan.size() * count);
  } else if (const plan::FoldedSteps* const folded = plan.folded(); folded != nullptr && count >= folded->min_count) {
    if (folded->before) {
      whole<Direction>(*folded->before, at(buffer, folded->before_offset), packed);
      packed += folded->before->bytes;
    }
    const std::int64_t copies = folded->each * count + folded->extra;
    folded_whole<Direction>(*folded->body, copies, at(buffer, folded->body_offset), packed);
    if (folded->after)
      whole<Direction>(*folded->after, at(buffer, folded->after_offset + count * plan.extent()),
                       packed + copies * folded->copy_bytes);
  } else {
    loop<Direction>(plan.root(), count, plan.extent(), at(buffer, plan.first_byte()), packed);
  }
}

template <bool kPack, class User, class Packed>
void run_all(const plan::Plan& plan, std::int64_t count, User buffer, Packed packed) noexcept {
  std::int64_t reach;
  // run() handles messages that no memory holds.
  if (count > plan.far_count() || __builtin_mul_overflow(count, plan.extent(), &reach)) [[unlikely]]
    run<kPack>(plan, count, buffer, 0, packed, plan.size() * count);
  else
    all<Direction<kPack, Locality::kNear>>(plan, count, buffer, packed);
}

}  // namespace

void pack_all(const plan::Plan& plan, std::int64_t count, const void* buffer, void* packed) noexcept {
  run_all<true>(plan, count, static_cast<const char*>(buffer), static_cast<char*>(packed));
}

void unpack_all(const plan::Plan& plan, std::int64_t count, void* buffer, const void* packed) noexcept {
  run_all<false>(plan, count, static_cast<char*>(buffer), static_cast<const char*>(packed));
}

std::int64_t pack(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position, void* packed,
                  std::int64_t budget) noexcept {
  return run<true>(plan, count, static_cast<const char*>(buffer), position, static_cast<char*>(packed), budget);
}

std::int64_t pack_near(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position,
                       void* packed, std::int64_t budget) noexcept {
  const std::int64_t moved = bytes_to_move(plan, count, position, budget);
  if (moved == 0) return 0;
  message<Direction<true, Locality::kNear>>(plan, count, position, position + moved, static_cast<const char*>(buffer),
                                            static_cast<char*>(packed));
  return moved;
}

std::int64_t unpack(const plan::Plan& plan, std::int64_t count, void* buffer, std::int64_t position, const void* packed,
                    std::int64_t budget) noexcept {
  return run<false>(plan, count, static_cast<char*>(buffer), position, static_cast<const char*>(packed), budget);
}

}  // namespace gapless::move
