#include "stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gapless::lab::exchange {
namespace {

constexpr double kConfidence = 0.95;
constexpr std::size_t kExactUpTo = 500;  // 2^-500 is still a double; the normal distribution is close long before

// How many samples to leave out at each end; n if there is no interval. The median lies outside of what is left with
// probability 2 P(Binomial(n, 1/2) <= left_out).
std::size_t left_out(std::size_t n) {
  if (n > kExactUpTo) return static_cast<std::size_t>((static_cast<double>(n) - 1.96 * std::sqrt(n) - 2) / 2);
  double term = std::ldexp(1.0, -static_cast<int>(n)), outside = 2 * term;
  std::size_t k = 0;
  for (; k <= n / 2 && outside <= 1 - kConfidence; ++k) {
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    outside += 2 * term;
  }
  return k == 0 ? n : k - 1;
}

}  // namespace

bool median_is_known(std::vector<double> samples, double precision) {
  const std::size_t n = samples.size(), out = left_out(n);
  if (out >= n) return false;
  std::sort(samples.begin(), samples.end());
  const double median = (samples[(n - 1) / 2] + samples[n / 2]) / 2;
  return median - samples[out] <= precision * median && samples[n - 1 - out] - median <= precision * median;
}

bool StopRule::stop(int done, double elapsed_ms, const std::vector<std::vector<double>>& samples) const {
  constexpr int kEvery = 4;  // sorting everything after each repetition would leave its traces in the caches
  if (done >= reps_.most) return true;
  if (is_fixed() || done < reps_.least) return false;
  if (elapsed_ms >= reps_.budget_ms) return true;
  if ((done - reps_.least) % kEvery != 0) return false;
  return std::all_of(samples.begin(), samples.end(),
                     [&](const std::vector<double>& one) { return median_is_known(one, reps_.precision); });
}

}  // namespace gapless::lab::exchange
