// Where an all-to-all of the layer's own between two processes is faster than the library's, under the layer.
#pragma once

#include <nlohmann/json.hpp>

#include "layer_switch.hpp"

namespace gapless::lab::tune {

// Collective, on the two processes of MPI_COMM_WORLD, run with GAPLESS_ALLTOALL=own: for blocks of several sizes
// [bytes, ratio], the time of a call of the layer's own to that of the library's under the layer, with arguments that
// are new in each call; of contiguous blocks and of blocks with gaps, the greater one. {"calls": [...], "in-place":
// ...}
nlohmann::json measure_alltoall(const LayerSwitch& layer);

}  // namespace gapless::lab::tune
