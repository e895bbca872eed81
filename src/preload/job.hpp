// The processes of one MPI_COMM_WORLD on this node, counted without a message: before MPI is initialised no process can
// be asked, and one without the layer would not answer.
#pragma once

#include <cstdint>

namespace gapless::preload {

// A file in shared memory, named after the process manager that started the job here. Each process enters itself before
// it initialises MPI; once MPI is up, all have done so that ever will, because initialisation ends nowhere before it
// has begun everywhere. The first to ask decides, for all and for good, so that even where that is not so, all decide
// alike.
class Job {
 public:
  // Enters this process. `facts`: what must be the same everywhere.
  void enter(std::uint64_t facts) noexcept;
  // Whether all `size` processes of the world are entered, live, and have the same facts.
  bool is_complete(int size) noexcept;
  // This process is about to end: what the job left behind goes with the last one.
  void leave() noexcept;

 private:
  struct Table;
  void close() noexcept;
  Table* table_ = nullptr;
  char name_[64] = "";
  bool asked_ = false;
};

}  // namespace gapless::preload
