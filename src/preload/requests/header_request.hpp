// The second request of a persistent send: that of a header. A round that goes through shared memory starts this one,
// and the program's own, of the staged data, stays inactive.
#pragma once

#include "mpi/abi/library.hpp"
#include "mpi/types/datatype.hpp"
#include "wire/header.hpp"

namespace gapless::preload {

struct HeaderRequest {
  explicit HeaderRequest(int to) noexcept : to(to) {}
  // After the end of MPI no request is left.
  ~HeaderRequest() {
    if (request != MPI_REQUEST_NULL && mpi::has_epoch()) mpi::library.Request_free(&request);
  }
  HeaderRequest(const HeaderRequest&) = delete;
  HeaderRequest& operator=(const HeaderRequest&) = delete;

  int to;  // the receiver's number on the node
  MPI_Request request = MPI_REQUEST_NULL;
  wire::Header bytes{};  // where the library reads them in each round
};

}  // namespace gapless::preload
