// Fuzzer bytes as numbers. What is missing reads as 0, so every input is a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace gapless::test::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool empty() const { return left_ == 0; }

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

  // In [0, below).
  std::size_t choice(std::size_t below) { return byte() % below; }

  // Mostly small, one byte; the highest byte values open the whole range, above all its ends.
  std::int64_t number() {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    const std::uint8_t first = byte();
    if (first < 0xC0) return first < 0x80 ? first % 64 : first - 0xA0;  // 0 to 63 twice, -32 to 31
    if (first < 0xE0) return static_cast<std::int16_t>(wide(2));
    if (first < 0xF0) return static_cast<std::int64_t>(wide(8));
    const std::int64_t near = byte() % 8;
    switch (first % 4) {
      case 0:
        return kMax - near;
      case 1:
        return -kMax - 1 + near;
      case 2:
        return (std::int64_t{1} << (byte() % 63)) - near;
      default:
        return -(std::int64_t{1} << (byte() % 63)) + near;
    }
  }

 private:
  std::uint64_t wide(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | byte();
    return value;
  }

  const std::uint8_t* data_;
  std::size_t left_;
};

}  // namespace gapless::test::fuzz
