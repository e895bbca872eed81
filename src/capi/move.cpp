#include "move/move.hpp"

#include <cstring>
#include <memory>

#include "capi/guard.hpp"
#include "move/overlap.hpp"

using gapless::capi::guard;
using gapless::capi::require;
using gapless::move::overlap;

namespace {

// What pack and unpack refuse before a byte moves.
[[gnu::cold, gnu::noinline]] void refuse_arguments(gapless_type type, int64_t count, int64_t position, int64_t budget,
                                                   const void* packed, const int64_t* moved) {
  require(type != nullptr, "the type is NULL");
  require(count >= 0, "the count is negative");
  require(position >= 0, "the position is negative");
  require(budget >= 0, "the budget is negative");
  require(packed != nullptr || budget == 0, "the packed buffer is NULL");
  require(moved != nullptr, "the place for the number of bytes moved is NULL");
}

inline const gapless::plan::Plan& checked(gapless_type type, int64_t count, int64_t position, int64_t budget,
                                          const void* packed, const int64_t* moved) {
  if (type == nullptr || packed == nullptr || moved == nullptr || (count | position | budget) < 0) [[unlikely]]
    refuse_arguments(type, count, position, budget, packed, moved);
  return type->committed();
}

// The bytes of the message if all of it is to be moved; otherwise 0.
inline int64_t all_of(const gapless::plan::Plan& plan, int64_t count, int64_t position, int64_t budget) {
  int64_t bytes;
  if (position != 0 || __builtin_mul_overflow(plan.size(), count, &bytes) || budget < bytes) return 0;
  return bytes;
}

// A buffer for overlapping arguments: everything is read before anything is written. Throws std::bad_alloc.
std::unique_ptr<char[]> copy_room(int64_t bytes) {
  return std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
}

}  // namespace

gapless_status gapless_type_commit(gapless_type type) {
  return guard([&] {
    require(type != nullptr, "the type is NULL");
    (void)type->committed();
  });
}

gapless_status gapless_pack(const void* buffer, int64_t count, gapless_type type, int64_t position, void* packed,
                            int64_t budget, int64_t* moved) {
  return guard([&] {
    const auto& plan = checked(type, count, position, budget, packed, moved);
    const int64_t all = all_of(plan, count, position, budget);
    if (all != 0 && !overlap(plan, count, buffer, packed, all)) [[likely]] {
      gapless::move::pack_all(plan, count, buffer, packed);
      *moved = all;
      return;
    }
    const int64_t bytes = gapless::move::bytes_to_move(plan, count, position, budget);
    if (!overlap(plan, count, buffer, packed, bytes)) {
      *moved = gapless::move::pack(plan, count, buffer, position, packed, bytes);
      return;
    }
    const auto copy = copy_room(bytes);
    *moved = gapless::move::pack(plan, count, buffer, position, copy.get(), bytes);
    std::memcpy(packed, copy.get(), static_cast<std::size_t>(bytes));
  });
}

gapless_status gapless_unpack(const void* packed, int64_t budget, int64_t position, void* buffer, int64_t count,
                              gapless_type type, int64_t* moved) {
  return guard([&] {
    const auto& plan = checked(type, count, position, budget, packed, moved);
    const int64_t all = all_of(plan, count, position, budget);
    if (all != 0 && !overlap(plan, count, buffer, packed, all)) [[likely]] {
      gapless::move::unpack_all(plan, count, buffer, packed);
      *moved = all;
      return;
    }
    const int64_t bytes = gapless::move::bytes_to_move(plan, count, position, budget);
    if (!overlap(plan, count, buffer, packed, bytes)) {
      *moved = gapless::move::unpack(plan, count, buffer, position, packed, bytes);
      return;
    }
    const auto copy = copy_room(bytes);
    std::memcpy(copy.get(), packed, static_cast<std::size_t>(bytes));
    *moved = gapless::move::unpack(plan, count, buffer, position, copy.get(), bytes);
  });
}
