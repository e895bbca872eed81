#include "notation/characters.hpp"

#include <cstdio>

namespace gapless::notation {
namespace {

// False for control characters, for marks without a width of their own that join or turn the text around them, and for
// codes that are no characters.
bool is_shown(std::uint32_t code) noexcept {
  if (code < 0xA0) return code >= ' ' && code <= '~';
  if ((code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E)) return false;
  if ((code >= 0x2060 && code <= 0x206F) || (code >= 0x0300 && code <= 0x036F)) return false;
  return code != 0xAD && code != 0xFEFF && (code < 0xE000 || code > 0xF8FF) && code < 0xE0000;
}

struct Lookalike {
  std::uint32_t first, last;
  std::string_view ascii;
};
constexpr Lookalike kLookalikes[] = {
    {0x2010, 0x2015, "-"},  {0x2212, 0x2212, "-"}, {0x00A0, 0x00A0, " "}, {0x2000, 0x200A, " "}, {0x202F, 0x202F, " "},
    {0x3000, 0x3000, " "},  {0x00D7, 0x00D7, "*"}, {0x2217, 0x2217, "*"}, {0x22C5, 0x22C5, "*"}, {0x2026, 0x2026, ".."},
    {0x2025, 0x2025, ".."}, {0xFF08, 0xFF08, "("}, {0xFF09, 0xFF09, ")"}, {0xFF0C, 0xFF0C, ","}, {0x3001, 0x3001, ","},
    {0xFF1A, 0xFF1A, ":"},  {0xFF3B, 0xFF3B, "["}, {0xFF3D, 0xFF3D, "]"}, {0xFF3F, 0xFF3F, "_"},
};

}  // namespace

Character first_character(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {lead, 1, false};
  std::uint32_t code = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {lead, 1, false};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool valid = code >= kSmallest[bytes] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return valid ? Character{code, bytes, true} : Character{lead, 1, false};
}

std::string name_of(const Character& character, std::string_view text) {
  char number[32];
  if (!character.valid) {
    std::snprintf(number, sizeof number, "the byte 0x%02X", static_cast<unsigned>(character.code));
    return number;
  }
  std::snprintf(number, sizeof number, "U+%04X", static_cast<unsigned>(character.code));
  if (!is_shown(character.code)) return number;
  return "'" + std::string(text.substr(0, character.bytes)) + "' (" + number + ")";
}

std::string_view ascii_for(const Character& character) noexcept {
  for (const auto& [first, last, ascii] : kLookalikes)
    if (character.valid && character.code >= first && character.code <= last) return ascii;
  return "";
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.code == '\t')
      shown += ' ';
    else if (character.valid && is_shown(character.code))
      shown += text.substr(0, character.bytes);
    else
      shown += '?';
    text.remove_prefix(character.bytes);
  }
  return shown;
}

}  // namespace gapless::notation
