// Layouts in which others, who tried the layer on their own machines, found it slower than what it replaces.
#pragma once

#include "ddtbench.hpp"

#include <vector>

namespace gapless::lab {

std::vector<NamedExchange> found_exchanges();

}  // namespace gapless::lab
