// Memory for the buffers of a group other than the heap's, as a program has it: of MPI_Win_allocate_shared, or of
// MPI_Alloc_mem.
#pragma once

#include "job.hpp"

#include <cstddef>
#include <memory>

namespace gapless::lab::exchange {

class Room {
 public:
  Room() = default;
  virtual ~Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // This rank's, on a cache-line boundary.
  char* data() const { return data_; }

 protected:
  // The first line in memory that has one more than is needed.
  void begin_at(void* base);
  char* data_ = nullptr;
};

// Collective, and so is its destructor: so many bytes for each rank; null for those of the heap. Throws Refused on
// every rank where a window is asked for and they are not all on one node, or where there is not as much memory.
std::unique_ptr<Room> make_room(Buffers where, std::size_t bytes);

}  // namespace gapless::lab::exchange
