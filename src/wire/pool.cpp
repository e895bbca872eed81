#include "wire/pool.hpp"

#include <algorithm>

namespace gapless::wire {

Pool::Pool(Segment& segment)
    : segment_(segment),
      chunks_(segment.max_chunks(), State::kFree),
      records_(kRecords, State::kFree),
      peers_(segment.max_chunks(), kNoPeer),
      with_(static_cast<std::size_t>(segment.processes()), 0) {}

// True if the chunk is free now.
bool Pool::reclaim(std::uint32_t chunk) noexcept {
  if (chunks_[chunk] == State::kFree) return true;
  if (chunks_[chunk] == State::kTaken || !segment_.chunk(segment_.self(), chunk).is_free()) return false;
  chunks_[chunk] = State::kFree;
  if (peers_[chunk] != kNoPeer) --with_[static_cast<std::size_t>(peers_[chunk])];
  return true;
}

void Pool::reclaim_all() noexcept {
  for (std::uint32_t chunk = 0, n = segment_.chunks_of(segment_.self()); chunk < n; ++chunk) reclaim(chunk);
}

bool Pool::take(std::uint32_t chunks, int peer, Lease& lease) noexcept {
  const std::uint32_t limit = segment_.max_chunks() / 2;
  const std::lock_guard lock(mutex_);
  if (peer != kNoPeer) {
    if (chunks > limit) return false;
    if (with_[static_cast<std::size_t>(peer)] + chunks > limit) reclaim_all();
    if (with_[static_cast<std::size_t>(peer)] + chunks > limit) return false;
  }
  const auto is_record_free = [&](std::uint32_t k) {
    return records_[k] == State::kFree ||
           (records_[k] == State::kLent && segment_.record(segment_.self(), k).is_free());
  };
  lease.record = 0;
  while (lease.record < kRecords && !is_record_free(lease.record)) ++lease.record;
  if (lease.record == kRecords) return false;
  try {
    lease.chunks.clear();
    lease.chunks.reserve(chunks);
  } catch (...) {
    return false;
  }
  const auto collect = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t chunk = from; chunk < to && lease.chunks.size() < chunks; ++chunk) {
      if (reclaim(chunk)) lease.chunks.push_back(chunk);
    }
  };
  const std::uint32_t now = segment_.chunks_of(segment_.self());
  collect(0, now);
  if (const auto missing = static_cast<std::uint32_t>(chunks - lease.chunks.size()); missing > 0) {
    if (missing > segment_.max_chunks() - now) return false;
    collect(now, segment_.grow(now + missing));
    if (lease.chunks.size() < chunks) return false;
  }
  for (const std::uint32_t chunk : lease.chunks) {
    chunks_[chunk] = State::kTaken;
    peers_[chunk] = static_cast<std::int16_t>(peer);
  }
  if (peer != kNoPeer) with_[static_cast<std::size_t>(peer)] += chunks;
  records_[lease.record] = State::kTaken;
  return true;
}

void Pool::lend(const Lease& lease, std::uint32_t used) noexcept {
  const std::lock_guard lock(mutex_);
  records_[lease.record] = used == 0 ? State::kFree : State::kLent;
  for (std::uint32_t k = 0; k < lease.chunks.size(); ++k) {
    const std::uint32_t chunk = lease.chunks[k];
    chunks_[chunk] = k < used ? State::kLent : State::kFree;
    if (k >= used && peers_[chunk] != kNoPeer) --with_[static_cast<std::size_t>(peers_[chunk])];
  }
}

std::uint32_t Pool::busy() noexcept {
  const std::lock_guard lock(mutex_);
  reclaim_all();
  return static_cast<std::uint32_t>(
      std::count_if(chunks_.begin(), chunks_.end(), [](State state) { return state != State::kFree; }));
}

std::uint32_t Pool::size() noexcept {
  return segment_.chunks_of(segment_.self());
}

}  // namespace gapless::wire
