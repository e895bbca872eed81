// What the layer knows of a communicator, above all if collective calls on it may be changed.
//
// They may if all its members belong to this process's MPI_COMM_WORLD, and that world agreed (agreement.hpp). Every
// member finds the same answer by itself: either all members are of one world, for all of which the same was decided,
// or there is a foreign one, which the members of each world see. So no message is sent when a communicator is made, by
// whatever procedure: duplicates and parts of a world inherit its agreement, intercommunicators and those with spawned
// processes do not.
#pragma once

#include "mpi/abi/abi.hpp"
#include "preload/policy/near.hpp"
#include "preload/policy/own_alltoall.hpp"

namespace gapless::preload {

struct Members {
  bool agreed = false;  // collective calls may be changed
  bool inter = false;   // or the library refuses the handle
  int size = 0;         // of the local group
  int rank = -1;
  // Of an agreed communicator of two processes or more, all on this node, where pairing is wanted; on all members or on
  // none. Lives as long as the communicator.
  Near* near = nullptr;
  // Of a communicator within the world with members on this node besides this process: the number on the node of each
  // member, -1 of those elsewhere. nullptr: there are none, or no memory. Lives as long.
  const int* numbers = nullptr;
  // Of an agreed communicator. Lives as long.
  OwnAllToAll* own_alltoall = nullptr;
};

// MPI calls are made at the first use of a communicator; later it is known by its handle until it is freed (an
// attribute's delete callback says so). `comm` is not null.
Members find_members(MPI_Comm comm) noexcept;

// The number on the node of the member `peer` of a communicator; -1: not known to be here, or no member.
int number_of(int peer, MPI_Comm comm) noexcept;

// While it lives, a communicator is being freed, on all its members. The program's delete callbacks may still use it,
// but nothing is kept of it: what all members have in common (Members::near) would be known to some of them only.
class DyingCommunicator {
 public:
  explicit DyingCommunicator(MPI_Comm comm) noexcept;
  ~DyingCommunicator();
  DyingCommunicator(const DyingCommunicator&) = delete;
  DyingCommunicator& operator=(const DyingCommunicator&) = delete;

 private:
  std::uint64_t key_;
};

// Call them: when the world is up and its agreement is decided; before it ends; before the last epoch ends; after it.
void learn_world() noexcept;
void forget_world() noexcept;
void epoch_of_communicators_ends() noexcept;
void forget_communicators() noexcept;

}  // namespace gapless::preload
