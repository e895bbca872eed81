// A group: its members are verified, timed in turn with one another, and verified again.
#pragma once

#include "../layer_switch.hpp"
#include "job.hpp"

#include <mpi.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gapless::lab::alltoall {

struct Run {
  int rank = 0, ranks = 1;
  MPI_Comm comm = MPI_COMM_NULL;  // errors return
  LayerSwitch layer;
};

struct MemberSamples {
  std::string member;
  double first_ns = 0;
  std::vector<double> ns;  // the longest of all ranks, each by its own clock; on rank 0 alone
};

struct GroupResult {
  std::vector<MemberSamples> members;
  std::vector<std::pair<std::string, std::string>> refused;  // member and reason
};

// A member that failed or whose data were wrong.
struct MemberError : std::runtime_error {
  MemberError(std::string member, const std::string& what) : std::runtime_error(what), member(std::move(member)) {}
  std::string member;
};

// Collective. Throws MemberError, and exchange::Refused if the group cannot be built, on all ranks.
GroupResult run_group(const GroupSpec& group, const Run& run, std::uint64_t seed);

}  // namespace gapless::lab::alltoall
