#include "limit.hpp"

namespace gapless::bench {
namespace {

// What follows a run: the way to the next one, and its own length.
struct Step {
  std::int64_t way, count;
  bool operator==(const Step&) const = default;
};

Step step(const std::vector<LineRun>& runs, std::size_t i) {
  return {std::int64_t{runs[i + 1].first} - runs[i].first, runs[i].count};
}

// The shortest period of the first `n` steps, by the failure function of Knuth, Morris and Pratt; n if there is none.
std::size_t period_of(const std::vector<LineRun>& runs, std::size_t n) {
  std::vector<std::uint32_t> border(n, 0);
  for (std::size_t i = 1; i < n; ++i) {
    std::size_t k = border[i - 1];
    while (k > 0 && step(runs, i) != step(runs, k)) k = border[k - 1];
    border[i] = static_cast<std::uint32_t>(step(runs, i) == step(runs, k) ? k + 1 : 0);
  }
  return n == 0 ? 0 : n - border[n - 1];
}

}  // namespace

Footprint footprint_of(const Touched& touched) {
  const std::vector<LineRun>& runs = touched.runs;
  const std::size_t steps = runs.size() < 2 ? 0 : runs.size() - 1;
  const std::size_t period = period_of(runs, steps);
  if (steps == 0 || steps / period < 2) return {runs, static_cast<std::int64_t>(runs.size()), 1, 0};
  // The last run has no step: it and what is left of a period are listed.
  const std::size_t repeats = steps / period;
  Footprint footprint;
  footprint.period = static_cast<std::int64_t>(period);
  footprint.repeats = static_cast<std::int64_t>(repeats);
  footprint.shift = std::int64_t{runs[period].first} - runs[0].first;
  footprint.runs.assign(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(period));
  footprint.runs.insert(footprint.runs.end(), runs.begin() + static_cast<std::ptrdiff_t>(period * repeats), runs.end());
  return footprint;
}

}  // namespace gapless::bench
