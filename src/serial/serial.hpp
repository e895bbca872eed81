// A layout as bytes that another process reads: docs/serialised.md has the format, byte by byte.
//
// What travels is the layout alone: lower bound, extent, and the normal form. A signature does not: whoever needs it
// sends its hash beside the form, and equal layouts have equal bytes whatever they were made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/layout.hpp"
#include "normal/normalise.hpp"

namespace gapless::serial {

// Equal forms and bounds give equal bytes, in every process. Throws base::Error for a form beyond the limits of
// serial/format.hpp. Cost: linear in the form.
std::vector<std::uint8_t> serialise(const normal::Form& form, std::int64_t lb, std::int64_t extent);

struct Deserialised {
  layout::LayoutPtr type;
  normal::Message message;  // of the type
};
// Safe on any bytes: a type, or base::Error saying what is wrong and at which byte. The type is made by the ordinary
// constructors, whose checks are its checks, out of the named type byte; its bounds are set, as by resized(). Its
// normal form was made within a limit, so that whoever uses the type is safe as well.
// Cost: linear in the bytes, in time and in memory.
Deserialised deserialise(std::span<const std::uint8_t> bytes);

}  // namespace gapless::serial
