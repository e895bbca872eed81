// Blocks in random places: a random subset of a random permutation, as it comes and sorted.
#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "case.hpp"

namespace gapless::bench {
namespace {

TypeSpec block_type(int block_bytes) {
  if (block_bytes == 4) return TypeSpec::float32();
  if (block_bytes == 8) return TypeSpec::float64();
  return TypeSpec::contiguous(block_bytes / 8, TypeSpec::float64());
}

// `count` different numbers below `places`, in random order. The same in every launch and on every library.
std::vector<std::int32_t> random_places(std::int64_t count, std::int64_t places) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(places));
  std::iota(all.begin(), all.end(), 0);
  std::mt19937_64 random(1);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t other = i + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(places - i));
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(other)]);
  }
  all.resize(static_cast<std::size_t>(count));
  return all;
}

Message list(int block_bytes, bool sorted, std::int64_t payload_bytes, std::int64_t memory_bytes) {
  const std::int64_t count = payload_bytes / block_bytes, places = memory_bytes / block_bytes;
  if (count == 0 || places > std::numeric_limits<std::int32_t>::max()) return {};
  std::vector<std::int32_t> chosen = random_places(count, places);
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
    // So many lines that what one repetition leaves in the caches is gone before the next comes back to it.
    into.push_back({"list/memory" + block, "memory_list", false, block_bytes != 4,
                    [=](std::int64_t) { return list(block_bytes, false, cache_bytes, 10 * cache_bytes); }});
  }
}

}  // namespace gapless::bench
