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

// By a probe that finds nothing, for only such a one makes all of the library go on; MPICH 5.0.2 does not if it asks
// MPI_COMM_SELF. The tag is the largest that every library has.
void make_progress() noexcept {
  constexpr int kTag = 32767;
  int flag = 1;
  for (int tag = kTag; flag != 0 && tag >= 0; --tag) {
    flag = 0;
    mpi::library.Iprobe(world_rank(), tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
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
