// Text -> layout: docs/notation.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "layout/layout.hpp"

namespace gapless::notation {

// Ranges and repetitions make long lists from short texts: the total length of all lists of a text is limited.
inline constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 24;

// Safe on any text. Throws base::Error: kInvalidArgument if the text is not a type, kOverflow if a number does not fit
// into 64 bits; the error's text says what was expected, where (line, column), and shows that part of the text.
// Cost: linear in the text and in the numbers of its lists; at most 16 bytes of memory per number.
layout::LayoutPtr parse(std::string_view text, std::int64_t max_numbers = kMaxNumbers);

}  // namespace gapless::notation
