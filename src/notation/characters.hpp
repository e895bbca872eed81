// Characters outside the notation, which is ASCII: their names in error messages, and how texts with them are shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gapless::notation {

// A UTF-8 character and the number of its bytes; a byte that is not valid UTF-8 stands for itself.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The first character of `text`, which is not empty.
Character first_character(std::string_view text) noexcept;

// "'ó' (U+00F3)", or "the byte 0xF3".
std::string name_of(const Character& character, std::string_view text);

// The ASCII text that looks like it: "-" for U+2212. Empty if there is none.
std::string_view ascii_for(const Character& character) noexcept;

// Replaces tabs by spaces, and control characters and bytes that are not UTF-8 by '?'.
std::string printable(std::string_view text);

}  // namespace gapless::notation
