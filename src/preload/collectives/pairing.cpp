#include "preload/collectives/pairing.hpp"

#include <algorithm>
#include <vector>

#include "preload/policy/switches.hpp"

namespace gapless::preload {

namespace {

// The exchange of a call, if its communicator has a channel.
Exchange* begin(const Call& call, Collective& collective) noexcept {
  if (!may_exchange(call) || channel_of(call.comm, *call.members.near) == nullptr) return nullptr;
  return &collective.exchange.emplace(call.procedure, *call.members.near);
}

bool settle(Collective& collective) noexcept {
  if (!collective.exchange->settle()) collective.error = MPI_ERR_OTHER;
  return collective.error == MPI_SUCCESS;
}

// Of what is not sent by the exchange, a block that was too small to be.
void count_small(const Call& call, int target, const Piece& piece) noexcept {
  if (counting() && target >= 0 && target != call.members.rank && piece.bytes() > 0 &&
      piece.bytes() < smallest_paired()) {
    count_unpaired(call.procedure, Reason::kSmall);
  }
}

// A contiguous block is as fast through the library.
bool is_left_to_library(const Piece& piece) noexcept {
  const plan::Plan* const plan = piece.elements->plan;
  return plan == nullptr || (!policy.force && plan->is_run(piece.count));
}

}  // namespace

bool pair_blocks(const Call& call, Collective& collective, std::span<const int> targets,
                 std::span<const int> sources) noexcept {
  Exchange* const exchange = begin(call, collective);
  if (exchange == nullptr) return true;
  const auto is_paired = [&](std::span<const int> members, std::span<const Piece> pieces, std::size_t k) {
    return members[k] >= 0 && members[k] != call.members.rank && pieces[k].bytes() >= smallest_paired() &&
           std::count(members.begin(), members.end(), members[k]) == 1;
  };
  const std::span<const Piece> sent = collective.sent.blocks().pieces(),
                               received = collective.received.blocks().pieces();
  bool room = true, any = false;
  for (std::size_t k = 0; k < sent.size() && room; ++k) {
    if (!is_paired(targets, sent, k)) {
      count_small(call, targets[k], sent[k]);
      continue;
    }
    any = true;
    room = exchange->send(sent[k], targets.subspan(k, 1), !switched_on() || is_left_to_library(sent[k]));
  }
  for (std::size_t k = 0; k < received.size() && room; ++k) {
    if (!is_paired(sources, received, k)) continue;
    any = true;
    room = exchange->receive(received[k], sources[k]);
  }
  if (!room) collective.error = MPI_ERR_NO_MEM;
  if (!any || !room || !settle(collective)) return collective.error == MPI_SUCCESS;
  exchange->for_each_sent([&](const Piece& piece) { collective.sent.pair(piece); });
  exchange->for_each_received([&](const Piece& piece) { collective.received.pair(piece); });
  if (exchange->bytes() == 0) return true;
  collective.sent.close_gaps();
  collective.received.close_gaps();
  return true;
}

bool pair_broadcast(const Call& call, Collective& collective, int root) noexcept {
  const Piece& piece = collective.received.blocks().pieces()[0];
  if (piece.bytes() < smallest_paired()) {
    if (call.members.rank == root && may_exchange(call)) count_small(call, (root + 1) % call.members.size, piece);
    return false;
  }
  Exchange* const exchange = begin(call, collective);
  if (exchange == nullptr) return false;
  bool room = true;
  if (call.members.rank != root) {
    room = exchange->receive(piece, root);
  } else {
    try {
      std::vector<int> others;
      others.reserve(static_cast<std::size_t>(call.members.size));
      for (int k = 0; k < call.members.size; ++k) {
        if (k != root) others.push_back(k);
      }
      room = exchange->send(piece, others, is_left_to_library(piece));
    } catch (...) {
      room = false;
    }
  }
  if (!room) collective.error = MPI_ERR_NO_MEM;
  collective.whole = room && settle(collective) && exchange->takes_all();
  return collective.whole;
}

}  // namespace gapless::preload
