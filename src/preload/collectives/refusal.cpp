#include "preload/collectives/refusal.hpp"

#include <atomic>

#include "mpi/abi/library.hpp"
#include "mpi/types/datatype.hpp"

namespace gapless::preload {

namespace {

// Makes a call on a communicator of this process alone, so that no other process takes part and the program's error
// handlers are not called. (Not a duplicate, for which the program's attributes would be copied.)
template <class Call>
bool is_error(Call&& call) noexcept {
  MPI_Comm own;
  if (mpi::library.Comm_split(MPI_COMM_SELF, 0, 0, &own) != MPI_SUCCESS) return false;
  mpi::library.Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  const bool refused = call(own) != MPI_SUCCESS;
  mpi::library.Comm_free(&own);
  return refused;
}

bool ask() noexcept {
  char byte = 0;
  return is_error([&](MPI_Comm own) { return mpi::library.Gather(&byte, 1, MPI_BYTE, &byte, 1, MPI_BYTE, 0, own); });
}

enum Known { kUnknown, kNo, kYes };
std::atomic<Known> known{kUnknown};

}  // namespace

bool refuses_aliases() noexcept {
  Known now = known.load(std::memory_order_relaxed);
  if (now != kUnknown) return now == kYes;
  now = ask() ? kYes : kNo;
  known.store(now, std::memory_order_relaxed);
  return now == kYes;
}

bool refuses_type(MPI_Datatype type) noexcept {
  char byte = 0;
  int position = 0;
  return !mpi::is_registered(type) &&
         is_error([&](MPI_Comm own) { return mpi::library.Pack(&byte, 0, type, &byte, 1, &position, own); });
}

}  // namespace gapless::preload
