// Mixing for hashes that are the same in every process.
#pragma once

#include <cstdint>

namespace gapless::normal {

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) noexcept {
  std::uint64_t z = (hash ^ value) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93u;
  return z ^ (z >> 32) ^ (hash << 7);
}

inline std::uint64_t mixed(std::uint64_t hash, std::int64_t value) noexcept {
  return mixed(hash, static_cast<std::uint64_t>(value));
}

}  // namespace gapless::normal
