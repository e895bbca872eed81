// The job file: which all-to-alls are timed, on which blocks. See every_alltoall --help.
#pragma once

#include "../exchange/job.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gapless::lab::alltoall {

using exchange::JobError;
using exchange::Repetitions;

// Who runs it: the MPI library, or ours, by name; once or persistent; as MPI_Alltoall or MPI_Alltoallv. kMessages: the
// program's own persistent messages, which no persistent all-to-all of direct messages can beat. kTypes: what a call
// makes and frees, without communication.
enum class Call {
  kLibrary,
  kLibraryPersistent,
  kLibraryV,
  kLibraryVPersistent,
  kOurs,
  kOursPersistent,
  kOursV,
  kOursVPersistent,
  kMessages,
  kTypes,
  kTypesV,
};

struct MemberSpec {
  std::string name;
  Call call = Call::kLibrary;
  std::string algorithm;  // empty: the model chooses
  bool layer = false;
};

struct GroupSpec {
  std::string id;
  std::int64_t elements = 0;  // MPI_INTs of a block; where blocks are random, the most
  bool random = false;
  bool in_place = false;
  bool fresh = false;  // all ranks write their data before each call
  std::vector<MemberSpec> members;
  Repetitions reps;
};

struct Job {
  std::uint64_t seed = 0;
  std::vector<GroupSpec> groups;
};

// Throws JobError.
Job read_job(const std::string& path);

}  // namespace gapless::lab::alltoall
