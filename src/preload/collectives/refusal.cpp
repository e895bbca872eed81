#include "preload/collectives/refusal.hpp"

#include <atomic>
#include <mutex>

#include "mpi/abi/library.hpp"
#include "preload/policy/own_comm.hpp"

namespace gapless::preload {

namespace {

std::mutex asking_once;  // a collective call: one thread at a time

bool ask() noexcept {
  char byte = 0;
  const std::lock_guard lock(asking_once);
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
