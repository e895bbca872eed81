#include "copy/planned.hpp"

#include <array>
#include <memory>

#include "base/per_thread.hpp"
#include "move/copy.hpp"
#include "move/direction.hpp"
#include "move/move.hpp"
#include "move/overlap.hpp"

namespace gapless::copy {

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

// The bytes of a message that is one run, starting at `position`.
template <class Byte>
Byte* run_of(const plan::Plan& plan, Byte* buffer, std::int64_t position) {
  return move::at(buffer, plan.first_byte() + position);
}

}  // namespace

void planned(const void* from, const plan::PlanPtr& source, std::int64_t source_count, void* to,
             const plan::PlanPtr& destination, std::int64_t destination_count, std::int64_t position,
             std::int64_t bytes) {
  if (!move::overlap({*source, source_count}, from, {*destination, destination_count}, to)) {
    return planned_apart(from, source, source_count, to, destination, destination_count, position, bytes);
  }
  const auto room = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
  move::pack(*source, source_count, from, position, room.get(), bytes);
  move::unpack(*destination, destination_count, to, position, room.get(), bytes);
}

void planned_apart(const void* from, const plan::PlanPtr& source, std::int64_t source_count, void* to,
                   const plan::PlanPtr& destination, std::int64_t destination_count, std::int64_t position,
                   std::int64_t bytes) {
  const plan::Message of{*source, source_count}, into{*destination, destination_count};
  if (into.plan.is_run(into.count)) {
    move::pack(of.plan, of.count, from, position, run_of(into.plan, static_cast<char*>(to), position), bytes);
  } else if (of.plan.is_run(of.count)) {
    move::unpack(into.plan, into.count, to, position, run_of(of.plan, static_cast<const char*>(from), position), bytes);
  } else if (CachedJoints* const joints = base::PerThread<CachedJoints>::get(); joints != nullptr) {
    const plan::Joint* const joint = joint_of(*joints, source, source_count, destination, destination_count);
    move::copy({of, into, joint}, from, to, position, bytes);
  } else {
    const auto joint = plan::join({of.plan, of.count}, {into.plan, into.count});
    move::copy({of, into, joint.get()}, from, to, position, bytes);
  }
}

}  // namespace gapless::copy
