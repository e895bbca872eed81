// What this launch pays for storing into lines that the other rank's core has read: it differs from launch to launch,
// and lasts for one (docs/methods/pingpong.md).
#pragma once

#include <optional>

namespace gapless::lab {

struct PeerCost {
  double plain_ns;  // a line, through the caches
  double past_ns;   // past them
};

// Collective over all ranks; ranks 0 and 1 measure. Known on rank 0, if both are on one node.
std::optional<PeerCost> measure_peer_cost();

}  // namespace gapless::lab
