#include "preload/policy/distance.hpp"

#include <atomic>

#include "base/settings.hpp"
#include "preload/policy/agreement.hpp"

namespace gapless::preload {

namespace {

constinit std::atomic<Distance> of_peers{Distance::kAny};

// How many of the world, and how many of these on this node, in the words of Hydra (MPICH, Intel MPI) and Open MPI.
struct Names {
  const char* world;
  const char* here;
};
constexpr Names kNames[] = {{"PMI_SIZE", "MPI_LOCALNRANKS"}, {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}};

}  // namespace

void learn_distance(int world_size) noexcept {
  Distance found = Distance::kAny;
  for (const Names& names : kNames) {
    // What another world said, in which this one was started, is of no use.
    if (base::setting_bytes(names.world, 0) != world_size) continue;
    const std::int64_t here = base::setting_bytes(names.here, 0);
    if (here == world_size) found = Distance::kNear;
    if (here == 1 && world_size > 1) found = Distance::kFar;
  }
  of_peers.store(found, std::memory_order_relaxed);
}

Distance distance_to(int peer, MPI_Comm comm) noexcept {
  const Distance everybody = of_peers.load(std::memory_order_relaxed);
  if (everybody != Distance::kAny || comm != MPI_COMM_WORLD || peer < 0) return everybody;
  switch (place_of(peer)) {
    case Place::kHere:
      return Distance::kNear;
    case Place::kElsewhere:
      return Distance::kFar;
    default:
      return Distance::kAny;
  }
}

}  // namespace gapless::preload
