// Blocks in random places: a random subset of a random permutation, as it comes and sorted.
#include <algorithm>
#include <limits>

#include "case.hpp"
#include "lab/places.hpp"

namespace gapless::bench {
namespace {

TypeSpec block_type(int block_bytes) {
  if (block_bytes == 4) return TypeSpec::float32();
  if (block_bytes == 8) return TypeSpec::float64();
  return TypeSpec::contiguous(block_bytes / 8, TypeSpec::float64());
}

Message list(int block_bytes, bool sorted, std::int64_t payload_bytes, std::int64_t memory_bytes) {
  const std::int64_t count = payload_bytes / block_bytes, places = memory_bytes / block_bytes;
  if (count == 0 || places > std::numeric_limits<std::int32_t>::max()) return {};
  std::vector<std::int32_t> chosen = lab::random_places(count, places);
  if (sorted) std::sort(chosen.begin(), chosen.end());
  const auto kept = std::make_shared<const std::vector<std::int32_t>>(std::move(chosen));
  const std::vector<int> displacements(kept->begin(), kept->end());
  return {{{"indexed_block", 1, TypeSpec::indexed_block(1, displacements, block_type(block_bytes))},
           {"indexed", 1,
            TypeSpec::indexed(std::vector<int>(displacements.size(), 1), displacements, block_type(block_bytes))}},
          hand_list(block_bytes),
          {count, kept->data()},
          kept};
}

}  // namespace

void add_lists(Cases& into, std::int64_t cache_bytes) {
  for (int block_bytes : {4, 8, 24}) {
    const std::string block = "/block=" + std::to_string(block_bytes);
    for (bool sorted : {false, true})
      into.push_back({(sorted ? "list/sorted" : "list/random") + block, "list", true, block_bytes == 8,
                      [=](std::int64_t bytes) { return list(block_bytes, sorted, bytes, 2 * bytes); }});
    // So many lines that what one repetition leaves in the caches is gone before the next comes back to it: blocks
    // are a third of a line or less.
    into.push_back({"list/memory" + block, "memory_list", false, block_bytes != 4,
                    [=](std::int64_t) { return list(block_bytes, false, cache_bytes / 2, 10 * cache_bytes); }});
  }
}

}  // namespace gapless::bench
