// Blocks of an all-to-all whose every value is known by arithmetic, in several types of one signature.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../../conformance/coll_types.hpp"

namespace known {

// A basic type of an element: where it lies, and its bytes.
using Part = conformance::Piece;

// `count` elements of a type are a block.
struct Shape {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
  std::vector<Part> parts;  // of an element, in the order of the type map
  MPI_Aint extent = 0;
  MPI_Aint low = 0, high = 0;  // bytes that an element touches, relative to its address
};

// Types of one signature.
struct Pair {
  Shape send, receive;
};
std::vector<Pair> make_pairs();
// So many random ones, for blocks of `processes` processes at most: of one seed the same number of the same basic types
// on every process, in a description of each process's own; `may_be_deep`: also types that the engine leaves to the
// library.
std::vector<Pair> make_random_pairs(std::uint64_t seed, int rank, int number, int processes, bool may_be_deep);
void free_pairs(std::vector<Pair>& pairs);

// Memory for `blocks` blocks. What is no value is a filling, and must stay it.
class Buffer {
 public:
  Buffer(const Shape& shape, int blocks);
  void* address() { return bytes_.data() + origin_; }
  // The values of the block that goes from one process to another, in the given round of the test.
  void put(int block, int from, int to, int round);
  void clear();
  // What is wrong first, with the blocks from all processes to `rank`; empty if nothing is.
  std::string complaint(int rank, int round) const;

 private:
  const Shape& shape_;
  int blocks_;
  MPI_Aint origin_;
  std::vector<unsigned char> bytes_;
};

}  // namespace known
