// Blocks of an all-to-all whose every value is known by arithmetic, in several types of one signature.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace known {

// A basic type of an element, and where it lies.
struct Part {
  bool is_double;
  MPI_Aint offset;
};

// `count` elements of a type are a block.
struct Shape {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
  std::vector<Part> parts;  // of an element, in the order of the type map
  MPI_Aint extent = 0;
};

// Types of one signature.
struct Pair {
  Shape send, receive;
};
std::vector<Pair> make_pairs();
void free_pairs(std::vector<Pair>& pairs);

// Memory for `blocks` blocks. What is no value is a filling, and must stay it.
class Buffer {
 public:
  Buffer(const Shape& shape, int blocks);
  void* address() { return bytes_.data() + kMargin; }
  // The values of the block that goes from one process to another, in the given round of the test.
  void put(int block, int from, int to, int round);
  void clear();
  // What is wrong first, with the blocks from all processes to `rank`; empty if nothing is.
  std::string complaint(int rank, int round) const;

 private:
  static constexpr std::size_t kMargin = 256;
  const Shape& shape_;
  int blocks_;
  std::vector<char> bytes_;
};

}  // namespace known
