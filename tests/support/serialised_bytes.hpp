// The serialised form written from docs/serialised.md alone: it shares nothing with src/serial, and can say what no
// engine would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/random_number.hpp"

namespace gapless::test {

using SerialisedBytes = std::vector<std::uint8_t>;

// Bit by bit, as the definition of CRC-32 says.
std::uint32_t crc32(std::span<const std::uint8_t> bytes);
// Puts the right checksum into the last four bytes, if there are so many.
void reseal(SerialisedBytes& bytes);

class SerialisedWriter {
 public:
  // The fixed beginning; the bounds and the rest follow.
  SerialisedWriter();
  SerialisedWriter& raw(std::uint8_t byte);
  SerialisedWriter& number(std::uint64_t value);
  SerialisedWriter& signed_number(std::int64_t value);
  SerialisedWriter& run(std::uint64_t bytes);
  SerialisedWriter& loop(std::uint64_t count, std::int64_t stride, std::uint64_t body);
  // Steps and lengths are written with a unit of 1.
  SerialisedWriter& table(std::uint64_t body, const std::vector<std::int64_t>& steps);
  SerialisedWriter& blocks(const std::vector<std::uint64_t>& lengths, const std::vector<std::int64_t>& steps);
  struct Part {
    std::int64_t step;  // from the part before; of the first one: nothing
    std::uint64_t node;
  };
  SerialisedWriter& sequence(const std::vector<Part>& parts);

  // With the checksum.
  SerialisedBytes sealed() const;

 private:
  SerialisedBytes bytes_;
};

// Random nodes that share each other as much as they may: well formed, of the right size, at most about `most_bytes`
// long, and as hard to normalise as random ones get.
SerialisedBytes hostile_form(Random& random, std::size_t most_bytes);

}  // namespace gapless::test
