#include "preload/policy/world.hpp"

#include <atomic>

namespace gapless::preload {

namespace {

std::atomic<bool> world_up{false};
std::atomic<int> rank_of_world{-1};

}  // namespace

int world_rank() noexcept {
  return rank_of_world.load(std::memory_order_relaxed);
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
