// Layout -> text: docs/notation.md.
#pragma once

#include <cstddef>
#include <string>

#include "layout/layout.hpp"

namespace gapless::notation {

inline constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

// The canonical text of a type: no shorthand, ", " between arguments. parse(print(type)) is an equal tree.
// A tree may share its parts, and its text repeats a shared part at every use: a text longer than `max_bytes` is
// refused (base::Error, kInvalidArgument) before any is written. Cost: linear in the text.
std::string print(const layout::Layout& type, std::size_t max_bytes = kMaxBytes);

// The same for people: long lists end in "...", and so does the text after a few thousand characters.
std::string abridged(const layout::Layout& type);

}  // namespace gapless::notation
