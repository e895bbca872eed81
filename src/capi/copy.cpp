#include <string>

#include "capi/guard.hpp"
#include "copy/planned.hpp"
#include "move/overlap.hpp"

namespace plan = gapless::plan;
using gapless::capi::guard;
using gapless::capi::require;

namespace {

std::int64_t size_of(const plan::Plan& plan, std::int64_t count) {
  std::int64_t bytes;
  if (__builtin_mul_overflow(plan.size(), count, &bytes))
    throw gapless::base::Error(gapless::base::Status::kOverflow, "the message is beyond 63 bits");
  return bytes;
}

}  // namespace

gapless_status gapless_copy(const void* source, int64_t source_count, gapless_type source_type, void* destination,
                            int64_t destination_count, gapless_type destination_type, int64_t position, int64_t budget,
                            int64_t* moved) {
  return guard([&] {
    require(source_type != nullptr, "the source's type is NULL");
    require(destination_type != nullptr, "the destination's type is NULL");
    require(source_count >= 0 && destination_count >= 0, "a count is negative");
    require(position >= 0, "the position is negative");
    require(budget >= 0, "the budget is negative");
    require(moved != nullptr, "the place for the number of bytes moved is NULL");
    const plan::PlanPtr &from = source_type->plan(), &to = destination_type->plan();
    const int64_t size = size_of(*from, source_count), other = size_of(*to, destination_count);
    if (size != other)
      throw gapless::base::Error(
          gapless::base::Status::kInvalidArgument,
          "the source has " + std::to_string(size) + " bytes of data, the destination " + std::to_string(other));
    const int64_t bytes = gapless::move::bytes_to_move(*from, source_count, position, budget);
    if (bytes > 0)
      gapless::copy::planned(source, from, source_count, destination, to, destination_count, position, bytes);
    *moved = bytes;
  });
}
