// What is timed: one round trip of a ping-pong or one call of a collective, sent by one of the methods.
#pragma once

#include "job.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace gapless::lab::exchange {

class Memory;
struct Message;
struct Stamps;

// Which rank this is, of how many.
struct Place {
  int rank = 0;
  int ranks = 0;
};

// In a ping-pong: who the messages go to, and whether this rank sends the first one.
constexpr int partner(Place place) {
  return place.ranks - 1 - place.rank;
}
constexpr bool leads(Place place) {
  return place.rank < place.ranks / 2;
}

// The ranks that this one sends a block of its own to, and gets one from: in an alltoall all, in an alltoallw all
// others, in a neighbor_alltoall(w), a sendrecv and a waitall those before and behind it in a ring, of two ranks the
// other one; in a gatherv and a scatterv the root and all others. Empty in other patterns.
struct Peers {
  std::vector<int> targets, sources;
};
Peers peers_of(const GroupSpec& group, Place place);
// Whether the pattern is one in which each peer has a block of its own.
bool has_peers(Pattern pattern);

// The rank that works where nothing is sent.
inline constexpr int kAlone = 0;

class Operation {
 public:
  virtual ~Operation() = default;
  // Makes the calls of the method, and before each send of a ping-pong what the sender does there, and nothing else.
  virtual void run(const std::function<void()>& before_send) = 0;

  // Where the data are then.
  enum class Leaves { kReceived, kPacked, kUnpacked };
  virtual Leaves leaves() const { return Leaves::kReceived; }
  // Whether this rank's data are sent, or packed.
  virtual bool sends() const { return true; }
};

// `memory`, `message` and `stamps` must outlive it. With `stamps`, it keeps there how long it packs and unpacks.
std::unique_ptr<Operation> make_operation(const GroupSpec& group, MethodKind method, const Message& message,
                                          Memory& memory, Place place, Stamps* stamps = nullptr);

}  // namespace gapless::lab::exchange
