#include "preload/policy/distance.hpp"

#include <atomic>

#include "base/settings.hpp"
#include "preload/policy/agreement.hpp"

namespace gapless::preload {

namespace {

constinit std::atomic<Distance> of_peers{Distance::kAny};

// The variables that hold the size of the world and the number of its processes on this node: of Hydra (MPICH, Intel
// MPI) and of Open MPI.
struct Names {
  const char* world;
  const char* here;
};
constexpr Names kNames[] = {{"PMI_SIZE", "MPI_LOCALNRANKS"}, {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}};

}  // namespace

void learn_distance(int world_size) noexcept {
  Distance found = Distance::kAny;
  for (const Names& names : kNames) {
    // The variables may be those of another world, in which this one was started.
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
  switch (location_of(peer)) {
    case Location::kHere:
      return Distance::kNear;
    case Location::kElsewhere:
      return Distance::kFar;
    default:
      return Distance::kAny;
  }
}

}  // namespace gapless::preload
