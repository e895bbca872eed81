// The processes of a job on this node that have the layer: before MPI is initialised no process can be asked, and one
// without the layer would not answer.
//
// They meet at an abstract local socket: its name is no file, and goes with the process that has it, however that ends.
// The first process binds the name and leads. Each other one connects and sends its rank and facts, for which nobody
// has to listen: the kernel keeps connection and bytes until the leader's initialisation is over. Then the leader
// counts. In the libraries that we know, initialisation ends nowhere before it has begun everywhere, so that all have
// connected that will; in a library that did not wait, some would be missing, and the answer would be no for all,
// because one process gives it. A process that comes later finds no leader, leads, and counts too few.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gapless::preload {

// The outcome: true if all processes have the layer.
struct Agreement {
  bool agreed = false;
  std::string why;         // the reason, in a few words
  std::vector<int> ranks;  // the known ranks of the world on this node
};

// Called while a process waits: another one's initialisation may need it to make progress.
using Meanwhile = void (*)() noexcept;

// A process, as it introduced itself.
struct Member {
  std::uint64_t facts = 0;  // what must be the same everywhere
  std::int32_t rank = -1;
};

class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Enters this process. Returns false if it cannot. `job`: its name on this node.
  bool enter(const std::string& job, Member mine);
  bool leads() const noexcept { return !listeners_.empty(); }
  bool is_member() const noexcept { return leader_ >= 0; }
  // For the leader, once its initialisation is over: returns all members, itself first.
  std::vector<Member> collect();
  // `descriptor`: of a file that all get, or -1.
  void announce(const Agreement& answer, int descriptor) noexcept;
  // For the others: waits for the leader's answer, and its file.
  Agreement await(Meanwhile meanwhile, int& descriptor);
  // Closes everything. Without an answer from the leader, the others' is no.
  void leave() noexcept;

 private:
  bool lead(int first, const std::string& name);
  Member mine_;
  std::vector<int> listeners_, members_;
  int leader_ = -1;
};

}  // namespace gapless::preload
