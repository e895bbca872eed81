// One case under one operation: every way to describe its message is proved, then timed in turns.
#pragma once

#include "../layer_switch.hpp"
#include "cases.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gapless::lab::one_sided {

struct MemberSamples {
  std::string member;  // a description, or "normalised", "packed", "contiguous", "gapless"
  std::vector<double> ns;
};

struct GroupResult {
  std::int64_t payload_bytes = 0;
  std::vector<MemberSamples> members;
  std::vector<std::pair<std::string, std::string>> refused;  // member, reason
};

struct GroupSettings {
  int reps;
  int rank;
  std::string folder;  // of files
  const LayerSwitch* layer;
  std::uint64_t seed;  // of the order of members; equal on both ranks
};

// Collective over two ranks. Throws exchange::Refused on both if the group cannot be built, VerificationError if two
// descriptions differ or data are wrong.
GroupResult run_group(const OperationSpec& spec, const Case& one, const GroupSettings& settings);

}  // namespace gapless::lab::one_sided
