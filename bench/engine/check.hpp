// The engine's errors as exceptions.
#pragma once

#include <stdexcept>
#include <string>

#include "gapless/gapless.h"

namespace gapless::bench {

// Inline, because it stands in loops that are timed.
inline void check(gapless_status status) {
  if (status != GAPLESS_SUCCESS) throw std::runtime_error(std::string("engine: ") + gapless_last_error());
}

}  // namespace gapless::bench
