// A face of a block of a grid with many variables, as miniGhost exchanges it by datatypes: one message of all
// variables, each an array of its own, from the outermost points to a neighbour's layer of ghost points.
#pragma once

#include "ddtbench.hpp"

#include <string>
#include <vector>

namespace gapless::lab {

// Variables of 30 x 30 x 30 points with a layer of ghost points around, which lie one after the other in one
// allocation.
struct GhostFace {
  char face;  // x: points far apart; y: lines of 30 points; z: the same, in one plane
  int variables;
  std::string name() const { return std::string("miniGhost_") + face + "/" + std::to_string(variables); }
  Exchange exchange() const;
};
// The study of 2022 has 3500: 25 MB of 0.9 GB, of which a benchmark would need four. These are a hundredth and a tenth.
inline constexpr std::array kGhostVariables{35, 350};

std::vector<NamedExchange> ghost_exchanges();

}  // namespace gapless::lab
