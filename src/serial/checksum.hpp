#pragma once

#include <cstdint>
#include <span>

namespace gapless::serial {

// CRC-32 as in zlib, PNG and Ethernet (reflected polynomial EDB88320): detects every change within 32 neighbouring
// bits.
std::uint32_t checksum(std::span<const std::uint8_t> bytes) noexcept;

}  // namespace gapless::serial
