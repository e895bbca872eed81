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

void append(std::vector<Piece>& pieces, const Piece& piece) {
  if (piece.bytes == 0) return;
  if (!pieces.empty() && piece.place == Piece::Place::kHeld && pieces.back().place == Piece::Place::kHeld &&
      pieces.back().offset + pieces.back().bytes == piece.offset)
    pieces.back().bytes += piece.bytes;
  else
    pieces.push_back(piece);
}

// Where the blocks lie that are on their way, by distance.
class Held {
 public:
  Held(int processes, std::int64_t bytes) : space_(bytes), extents_(static_cast<std::size_t>(processes)) {}

  // Room for a run of blocks, side by side where there is such a gap: then they stay one piece.
  void take(int first, std::span<const std::int64_t> sizes) {
    const std::int64_t bytes = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    room_.clear();
    if (bytes > 0) space_.take(bytes, room_);
    auto room = room_.begin();
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      auto& extents = extents_[static_cast<std::size_t>(first) + k];
      for (std::int64_t left = sizes[k]; left > 0;) {
        const std::int64_t part = std::min(left, room->bytes);
        extents.push_back({room->offset, part});
        room->offset += part;
        room->bytes -= part;
        left -= part;
        if (room->bytes == 0) ++room;
      }
    }
  }

  void append_to(std::vector<Piece>& pieces, int distance) const {
    for (const Extent& extent : extents_[static_cast<std::size_t>(distance)])
      append(pieces, {Piece::Place::kHeld, 0, extent.offset, extent.bytes});
  }

  // For later, because a block may arrive at the distance of one that is sent in the same round.
  void move_to(int distance, std::vector<Extent>& leaving) {
    auto& extents = extents_[static_cast<std::size_t>(distance)];
    leaving.insert(leaving.end(), extents.begin(), extents.end());
    extents.clear();
  }

  void give(const std::vector<Extent>& left) {
    for (const Extent& extent : left) space_.give(extent);
  }

 private:
  Space space_;
  std::vector<std::vector<Extent>> extents_;
  std::vector<Extent> room_;
};

}  // namespace

Schedule bruck(const Sizes& sizes) {
  using Place = Piece::Place;
  const int p = sizes.processes(), rank = sizes.rank();
  Schedule schedule;
  schedule.held_bytes = most_held(sizes);
  schedule.rounds.resize(static_cast<std::size_t>(sizes.rounds()));
  Held held(p, schedule.held_bytes);
  std::vector<Extent> leaving;
  for (int k = 0; k < sizes.rounds(); ++k) {
    Round& round = schedule.rounds[static_cast<std::size_t>(k)];
    const std::span<const std::int64_t> sent = sizes.sent(k), received = sizes.received(k);
    round.to = before(rank, 1 << k, p);
    round.from = behind(rank, 1 << k, p);
    round.out_bytes = std::accumulate(sent.begin(), sent.end(), std::int64_t{0});
    round.in_bytes = std::accumulate(received.begin(), received.end(), std::int64_t{0});
    leaving.clear();
    for_each_block(p, k, sent, [&](int j, std::int64_t bytes) {
      if (is_first(j, k)) {
        append(round.out, {Place::kSent, before(rank, j, p), 0, bytes});
      } else {
        held.append_to(round.out, j);
        held.move_to(j, leaving);
      }
    });
    std::size_t at = 0;
    for_each_run(p, k, [&](int first, int last) {
      const auto run = received.subspan(at, static_cast<std::size_t>(last - first));
      at += run.size();
      const bool stays = is_last(first, k);
      if (!stays) held.take(first, run);
      for (int j = first; j < last; ++j) {
        if (stays)
          append(round.in, {Place::kReceived, behind(rank, j, p), 0, run[static_cast<std::size_t>(j - first)]});
        else
          held.append_to(round.in, j);
      }
    });
    held.give(leaving);
  }
  return schedule;
}

}  // namespace gapless::alltoall::irregular
