// Packing by hand: the loops a scientist would write who knows the layout and distrusts MPI's datatypes.
#pragma once

#include "layouts.hpp"

namespace gapless::lab {

void manual_pack(const Layout& layout, const int* user, int* packed);
void manual_unpack(const Layout& layout, const int* packed, int* user);

}  // namespace gapless::lab
