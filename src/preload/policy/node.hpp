// The processes of a job on this node that have the layer: before MPI is initialised no process can be asked, and one
// without the layer would not answer.
//
// They meet at a name in the kernel's table of local sockets: it is no file, and goes with the process that has it,
// however that ends. The first to come takes the name and leads. Each other one connects to it and says who it is,
// which needs nobody to listen: the kernel keeps connection and words until the leader's initialisation is over. Then
// the leader counts. In the libraries that we know, initialisation ends nowhere before it has begun everywhere, so
// that all have come who will; where it did not wait, some would be missing, and the answer would be no for all: one
// process gives it. Who comes after that finds no leader, leads, and counts too few.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gapless::preload {

// What became of the question whether all have the layer.
struct Answer {
  bool agreed = false;
  std::string why;         // in a few words
  std::vector<int> ranks;  // of the world, on this node; where some are missing, without those
};

// What a process that waits does meanwhile: another one's initialisation may need it.
using Meanwhile = void (*)() noexcept;

// One of them, as it told.
struct Member {
  std::uint64_t facts = 0;  // what must be the same everywhere
  std::int32_t rank = -1;
};

class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Enters this process; false: it cannot. `job`: its name on this node.
  bool enter(const std::string& job, Member mine);
  bool leads() const noexcept { return !listeners_.empty(); }
  bool is_member() const noexcept { return leader_ >= 0; }
  // The leader, once its initialisation is over: all who are there, itself first.
  std::vector<Member> collect();
  void announce(const Answer& answer) noexcept;
  // The others: waits for the leader.
  Answer await(Meanwhile meanwhile);
  // Closes everything. Without an answer from the leader, the others' is no.
  void leave() noexcept;

 private:
  bool lead(int first, const std::string& name);
  Member mine_;
  std::vector<int> listeners_, members_;
  int leader_ = -1;
};

}  // namespace gapless::preload
