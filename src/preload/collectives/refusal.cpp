#include "preload/collectives/refusal.hpp"

#include <atomic>
#include <mutex>

#include "base/immortal.hpp"
#include "mpi/abi/library.hpp"
#include "preload/policy/own_comm.hpp"

namespace gapless::preload {

namespace {

struct AskingOnce {
  std::mutex one_at_a_time;
};

bool ask() noexcept {
  char byte = 0;
  // One thread at a time, for it is a collective call.
  const std::lock_guard lock(base::immortal<AskingOnce>().one_at_a_time);
  return mpi::library.Gather(&byte, 1, MPI_BYTE, &byte, 1, MPI_BYTE, 0, own_comm()) != MPI_SUCCESS;
}

enum Known { kUnknown, kNo, kYes };
std::atomic<Known> known{kUnknown};

}  // namespace

bool refuses_aliases() noexcept {
  Known now = known.load(std::memory_order_relaxed);
  if (now != kUnknown) return now == kYes;
  now = ask() ? kYes : kNo;
  known.store(now, std::memory_order_relaxed);
  return now == kYes;
}

}  // namespace gapless::preload
