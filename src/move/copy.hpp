// From layout to layout, without packing in between.
#pragma once

#include <cstdint>

#include "plan/joint.hpp"

namespace gapless::move {

// Two messages of the same size [bytes] at their buffers.
struct Copy {
  plan::Message source, destination;
  const plan::Joint* joint;  // of the two (plan::join), or null
};

// Copies bytes [position, position + bytes) of the source's packed stream to the same bytes of the destination's packed
// stream. The caller has limited `bytes` to the message (overlap.hpp), and the two do not overlap. No byte outside the
// destination's runs is written; if those overlap, the last one in type-map order wins.
void copy(const Copy& copy, const void* source, void* destination, std::int64_t position, std::int64_t bytes) noexcept;

}  // namespace gapless::move
