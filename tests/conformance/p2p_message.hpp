// What a random program sends: all ranks draw the same messages from a seed.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../preload/random_mpi_type.hpp"
#include "p2p_data.hpp"

namespace conformance {

using test::Random;

enum Send { kIsend, kBsend, kIbsend, kIssend, kSendInit, kSend, kRsend, kIrsend, kSsend };
enum Receive { kIrecv, kRecvInit, kRecv, kSendrecv, kProbed, kMatched };

struct Message {
  int comm, from, to, tag, units, room, send, receive;
  Basic basic;
  Layout out, in;
  bool early, any_source, any_tag, frees_type, frees_request;
  std::uint64_t seed;
  bool is_truncated() const { return room < units; }
  bool is_to_self() const { return from == to; }
  bool is_buffered() const { return send == kBsend || send == kIbsend; }
  bool is_synchronous() const { return send == kIssend || send == kSsend; }
  // True if it goes through shared memory, with nothing switched off and no probes.
  bool is_pairable() const {
    return !is_to_self() && !is_synchronous() && !is_buffered() && conformance::is_pairable(basic, out, units);
  }
};

inline std::vector<Comm> comms;
inline int rank, size;
inline bool probes = false;  // one rank, or all, after some rounds
inline int seed_now = 0, round_now = 0;

inline std::string where(const std::string& what) {
  return "seed " + std::to_string(seed_now) + ", round " + std::to_string(round_now) + ", " + what;
}

inline int rank_of(const Message& m, int world_rank) {
  return comms[static_cast<std::size_t>(m.comm)].rank_of[static_cast<std::size_t>(world_rank)];
}
inline MPI_Comm comm_of(const Message& m) {
  return comms[static_cast<std::size_t>(m.comm)].comm;
}

inline int draw_bytes(Random& random) {
  const int sizes[] = {12, 400, 3840, 3840, 8000, 16'384, 40'000, 70'000, 100'000, 200'000, 300'000};
  if (random.below(60) == 0) return 3'000'000;
  return std::max(12, sizes[random.below(11)] + 12 * (random.below(5) - 2));
}

inline Message draw(Random& random, bool has_early, bool is_barred) {
  Message m{};
  const Layout layouts[] = {Layout::kColumn, Layout::kBlocks, Layout::kReversed, Layout::kMany, Layout::kContiguous};
  m.comm = random.below(4);
  m.from = random.below(size);
  m.to = random.below(12) == 0 || size == 1 ? m.from : (m.from + 1 + random.below(size - 1)) % size;
  m.tag = 10 * m.from + random.below(3);  // of its source, so that it may be asked for from any
  m.basic = static_cast<Basic>(random.below(kBasics));
  // Without the layer too, MPICH cuts packed data within such a pair where both are the same process.
  if (m.is_to_self() && is_mixed(m.basic)) m.basic = Basic::kDoubles;
  m.out = layouts[random.below(5)];
  m.in = random.below(8) == 0 ? Layout::kPacked : layouts[random.below(5)];
  m.units = std::max(1, draw_bytes(random) / unit_bytes(m.basic));
  m.room = m.units + (random.below(2) == 0 ? 0 : random.below(2000));
  m.early = has_early;
  m.receive = m.early ? random.below(2) : random.below(4);
  m.send = random.below(5);
  if (m.early) m.send = random.below(is_barred ? 9 : 6);
  if (m.early && m.send == kSend && random.below(2) == 0 && is_barred) m.send = kSsend;
  // MPICH fails a receive of what was packed into the attached buffer, where both are the same process.
  if (m.is_to_self() && (m.send == kBsend || m.send == kIbsend)) m.send = kIsend;
  const int wild = random.below(6);
  m.any_source = wild == 0;
  m.any_tag = wild == 1;
  // Open MPI overruns a contiguous buffer; so the type has gaps. MPICH fails the sender too where it is the receiver.
  const bool truncates = random.below(12) == 0 && m.units * unit_bytes(m.basic) > 3840 * 2 && !m.is_to_self();
  if (truncates && m.in != Layout::kContiguous && m.in != Layout::kPacked && m.receive < kSendrecv)
    m.room = m.units / 2;
  m.frees_type = random.below(3) == 0 && !m.is_to_self();
  m.frees_request = random.below(6) == 0;
  m.seed = random.next();
  const bool may_probe = probes && round_now >= 2 && (seed_now % 2 == 0 || m.to == seed_now / 2 % size);
  const bool probed = may_probe && !m.early && !m.is_truncated() && random.below(3) == 0;
  if (probed) m.receive = random.below(2) == 0 ? kProbed : kMatched;
  return m;
}

}  // namespace conformance
