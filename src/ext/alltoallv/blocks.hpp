// The blocks of one side of an irregular all-to-all: what a process has for each other one, or expects of it.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "ext/error.hpp"
#include "mpi/types/datatype.hpp"

namespace gapless::ext::irregular {

// One side's arguments, as the program gave them.
struct Half {
  const void* buffer;  // written where it is the receiving side
  const MPI_Count* counts;
  const MPI_Aint* displacements;  // in extents of `type`, or, with a type for each peer, in bytes
  MPI_Datatype type;
  const MPI_Datatype* types;  // of w; else null, and `type` counts
  MPI_Datatype type_of(int peer) const noexcept { return types != nullptr ? types[peer] : type; }
};

struct Block {
  char* data = nullptr;  // where its displacement leads
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const plan::Plan* plan = nullptr;  // null: the library packs and unpacks it
  std::int64_t bytes = 0;
  char* run = nullptr;  // its bytes, if the engine may touch them and they follow one another
};

// Copies the block's bytes from where it lies to `packed`. Returns MPI_SUCCESS or a code, not raised yet.
int pack(const Block& block, char* packed) noexcept;
// The reverse, of the first `bytes`, or of as many as the block has.
int unpack(const Block& block, const char* packed, std::int64_t bytes) noexcept;
// Both at once, of as many bytes as both have.
int copy(const Block& from, const Block& to) noexcept;

// Thrown where an error is to be raised (bind.cpp); Raised (error.hpp) where the library has raised it.
struct Wrong : std::exception {
  explicit Wrong(int given) noexcept : error_class(given) {}
  int error_class;
};

class Blocks {
 public:
  // Throws Raised, Wrong, or base::Error.
  Blocks(const Half& half, int processes);
  const Block& operator[](int peer) const noexcept { return blocks_[static_cast<std::size_t>(peer)]; }
  int size() const noexcept { return static_cast<int>(blocks_.size()); }

 private:
  std::vector<Block> blocks_;
  std::vector<mpi::DatatypePtr> types_;  // keep the plans
};

}  // namespace gapless::ext::irregular
