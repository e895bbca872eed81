// Where the data of one end of a message lie in its process's memory: what another process must know to copy them.
#pragma once

#include <cstdint>

namespace gapless::wire {

// Where a layout stands on the board of a process (board.hpp). A process gives no number twice, so a place that is used
// again has another one.
struct Place {
  std::uint64_t serial = 0;  // from 1
  std::uint32_t chunk = 0;
  std::uint16_t unit = 0, bytes = 0;
};

struct Buffer {
  Place layout;  // of the type
  std::int64_t count = 0;
  std::uint64_t address = 0;
};

}  // namespace gapless::wire
