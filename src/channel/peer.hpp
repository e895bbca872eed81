// What a channel knows of one peer, and what is under way with it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "channel/frame.hpp"
#include "channel/type.hpp"
#include "wire/fabric/proof.hpp"

namespace gapless::channel {

struct Outgoing;
struct Incoming;
struct Letter;

// A message that came before its receive did.
struct Arrived {
  Header header;
  std::vector<std::byte> data;  // eager: the message; else the request's body
};

// A peer's form, as far as it has come.
struct ShownForm {
  std::uint32_t generation = 0;
  std::vector<std::byte> bytes;
  std::uint32_t total = 0;
  std::shared_ptr<const Type> type;  // once it is whole
};

struct Peer {
  Peer(int rank, std::uint64_t address, const wire::fabric::Key& job, int own)
      : rank(rank), address(address), out(job, own, rank), in(job, rank, own) {}
  int rank;
  std::uint64_t address;       // in libfabric's table
  wire::fabric::Seal out, in;  // of frames to it, and from it
  std::uint32_t frames_out = 0, frames_in = 0;
  std::uint32_t messages_out = 0;  // sent, or at least asked for
  std::uint32_t matched_out = 0;   // of them, those that it has received
  std::uint32_t messages_in = 0;   // come
  std::uint32_t matched_in = 0;    // of them, those that were received
  std::uint32_t matched_told = 0;  // of those, how many it knows of
  int letters = 0;                 // frames that libfabric has, and has not sent
  int send_error = 0;              // libfabric's, of a frame that cannot be sent
  bool is_gone = false, said_bye = false, is_used = false;
  std::deque<Letter*> outbox;                     // frames that libfabric had no room for
  std::deque<Outgoing*> waiting;                  // sends beyond the window
  std::deque<Incoming*> posted;                   // receives without a message
  std::deque<Arrived> arrived;                    // messages without a receive
  std::vector<std::unique_ptr<ShownForm>> forms;  // its, by number
  std::vector<std::uint32_t> shown;               // of ours, by number: the generation it knows, plus 1
};
// Messages that a peer is sent and has not received, at most: more would take its memory.
inline constexpr std::uint32_t kWindow = 32;

}  // namespace gapless::channel
