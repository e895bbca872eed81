#include "wire/board.hpp"

#include <algorithm>
#include <cstring>

namespace gapless::wire {

// A message's lease that is never given back. It takes a record as well, of which there are many.
bool Board::add_chunk() {
  if (chunks_.size() == kMaxChunks) return false;
  chunks_.reserve(chunks_.size() + 1);
  Chunk chunk;
  Lease lease;
  if (!pool_.take(1, Pool::kNoPeer, lease)) return false;
  chunk.number = lease.chunks.front();
  chunks_.push_back(std::move(chunk));
  return true;
}

bool Board::show(std::span<const std::uint8_t> layout, Place& place) noexcept {
  const std::uint32_t units = units_of(layout.size());
  if (units == 0 || layout.size() > kMaxBytes) return false;
  const std::lock_guard lock(mutex_);
  try {
    for (std::size_t k = 0; k < chunks_.size() || add_chunk(); ++k) {
      std::vector<bool>& used = chunks_[k].used;
      const auto at = std::search_n(used.begin(), used.end(), units, false);
      if (at == used.end()) continue;
      std::fill_n(at, units, true);
      place = {.serial = ++last_serial_,
               .chunk = chunks_[k].number,
               .unit = static_cast<std::uint16_t>(at - used.begin()),
               .bytes = static_cast<std::uint16_t>(layout.size())};
      std::memcpy(segment_.data(segment_.self(), place.chunk) + place.unit * kUnit, layout.data(), layout.size());
      return true;
    }
  } catch (...) {
  }
  return false;
}

void Board::remove(const Place& place) noexcept {
  const std::lock_guard lock(mutex_);
  for (Chunk& chunk : chunks_) {
    if (chunk.number != place.chunk) continue;
    std::fill_n(chunk.used.begin() + place.unit, units_of(place.bytes), false);
  }
}

std::span<const std::uint8_t> Board::read(Segment& segment, int process, const Place& place) noexcept {
  if (place.unit + units_of(place.bytes) > kUnits || !segment.is_known(process, place.chunk)) return {};
  return {reinterpret_cast<const std::uint8_t*>(segment.data(process, place.chunk)) + place.unit * kUnit, place.bytes};
}

}  // namespace gapless::wire
