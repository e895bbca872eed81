// Pack and unpack of one message against the oracle, in buffers with canaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/plan.hpp"
#include "support/oracle.hpp"
#include "support/random_number.hpp"

namespace gapless::test {

class MessageCheck {
 public:
  MessageCheck(const plan::Plan& plan, const Oracle& oracle, std::int64_t count, Random& random);

  // Each throws Wrong at the first deviation.
  void whole();
  // Every (position, budget), or random ones of a large message.
  void parts();
  // The message in pieces of random lengths, as a pipeline would move it.
  void streamed();
  // Positions and budgets for which nothing must move.
  void nothing();
  // Whether some memory holds bytes of the message: before it, behind it, in its gaps and over them.
  void overlaps(Random& random);

 private:
  void pack_part(std::int64_t position, std::int64_t budget);
  void pack_past_part(std::int64_t position, std::int64_t budget, std::int64_t moved);
  void unpack_part(std::int64_t position, std::int64_t budget);
  void compare_memory(const char* what, std::int64_t position, std::int64_t budget);
  void reset_memory();

  const plan::Plan& plan_;
  std::int64_t count_;
  Random& random_;
  std::vector<std::int64_t> bytes_;  // displacement of every byte of the stream
  std::int64_t low_ = 0, high_ = 0;  // [bytes] what the message touches
  std::vector<std::byte> source_;    // user memory to pack from, with canaries
  std::vector<std::byte> stream_;    // as the oracle packs it
  // What is unpacked: not stream_, in which bytes that land on one another would be equal, and their order unseen.
  std::vector<std::byte> incoming_;
  std::vector<std::byte> out_;       // packed by the engine, with canaries
  std::int64_t shift_ = 0;           // [bytes] of what is packed past the caches, from the start of a line
  std::vector<std::byte> memory_;    // unpacked by the engine
  std::vector<std::byte> expected_;  // unpacked by the oracle
};

}  // namespace gapless::test
