#include "support/fitting_type.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gapless::test {
namespace {

using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

LayoutPtr bytes_of(std::int64_t bytes) {
  return layout::contiguous(bytes, layout::named(*layout::find_named("byte")));
}

// A divisor of n, 1 and n among them.
std::int64_t divisor(Random& random, std::int64_t n) {
  Numbers all;
  for (std::int64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) all.insert(all.end(), {d, n / d});
  return random.pick(all);
}

std::int64_t gap(Random& random) {
  return random.chance(30) ? 0 : random.mostly_small(0, 200);
}

void shuffle(Random& random, Numbers& numbers) {
  for (std::size_t i = numbers.size(); i > 1; --i)
    std::swap(numbers[i - 1], numbers[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
}

// Where parts of these spans go, in the order of the parts.
Numbers places(Random& random, const Numbers& spans) {
  Numbers order(spans.size()), at(spans.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  if (random.chance(25))
    std::reverse(order.begin(), order.end());
  else if (random.chance(25))
    shuffle(random, order);
  std::int64_t behind = random.between(-50, 50);
  for (const std::int64_t part : order) {
    at[static_cast<std::size_t>(part)] = behind;
    behind += spans[static_cast<std::size_t>(part)] + gap(random);
  }
  // Over one another: then the last one written wins.
  if (at.size() > 1 && random.chance(8)) at[1] = at[0] + random.between(0, 3);
  return at;
}

LayoutPtr repeated(Random& random, std::int64_t bytes, int levels) {
  const std::int64_t each = divisor(random, bytes);
  const LayoutPtr one = fitting_type(random, each, levels);
  const std::int64_t span = one->true_extent;
  std::int64_t stride = span + gap(random);
  if (random.chance(20)) stride = -stride;
  if (random.chance(4)) stride = span / 2;
  return layout::hvector(bytes / each, 1, stride, one);
}

// Column by column: rows interleave.
LayoutPtr columns(Random& random, std::int64_t bytes) {
  static const Numbers kBlocks{1, 2, 4, 8, 12, 16, 24};
  std::int64_t block = random.pick(kBlocks);
  if (bytes % block != 0) block = 1;
  const std::int64_t rows = divisor(random, bytes / block), count = bytes / block / rows;
  const std::int64_t row = count * block + gap(random) * block;
  return layout::hvector(count, 1, block, layout::hvector(rows, 1, row, bytes_of(block)));
}

LayoutPtr listed(Random& random, std::int64_t bytes) {
  std::int64_t block = divisor(random, bytes);
  while (bytes / block > 2000) block = divisor(random, bytes);
  return layout::hindexed_block(block, places(random, Numbers(static_cast<std::size_t>(bytes / block), block)),
                                bytes_of(1));
}

Numbers composition(Random& random, std::int64_t bytes, std::size_t most) {
  Numbers parts;
  while (bytes > 0 && parts.size() + 1 < most) {
    parts.push_back(random.mostly_small(1, bytes));
    bytes -= parts.back();
  }
  if (bytes > 0) parts.push_back(bytes);
  return parts;
}

LayoutPtr unlike(Random& random, std::int64_t bytes) {
  const Numbers lengths = composition(random, bytes, 100);
  return layout::hindexed(lengths, places(random, lengths), bytes_of(1));
}

LayoutPtr members(Random& random, std::int64_t bytes, int levels) {
  Numbers spans, ones;
  std::vector<LayoutPtr> types;
  for (const std::int64_t part : composition(random, bytes, 4)) {
    types.push_back(fitting_type(random, part, levels));
    spans.push_back(types.back()->true_extent);
    ones.push_back(1);
  }
  Numbers at = places(random, spans);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] -= types[i]->true_lb;
  return layout::structure(ones, at, types);
}

}  // namespace

LayoutPtr fitting_type(Random& random, std::int64_t bytes, int levels) {
  if (levels == 0 || bytes == 1) return bytes_of(bytes);
  switch (random.between(0, 9)) {
    case 0:
      return bytes_of(bytes);
    case 1:
    case 2:
      return columns(random, bytes);
    case 3:
      return listed(random, bytes);
    case 4:
      return unlike(random, bytes);
    case 5:
      return members(random, bytes, levels - 1);
    default:
      return repeated(random, bytes, levels - 1);
  }
}

}  // namespace gapless::test
