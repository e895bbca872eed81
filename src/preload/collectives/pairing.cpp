#include "preload/collectives/pairing.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "preload/policy/switches.hpp"

namespace gapless::preload {

namespace {

// The exchange of a call that is prepared, if its communicator has a channel.
Exchange* begin(const Call& call, Collective& collective) noexcept {
  if (!may_exchange(call)) return nullptr;
  if (call.members.near->channel == nullptr) {
    note_wish(collective);
    return nullptr;
  }
  return &collective.exchange.emplace(call.procedure, *call.members.near, call.members.rank);
}

// All blocks are added, if there was `room` for that. Returns false with the collective's error.
bool settle(Collective& collective, bool room) noexcept {
  if (!room) {
    collective.error = MPI_ERR_NO_MEM;
  } else if (!collective.exchange->settle()) {
    collective.error = MPI_ERR_OTHER;
  }
  return collective.error == MPI_SUCCESS;
}

bool is_long(const Piece& piece, Traffic traffic) noexcept {
  return piece.bytes() >= smallest_paired(traffic);
}

bool is_single(const std::vector<std::uint8_t>& met, int member) noexcept {
  return member >= 0 && met[static_cast<std::size_t>(member)] == 1;
}

// Of what is not sent by the exchange, a block that was too small to be.
void count_small(const Call& call, int target, const Piece& piece, Traffic traffic) noexcept {
  if (counting() && target >= 0 && target != call.members.rank && piece.bytes() > 0 && !is_long(piece, traffic)) {
    count_unpaired(call.procedure, Reason::kSmall);
  }
}

// Of a block that nobody asked for.
Reason reason_of_silence(const Piece& piece) noexcept {
  return piece.is_contiguous() ? Reason::kContiguous : Reason::kOthers;
}

// True if it is faster through shared memory, or GAPLESS_FORCE says so, and can go there.
bool gains(const Piece& sent) noexcept {
  return switched_on() && sent.is_moved_here() && !sent.is_contiguous();
}

// Takes what goes through shared memory out of what the library gets.
void take_out(Collective& collective) noexcept {
  const Exchange& exchange = *collective.exchange;
  exchange.for_each_sent([&](const Piece& piece) { collective.sent.pair(piece); });
  exchange.for_each_received([&](const Piece& piece) { collective.received.pair(piece); });
  exchange.for_each_copied([&](const Piece& from, const Piece& to) {
    collective.sent.pair(from);
    collective.received.pair(to);
  });
  if (exchange.bytes() == 0) return;
  collective.sent.close_gaps();
  collective.received.close_gaps();
}

// A contiguous block that goes to contiguous memory is as fast through the library.
Exchange::Wish wish_of(std::span<const Piece> sent, std::span<const Piece> received) noexcept {
  const auto is_strided = [](const Piece& piece) { return piece.bytes() > 0 && !piece.is_contiguous(); };
  return std::any_of(sent.begin(), sent.end(), is_strided) || std::any_of(received.begin(), received.end(), is_strided)
             ? Exchange::Wish::kPaired
             : Exchange::Wish::kEither;
}

// The same of a call in which all goes one way. Lists the other members where this process meets all of them; nullptr
// with the collective's error without memory.
Exchange* begin_whole(const Call& call, Collective& collective, bool meets_all, std::vector<int>& others) noexcept {
  Exchange* const exchange = begin(call, collective);
  if (exchange == nullptr || !meets_all) return exchange;
  try {
    others.reserve(static_cast<std::size_t>(call.members.size));
    for (int k = 0; k < call.members.size; ++k) {
      if (k != call.members.rank) others.push_back(k);
    }
    return exchange;
  } catch (...) {
    collective.error = MPI_ERR_NO_MEM;
    return nullptr;
  }
}

// Adds the blocks for the members and from them, one block for all if there is a single one, and the own one from side
// to side. All that is sent goes one way. Returns false without memory.
bool add(const Call& call, Exchange& exchange, std::span<const int> targets, std::span<const Piece> sent,
         std::span<const int> sources, std::span<const Piece> received, Exchange::Wish wish) noexcept {
  const auto rank = static_cast<std::size_t>(call.members.rank);
  const bool one = sent.size() == 1;
  bool room = true;
  if (!sent.empty() && !received.empty()) {
    const Piece &from = sent[one ? 0 : rank], &to = received[received.size() == 1 ? 0 : rank];
    const bool in_place = from.address == to.address && from.elements == to.elements;
    if (!in_place) room = exchange.copy(from, to);
  }
  if (one && !targets.empty()) {
    room = room && exchange.send(sent[0], targets, wish);
  } else {
    for (const int& member : targets) {
      room = room && exchange.send(sent[static_cast<std::size_t>(member)], {&member, 1}, wish);
    }
  }
  for (const int member : sources) {
    room = room && exchange.receive(received[received.size() == 1 ? 0 : static_cast<std::size_t>(member)], member);
  }
  exchange.all_or_none();
  return room;
}

// The letters are read: true if all goes through shared memory.
bool decide(const Call& call, Collective& collective, bool whole) noexcept {
  if (call.asks.has_value()) call.members.near->among_all.learn(whole);
  collective.whole = whole;
  if (!whole) collective.exchange->leave();
  return whole;
}

}  // namespace

bool list_blocks(const Blocks& side, int n, std::vector<Piece>& blocks) noexcept {
  try {
    blocks.reserve(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) blocks.push_back(side.block(k));
    return true;
  } catch (...) {
    return false;
  }
}

bool may_pair(const Call& call, const Collective& collective, Traffic traffic) noexcept {
  const auto has_long_block = [traffic](const Side& side) {
    const std::span<const Piece> pieces = side.blocks().pieces();
    return std::any_of(pieces.begin(), pieces.end(), [traffic](const Piece& piece) { return is_long(piece, traffic); });
  };
  return may_exchange(call) && (counting() || has_long_block(collective.sent) || has_long_block(collective.received));
}

void note_wish(const Collective& collective) noexcept {
  const auto is_wished = [](const Piece& piece) {
    return is_long(piece, Traffic::kExchange) && !piece.is_contiguous();
  };
  for (const Side* side : {&collective.sent, &collective.received}) {
    const std::span<const Piece> pieces = side->blocks().pieces();
    if (std::any_of(pieces.begin(), pieces.end(), is_wished)) Gains::wish();
  }
}

void prepare_blocks(const Call& call) noexcept {
  if (may_exchange(call)) channel_of(call.comm, *call.members.near);
}

std::vector<std::uint8_t> meetings(std::span<const int> ends, int size) {
  std::vector<std::uint8_t> met(static_cast<std::size_t>(size), 0);
  for (const int member : ends) {
    if (member >= 0 && met[static_cast<std::size_t>(member)] < 2) ++met[static_cast<std::size_t>(member)];
  }
  return met;
}

bool pair_blocks(const Call& call, Collective& collective, const Ends& ends, Traffic traffic,
                 std::int64_t largest) noexcept {
  Exchange* const exchange = begin(call, collective);
  if (exchange == nullptr) return true;
  const std::span<const int> targets = ends.targets, sources = ends.sources;
  const int rank = call.members.rank;
  const auto may_be_paired = [&](const std::vector<std::uint8_t>& met, int member, const Piece& piece) {
    return member != rank && is_single(met, member) && is_long(piece, traffic) && piece.bytes() <= largest;
  };
  const auto of = [](std::vector<Asking>& all, int member) -> Asking& { return all[static_cast<std::size_t>(member)]; };
  const auto asks = [&](Asking& asking) { return policy.force || asking.asks(call.procedure); };
  Near& near = *call.members.near;
  const std::span<const Piece> sent = collective.sent.blocks().pieces(),
                               received = collective.received.blocks().pieces();
  bool room = true, any = false;
  for (std::size_t k = 0; k < sent.size() && room; ++k) {
    if (!may_be_paired(ends.targets_met, targets[k], sent[k])) {
      count_small(call, targets[k], sent[k], traffic);
      continue;
    }
    if (!asks(of(near.towards, targets[k]))) {
      if (gains(sent[k])) Gains::wish();
      if (counting()) count_unpaired(call.procedure, reason_of_silence(sent[k]));
      continue;
    }
    any = true;
    room = exchange->send(sent[k], targets.subspan(k, 1),
                          gains(sent[k]) ? Exchange::Wish::kPaired : Exchange::Wish::kByLibrary);
  }
  for (std::size_t k = 0; k < received.size() && room; ++k) {
    if (!may_be_paired(ends.sources_met, sources[k], received[k]) || !asks(of(near.from, sources[k]))) continue;
    any = true;
    room = exchange->receive(received[k], sources[k]);
  }
  if (room && is_single(ends.targets_met, rank) && is_single(ends.sources_met, rank)) {
    const auto of_own = [&](std::span<const int> members, std::span<const Piece> pieces) -> const Piece& {
      return pieces[static_cast<std::size_t>(std::find(members.begin(), members.end(), rank) - members.begin())];
    };
    const Piece &out = of_own(targets, sent), &in = of_own(sources, received);
    // From contiguous memory to contiguous memory the library is as fast, and copies while it sends and receives.
    if (out.bytes() == in.bytes() && is_long(out, traffic) && !(out.is_contiguous() && in.is_contiguous()) &&
        out.is_moved_here() && in.is_moved_here() && switched_on()) {
      any = true;
      room = exchange->copy(out, in);
    }
  }
  if (room && !any) return true;
  if (!settle(collective, room)) return false;
  exchange->for_each_answer([&](int member, bool is_paired) { of(near.towards, member).learn(is_paired); },
                            [&](int member, bool is_paired) { of(near.from, member).learn(is_paired); });
  take_out(collective);
  return true;
}

bool pair_for_all(const Call& call, Collective& collective, const Ends& ends, std::int64_t largest) noexcept {
  Exchange* const exchange = begin(call, collective);
  if (exchange == nullptr) return true;
  const int rank = call.members.rank;
  const std::span<const Piece> sent = collective.sent.blocks().pieces(),
                               received = collective.received.blocks().pieces();
  const auto is_paired = [&](const Piece& piece) {
    return is_long(piece, Traffic::kExchange) && piece.bytes() <= largest;
  };
  std::vector<int> others;
  bool room = true;
  try {
    std::copy_if(ends.targets.begin(), ends.targets.end(), std::back_inserter(others),
                 [rank](int member) { return member >= 0 && member != rank; });
  } catch (...) {
    room = false;
  }
  if (!sent.empty() && is_paired(sent[0])) {
    // What the process gives to itself goes the same way.
    bool wished = gains(sent[0]);
    for (std::size_t k = 0; k < received.size(); ++k) {
      if (ends.sources[k] != rank) continue;
      wished = wished && received[k].is_moved_here() && received[k].bytes() == sent[0].bytes();
    }
    if (room && !others.empty()) {
      room = exchange->send(sent[0], others, wished ? Exchange::Wish::kPaired : Exchange::Wish::kByLibrary);
    }
    wished = wished && exchange->takes_all_sent();
    for (std::size_t k = 0; k < received.size() && room && wished; ++k) {
      if (ends.sources[k] == rank) room = exchange->copy(sent[0], received[k]);
    }
  } else if (!sent.empty()) {
    for (const int member : others) count_small(call, member, sent[0], Traffic::kExchange);
  }
  for (std::size_t k = 0; k < received.size() && room; ++k) {
    const int from = ends.sources[k];
    if (from >= 0 && from != rank && is_paired(received[k])) room = exchange->receive(received[k], from);
  }
  if (!settle(collective, room)) return false;
  take_out(collective);
  return true;
}

bool pair_from_root(const Call& call, Collective& collective, int root, std::span<const Piece> sent,
                    std::span<const Piece> received) noexcept {
  const bool is_root = call.members.rank == root;
  std::vector<int> others;
  Exchange* const exchange = begin_whole(call, collective, is_root, others);
  if (exchange == nullptr) return false;
  // Who receives takes part in any case; the root alone knows if there is anything to gain.
  const Exchange::Wish wish = wish_of(sent, {});
  const bool room = is_root ? add(call, *exchange, others, sent, {}, received,
                                  wish == Exchange::Wish::kPaired ? wish : Exchange::Wish::kByLibrary)
                            : add(call, *exchange, {}, {}, {&root, 1}, received, wish);
  return settle(collective, room) && decide(call, collective, exchange->takes_all());
}

bool pair_to_root(const Call& call, Collective& collective, int root, std::span<const Piece> sent,
                  std::span<const Piece> received) noexcept {
  const bool is_root = call.members.rank == root;
  std::vector<int> others;
  Exchange* const exchange = begin_whole(call, collective, is_root, others);
  if (exchange == nullptr) return false;
  const Exchange::Wish wish = wish_of(sent, received);
  const bool room = is_root ? add(call, *exchange, {}, sent, others, received, wish)
                            : add(call, *exchange, {&root, 1}, sent, {}, {}, wish);
  if (!settle(collective, room)) return false;
  bool whole = exchange->takes_all() && (exchange->is_wished() || wish == Exchange::Wish::kPaired);
  if (is_root ? exchange->tell(others, whole) : exchange->is_told(root, whole)) return decide(call, collective, whole);
  collective.error = MPI_ERR_OTHER;
  return false;
}

bool pair_all(const Call& call, Collective& collective, std::span<const Piece> sent,
              std::span<const Piece> received) noexcept {
  std::vector<int> others;
  Exchange* const exchange = begin_whole(call, collective, true, others);
  if (exchange == nullptr) return false;
  const bool room = add(call, *exchange, others, sent, others, received, wish_of(sent, received));
  return settle(collective, room) && decide(call, collective, exchange->takes_all() && exchange->is_wished());
}

}  // namespace gapless::preload
