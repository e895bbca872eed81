#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

namespace gapless::bench {
namespace {

// A sample lasts at least so long, where the operation may be repeated: the clock must not show.
constexpr double kSampleNs = 20e3;
constexpr int kTrials = 5;           // of each way of a rival
constexpr double kTrialsNs = 200e6;  // and not much longer than this
constexpr std::int64_t kMaxTimes = 1'000'000;

struct Chosen {
  const Way* way;
  std::int64_t times;
};

// The fastest way, and how often it fits a sample.
Chosen choose(Arena& arena, const Rival& rival, bool cold) {
  const Way* best = nullptr;
  double best_ns = std::numeric_limits<double>::max();
  for (const Way& way : rival.ways) {
    double spent_ns = 0;
    for (int i = 0; i < kTrials && (i == 0 || spent_ns < kTrialsNs); ++i) {
      if (cold) {
        flush(arena.user_pages());
        flush(arena.packed_pages());
      }
      // Once is not enough to tell short operations apart.
      double ns = way.run(1);
      if (const double times = std::floor(kSampleNs / std::max(ns, 1.0)); !cold && times > 1)
        ns = way.run(static_cast<std::int64_t>(times)) / times;
      spent_ns += ns;
      if (ns < best_ns) {
        best_ns = ns;
        best = &way;
      }
    }
  }
  const double times = std::ceil(kSampleNs / std::max(best_ns, 1.0));
  return {best, cold ? 1 : std::clamp<std::int64_t>(static_cast<std::int64_t>(times), 1, kMaxTimes)};
}

}  // namespace

void verify(Arena& arena, Operation operation, const std::vector<Rival>& rivals) {
  for (const Rival& rival : rivals) {
    for (const Way& way : rival.ways) {
      const bool pack = operation == Operation::kPack;
      pack ? arena.prepare_pack() : arena.prepare_unpack();
      way.run(1);
      if (const auto wrong = rival.check ? rival.check() : pack ? arena.check_packed() : arena.check_user())
        throw std::runtime_error(std::string(operation_name(operation)) + ", " + rival.name + " " + way.loop + " " +
                                 std::to_string(rival.chunk_bytes) + ": " + *wrong);
    }
  }
}

std::vector<Samples> measure(Arena& arena, const std::vector<Rival>& rivals, int repetitions, std::uint64_t seed,
                             bool cold) {
  // What does not fit is as cold after a run of its own as after a rival's.
  const bool fits_cache = arena.span_bytes() + arena.payload_bytes() <= 2 * last_cache_bytes();
  std::vector<Chosen> chosen;
  std::vector<Samples> samples;
  for (const Rival& rival : rivals) {
    chosen.push_back(choose(arena, rival, cold));
    samples.push_back({chosen.back().way->loop, chosen.back().times, {}});
  }
  std::vector<std::size_t> order(rivals.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i : order) {
      if (cold) {
        flush(arena.user_pages());
        flush(arena.packed_pages());
      } else if (fits_cache) {
        chosen[i].way->run(1);
      }
      const std::int64_t times = chosen[i].times;
      samples[i].ns.push_back(chosen[i].way->run(times) / static_cast<double>(times));
    }
  }
  return samples;
}

}  // namespace gapless::bench
