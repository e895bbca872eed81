// Where a program's MPI_Alltoall, and the persistent forms of it and of MPI_Alltoallv, are run by our own algorithms
// (src/ext/alltoall, docs/alltoall.md): by facts that are the same on all members.
#pragma once

#include <optional>
#include <string>

#include "alltoall/model.hpp"
#include "preload/policy/switches.hpp"

namespace gapless::preload {

// What a communicator of an agreed world keeps for it.
class OwnAllToAll {
 public:
  OwnAllToAll(int processes, bool is_near) noexcept : processes_(processes), is_near_(is_near) {}
  // The bytes of a block for which a call is ours. Empty in the first calls: a communicator that lives no longer needs
  // no other one beside it. To be asked once in each call, on all members alike.
  // Throws std::bad_alloc.
  alltoall::Range of_calls(bool is_in_place);
  // The same of MPI_Alltoall_init.
  alltoall::Range of_persistent(bool is_in_place);
  // True if MPI_Alltoallv_init is.
  bool takes_persistent_v() const noexcept;
  // Whether all members have room for a communicator of our own beside this one, once they have asked each other.
  std::optional<bool> has_room;

 private:
  alltoall::Range by_setting() const noexcept;
  using Ranges = std::optional<alltoall::Range>[2];  // in place or not
  const int processes_;
  const bool is_near_;
  std::int64_t calls_ = 0;
  Ranges calls_ranges_, persistent_ranges_;
};

// What all processes of a world must have in common: the setting GAPLESS_ALLTOALL, and the numbers of the model.
std::string facts_of_own_alltoall();

}  // namespace gapless::preload
