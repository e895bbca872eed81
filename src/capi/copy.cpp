#include "move/copy.hpp"

#include <array>
#include <memory>
#include <string>

#include "base/per_thread.hpp"
#include "capi/guard.hpp"
#include "move/direction.hpp"
#include "move/move.hpp"
#include "move/overlap.hpp"

namespace plan = gapless::plan;
using gapless::capi::guard;
using gapless::capi::require;

namespace {

// A joint plan that this thread made recently: a repeated copy is planned once. Thread-local, so that no thread waits;
// it keeps both plans alive, so that no other plan can have their addresses.
struct CachedJoint {
  plan::PlanPtr source, destination;
  std::int64_t source_count = 0, destination_count = 0;
  std::unique_ptr<const plan::Joint> joint;
};

using CachedJoints = std::array<CachedJoint, 16>;

const plan::Joint* joint_of(CachedJoints& all, const plan::PlanPtr& source, std::int64_t source_count,
                            const plan::PlanPtr& destination, std::int64_t destination_count) {
  const auto mixed = reinterpret_cast<std::uintptr_t>(source.get()) * 3 +
                     reinterpret_cast<std::uintptr_t>(destination.get()) * 5 +
                     static_cast<std::uintptr_t>(source_count * 7 + destination_count * 11);
  CachedJoint& known = all[(mixed * 0x9e3779b97f4a7c15u) >> 60];
  if (known.source != source || known.destination != destination || known.source_count != source_count ||
      known.destination_count != destination_count) {
    known.source = nullptr;  // if join() throws, the entry matches nothing
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

// The bytes of a message that is one run, starting at `position`.
template <class Byte>
Byte* run_of(const plan::Plan& plan, Byte* buffer, std::int64_t position) {
  return gapless::move::at(buffer, plan.first_byte() + position);
}

void copy(const char* from, const plan::PlanPtr& source, std::int64_t source_count, char* to,
          const plan::PlanPtr& destination, std::int64_t destination_count, std::int64_t position, std::int64_t bytes) {
  const plan::Message of{*source, source_count}, into{*destination, destination_count};
  if (gapless::move::overlap(of, from, into, to)) {
    const auto room = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
    gapless::move::pack(of.plan, of.count, from, position, room.get(), bytes);
    gapless::move::unpack(into.plan, into.count, to, position, room.get(), bytes);
  } else if (into.plan.is_run(into.count)) {
    gapless::move::pack(of.plan, of.count, from, position, run_of(into.plan, to, position), bytes);
  } else if (of.plan.is_run(of.count)) {
    gapless::move::unpack(into.plan, into.count, to, position, run_of(of.plan, from, position), bytes);
  } else if (CachedJoints* const joints = gapless::base::PerThread<CachedJoints>::get(); joints != nullptr) {
    const plan::Joint* const joint = joint_of(*joints, source, source_count, destination, destination_count);
    gapless::move::copy({of, into, joint}, from, to, position, bytes);
  } else {
    const auto joint = plan::join({of.plan, of.count}, {into.plan, into.count});
    gapless::move::copy({of, into, joint.get()}, from, to, position, bytes);
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
    const plan::PlanPtr &from = source_type->plan(), &to = destination_type->plan();
    const int64_t size = size_of(*from, source_count), other = size_of(*to, destination_count);
    if (size != other)
      throw gapless::base::Error(
          gapless::base::Status::kInvalidArgument,
          "the source has " + std::to_string(size) + " bytes of data, the destination " + std::to_string(other));
    const int64_t bytes = gapless::move::bytes_to_move(*from, source_count, position, budget);
    if (bytes > 0)
      copy(static_cast<const char*>(source), from, source_count, static_cast<char*>(destination), to, destination_count,
           position, bytes);
    *moved = bytes;
  });
}
