// Packed bytes sent as two pieces of memory instead of one (src/preload/transfer/two_pieces.hpp): from which size to
// which that is faster, by the library, without the layer.
#pragma once

#include <nlohmann/json.hpp>

namespace gapless::lab::tune {

// On two ranks. Returns [bytes, ratio] of each half octave, on both the same: the time in two pieces to that in one,
// the greater of to and fro and of both ways at once; and, where a ratio falls to `gain`, of lengths before that, by
// which the first one that gains is found to the byte.
nlohmann::json measure_split(double gain);

}  // namespace gapless::lab::tune
