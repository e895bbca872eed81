// One member of a group, as it is run: with the layer as it asks for, its data written anew, timed.
#pragma once

#include "group.hpp"
#include "memory.hpp"
#include "message.hpp"
#include "operation.hpp"
#include "phases.hpp"
#include "sample.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace gapless::lab::exchange {

struct Member {
  const MemberSpec* spec;
  std::unique_ptr<Operation> operation;
  std::optional<bool> layer_acts{};
  bool layer_pairs = false;
  // The same operation again, its packing timed, and where it keeps that.
  std::unique_ptr<Stamps> stamps{};
  std::unique_ptr<Operation> stamped{};
  Sample first{};  // the first operation, before anything is timed
  bool layer_on() const {
    return spec->layer || spec->method == MethodKind::kGapless || spec->method == MethodKind::kLocal;
  }
};

// Runs the members of one group. What sends is collective, and leaves the layer off.
class Runner {
 public:
  Runner(const GroupSpec& group, Run& run, const std::vector<Message>& messages, Memory& memory);

  // In a collective, and where caches are to be cold, all ranks write before they meet; in a ping-pong the sender does,
  // within the round trip.
  static bool writes_ahead(const GroupSpec& group) {
    return group.fresh && (group.cold || group.pattern != Pattern::kPingPong);
  }

  // What is to be verified; twice with fresh data, for who kept the first message's would be seen to send it again.
  // Keeps what the very first one took.
  void send(Member& member);
  // As many messages as the layer is to have learnt from before it is timed.
  void warm_layer(Member& member);
  Sample sample(Member& member);
  // One operation more, which stamps make longer; of members that has_phases().
  PhaseSample phases(Member& member);
  bool has_phases(const Member& member) const;

 private:
  void switch_layer(const Member& member);
  Writing write(Member& member);
  Writing run(Member& member, Operation& operation);
  Sample run_once(Member& member, Operation& operation);

  const GroupSpec& spec_;
  Run& run_;
  const std::vector<Message>& messages_;
  Memory& memory_;
  double clock_reading_;
  bool names_ways_;
};

}  // namespace gapless::lab::exchange
