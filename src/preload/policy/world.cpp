#include "preload/policy/world.hpp"

#include <atomic>

#include "mpi/abi/library.hpp"

namespace gapless::preload {

namespace {

std::atomic<bool> world_up{false};
std::atomic<int> rank_of_world{-1};

}  // namespace

int world_rank() noexcept {
  return rank_of_world.load(std::memory_order_relaxed);
}

void make_progress() noexcept {
  int flag = 0;
  mpi::library.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

bool world_is_up() noexcept {
  return world_up.load(std::memory_order_relaxed);
}

void set_world_up(int rank) noexcept {
  world_up.store(true, std::memory_order_relaxed);
  rank_of_world.store(rank, std::memory_order_relaxed);
}

void set_world_down() noexcept {
  world_up.store(false, std::memory_order_relaxed);
}

}  // namespace gapless::preload
