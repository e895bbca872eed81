#include "alltoall/irregular_bruck.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "alltoall/irregular_rounds.hpp"
#include "alltoall/irregular_space.hpp"
#include "base/checked.hpp"

namespace gapless::alltoall::irregular {

namespace {

// Calls visit(j, bytes) for each block of a round.
template <class Visit>
void for_each_block(int processes, int round, std::span<const std::int64_t> sizes, Visit visit) {
  auto size = sizes.begin();
  for_each_run(processes, round, [&](int first, int last) {
    for (int j = first; j < last; ++j) visit(j, *size++);
  });
}

std::int64_t most_held(const Sizes& sizes) {
  std::int64_t held = 0, most = 0;
  for (int k = 0; k < sizes.rounds(); ++k) {
    for_each_block(sizes.processes(), k, sizes.received(k), [&](int j, std::int64_t bytes) {
      if (!is_last(j, k)) held = base::checked_add(held, bytes, "bytes on their way");
    });
    most = std::max(most, held);
    for_each_block(sizes.processes(), k, sizes.sent(k), [&](int j, std::int64_t bytes) {
      if (!is_first(j, k)) held -= bytes;
    });
  }
  return most;
}

// `first`: of the message that they are appended to.
void append(std::vector<Piece>& pieces, std::size_t first, const Piece& piece) {
  if (piece.bytes == 0) return;
  if (pieces.size() > first && piece.place == Piece::Place::kHeld && pieces.back().place == Piece::Place::kHeld &&
      pieces.back().offset + pieces.back().bytes == piece.offset)
    pieces.back().bytes += piece.bytes;
  else
    pieces.push_back(piece);
}

// Where the blocks lie that are on their way.
class Held {
 public:
  Held(int processes, std::int64_t bytes) : space_(bytes), first_(static_cast<std::size_t>(processes), kNone) {}

  // Room for a run of blocks, side by side where there is such a gap: then they stay one piece.
  void take(int distance, std::span<const std::int64_t> sizes) {
    const std::int64_t bytes = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    room_.clear();
    if (bytes > 0) space_.take(bytes, room_);
    auto room = room_.begin();
    for (const std::int64_t size : sizes) {
      first_[static_cast<std::size_t>(distance)] = size > 0 ? parts_.size() : kNone;
      ++distance;
      for (std::int64_t left = size; left > 0;) {
        const std::int64_t part = std::min(left, room->bytes);
        parts_.push_back({{room->offset, part}, part < left ? parts_.size() + 1 : kNone});
        room->offset += part;
        room->bytes -= part;
        left -= part;
        if (room->bytes == 0) ++room;
      }
    }
  }

  template <class Visit>
  void for_each_part(int distance, Visit visit) const {
    for (std::size_t k = first_[static_cast<std::size_t>(distance)]; k != kNone; k = parts_[k].next)
      visit(parts_[k].extent);
  }

  void give(const std::vector<Extent>& left) {
    for (const Extent& extent : left) space_.give(extent);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Part {
    Extent extent;
    std::size_t next;  // of the same block
  };
  Space space_;
  std::vector<std::size_t> first_;  // by distance
  std::vector<Part> parts_;
  std::vector<Extent> room_;
};

}  // namespace

Schedule bruck(const Sizes& sizes) {
  using Place = Piece::Place;
  const int p = sizes.processes(), rank = sizes.rank();
  Schedule schedule;
  std::vector<Piece>& pieces = schedule.pieces;
  schedule.held_bytes = most_held(sizes);
  schedule.rounds.reserve(static_cast<std::size_t>(sizes.rounds()));
  Held held(p, schedule.held_bytes);
  std::vector<Extent> leaving;
  for (int k = 0; k < sizes.rounds(); ++k) {
    const std::span<const std::int64_t> sent = sizes.sent(k), received = sizes.received(k);
    Round round{before(rank, 1 << k, p), behind(rank, 1 << k, p), 0, 0, pieces.size(), 0, 0};
    pieces.reserve(pieces.size() + sent.size() + received.size());
    leaving.clear();
    for_each_block(p, k, sent, [&](int j, std::int64_t bytes) {
      round.out_bytes += bytes;
      if (is_first(j, k)) {
        append(pieces, round.out, {Place::kSent, before(rank, j, p), 0, bytes});
        return;
      }
      held.for_each_part(j, [&](const Extent& part) {
        append(pieces, round.out, {Place::kHeld, 0, part.offset, part.bytes});
        leaving.push_back(part);
      });
    });
    round.in = pieces.size();
    std::size_t at = 0;
    for_each_run(p, k, [&](int first, int last) {
      const auto run = received.subspan(at, static_cast<std::size_t>(last - first));
      at += run.size();
      const bool stays = is_last(first, k);
      if (!stays) held.take(first, run);
      for (int j = first; j < last; ++j) {
        const std::int64_t bytes = run[static_cast<std::size_t>(j - first)];
        round.in_bytes += bytes;
        if (stays)
          append(pieces, round.in, {Place::kReceived, behind(rank, j, p), 0, bytes});
        else
          held.for_each_part(
              j, [&](const Extent& part) { append(pieces, round.in, {Place::kHeld, 0, part.offset, part.bytes}); });
      }
    });
    round.end = pieces.size();
    schedule.rounds.push_back(round);
    held.give(leaving);
  }
  return schedule;
}

}  // namespace gapless::alltoall::irregular
