// Layouts that a process shows to the others of its node, serialised (docs/serialised.md), in chunks of its own pool:
// whoever is offered a message of such a type reads its layout there once, and knows it by its number from then on.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "wire/buffer.hpp"
#include "wire/pool.hpp"

namespace gapless::wire {

class Board {
 public:
  Board(Segment& segment, Pool& pool) noexcept : segment_(segment), pool_(pool) {}

  static constexpr std::size_t kMaxBytes = 16 << 10;
  // False: it is longer, or there is no room for it. Cost: linear in the bytes, and in the room.
  bool show(std::span<const std::uint8_t> layout, Place& place) noexcept;
  // Nobody is told of it any more, and no message that is under way is of it.
  void remove(const Place& place) noexcept;
  std::uint32_t chunks() noexcept {
    const std::lock_guard lock(mutex_);
    return static_cast<std::uint32_t>(chunks_.size());
  }

  // Of any process's; what stands there may be anything. Empty if there is no such place.
  static std::span<const std::uint8_t> read(Segment& segment, int process, const Place& place) noexcept;

 private:
  static constexpr std::uint32_t kUnit = 64, kUnits = kChunkBytes / kUnit;
  static constexpr std::size_t kMaxChunks = 8;
  static_assert(kUnits <= UINT16_MAX);
  static std::uint32_t units_of(std::size_t bytes) noexcept {
    return static_cast<std::uint32_t>((bytes + kUnit - 1) / kUnit);
  }
  struct Chunk {
    std::uint32_t number = 0;
    std::vector<bool> used = std::vector<bool>(kUnits);
  };
  bool add_chunk();

  Segment& segment_;
  Pool& pool_;
  std::mutex mutex_;
  std::vector<Chunk> chunks_;
  std::uint64_t last_serial_ = 0;
};

}  // namespace gapless::wire
