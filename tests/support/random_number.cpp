#include "support/random_number.hpp"

namespace gapless::test {

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  if (high <= low) return low;
  const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  return low + static_cast<std::int64_t>(next() % width);
}

std::int64_t Random::mostly_small(std::int64_t low, std::int64_t high) {
  std::int64_t bits = 0;
  while ((high - low) >> bits > 0) ++bits;
  const std::int64_t top = low + (std::int64_t{1} << between(0, bits)) - 1;
  return between(low, top < high ? top : high);
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t index) {
  return Random(seed ^ (index * 0xD1342543DE82EF95u)).next();
}

}  // namespace gapless::test
