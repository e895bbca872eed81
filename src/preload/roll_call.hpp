// Over several nodes `gapless run` counts (gapless/launch/roll_call.py): its addresses, and a secret of this run, are
// in GAPLESS_ROLL_CALL. One process a node tells it before MPI is initialised that its node has part in the job, and
// goes on when that has been heard; afterwards it says who is there, and asks. The answer is yes exactly when all nodes
// that told have asked, and what they said adds up to the world. Initialisation ends nowhere before it has begun
// everywhere, and so not before all have told who will: nobody is waited for in vain.
#pragma once

#include <string>
#include <vector>

#include "preload/node.hpp"

namespace gapless::preload {

class RollCall {
 public:
  // Whether it was heard; why not, if not, is in `why`. `job`: its name on all nodes.
  bool tell(const std::string& job, std::string& why);
  // Whether it was told that this node has part, and the connection stands.
  bool is_told() const noexcept { return socket_ >= 0; }
  // `facts` 0: this node's processes do not even agree among themselves.
  Answer ask(int world_size, std::uint64_t facts, const std::vector<int>& ranks, Meanwhile meanwhile);
  void leave() noexcept;

 private:
  bool send_line(const std::string& line) noexcept;
  // A line without its end. False: the connection broke, or the time is over (milliseconds; below zero: never).
  bool receive_line(std::string& line, int milliseconds, Meanwhile meanwhile);
  int socket_ = -1;
  std::string received_;
};

}  // namespace gapless::preload
