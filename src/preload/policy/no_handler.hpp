// For questions to the library whose errors are the program's own call to raise, once.
#pragma once

#include "mpi/abi/library.hpp"
#include "preload/policy/world.hpp"

namespace gapless::preload {

// While it lives, errors on a communicator call no handler. On MPI_COMM_SELF MPI_ERRORS_ARE_FATAL stays: it cannot be
// told from none, with which MPICH asks the handler of MPI_COMM_WORLD, and would not do so after one had been set.
class NoHandler {
 public:
  explicit NoHandler(MPI_Comm comm) noexcept : comm_(comm) {
    if (mpi::library.Comm_get_errhandler(comm, &handler_) != MPI_SUCCESS) return;
    const bool stays = handler_ == MPI_ERRORS_RETURN || (comm == MPI_COMM_SELF && handler_ == MPI_ERRORS_ARE_FATAL);
    is_set_ = !stays && mpi::library.Comm_set_errhandler(comm, MPI_ERRORS_RETURN) == MPI_SUCCESS;
    if (!is_set_) mpi::library.Errhandler_free(&handler_);
  }
  ~NoHandler() {
    if (!is_set_) return;
    mpi::library.Comm_set_errhandler(comm_, handler_);
    mpi::library.Errhandler_free(&handler_);
  }
  NoHandler(const NoHandler&) = delete;
  NoHandler& operator=(const NoHandler&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler handler_{};
  bool is_set_ = false;
};

// Calls `ask`, whose errors may be of no communicator that is known: libraries raise those on one of these two.
template <class Ask>
auto ask_without_handlers(Ask&& ask) noexcept {
  if (!world_is_up()) return ask();
  const NoHandler world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  return ask();
}

}  // namespace gapless::preload
