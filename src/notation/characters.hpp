// Characters that are none of the notation's, which is ASCII: what they are called, and how texts with them are shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gapless::notation {

// A character of UTF-8 and its bytes; a byte that is no UTF-8 stands for itself.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The character that `text`, not empty, begins with.
Character first_character(std::string_view text) noexcept;

// "'ó' (U+00F3)", or "the byte 0xF3".
std::string name_of(const Character& character, std::string_view text);

// What was probably meant: U+2212 looks like a minus. Empty if nothing comes to mind.
std::string_view ascii_for(const Character& character) noexcept;

// Tabs as spaces, and '?' for what a terminal might act on and for bytes that are no UTF-8.
std::string printable(std::string_view text);

}  // namespace gapless::notation
