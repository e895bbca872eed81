// How the processes of a job find one another: all come to rank 0, prove that they know the job's secret and have it
// proven to them, and get the table of all members.
//
//     member                                         rank 0
//     HELLO format, rank, processes, nonce ------->
//                                           <------- CHALLENGE nonce of this connection
//     PROOF own data, MAC -------------------------> (REFUSED, with the reason)
//                                           <------- WELCOME MAC
//                                           <------- TABLE of all members and their nonces, MAC, once all have come
//
// Each MAC is of the secret over its purpose ("member", "host", "table"), the whole HELLO, the challenge, and what is
// sent with it.
// * Recorded bytes are worth nothing: each side's MAC covers a nonce that the other has drawn for this connection.
// * Reflection is excluded twice: the purposes differ, so a MAC that one side made is never one that it would accept;
//   and rank 0 makes none for who has not proven himself, so that strangers cannot use it as an oracle, nor try secrets
//   on what it says.
// * Who stands between can pass bytes on, or not; each that he changes is under a MAC, but for those of REFUSED, which
//   says a number only, and which can do no more than he who cuts the wire.
// Nothing is encrypted: the addresses of the members can be read on the wire.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/fabric/proof.hpp"
#include "wire/fabric/socket.hpp"

namespace gapless::wire::fabric {

struct Member {
  std::string fabric_address;   // at most kMaxAddressBytes, of any values
  std::string host;             // numeric: by which this member is reached
  std::uint16_t life_port = 0;  // life.hpp
  std::uint64_t pid = 0;
  bool operator==(const Member&) const = default;
};
constexpr std::size_t kMaxAddressBytes = 512;

struct Meeting {
  std::string where;  // HOST:PORT or [HOST]:PORT; of a job of one process it may be empty
  int rank = 0, processes = 1;
  Key secret{};
  std::int64_t until_ns = -1;  // of base::now_ns(); < 0: never
};

// Two steps, for a process must know by which address it reaches the others before it opens its endpoint, and tells
// them that endpoint's address. Each step may throw Failure: kTimeout, kSecret; kArgument, where members do not fit
// together or the place is none to meet at; kPeer, where rank 0 has ended; kNoMemory, without descriptors.
class Room {
 public:
  // Rank 0 listens from here on; the others wait here until it does.
  explicit Room(const Meeting& meeting);
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // Numeric: where rank 0 listens, or from where this process reaches it.
  const std::string& own_host() const noexcept { return own_host_; }

  struct Outcome {
    std::vector<Member> members;  // by rank
    Key job{};
  };
  // Collective; once. Afterwards nothing listens at the place. Rank 0 holds a descriptor for each member meanwhile.
  Outcome exchange(Member own);

  // Connections to rank 0 that ended without a member's proof.
  std::int64_t turned_away() const noexcept { return turned_away_; }

 private:
  void listen_there();
  void connect();
  Outcome host(Member own);
  Outcome join(const Member& own);
  bool be_admitted(const Member& own, const Nonce& nonce, Outcome& outcome);

  Meeting meeting_;
  std::vector<Address> addresses_;
  Descriptor socket_;  // rank 0's listens, the others' leads to rank 0
  std::string own_host_;
  std::int64_t turned_away_ = 0;
  std::int64_t pause_ns_;  // before the next try to connect
};

}  // namespace gapless::wire::fabric
