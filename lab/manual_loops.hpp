// Packing by hand: the loops a scientist would write who knows the layout and distrusts MPI's datatypes.
#pragma once

#include "layouts.hpp"

namespace gapless::lab {

void manual_pack(const Layout& layout, const char* user, char* packed);
void manual_unpack(const Layout& layout, const char* packed, char* user);

}  // namespace gapless::lab
