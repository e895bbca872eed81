#include "plan/units.hpp"

#include <numeric>
#include <vector>

namespace gapless::plan {

std::int64_t unit_of(const normal::Node& blocks) {
  constexpr std::int64_t kMinUnit = 4, kMaxPerRun = 3;  // units of a run, in the mean
  std::int64_t unit = 0;
  blocks.lengths.with_raw([&](const auto* raw) {
    for (std::size_t i = 0; i < blocks.lengths.size() && unit != 1; ++i) unit = std::gcd(unit, std::int64_t{raw[i]});
  });
  unit *= blocks.lengths.scale();
  return unit >= kMinUnit && (blocks.bytes - 1) / kMaxPerRun < unit * blocks.runs ? unit : 0;
}

base::Numbers unit_offsets(const normal::Node& blocks, std::int64_t unit) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(blocks.bytes / unit));
  bool are_units = true;
  for (std::size_t i = 0; i < blocks.lengths.size(); ++i) {
    const std::int64_t first = blocks.offsets[i];
    are_units = are_units && first % unit == 0;
    for (std::int64_t at = 0; at < blocks.lengths[i]; at += unit) offsets.push_back(first + at);
  }
  if (!are_units) return base::Numbers(offsets, 4);
  // Kernels read a list of offsets in units of a block with less work.
  for (std::int64_t& offset : offsets) offset /= unit;
  return base::Numbers(offsets, 4).scaled(unit, 0);
}

}  // namespace gapless::plan
