// A random irregular all-to-all whose outcome is known by arithmetic: which bytes a process has for another one follows
// from the two ranks, the place in the block, and the time; where they lie, from the type maps that the test made.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "../conformance/coll_types.hpp"

namespace test {

enum class Form { kV, kW };

struct Shape {
  Form form;
  bool is_in_place;
  int processes, rank;
  std::uint64_t seed;       // the same on all processes
  bool may_be_deep = true;  // types that the engine leaves to the library
};

// One side of this process: arguments, memory, and the image that memory has to be.
class Side {
 public:
  Side(const Shape& shape, bool is_sending);
  ~Side() { free_arguments(); }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  // Writes what process `from` has for `to` into the block of `peer`, in memory or only into the image.
  void write(int peer, int from, int to, int time);
  void expect(int peer, int from, int to, int time);
  // Of a request that has been made: no more arrays, and no types.
  void free_arguments();
  bool is_as_expected() const { return memory_ == image_; }

  void* buffer() { return memory_.data() + origin_; }
  MPI_Datatype type() const { return types_[0].type; }
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displacements;
  std::vector<MPI_Datatype> types;

 private:
  void fill(std::vector<unsigned char>& into, int peer, int from, int to, int time) const;
  const conformance::Described& of(int peer) const {
    return types_[types_.size() > 1 ? static_cast<std::size_t>(peer) : 0];
  }
  std::vector<conformance::Described> types_;  // of v: one
  std::vector<MPI_Count> elements_;            // the counts
  std::vector<MPI_Aint> places_;               // of each block's first element, from the buffer's address
  std::vector<unsigned char> memory_, image_;
  MPI_Aint origin_ = 0;
};

// Units of a block: a multiple of what one element of the type of either side has.
long long units_of(const Shape& shape, int from, int to);

}  // namespace test
