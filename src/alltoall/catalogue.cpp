#include "alltoall/catalogue.hpp"

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "base/immortal.hpp"
#include "base/status.hpp"

namespace gapless::alltoall {
namespace {

template <Schedule (*Make)(int)>
Schedule from_copy(int processes) {
  return in_place_from_copy(Make(processes));
}

constexpr std::array kAlgorithms = {
    Algorithm{"basic", "Bruck's algorithm; bounded vectors", basic_bruck, from_copy<basic_bruck>, Pieces::kVector},
    Algorithm{"basic-indexed", "the same; lists of displacements", basic_bruck, from_copy<basic_bruck>,
              Pieces::kIndexed},
    Algorithm{"modified", "Bruck's algorithm without the last permutation; circular vectors", modified_bruck,
              from_copy<modified_bruck>, Pieces::kVector},
    Algorithm{"modified-indexed", "the same; lists of displacements", modified_bruck, from_copy<modified_bruck>,
              Pieces::kIndexed},
    Algorithm{"zero-copy", "forwards from where a block was received; a piece for each block", zero_copy_bruck,
              from_copy<zero_copy_bruck>, Pieces::kEach},
    Algorithm{"zero-copy-blocks", "the same; a piece for neighbours in memory", zero_copy_bruck,
              from_copy<zero_copy_bruck>, Pieces::kMerged},
    Algorithm{"least-slots", "zero-copy with the least memory besides the two buffers", least_slots,
              least_slots_in_place, Pieces::kMerged},
    Algorithm{"pairwise", "a block to one process after the other", pairwise, pairwise_in_place, Pieces::kMerged},
    Algorithm{"spread-out", "a block to every process, all at the same time", spread_out, spread_out_in_place,
              Pieces::kMerged},
    Algorithm{"library", "MPI_Alltoall of the MPI library", nullptr, nullptr, Pieces::kMerged, true},
};

// A program with communicators of very many sizes keeps no more than this many schedules that nobody uses.
constexpr std::size_t kUnusedKept = 64;

using Make = Schedule (*)(int);
using Key = std::tuple<Make, int>;
struct Cache {
  std::mutex mutex;
  std::map<Key, SchedulePtr> schedules;
};
Cache& cache() {
  return base::immortal<Cache>();
}

}  // namespace

const Algorithm* find_algorithm(std::string_view name) {
  for (const Algorithm& algorithm : kAlgorithms)
    if (name == algorithm.name) return &algorithm;
  return nullptr;
}

const Algorithm* algorithm_at(int k) {
  return k >= 0 && static_cast<std::size_t>(k) < kAlgorithms.size() ? &kAlgorithms[static_cast<std::size_t>(k)]
                                                                    : nullptr;
}

SchedulePtr schedule_of(const Algorithm& algorithm, int processes, bool in_place) {
  if (processes < 1 || processes > kMostProcesses)
    throw base::Error(
        base::Status::kInvalidArgument,
        std::to_string(processes) + " processes: a schedule is made for 1 to " + std::to_string(kMostProcesses));
  const Make make = in_place ? algorithm.in_place : algorithm.schedule;
  if (make == nullptr)
    throw base::Error(base::Status::kInvalidArgument, std::string(algorithm.name) + ": has no schedule");
  Cache& kept = cache();
  const std::lock_guard lock(kept.mutex);
  const auto [found, is_new] = kept.schedules.try_emplace({make, processes});
  if (!is_new) return found->second;
  try {
    found->second = std::make_shared<const Schedule>(make(processes));
  } catch (...) {
    kept.schedules.erase(found);
    throw;
  }
  const SchedulePtr made = found->second;
  if (kept.schedules.size() > kUnusedKept)
    std::erase_if(kept.schedules, [](const auto& entry) { return entry.second.use_count() == 1; });
  return made;
}

}  // namespace gapless::alltoall
