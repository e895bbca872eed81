// What a GAPLESS_Request is: a persistent operation of any kind.
#pragma once

#include "ext/private_comm.hpp"
#include "gapless/gapless_mpi.h"

struct gapless_mpi_request {
  explicit gapless_mpi_request(gapless::ext::PrivateCommPtr on) : comm(std::move(on)) {}
  virtual ~gapless_mpi_request() = default;
  gapless_mpi_request(const gapless_mpi_request&) = delete;
  gapless_mpi_request& operator=(const gapless_mpi_request&) = delete;
  // Both return MPI_SUCCESS or a code, not raised yet. wait() follows start() also where that has failed.
  virtual int start() noexcept = 0;
  virtual int wait() noexcept = 0;
  // In place of wait(): false if it would have to wait. True with the code of the first error in `first`, which may be
  // one already. Waits all the same where messages are left that start() has not begun: in all but the first round, and
  // in the library's own.
  virtual bool try_end(int& first) noexcept {
    const int code = wait();
    if (first == MPI_SUCCESS) first = code;
    return true;
  }

  const gapless::ext::PrivateCommPtr comm;
  bool is_started = false;
};
