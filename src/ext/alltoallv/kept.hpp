// The arguments of a persistent call, which the program may change and free after it: arrays and types, not the data.
#pragma once

#include <vector>

#include "ext/alltoallv/blocks.hpp"

namespace gapless::ext::irregular {

class KeptHalf {
 public:
  // What has been looked at already (Blocks). MPI_IN_PLACE stays that. Throws Raised, std::bad_alloc.
  KeptHalf(const Half& half, int processes);
  ~KeptHalf();
  KeptHalf(const KeptHalf&) = delete;
  KeptHalf& operator=(const KeptHalf&) = delete;
  const Half& half() const noexcept { return half_; }

 private:
  void free() noexcept;

  Half half_;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Aint> displacements_;
  std::vector<MPI_Datatype> types_;  // duplicates, but of those types that cannot be freed
};

}  // namespace gapless::ext::irregular
