// The processes of one MPI_COMM_WORLD on this node, counted without a message: before MPI is initialised no process can
// be asked, and one without the layer would not answer.
#pragma once

#include <cstdint>
#include <string>

namespace gapless::preload {

// A file in shared memory, named after the process manager that started the job here. Each process enters itself before
// it initialises MPI, and asks when that has been done: in the libraries that we know, initialisation ends nowhere
// before it has begun everywhere. The first to ask decides, for all and for good: where initialisation does not wait,
// the answer may be no for want of entries, but it is the same everywhere.
std::uint64_t hash_of(const std::string& text) noexcept;

class Job {
 public:
  // Enters this process. `facts`: what must be the same everywhere.
  void enter(std::uint64_t facts) noexcept;
  // Whether all `size` processes of the world are entered, live, and have the same facts.
  bool is_complete(int size) noexcept;
  // The world is about to end. The file went when the last one had asked, or the first one in vain.
  void leave() noexcept;

 private:
  struct Table;
  void close() noexcept;
  Table* table_ = nullptr;
  char name_[64] = "";
  std::uint32_t place_ = 0;
};

}  // namespace gapless::preload
