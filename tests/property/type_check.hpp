// One type against the oracle: bounds, normal form, whole and partial pack and unpack.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "layout/layout.hpp"
#include "normal/normalise.hpp"

namespace gapless::test {

// What a check found to be wrong.
class Wrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of one type, for the histogram.
struct Observed {
  normal::Trace trace;
  std::vector<const char*> kernels;
  std::int64_t bytes = 0;
  bool runs_are_maximal = true;
};

// Throws Wrong at the first deviation. `seed` draws counts and cut points, so that a failure replays.
Observed check_type(const layout::LayoutPtr& type, std::uint64_t seed);

}  // namespace gapless::test
