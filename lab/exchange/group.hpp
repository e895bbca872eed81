// Proves and times all members of one group.
#pragma once

#include "../agreement.hpp"
#include "../layer_switch.hpp"
#include "eviction.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "phases.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gapless::lab::exchange {

// Wrong data or unequal type maps; thrown on every rank.
struct MemberError : VerificationError {
  MemberError(std::string of, const std::string& reason) : VerificationError(reason), member(std::move(of)) {}
  std::string member;  // or the message that no member could send
};

// What all groups of a run share.
struct Run {
  Place place;
  LayerSwitch layer;
  Eviction eviction;
  double plant = 1;
  bool validate = false;  // prove, but time nothing
};

struct MemberSamples {
  std::string member;
  bool sends;                               // false: one rank packs or unpacks
  std::optional<bool> layer_acts;           // whether the layer converted the transfer; where it is on and counts
  bool layer_pairs;                         // and whether it went through memory that the ranks share
  double first_ns = 0;                      // the first operation of the member in this process, on rank 0 only
  std::optional<Preparation> first_type{};  // of a typed call in a group with phases: making it for the first time
  std::vector<double> ns;                   // the longest of all ranks; on rank 0 only
  std::vector<double> cycle_ns;             // of what sends, the same with the writing of fresh data
  std::array<std::string, 2> ways{};        // of messages in order: rank 0's, its peer's
  std::optional<Phases> phases{};           // of as many operations more, where the group asks for them
};

struct GroupResult {
  std::vector<MemberSamples> members;
  std::vector<std::string> without_layer;      // members left out because the layer is not there
  std::map<std::string, std::string> lacking;  // methods left out, and why: no compiler for their loops
  std::map<std::string, std::string> refused;  // members left out, and why: no such message of such a size
};

// Collective. `seed`: of the order of members, equal on all ranks. Throws on every rank: JobError, Refused,
// MemberError.
GroupResult run_group(const GroupSpec& group, Run& run, std::uint64_t seed);

}  // namespace gapless::lab::exchange
