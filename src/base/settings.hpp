// Settings come from the environment, GAPLESS_*, and from nowhere else. Cold: read once, kept by the reader.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>

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
// number.
inline std::int64_t setting_bytes(const char* name, std::int64_t otherwise) noexcept {
  const char* value = setting_text(name);
  if (value == nullptr) return otherwise;
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(value, &end, 10);
  if (end == value || errno != 0 || number < 0) return otherwise;
  int shift = 0;
  switch (*end) {
    case 'K':
    case 'k':
      shift = 10;
      ++end;
      break;
    case 'M':
    case 'm':
      shift = 20;
      ++end;
      break;
    case 'G':
    case 'g':
      shift = 30;
      ++end;
      break;
    default:
      break;
  }
  if (*end != '\0' || number > (INT64_MAX >> shift)) return otherwise;
  return static_cast<std::int64_t>(number) << shift;
}

}  // namespace gapless::base
