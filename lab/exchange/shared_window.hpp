// Memory that the processes of a node share, as a program has it: MPI_Win_allocate_shared.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace gapless::lab::exchange {

class SharedWindow {
 public:
  // Collective: so many bytes for each rank. Throws Refused on every rank where they are not all on one node, or where
  // there is not as much memory.
  explicit SharedWindow(std::size_t bytes);
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;
  // Collective.
  ~SharedWindow();

  // This rank's, on a cache-line boundary.
  char* data() const { return data_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  char* data_ = nullptr;
};

}  // namespace gapless::lab::exchange
