// Memory without fragmentation: what is asked for is had in pieces where no gap is long enough.
#pragma once

#include <cstdint>
#include <vector>

namespace gapless::alltoall::irregular {

struct Extent {
  std::int64_t offset, bytes;
};

// `capacity` bytes. take() succeeds whenever so many are free, wherever they lie, so the most that is in use at a time
// is also the least capacity that suffices: for any sizes and any order of taking and giving.
class Space {
 public:
  explicit Space(std::int64_t capacity);
  // Appends pieces of `bytes` > 0 bytes in all, free until now, in increasing order if there are several: one, from the
  // smallest gap that has as many, or else all of the longest gaps and what is missing from the next one.
  void take(std::int64_t bytes, std::vector<Extent>& taken);
  void give(Extent extent);
  std::int64_t free_bytes() const noexcept { return free_; }

 private:
  std::vector<Extent> gaps_;  // by offset, never adjacent, never empty
  std::int64_t free_;
};

}  // namespace gapless::alltoall::irregular
