#include "preload/collectives/refusal.hpp"

#include <atomic>

#include "mpi/abi/library.hpp"
#include "preload/policy/refused_type.hpp"

namespace gapless::preload {

namespace {

bool ask() noexcept {
  char byte = 0;
  return is_error([&](MPI_Comm own) { return mpi::library.Gather(&byte, 1, MPI_BYTE, &byte, 1, MPI_BYTE, 0, own); });
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
