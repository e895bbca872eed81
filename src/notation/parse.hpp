// Text -> layout: docs/notation.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "layout/layout.hpp"

namespace gapless::notation {

// Ranges and repetitions make long lists out of short texts: all lists of a text together are bounded.
inline constexpr std::int64_t kMostNumbers = std::int64_t{1} << 24;

// Safe on any text. Throws base::Error: kInvalidArgument for what is no type, kOverflow for what does not fit into 64
// bits; the error's text says what was expected, where (line, column), and shows the place.
// Cost: linear in the text and in the numbers of its lists; at most 16 bytes a number at a time.
layout::LayoutPtr parse(std::string_view text, std::int64_t most_numbers = kMostNumbers);

}  // namespace gapless::notation
