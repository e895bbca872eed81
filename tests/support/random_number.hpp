// Random numbers that are the same on every machine and with every standard library: a failure's seed must replay
// anywhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gapless::test {

// splitmix64: every seed is a good seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // Uniform in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high);
  // Small values are likely, [low, high] are all possible: uniform in the number of digits.
  std::int64_t mostly_small(std::int64_t low, std::int64_t high);
  bool chance(int percent) { return between(0, 99) < percent; }
  template <class Container>
  const auto& pick(const Container& values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

 private:
  std::uint64_t state_;
};

// The seed of the index-th type of a run.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t index);

}  // namespace gapless::test
