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

// The methods of a layout that the options ask for. `types`: the descriptions', committed. What needs the layer is left
// out where there is none.
std::vector<Method> make_methods(const Options& options, const Layout& layout,
                                 const std::vector<Description>& descriptions, const std::vector<MpiType>& types,
                                 Buffers& buffers, const LayerSwitch& layer);

}  // namespace gapless::lab
