// A layout as bytes that another process reads: docs/serialised.md has the format, byte by byte.
//
// The bytes hold the layout alone: lower bound, extent, and the normal form. They do not hold the signature: a caller
// that needs it sends its hash beside the form. Equal layouts have equal bytes, however they were described.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/layout.hpp"
#include "normal/normalise.hpp"

namespace gapless::serial {

// Equal forms and bounds give equal bytes, in every process. Throws base::Error if the form exceeds the limits of
// serial/format.hpp. Cost: linear in the form.
std::vector<std::uint8_t> serialise(const normal::Form& form, std::int64_t lb, std::int64_t extent);

struct Deserialised {
  layout::LayoutPtr type;
  normal::MessageForm message;  // of the type
};
// Safe on any bytes: returns a type, or throws base::Error with what is wrong and at which byte. The type is made by
// the ordinary constructors, with their checks, from the named type byte; its bounds are set, as by resized(). Its
// normal form is made within a limit, so later uses of the type are safe as well. Cost: linear in the bytes, in time
// and in memory.
Deserialised deserialise(std::span<const std::uint8_t> bytes);

}  // namespace gapless::serial
