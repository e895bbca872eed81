// What steps take, roughly: moves of a vector or less, which are about a cycle each. For choosing between ways of the
// same work; no promise of time.
#pragma once

#include <unordered_map>

#include "plan/joint.hpp"
#include "plan/step.hpp"

namespace gapless::plan {

// Remembers the steps that it has seen, for they are shared: they must outlive it.
class Costs {
 public:
  double pack(const Step& step) { return of(step, true); }
  double unpack(const Step& step) { return of(step, false); }
  double of(const Joint& step);

 private:
  double of(const Step& step, bool packs);
  double side(const Step& step, bool packs);

  std::unordered_map<const Step*, double> known_[2];
};

}  // namespace gapless::plan
