#include "alltoall/irregular_space.hpp"

#include <algorithm>
#include <cassert>

namespace gapless::alltoall::irregular {

Space::Space(std::int64_t capacity) : free_(capacity) {
  if (capacity > 0) gaps_.push_back({0, capacity});
}

void Space::take(std::int64_t bytes, std::vector<Extent>& taken) {
  assert(bytes > 0 && bytes <= free_);
  const auto before = static_cast<std::ptrdiff_t>(taken.size());
  free_ -= bytes;
  while (bytes > 0) {
    auto chosen = gaps_.begin();
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      const bool fits = gap->bytes >= bytes, chosen_fits = chosen->bytes >= bytes;
      if (fits == chosen_fits ? (fits ? gap->bytes < chosen->bytes : gap->bytes > chosen->bytes) : fits) chosen = gap;
    }
    const std::int64_t part = std::min(bytes, chosen->bytes);
    taken.push_back({chosen->offset, part});
    chosen->offset += part;
    chosen->bytes -= part;
    bytes -= part;
    if (chosen->bytes == 0) gaps_.erase(chosen);
  }
  std::sort(taken.begin() + before, taken.end(), [](Extent a, Extent b) { return a.offset < b.offset; });
}

void Space::give(Extent extent) {
  free_ += extent.bytes;
  auto next = std::lower_bound(gaps_.begin(), gaps_.end(), extent.offset,
                               [](const Extent& gap, std::int64_t offset) { return gap.offset < offset; });
  if (next != gaps_.begin()) {
    const auto previous = next - 1;
    if (previous->offset + previous->bytes == extent.offset) {
      previous->bytes += extent.bytes;
      if (next != gaps_.end() && previous->offset + previous->bytes == next->offset) {
        previous->bytes += next->bytes;
        gaps_.erase(next);
      }
      return;
    }
  }
  if (next != gaps_.end() && extent.offset + extent.bytes == next->offset) {
    next->offset = extent.offset;
    next->bytes += extent.bytes;
    return;
  }
  gaps_.insert(next, extent);
}

}  // namespace gapless::alltoall::irregular
