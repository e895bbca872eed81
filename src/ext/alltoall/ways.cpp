#include "ext/alltoall/ways.hpp"

#include <algorithm>

#include "ext/gaps.hpp"

namespace gapless::ext::regular {

using alltoall::Buffer;

namespace {

// From this mean length of a piece on a library that walks a datatype is faster than copies into one buffer and out of
// it, where the datatype is made once, and where it is made for the message [bytes]. Measured on three libraries by
// mpiexec -n 2 bench/alltoall_messages: of several pieces of 4 KiB 0.63 to 1.12 times the copies, of 512 B 0.81
// to 1.28; made each time, of 32 KiB 0.66 to 1.25, of 4 KiB 0.74 to 1.45.
constexpr std::int64_t kLongOnce = 4096, kLongEach = 32768;

bool is_run(const Piece& piece, const Memory& memory) noexcept {
  return piece.buffer == Buffer::kSlot || memory.blocks_of(piece.buffer).is_run(piece.blocks);
}

bool is_for_engine(const Piece& piece, const Memory& memory) noexcept {
  return piece.buffer == Buffer::kSlot || memory.blocks_of(piece.buffer).is_for_engine();
}

}  // namespace

Way way_of(const std::vector<Piece>& pieces, const Memory& memory, Asked asked, bool is_persistent) noexcept {
  if (asked != Asked::kEither) return asked == Asked::kTypes ? Way::kTypes : Way::kStaged;
  const auto all = [&](auto holds) {
    return std::all_of(pieces.begin(), pieces.end(), [&](const Piece& piece) { return holds(piece, memory); });
  };
  if (!all(is_for_engine)) return Way::kTypes;
  std::int64_t blocks = 0;
  for (const Piece& piece : pieces) blocks += piece.blocks;
  if (!all(is_run)) return are_gaps_packed(blocks * memory.send.bytes()) ? Way::kStaged : Way::kTypes;
  const std::int64_t mean = blocks * memory.send.bytes() / static_cast<std::int64_t>(pieces.size());
  return mean >= (is_persistent ? kLongOnce : kLongEach) ? Way::kTypes : Way::kStaged;
}

}  // namespace gapless::ext::regular
