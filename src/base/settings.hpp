// Settings come from the environment, GAPLESS_*, and from nowhere else. Cold: read once, kept by the reader.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace gapless::base {

// A switch is on if it is set, and neither empty nor 0.
inline bool setting_on(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] != '\0' && !(value[0] == '0' && value[1] == '\0');
}

// A string; nullptr if it is not set or empty.
inline const char* setting_text(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

// A number of bytes, with an optional suffix K, M or G (powers of 1024). `otherwise` if it is not set or no such
// number; then it is refused.
std::int64_t setting_bytes(const char* name, std::int64_t otherwise) noexcept;

// Keeps that the value of a setting is none of those that are known in this process, for explain, the log and the
// statistics; the default is in force.
void refuse_setting(const char* name, std::span<const char* const> known) noexcept;
// What was refused until now, in a sentence each; empty: nothing.
std::string refused_settings();

}  // namespace gapless::base
