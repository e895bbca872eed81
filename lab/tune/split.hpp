// Packed bytes sent as two pieces of memory instead of one (src/preload/transfer/two_pieces.hpp): from which size to
// which that is faster, by the library, without the layer.
#pragma once

#include <nlohmann/json.hpp>

namespace gapless::lab::tune {

// On two ranks. Returns [bytes, ratio] of each size, on both the same: the time in two pieces to that in one, the
// greater of to and fro and of both ways at once. Where a gain begins there are more sizes, the last two 16 bytes
// apart.
nlohmann::json measure_split();

}  // namespace gapless::lab::tune
