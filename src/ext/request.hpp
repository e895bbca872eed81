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

  const gapless::ext::PrivateCommPtr comm;
  bool is_started = false;
};
