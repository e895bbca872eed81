#include "move/move.hpp"

#include <cstdint>
#include <cstdlib>

#include "move/overlap.hpp"
#include "move/range.hpp"

namespace gapless::move {
namespace {

// A type may hold addresses and the buffer be null (MPI_BOTTOM), from which no pointer may be stepped.
template <class Pointer>
Pointer at(Pointer buffer, std::int64_t displacement) noexcept {
  return reinterpret_cast<Pointer>(reinterpret_cast<std::uintptr_t>(buffer) +
                                   static_cast<std::uintptr_t>(displacement));
}

// Bytes [from, to) of what a loop repeats, of any number of copies of it.
template <class Direction>
void growing(const plan::Step& body, std::int64_t from, std::int64_t to, typename Direction::User user,
             typename Direction::Packed packed) noexcept {
  if (body.op == plan::Op::kNest && body.outer_count == 1) {
    range_row<Direction>(body, from, to, user, packed);
  } else if (body.op == plan::Op::kNest) {
    // More rows than the plan proved apart: they stay apart if each lies behind the one before.
    const std::int64_t row = (body.inner_count - 1) * std::abs(body.inner_stride) + body.block;
    range_nest<Direction>(body, from, to, user, packed, body.disjoint && std::abs(body.outer_stride) >= row);
  } else {
    range_loop<Direction>(*body.steps[0], body.stride, from, to, user, packed);
  }
}

// (count, t) runs as (1, contiguous(count, t)) does: the plan knows what any number of elements becomes.
template <class Direction>
void grown(const plan::Growth& growth, std::int64_t extent, std::int64_t count, std::int64_t from, std::int64_t to,
           typename Direction::User user, typename Direction::Packed packed) noexcept {
  const std::int64_t first = growth.before ? growth.before->bytes : 0;
  const std::int64_t second = first + (growth.each * count + growth.extra) * growth.copy_bytes;
  if (from < first) {
    const std::int64_t end = std::min(to, first);
    range<Direction>(*growth.before, from, end, at(user, growth.before_offset), packed);
    packed += end - from;
    from = end;
  }
  if (from < to && from < second) {
    const std::int64_t end = std::min(to, second);
    growing<Direction>(*growth.body, from - first, end - first, at(user, growth.body_offset), packed);
    packed += end - from;
    from = end;
  }
  if (from < to)
    range<Direction>(*growth.after, from - second, to - second, at(user, growth.after_offset + count * extent), packed);
}

template <class Direction>
void message(const plan::Plan& plan, std::int64_t count, std::int64_t from, std::int64_t to,
             typename Direction::User user, typename Direction::Packed packed) noexcept {
  std::int64_t ignored;
  const plan::Growth* growth = plan.growth();
  if (count == 1)
    range<Direction>(plan.root(), from, to, at(user, plan.first_byte()), packed);
  else if (plan.is_contiguous())
    Direction::bytes(at(user, plan.first_byte() + from), packed, to - from);
  else if (growth != nullptr && count >= growth->fewest && !__builtin_mul_overflow(count, plan.size(), &ignored) &&
           !__builtin_mul_overflow(count, plan.extent(), &ignored))
    grown<Direction>(*growth, plan.extent(), count, from, to, user, packed);
  else
    range_loop<Direction>(plan.root(), plan.extent(), from, to, at(user, plan.first_byte()), packed);
}

// Below this a part of a large message is too short for what a far transfer costs to begin and to end [bytes].
constexpr std::int64_t kLeastFar = 4096;

template <bool kPack, class User, class Packed>
std::int64_t run(const plan::Plan& plan, std::int64_t count, User buffer, std::int64_t position, Packed packed,
                 std::int64_t budget) noexcept {
  const std::int64_t moved = bytes_to_move(plan, count, position, budget);
  if (moved == 0) return 0;
  if (count > plan.far_count() && moved >= kLeastFar) [[unlikely]]
    message<Direction<kPack, Reach::kFar>>(plan, count, position, position + moved, buffer, packed);
  else
    message<Direction<kPack, Reach::kNear>>(plan, count, position, position + moved, buffer, packed);
  return moved;
}

template <bool kPack, class User, class Packed>
void one(const plan::Plan& plan, User buffer, Packed packed) noexcept {
  if (plan.far_count() == 0) [[unlikely]]
    run<kPack>(plan, 1, buffer, 0, packed, plan.size());
  else
    whole<Direction<kPack, Reach::kNear>>(plan.root(), at(buffer, plan.first_byte()), packed);
}

}  // namespace

void pack_one(const plan::Plan& plan, const void* buffer, void* packed) noexcept {
  one<true>(plan, static_cast<const char*>(buffer), static_cast<char*>(packed));
}

void unpack_one(const plan::Plan& plan, void* buffer, const void* packed) noexcept {
  one<false>(plan, static_cast<char*>(buffer), static_cast<const char*>(packed));
}

std::int64_t pack(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position, void* packed,
                  std::int64_t budget) noexcept {
  return run<true>(plan, count, static_cast<const char*>(buffer), position, static_cast<char*>(packed), budget);
}

std::int64_t unpack(const plan::Plan& plan, std::int64_t count, void* buffer, std::int64_t position, const void* packed,
                    std::int64_t budget) noexcept {
  return run<false>(plan, count, static_cast<char*>(buffer), position, static_cast<const char*>(packed), budget);
}

}  // namespace gapless::move
