// Descriptions of a layout that the lab does not send, but that the engine must pack as fast as the others.
#pragma once

#include "case.hpp"

namespace gapless::bench {

void add_further_descriptions(const lab::Layout& layout, std::vector<Description>& into);

}  // namespace gapless::bench
