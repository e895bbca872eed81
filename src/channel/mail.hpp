// Frames: sealed, numbered, sent in their order to each peer, and checked when they come.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "channel/frame.hpp"
#include "channel/peers.hpp"
#include "channel/transfer.hpp"
#include "wire/fabric/endpoint.hpp"
#include "wire/fabric/memory.hpp"

namespace gapless::channel {

struct Letter {
  wire::fabric::Operation operation;
  Peer* peer = nullptr;
  Outgoing* message = nullptr;  // that ends when this frame has been sent
  std::size_t bytes = 0;
  std::byte* frame = nullptr;
  void* descriptor = nullptr;
  std::byte* body() const noexcept { return frame + sizeof(Header); }
};

class Mail {
 public:
  Mail(wire::fabric::Endpoint& endpoint, wire::fabric::Memory& memory, std::uint32_t rank);
  ~Mail();

  // Keeps buffers ready for frames that come.
  void listen();
  // A letter whose body is to be written, then posted. Never fails for want of room: letters are made as needed.
  Letter* blank();
  void post(Peer& peer, Letter* letter, Header header, std::size_t body);
  // Tries again what libfabric had no room for. Returns whether something moved.
  bool push(Peer& peer);

  // A frame has come: what it is, if it is one of this job's and the next of its sender's; else it is counted and left.
  // Its bytes are valid until done_with().
  struct Opened {
    Header header;
    std::span<const std::byte> body;
  };
  bool open(const wire::fabric::Completion& completion, Peers& peers, Opened* opened);
  void done_with(const wire::fabric::Completion& completion);
  void sent(Letter* letter) noexcept;
  // Nobody waits for its frame any more.
  void forget(const Transfer& transfer) noexcept;
  // What a frame says of earlier messages can be.
  static bool is_plausible(const Peer& peer, const Header& header) noexcept {
    return header.matched - peer.matched_out <= peer.messages_out - peer.matched_out;
  }

  // Gives the registrations of its buffers back; nothing is sent or received afterwards.
  void withdraw() noexcept {
    for (const auto& sheet : sheets_) sheet->region.reset();
  }

  std::int64_t refused() const noexcept { return refused_; }
  void count_refused() noexcept { ++refused_; }
  std::int64_t memory_bytes() const noexcept;

 private:
  struct Sheet {  // a frame's memory
    std::unique_ptr<std::byte[]> bytes;
    wire::fabric::RegionPtr region;
  };
  void add_letters(wire::fabric::Operation::Kind kind, std::size_t count, std::vector<std::unique_ptr<Letter>>& all,
                   std::vector<Letter*>& unused);
  int try_send(Letter* letter) noexcept;

  static constexpr std::size_t kInbox = 64, kLetters = 16;
  wire::fabric::Endpoint& endpoint_;
  wire::fabric::Memory& memory_;
  const std::uint32_t rank_;
  std::vector<std::unique_ptr<Sheet>> sheets_;
  std::vector<std::unique_ptr<Letter>> letters_, inbox_;
  std::vector<Letter*> free_, unposted_;
  std::int64_t refused_ = 0;
};

}  // namespace gapless::channel
