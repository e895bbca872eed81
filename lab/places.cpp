#include "places.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace gapless::lab {

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

}  // namespace gapless::lab
