// Settings come from the environment, GAPLESS_*, and from nowhere else. Cold: each is read once and kept by its reader.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace gapless::base {

// True if the switch is set, and neither empty nor 0.
inline bool setting_on(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] != '\0' && !(value[0] == '0' && value[1] == '\0');
}

// The value of a setting; nullptr if it is not set or empty.
inline const char* setting_text(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

// A number of bytes, with an optional suffix K, M or G (powers of 1024). Returns `fallback` if it is not set; if it is
// not such a number, refuses it and returns `fallback`.
std::int64_t setting_bytes(const char* name, std::int64_t fallback) noexcept;

// Records, for explain, the log and the statistics, that the value of a setting is none of `known` and that its default
// is in force.
void refuse_setting(const char* name, std::span<const char* const> known) noexcept;
// The settings refused so far, one sentence each; empty if there are none.
std::string refused_settings();

}  // namespace gapless::base
