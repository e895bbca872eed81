// The ways in which the payload of a group is sent, by name.
#pragma once

#include "channel.hpp"
#include "layer_switch.hpp"
#include "options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gapless::lab {

// The samples of one method.
struct MethodResult {
  std::string description;
  std::string type;
  std::string method;
  std::vector<std::string> tests;
  std::optional<bool> layer_acts;  // whether the layer converted the transfer; only where it counts
  std::vector<double> samples_ns;  // filled on rank 0: half of a round trip, or one call of what sends nothing
  // With fresh data, of what sends: the same round trips with the time that both ranks wrote their data.
  std::vector<double> cycle_ns;
};

// The committed types of one description, for each end.
struct DescribedTypes {
  const Description* sent;
  MpiType send_type;
  const Description* received;
  MpiType receive_type;
  Ends ends() const { return {sent->count, send_type.handle(), received->count, receive_type.handle()}; }
  EngineEnds engine_ends() const {
    return {sent->count, sent->type.engine(), received->count, received->type.engine()};
  }
};

struct Method {
  // What a verified run must leave behind.
  enum class Result { kReceivedInUserBuffer, kReceivedContiguous, kPackedInScratch, kUnpackedFromScratch };

  MethodResult result;
  bool layer_on;
  Result leaves;
  std::unique_ptr<Channel> channel;
  bool sends() const { return leaves == Result::kReceivedInUserBuffer || leaves == Result::kReceivedContiguous; }
};

// The methods of a message that the options ask for. What needs the layer is left out where there is none, and loops by
// hand where there are none.
std::vector<Method> make_methods(const Options& options, const Subject& subject,
                                 const std::vector<DescribedTypes>& types, Buffers& buffers, const LayerSwitch& layer);

}  // namespace gapless::lab
