#include "move/copy.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "capi/guard.hpp"
#include "move/move.hpp"
#include "move/overlap.hpp"

namespace plan = gapless::plan;
using gapless::capi::guard;
using gapless::capi::require;

namespace {

// Joint plans that this thread made lately: a copy that is repeated is planned once. A thread's own, so that nobody
// waits; it keeps the two plans, so that no other can have their addresses.
struct Known {
  plan::PlanPtr source, destination;
  std::int64_t source_count = 0, destination_count = 0;
  std::unique_ptr<const plan::Joint> joint;
};

const plan::Joint* joint_of(const plan::PlanPtr& source, std::int64_t source_count, const plan::PlanPtr& destination,
                            std::int64_t destination_count) {
  thread_local std::array<Known, 16> all;
  const auto mixed = reinterpret_cast<std::uintptr_t>(source.get()) * 3 +
                     reinterpret_cast<std::uintptr_t>(destination.get()) * 5 +
                     static_cast<std::uintptr_t>(source_count * 7 + destination_count * 11);
  Known& known = all[(mixed * 0x9e3779b97f4a7c15u) >> 60];
  if (known.source != source || known.destination != destination || known.source_count != source_count ||
      known.destination_count != destination_count) {
    known.source = nullptr;  // whatever is thrown, nothing half made is found
    known.joint = plan::join({*source, source_count}, {*destination, destination_count});
    known.destination = destination;
    known.source_count = source_count;
    known.destination_count = destination_count;
    known.source = source;
  }
  return known.joint.get();
}

std::int64_t size_of(const plan::Plan& plan, std::int64_t count) {
  std::int64_t bytes;
  if (__builtin_mul_overflow(plan.size(), count, &bytes))
    throw gapless::base::Error(gapless::base::Status::kOverflow, "the message is beyond 63 bits");
  return bytes;
}

// A message as a run, where it is one.
bool is_run(const plan::Plan& plan, std::int64_t count) {
  return plan.is_contiguous() || (count == 1 && plan.run_count() == 1);
}

template <class Byte>
Byte* at(Byte* buffer, const plan::Plan& plan, std::int64_t position) {
  return reinterpret_cast<Byte*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                 static_cast<std::uintptr_t>(plan.first_byte() + position));
}

// Whether the memory between the first and the last byte of the one message meets that of the other.
bool meet(const plan::Plan& source, std::int64_t source_count, const void* from, const plan::Plan& destination,
          std::int64_t destination_count, void* to) {
  __extension__ typedef __int128 Wide;
  const auto reach = [](const plan::Plan& of, std::int64_t count, const void* buffer, Wide& low, Wide& high) {
    const Wide first = reinterpret_cast<std::uintptr_t>(buffer), last = first + Wide{count - 1} * of.extent();
    low = std::min(first, last) + of.low();
    high = std::max(first, last) + of.high();
  };
  Wide low, high, other_low, other_high;
  reach(source, source_count, from, low, high);
  reach(destination, destination_count, to, other_low, other_high);
  return low < other_high && other_low < high;
}

void copy(const void* from, const plan::PlanPtr& source, std::int64_t source_count, void* to,
          const plan::PlanPtr& destination, std::int64_t destination_count, std::int64_t position, std::int64_t bytes) {
  if (meet(*source, source_count, from, *destination, destination_count, to)) {
    const auto room = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
    gapless::move::pack(*source, source_count, from, position, room.get(), bytes);
    gapless::move::unpack(*destination, destination_count, to, position, room.get(), bytes);
  } else if (is_run(*destination, destination_count)) {
    gapless::move::pack(*source, source_count, from, position, at(static_cast<char*>(to), *destination, position),
                        bytes);
  } else if (is_run(*source, source_count)) {
    gapless::move::unpack(*destination, destination_count, to, position,
                          at(static_cast<const char*>(from), *source, position), bytes);
  } else {
    const plan::Joint* const joint = joint_of(source, source_count, destination, destination_count);
    gapless::move::copy({{*source, source_count}, {*destination, destination_count}, joint}, from, to, position, bytes);
  }
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
    const plan::PlanPtr from = source_type->plan(), to = destination_type->plan();
    const int64_t size = size_of(*from, source_count), other = size_of(*to, destination_count);
    if (size != other)
      throw gapless::base::Error(
          gapless::base::Status::kInvalidArgument,
          "the source has " + std::to_string(size) + " bytes of data, the destination " + std::to_string(other));
    const int64_t bytes = gapless::move::bytes_to_move(*from, source_count, position, budget);
    if (bytes > 0) copy(source, from, source_count, destination, to, destination_count, position, bytes);
    *moved = bytes;
  });
}
