#include "preload/policy/shared_memory.hpp"

#include <algorithm>
#include <memory>

#include "base/immortal.hpp"
#include "base/settings.hpp"
#include "preload/policy/switches.hpp"
#include "wire/header.hpp"
#include "wire/wait.hpp"

namespace gapless::preload {

namespace {

constexpr std::int64_t kDefaultBytes = std::int64_t{1} << 30;
// [bytes] Below them local mode is as fast, measured on two processes of MPICH 5.0.2 (EPYC, Zen 4): vectors of 2 and
// 100 ints in MPI_Alltoallw and MPI_Allgather, and in MPI_Bcast (gapless bench collectives). Of messages from point to
// point the rules say it.
constexpr std::int64_t kSmallestExchanged = 16 << 10, kSmallestFromRoot = 512 << 10;
// Where processes outnumber processors, chunks do not come back while they are warm, and neighbours' long blocks are
// faster in local mode: rings of 3 and 4 processes on 2 processors (gapless bench collectives --ranks 3,4).
constexpr std::int64_t kLargestCrowded = 1 << 20;

struct State {
  SharedMemory* joined = nullptr;
  std::string why = "the processes of this node have not met";
};
State& state() noexcept {
  return base::immortal<State>();
}

// [bytes] In place of the rules; 0: they hold.
std::int64_t smallest_by_settings() noexcept {
  static const std::int64_t set = base::setting_bytes("GAPLESS_SMALLEST_PAIRED", policy.force ? 1 : 0);
  return set;
}

}  // namespace

bool is_pairing_wanted() noexcept {
  return !is_fault_tolerant() &&
         (base::setting_text("GAPLESS_PAIRED") == nullptr || base::setting_on("GAPLESS_PAIRED"));
}

bool are_messages_wanted() noexcept {
  return is_pairing_wanted() && (smallest_by_settings() > 0 || policy.rules.smallest_paired != kNeverPaired) &&
         (base::setting_text("GAPLESS_PAIRED_MESSAGES") == nullptr || base::setting_on("GAPLESS_PAIRED_MESSAGES"));
}

std::int64_t smallest_paired(Traffic traffic) noexcept {
  const std::int64_t set = smallest_by_settings();
  if (traffic == Traffic::kPointToPoint)
    return std::max(wire::kHeaderBytes, set > 0 ? set : policy.rules.smallest_paired);
  if (set > 0) return set;
  if (traffic == Traffic::kScattered && policy.scatterv_lingers) return kNeverPaired;
  return traffic == Traffic::kExchange ? kSmallestExchanged : kSmallestFromRoot;
}

bool may_pair(wire::Sending sending, Shape shape, std::int64_t bytes, std::int64_t mean_run_bytes) noexcept {
  if (bytes < smallest_paired(Traffic::kPointToPoint)) return false;
  const Operation operation = sending == wire::Sending::kAlone ? Operation::kPaired : Operation::kIpaired;
  return smallest_by_settings() > 0 || policy.limited ||
         policy.rules.table(operation, Distance::kNear, shape).packs(bytes, mean_run_bytes);
}

std::string messages_in_words() {
  if (!are_messages_wanted()) return "no messages from point to point";
  const char* by = "the rules";
  if (base::setting_bytes("GAPLESS_SMALLEST_PAIRED", 0) > 0) {
    by = "GAPLESS_SMALLEST_PAIRED";
  } else if (policy.force) {
    by = "GAPLESS_FORCE";
  }
  return "messages of " + std::to_string(smallest_paired(Traffic::kPointToPoint)) + " bytes and more, by " + by;
}

std::string pairing_facts() {
  if (!is_pairing_wanted()) return "";
  return std::string(are_messages_wanted() ? "messages " : "") + "paired " +
         std::to_string(smallest_paired(Traffic::kExchange)) + ' ' +
         std::to_string(smallest_paired(Traffic::kFromRoot)) + ' ' +
         std::to_string(smallest_paired(Traffic::kPointToPoint)) + ' ';
}

std::int64_t largest_between_neighbours() noexcept {
  const SharedMemory* const shared = shared_memory();
  return shared != nullptr && wire::is_crowded(shared->segment) && !policy.force ? kLargestCrowded : INT64_MAX;
}

int make_shared_memory(int processes) noexcept {
  try {
    return wire::Segment::make(processes, base::setting_bytes("GAPLESS_PAIRED_BYTES", kDefaultBytes), state().why);
  } catch (...) {
    return -1;
  }
}

void join_shared_memory(int descriptor, int self) noexcept {
  State& all = state();
  if (!is_pairing_wanted()) all.why = is_fault_tolerant() ? "the library tolerates faults" : "GAPLESS_PAIRED=0";
  if (descriptor < 0) return;
  try {
    auto made = std::make_unique<SharedMemory>(descriptor, self, all.why);
    if (!made->is_attached) return;
    made->spare.keep();
    all.why.clear();
    all.joined = made.release();
  } catch (...) {
    all.why = "no memory";
  }
}

SharedMemory* shared_memory() noexcept {
  return state().joined;
}

const std::string& reason_without_shared_memory() noexcept {
  return state().why;
}

}  // namespace gapless::preload
