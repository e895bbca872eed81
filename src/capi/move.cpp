#include "move/move.hpp"

#include "capi/guard.hpp"

using gapless::capi::guard;
using gapless::capi::require;

namespace {

// What pack and unpack refuse before a byte moves.
const gapless::plan::Plan& checked(gapless_type type, int64_t count, int64_t position, int64_t budget,
                                   const void* packed, const int64_t* moved) {
  require(type != nullptr, "the type is NULL");
  require(count >= 0, "the count is negative");
  require(position >= 0, "the position is negative");
  require(budget >= 0, "the budget is negative");
  require(packed != nullptr || budget == 0, "the packed buffer is NULL");
  require(moved != nullptr, "the place for the number of bytes moved is NULL");
  return type->committed();
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
    *moved = gapless::move::pack(plan, count, buffer, position, packed, budget);
  });
}

gapless_status gapless_unpack(const void* packed, int64_t budget, int64_t position, void* buffer, int64_t count,
                              gapless_type type, int64_t* moved) {
  return guard([&] {
    const auto& plan = checked(type, count, position, budget, packed, moved);
    *moved = gapless::move::unpack(plan, count, buffer, position, packed, budget);
  });
}
