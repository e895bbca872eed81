// Layout -> text: docs/notation.md.
#pragma once

#include <cstddef>
#include <string>

#include "layout/layout.hpp"

namespace gapless::notation {

inline constexpr std::size_t kMostBytes = std::size_t{1} << 30;

// The canonical text of a type: no shorthand, ", " between arguments. parse(print(type)) is an equal tree.
// A tree may share its parts, and its text writes a shared part once for each place that it stands in: a text longer
// than `most_bytes` is refused (base::Error, kInvalidArgument). Cost: linear in the text.
std::string print(const layout::Layout& type, std::size_t most_bytes = kMostBytes);

// The same for people: long lists end in "...", and so does what comes behind a few thousand characters.
std::string abridged(const layout::Layout& type);

}  // namespace gapless::notation
