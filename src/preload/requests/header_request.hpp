// The second request of a persistent send: that of a header. A round that goes through shared memory starts this one,
// and the program's own, of the staged data, stays inactive.
#pragma once

#include <utility>

#include "mpi/abi/library.hpp"
#include "mpi/staging/staging.hpp"
#include "mpi/types/datatype.hpp"
#include "wire/header.hpp"

namespace gapless::preload {

class HeaderRequest {
 public:
  // To this number on the node. Without a buffer for the header, bytes() is null.
  explicit HeaderRequest(int to) noexcept : to(to) { staging_.reserve(wire::kHeaderBytes); }
  // After the end of MPI no request is left.
  ~HeaderRequest() {
    if (request != MPI_REQUEST_NULL && mpi::has_epoch()) mpi::library.Request_free(&request);
  }
  HeaderRequest(const HeaderRequest&) = delete;
  HeaderRequest& operator=(const HeaderRequest&) = delete;
  HeaderRequest(HeaderRequest&& other) noexcept : to(other.to) { swap(other); }
  HeaderRequest& operator=(HeaderRequest&& other) noexcept {
    swap(other);
    return *this;
  }

  // Where the library reads the header in each round.
  wire::Header* bytes() const noexcept { return static_cast<wire::Header*>(staging_.data()); }

  int to;
  MPI_Request request = MPI_REQUEST_NULL;

 private:
  void swap(HeaderRequest& other) noexcept {
    std::swap(to, other.to);
    std::swap(request, other.request);
    std::swap(staging_, other.staging_);
  }

  mpi::Staging staging_;
};

}  // namespace gapless::preload
