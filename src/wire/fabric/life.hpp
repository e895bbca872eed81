// Notices that a peer's process has ended, however it ended, where the fabric itself does not say so.
//
// Each process listens at a port of its own and accepts nobody. The kernel completes the connections that wait to be
// accepted, and answers for them; when the process ends, it resets them all. So nothing of the process needs to run for
// it to be known alive: it may compute for hours.
// * Who could not connect is not told that the peer has ended unless its machine refuses (or a firewall does, which has
//   to let these ports through): a listener with more
//   connections than the kernel keeps for it (net.core.somaxconn, 4096 by default) lets further ones go unanswered, and
//   they are tried again.
// * A connection that is reset was perhaps never one: the kernel of the peer may have had no room for it when it was to
//   be completed, said nothing, and forgotten it. So each sends one byte, which only a completed connection
//   acknowledges; without that it is tried again.
// * The machine of a peer that is lost is noticed by probes, after about kSilenceMs; if it was lost before the first
//   connection, it is not noticed here.
// A child that the process forks and that goes on after it keeps the port listening, unless it runs another program.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "wire/fabric/meeting.hpp"
#include "wire/fabric/socket.hpp"

namespace gapless::wire::fabric {

class Life {
 public:
  static constexpr int kSilenceMs = 20'000;

  // Throws Failure(kArgument) if the host is no address of this machine, kNoMemory without descriptors.
  explicit Life(const std::string& own_host);
  std::uint16_t port() const noexcept { return port_; }

  // Begins to watch a peer, without waiting; at its first use, for it takes a descriptor on this side, and one of
  // somaxconn places on the other. A rank that is watched already stays as it is. Throws Failure(kArgument, kNoMemory).
  void watch(int rank, const Member& member);

  // False for who is not watched. Once true, it stays so. Cost: one call of poll.
  bool is_gone(int rank) noexcept;

 private:
  enum class State : std::uint8_t { kConnecting, kConnected, kPausing, kGone };
  struct Peer {
    Address address;
    Descriptor socket;
    State state = State::kPausing;
    std::int64_t again_ns = 0;
  };
  static void connect(Peer& peer) noexcept;
  static void look(Peer& peer) noexcept;
  static void end(Peer& peer, int error) noexcept;

  Descriptor listener_;
  std::uint16_t port_ = 0;
  std::unordered_map<int, Peer> peers_;
};

}  // namespace gapless::wire::fabric
