// The simplest description of a type map: what the engine's normal form reads like in MPI's constructors.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"

namespace gapless::lab::one_sided {

// A type of the same type map, signature, lower bound and extent as one element of `type`, whose basic types are all
// the same; nullptr where they are not, or where the normal form cuts through one of them.
layout::LayoutPtr normal_type(const layout::Layout& type);

}  // namespace gapless::lab::one_sided
