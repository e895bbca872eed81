// The plan of a launch: which groups there are. A group is one layout with its parameters and message size; its methods
// all carry the same payload and are compared with one another.
#pragma once

#include "layouts.hpp"
#include "options.hpp"

#include <string>
#include <vector>

namespace gapless::lab {

struct Case {
  LayoutKind kind;
  int variant;
  int a;
  int bytes;  // the size asked for; the true payload is the largest number of whole units in it

  std::string name() const;  // "tiled/v1/A=2/2560000"
  Layout layout() const;     // 0 units if one unit is larger than the message
};

std::vector<Case> make_cases(const Options& options);

}  // namespace gapless::lab
