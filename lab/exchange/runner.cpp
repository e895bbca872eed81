#include "runner.hpp"

#include "barrier.hpp"
#include "packing.hpp"

#include "gapless/gapless_layer.h"

#include <algorithm>
#include <functional>

namespace gapless::lab::exchange {
namespace {

// Of a way that is fixed: 64 messages of entries took most of a launch, up to 4.5 s each.
constexpr double kLongestWarmUpNs = 250e6;

}  // namespace

Runner::Runner(const GroupSpec& group, Run& run, const std::vector<Message>& messages, Memory& memory)
    : spec_(group),
      run_(run),
      messages_(messages),
      memory_(memory),
      clock_reading_(clock_reading_ns()),
      names_ways_(std::any_of(group.members.begin(), group.members.end(),
                              [](const MemberSpec& member) { return member.way.has_value(); })) {}

// As the member is sent, on all ranks alike.
void Runner::switch_layer(const Member& member) {
  run_.layer.set_all(member.layer_on());
  run_.layer.set_paired(member.spec->method != MethodKind::kLocal);
  // Where none is named anywhere, the way is the setting's.
  if (names_ways_) run_.layer.set_way(member.spec->way.value_or(GAPLESS_WAY_ADAPTIVE));
}

// Nobody writes what is unpacked alone.
Writing Runner::write(Member& member) {
  Writing writing;
  const Message& message = messages_[member.spec->message];
  if (member.operation->leaves() == Operation::Leaves::kUnpacked) return writing;
  if (member.operation->sends())
    writing.add(clock_reading_, [&] { memory_.write(message, true); });
  else
    memory_.write(message, false);
  return writing;
}

// Once, with what this rank writes within it.
Writing Runner::run(Member& member, Operation& operation) {
  Writing writing;
  const bool writes = spec_.fresh && !writes_ahead(spec_);
  // Who answers with nothing knows that the other one wrote.
  if (writes && spec_.empty_pong && !leads(run_.place)) memory_.write(messages_[member.spec->message], false);
  const auto before_send = [&] {
    if (writes) writing = write(member);
  };
  operation.run(std::ref(before_send));  // by reference: a copy would be allocated within what is timed
  return writing;
}

// The same behind a barrier, and how long it took.
Sample Runner::run_once(Member& member, Operation& operation) {
  barrier(run_.place.rank, run_.place.ranks);
  const double start_ns = now_ns();
  const Writing within = run(member, operation);
  return {now_ns() - start_ns, within};
}

void Runner::send(Member& member) {
  switch_layer(member);
  for (int i = 0; i < (spec_.fresh ? 2 : 1); ++i) {
    memory_.turn(member.spec->fresh_buffer);
    const bool ahead = writes_ahead(spec_);
    const Writing written = ahead ? write(member) : Writing{};
    const Sample once = run_once(member, *member.operation);
    if (member.first.ns == 0) member.first = {once.ns, ahead ? written : once.writing};
  }
  run_.layer.set_all(false);
}

void Runner::warm_layer(Member& member) {
  if (!member.layer_on()) return;
  int messages = spec_.reps.layer_warmup;
  // A way that is fixed has nothing to choose: by then its stores are learnt, or it is so slow that they do not matter.
  if (member.spec->way.value_or(GAPLESS_WAY_ADAPTIVE) != GAPLESS_WAY_ADAPTIVE)
    messages = std::min(messages, 1 + static_cast<int>(kLongestWarmUpNs / std::max(member.first.ns, 1.0)));
  MPI_Bcast(&messages, 1, MPI_INT, 0, MPI_COMM_WORLD);
  switch_layer(member);
  for (int i = 0; i < messages; ++i) {
    memory_.turn(member.spec->fresh_buffer);
    run(member, *member.operation);
  }
  run_.layer.set_all(false);
}

Sample Runner::sample(Member& member) {
  switch_layer(member);
  // Members take turns, so each finds the caches and the library as another one left them: one operation that is not
  // timed lets it start from its own.
  const bool turns = member.spec->fresh_buffer;
  if (!spec_.in_order) {
    memory_.turn(turns);
    if (!spec_.cold) run(member, *member.operation);
  }
  Sample sample;
  memory_.turn(turns);
  if (writes_ahead(spec_)) sample.writing = write(member);
  if (spec_.cold && (!spec_.sender_cold || leads(run_.place))) run_.eviction.walk();
  const bool is_repeated = spec_.pattern == Pattern::kPingPong || is_halo(spec_.pattern);
  const int inner = spec_.cold || spec_.in_order || !is_repeated ? 1 : spec_.reps.inner;
  const double plant = member.spec->planted ? run_.plant : 1;
  barrier(run_.place.rank, run_.place.ranks);
  const double start_ns = now_ns();
  Writing within;
  for (int i = 0; i < inner; ++i) {
    if (i > 0) memory_.turn(turns);
    const Writing writing = run(member, *member.operation);
    within.ns += writing.ns;
    within.clock_ns += writing.clock_ns;
  }
  double end_ns = now_ns();
  if (plant > 1) {
    // Both ranks write equally long, one after the other: that is not slowed.
    const double slowed_ns = std::max(0.0, end_ns - start_ns - 2 * (within.ns + within.clock_ns));
    for (const double until_ns = end_ns + (plant - 1) * slowed_ns; end_ns < until_ns;) end_ns = now_ns();
  }
  run_.layer.set_all(false);
  if (!writes_ahead(spec_)) sample.writing = within;
  sample.writing.ns /= inner;  // written ahead, once for all of them
  sample.writing.clock_ns /= inner;
  sample.ns = (end_ns - start_ns) / inner;
  return sample;
}

bool Runner::has_phases(const Member& member) const {
  return spec_.phases && !member.spec->fresh_type && !member.spec->fresh_buffer;
}

PhaseSample Runner::phases(Member& member) {
  switch_layer(member);
  PhaseSample sample;
  sample.preparation = prepare_once(member.spec->method, messages_[member.spec->message]);
  if (writes_ahead(spec_)) write(member);
  if (spec_.cold) run_.eviction.walk();
  *member.stamps = {clock_reading_, {}, {}};
  const Sample once = run_once(member, member.stamped ? *member.stamped : *member.operation);
  sample.writing = once.writing;
  sample.whole_ns = once.ns;
  run_.layer.set_all(false);
  sample.stamps = *member.stamps;
  return sample;
}

}  // namespace gapless::lab::exchange
