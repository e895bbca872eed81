// Pages, and sizes in whole ones.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace gapless::base {

inline std::int64_t page_bytes() noexcept {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

constexpr std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

inline std::int64_t in_whole_pages(std::int64_t bytes) noexcept {
  return rounded_up(bytes, page_bytes());
}

}  // namespace gapless::base
