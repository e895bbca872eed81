#include "preload/collectives/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "move/move.hpp"
#include "move/past.hpp"
#include "preload/policy/switches.hpp"
#include "preload/policy/world.hpp"
#include "preload/stats/counters.hpp"
#include "preload/stats/log.hpp"
#include "preload/stats/peers.hpp"
#include "wire/patience.hpp"

namespace gapless::preload {

namespace {

// What a letter says.
constexpr std::uint32_t kByLibrary = 0, kPaired = 1, kWished = 2;

// Why a block is not packed into shared memory, of which there is enough unless this says something else.
Reason reason_to_leave(const Piece& piece, bool by_library) noexcept {
  if (piece.elements->plan == nullptr) return Reason::kCombiner;
  if (!piece.is_on_host()) return Reason::kDevice;
  if (!by_library) return Reason::kStaging;
  if (piece.is_contiguous()) return Reason::kContiguous;
  return switched_on() ? Reason::kOthers : Reason::kOff;
}

}  // namespace

Exchange::~Exchange() {
  for (Sent& block : sent_) lend(block);
}

// Of a block's memory the receivers have what was packed into, and the pool the rest.
void Exchange::lend(Sent& block) noexcept {
  const wire::Lease& lease = block.message.lease();
  if (!lease.chunks.empty()) shared_.pool.lend(lease, block.message.used_chunks());
  block.message = {};
}

bool Exchange::send(const Piece& piece, std::span<const int> to, Wish wish) noexcept {
  wire::Letter letter{.ticket = {}, .word = kByLibrary};
  const std::int64_t bytes = piece.bytes(), part = wire::part_bytes_of(bytes, wire::Sending::kAmongOthers),
                     parts = wire::parts_of(bytes, part);
  const int peer = to.size() == 1 ? near_.numbers[static_cast<std::size_t>(to[0])] : wire::Pool::kNoPeer;
  try {
    posts_.reserve(posts_.size() + to.size());
    sent_.push_back({.piece = &piece, .message = {}, .first = targets_.size(), .readers = to.size()});
    targets_.insert(targets_.end(), to.begin(), to.end());
    Sent& block = sent_.back();
    wire::Lease lease;
    if (wish != Wish::kByLibrary && bytes == 0) {
      block.is_paired = true;
    } else if (wish != Wish::kByLibrary && piece.is_moved_here() && parts <= shared_.segment.max_chunks() &&
               shared_.pool.take(static_cast<std::uint32_t>(parts), peer, lease)) {
      letter.ticket = shared_.ticket(lease, bytes, part,
                                     {bytes, piece.elements->facts->mean_run_bytes(), wire::Sending::kAmongOthers});
      block.is_paired = true;
      block.message = wire::Outgoing<Segment>(shared_.segment, std::move(lease), letter.ticket,
                                              static_cast<std::uint32_t>(to.size()));
    }
    if (block.is_paired) letter.word = kPaired | (wish == Wish::kPaired ? kWished : 0);
    wished_ = wished_ || wish == Wish::kPaired;
    if (!block.is_paired) block.left = reason_to_leave(piece, wish == Wish::kByLibrary);
    for (const int member : to) posts_.push_back({member, letter});
    return true;
  } catch (...) {
    return false;
  }
}

bool Exchange::copy(const Piece& from, const Piece& to) noexcept {
  if (!from.is_moved_here() || !to.is_moved_here()) {
    copies_all_ = false;
    return true;
  }
  try {
    if (copies_.empty() && !strip_.reserve(Piece::kStripBytes)) return false;
    copies_.push_back({&from, &to});
    return true;
  } catch (...) {
    return false;
  }
}

bool Exchange::receive(const Piece& piece, int from) noexcept {
  try {
    received_.emplace_back();
    received_.back().piece = &piece;
    received_.back().from = from;
    return true;
  } catch (...) {
    return false;
  }
}

void Exchange::all_or_none() noexcept {
  if (takes_all_sent()) return;
  leave();
  for (Post& post : posts_) post.letter = {.ticket = {}, .word = kByLibrary};
}

bool Exchange::begin_receive(Received& block, const wire::Letter& letter) noexcept {
  block.is_read = true;
  block.is_paired = (letter.word & kPaired) != 0;
  wished_ = wished_ || (letter.word & kWished) != 0;
  if (!block.is_paired) return true;
  differs_ = differs_ || letter.ticket.bytes != block.piece->bytes();
  if (letter.ticket.bytes == 0) return true;
  if (!shared_.segment.is_known(static_cast<int>(letter.ticket.process), 0)) return false;
  if (!wire::StoresKind::is_valid(letter.ticket.kind.number())) return false;
  block.message = wire::Incoming<Segment>(shared_.segment, letter.ticket);
  return block.piece->is_moved_here() || block.whole.reserve(letter.ticket.bytes);
}

bool Exchange::settle() noexcept {
  std::size_t posted = 0, read = 0;
  wire::Wait wait(shared_.segment, make_progress);
  while (!posts_.empty() || read < received_.size()) {
    const std::size_t left = posts_.size();
    std::erase_if(posts_, [&](const Post& post) { return near_.channel->post(post.to, post.letter); });
    posted = left - posts_.size();
    std::size_t now = 0;
    int waited_for = posts_.empty() ? -1 : posts_.front().to;
    for (Received& block : received_) {
      wire::Letter letter;
      const bool came = !block.is_read && near_.channel->fetch(block.from, letter);
      if (came && !begin_receive(block, letter)) return false;
      now += block.is_read ? 1 : 0;
      if (!block.is_read) waited_for = block.from;
    }
    if (posted != 0 || now != read) {
      wait.restart();
    } else if (!wait.again(near_.numbers[static_cast<std::size_t>(waited_for)])) {
      return false;
    }
    read = now;
  }
  return true;
}

bool Exchange::takes_all_sent() const noexcept {
  return copies_all_ && std::all_of(sent_.begin(), sent_.end(), [](const Sent& block) { return block.is_paired; });
}

bool Exchange::takes_all() const noexcept {
  return takes_all_sent() &&
         std::all_of(received_.begin(), received_.end(), [](const Received& block) { return block.is_paired; });
}

bool Exchange::tell(std::span<const int> members, bool paired) noexcept {
  try {
    for (const int member : members) posts_.push_back({member, {.ticket = {}, .word = paired ? kPaired : kByLibrary}});
  } catch (...) {
    return false;
  }
  return settle();
}

bool Exchange::is_told(int by, bool& paired) noexcept {
  wire::Wait wait(shared_.segment, make_progress);
  wire::Letter letter;
  while (!near_.channel->fetch(by, letter)) {
    if (!wait.again(near_.numbers[static_cast<std::size_t>(by)])) return false;
  }
  paired = (letter.word & kPaired) != 0;
  return true;
}

void Exchange::leave() noexcept {
  for (Sent& block : sent_) {
    lend(block);
    block.is_paired = false;
  }
  for (Received& block : received_) {
    block.message = {};
    block.is_paired = false;
  }
  copies_.clear();
}

std::int64_t Exchange::bytes() const noexcept {
  std::int64_t sum = 0;
  for (const Sent& block : sent_) sum += block.is_paired ? block.piece->bytes() : 0;
  for (const Received& block : received_) sum += block.is_paired ? block.piece->bytes() : 0;
  for (const Copy& block : copies_) sum += block.from->bytes();
  return sum;
}

void Exchange::count() const noexcept {
  if (!counting() && !logging()) return;
  Paired blocks;
  for (const Sent& block : sent_) {
    if (!block.is_paired) {
      if (!counting()) continue;
      const Reason reason = block.piece->is_contiguous() ? Reason::kContiguous : Reason::kOthers;
      count_unpaired(procedure_, block.left == Reason::kNone ? reason : block.left);
      continue;
    }
    ++blocks.sent;
    blocks.sent_bytes += block.piece->bytes();
    for (std::size_t k = 0; counting() && k < block.readers; ++k) {
      const auto member = static_cast<std::size_t>(targets_[block.first + k]);
      count_sent_to(near_.numbers[member], block.piece->bytes());
    }
  }
  for (const Received& block : received_) {
    if (!block.is_paired) continue;
    ++blocks.received;
    blocks.received_bytes += block.piece->bytes();
    if (counting()) count_received_from(near_.numbers[static_cast<std::size_t>(block.from)], block.piece->bytes());
  }
  if (blocks.sent + blocks.received == 0) return;
  if (logging()) log_paired(procedure_, blocks);
  if (counting()) count_paired(procedure_, blocks);
}

// Returns true if a part moved. One message at a time, as long as its chunks come back, for the warm chunks of several
// would not fit into the cache together; and each process begins with another one.
bool Exchange::advance_sends(bool patience) noexcept {
  const auto behind =
      std::find_if(sent_.begin(), sent_.end(), [&](const Sent& block) { return targets_[block.first] > rank_; });
  const auto first = static_cast<std::size_t>(behind - sent_.begin());
  for (std::size_t k = 0; k < sent_.size(); ++k) {
    Sent& block = sent_[(first + k) % sent_.size()];
    const Piece& piece = *block.piece;
    const wire::Step step = block.message.advance(patience, [&](std::int64_t position, char* to, std::int64_t bytes) {
      const plan::Plan& plan = *piece.elements->plan;
      const bool is_past = shared_.is_packed_past(block.message.ticket());
      timed(procedure_, true,
            [&] { move::pack_for_peer(is_past, plan, piece.count, piece.address, position, to, bytes); });
    });
    if (step == wire::Step::kMoved) return true;
  }
  return false;
}

// The same; `waited_for`: a member of whom something is still to come, or -1.
bool Exchange::advance_receives(int& waited_for) noexcept {
  bool moved = false;
  waited_for = -1;
  for (Received& block : received_) {
    if (block.message.is_done()) continue;
    const Piece& piece = *block.piece;
    const wire::Step step = block.message.advance([&](std::int64_t position, const char* from, std::int64_t bytes) {
      if (block.whole.data() != nullptr) {
        std::memcpy(block.whole.data() + position, from, static_cast<std::size_t>(bytes));
      } else if (!differs_) {
        timed(procedure_, false, [&] {
          move::unpack(*piece.elements->plan, piece.count, const_cast<char*>(piece.address), position, from, bytes);
        });
      }
    });
    moved = moved || step == wire::Step::kMoved;
    if (!block.message.is_done()) {
      waited_for = block.from;
    } else if (block.whole.data() != nullptr && !differs_) {
      piece.unpack_by_library(block.whole.data());
    }
  }
  return moved;
}

void Exchange::run_sends() noexcept {
  const auto is_done = [](const Sent& block) { return block.message.is_done(); };
  int waited_for;
  wire::Patience patience;
  while (!std::all_of(sent_.begin(), sent_.end(), is_done)) {
    const bool sent = advance_sends(patience.left());
    const bool received = advance_receives(waited_for);
    if (sent || received) {
      patience.restart();
    } else {
      patience.wait(shared_.segment);
    }
  }
  for (const Copy& block : copies_) {
    timed(procedure_, true, [&] { block.from->copy_to(*block.to, strip_.data()); });
  }
}

bool Exchange::finish() noexcept {
  wire::Wait wait(shared_.segment, make_progress);
  for (int waited_for;;) {
    const bool moved = advance_receives(waited_for);
    if (waited_for < 0) return true;
    if (moved) {
      wait.restart();
    } else if (!wait.again(near_.numbers[static_cast<std::size_t>(waited_for)])) {
      return false;
    }
  }
}

}  // namespace gapless::preload
