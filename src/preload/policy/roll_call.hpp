// Over several nodes `gapless run` counts (gapless/launch/roll_call.py): its addresses, and a secret of this run, are
// in GAPLESS_ROLL_CALL. Before MPI is initialised, one process a node tells it that its node takes part in the job, and
// goes on when that is acknowledged; afterwards it sends the ranks of its node, and asks. The answer is yes exactly if
// all nodes that told have asked, and their ranks add up to the world. Initialisation ends nowhere before it has begun
// everywhere, and so not before all have told that will: none is waited for in vain.
#pragma once

#include <string>
#include <vector>

#include "preload/policy/node.hpp"

namespace gapless::preload {

class RollCall {
 public:
  // Returns true if it was acknowledged; if not, the reason is in `why`. `job`: its name on all nodes.
  bool tell(const std::string& job, std::string& why);
  // True if it was told that this node takes part, and the connection stands.
  bool is_told() const noexcept { return socket_ >= 0; }
  // `facts`: 0 if this node's processes do not agree among themselves.
  Agreement ask(int world_size, std::uint64_t facts, const std::vector<int>& ranks, Meanwhile meanwhile);
  void leave() noexcept;

 private:
  bool send_line(const std::string& line) noexcept;
  // Reads a line without its end. Returns false if the connection broke, or after so many `milliseconds` (below zero:
  // never).
  bool receive_line(std::string& line, int milliseconds, Meanwhile meanwhile);
  int socket_ = -1;
  std::string received_;
};

}  // namespace gapless::preload
