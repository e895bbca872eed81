#include "preload/policy/own_comm.hpp"

#include <mutex>

#include "base/immortal.hpp"
#include "mpi/types/datatype.hpp"

namespace gapless::preload {

namespace {

struct OwnComm {
  std::mutex making;
  bool is_made = false;
  MPI_Comm comm{};
};

OwnComm& own() noexcept {
  return base::immortal<OwnComm>();
}

}  // namespace

MPI_Comm own_comm() noexcept {
  const std::lock_guard lock(own().making);
  if (!own().is_made) {
    if (mpi::library.Comm_split(MPI_COMM_SELF, 0, 0, &own().comm) != MPI_SUCCESS) return MPI_COMM_SELF;
    mpi::library.Comm_set_errhandler(own().comm, MPI_ERRORS_RETURN);
    own().is_made = true;
  }
  return own().comm;
}

void free_own_comm() noexcept {
  const std::lock_guard lock(own().making);
  if (own().is_made) mpi::library.Comm_free(&own().comm);
  own().is_made = false;
}

bool refuses_type(MPI_Datatype type) noexcept {
  char byte = 0;
  int position = 0;
  return !mpi::is_registered(type) && mpi::library.Pack(&byte, 0, type, &byte, 1, &position, own_comm()) != MPI_SUCCESS;
}

}  // namespace gapless::preload
