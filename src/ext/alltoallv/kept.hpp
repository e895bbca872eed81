// The arguments of a persistent call, which the program may change and free after it: arrays and types, not the data.
#pragma once

#include <vector>

#include "ext/alltoallv/blocks.hpp"

namespace gapless::ext::irregular {

class Kept {
 public:
  // What has been looked at already (Blocks). MPI_IN_PLACE stays that. Throws Raised, std::bad_alloc.
  Kept(const Half& half, int processes);
  ~Kept();
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  const Half& half() const noexcept { return half_; }

 private:
  void free() noexcept;

  Half half_;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Aint> displacements_;
  std::vector<MPI_Datatype> types_;  // duplicates, but of those types that cannot be freed
};

}  // namespace gapless::ext::irregular
