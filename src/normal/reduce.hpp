// Runs the rules on a draft until none applies.
#pragma once

#include "normal/build.hpp"

namespace gapless::normal {

Form reduce(Draft draft, Trace* trace);

}  // namespace gapless::normal
