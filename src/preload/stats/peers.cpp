#include "preload/stats/peers.hpp"

#include <array>
#include <atomic>
#include <cstdio>

#include "preload/policy/agreement.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/stats/run_file.hpp"
#include "preload/stats/ways.hpp"

namespace gapless::preload {

namespace {

using Counter = std::atomic<std::int64_t>;

struct Peer {
  std::atomic<int> rank{-1};  // kept, for it is asked for when the world has ended
  Counter sent{0}, sent_bytes{0}, received{0}, received_bytes{0};
};
std::array<Peer, wire::kMaxProcesses> peers;

void add(Counter& counter, std::int64_t n) noexcept {
  counter.fetch_add(n, std::memory_order_relaxed);
}

long long value(const Counter& counter) noexcept {
  return counter.load(std::memory_order_relaxed);
}

Peer& peer_of(int number) noexcept {
  Peer& peer = peers[static_cast<std::size_t>(number)];
  if (peer.rank.load(std::memory_order_relaxed) < 0) peer.rank.store(rank_on_node(number), std::memory_order_relaxed);
  return peer;
}

// Of each that something was sent to, or came from.
template <class Shown>
std::string shown_peers(Shown&& shown) {
  std::string text;
  for (const Peer& peer : peers) {
    if (value(peer.sent) + value(peer.received) != 0) text += shown(peer, text.empty());
  }
  return text;
}

// Chunks of messages; those of the board stay.
unsigned in_use(SharedMemory& shared) noexcept {
  const unsigned of_board = shared.board.chunks();
  return shared.pool.busy() - of_board;
}

}  // namespace

void count_sent_to(int number, std::int64_t bytes) noexcept {
  Peer& peer = peer_of(number);
  add(peer.sent, 1);
  add(peer.sent_bytes, bytes);
}

void count_received_from(int number, std::int64_t bytes) noexcept {
  Peer& peer = peer_of(number);
  add(peer.received, 1);
  add(peer.received_bytes, bytes);
}

std::string shared_memory_json() {
  SharedMemory* const shared = shared_memory();
  if (shared == nullptr) return "{\"why\":" + quoted(reason_without_shared_memory()) + "}";
  char line[256];
  std::snprintf(
      line, sizeof line, "{\"chunks\":%u,\"busy\":%u,\"chunk_bytes\":%lld,\"used_bytes\":%lld,\"cap_bytes\":%lld",
      shared->pool.size(), in_use(*shared), static_cast<long long>(wire::kChunkBytes),
      static_cast<long long>(shared->segment.used_bytes()), static_cast<long long>(shared->segment.cap_bytes()));
  return line +
         (",\"peers\":{" + shown_peers([](const Peer& peer, bool first) {
            char text[256];
            std::snprintf(text, sizeof text,
                          "%s\"%d\":{\"sent\":%lld,\"sent_bytes\":%lld,\"received\":%lld,\"received_bytes\":%lld}",
                          first ? "" : ",", peer.rank.load(std::memory_order_relaxed), value(peer.sent),
                          value(peer.sent_bytes), value(peer.received), value(peer.received_bytes));
            return std::string(text);
          })) +
         "},\"ways\":" + ways_json() + "}";
}

std::string shared_memory_table() {
  SharedMemory* const shared = shared_memory();
  if (shared == nullptr) return "";
  char line[256];
  std::snprintf(line, sizeof line, "  shared memory: %u of %u chunks in use; %lld of %lld bytes used on this node\n",
                in_use(*shared), shared->pool.size(), static_cast<long long>(shared->segment.used_bytes()),
                static_cast<long long>(shared->segment.cap_bytes()));
  return line + shown_peers([](const Peer& peer, bool) {
           char text[256];
           std::snprintf(text, sizeof text,
                         "    rank %d: %lld blocks of %lld bytes sent, %lld of %lld bytes received\n",
                         peer.rank.load(std::memory_order_relaxed), value(peer.sent), value(peer.sent_bytes),
                         value(peer.received), value(peer.received_bytes));
           return std::string(text);
         });
}

}  // namespace gapless::preload
