#include "serial/checksum.hpp"

#include <array>

namespace gapless::serial {
namespace {

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xEDB88320u : 0);
    table[i] = rest;
  }
  return table;
}();

}  // namespace

std::uint32_t checksum(std::span<const std::uint8_t> bytes) noexcept {
  std::uint32_t rest = ~std::uint32_t{0};
  for (const std::uint8_t byte : bytes) rest = (rest >> 8) ^ kTable[(rest ^ byte) & 0xFF];
  return ~rest;
}

}  // namespace gapless::serial
