// Proves and times all methods of one group.
#pragma once

#include "case.hpp"
#include "layer_switch.hpp"
#include "methods.hpp"

#include <string>
#include <vector>

namespace gapless::lab {

struct GroupSettings {
  int reps;
  int warmup_reps;
  int round_trips_per_sample;  // so many (or calls of what sends nothing) are timed together and divided, lest the
                               // clock's noise matter
  std::uint64_t seed;          // of the order of methods; equal on both ranks
};

// Collective over two ranks; `group` is for messages. Throws VerificationError on both if a type map or any received
// datum is wrong.
std::vector<MethodResult> run_group(const std::string& group, const Subject& subject, const Options& options,
                                    const GroupSettings& settings, const LayerSwitch& layer, int rank);

}  // namespace gapless::lab
