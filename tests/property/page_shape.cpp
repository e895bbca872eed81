#include "property/page_shape.hpp"

#include <algorithm>
#include <vector>

namespace gapless::test {
namespace {

using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kLeastGap = 8192, kMaxGap = 16384;  // [bytes]
constexpr std::int64_t kMaxBlock = 5000;                   // [bytes]

LayoutPtr byte() {
  return layout::named(*layout::find_named("byte"));
}

// Every length up to a few vectors is as likely as a long block.
std::int64_t block_bytes(Random& random) {
  const std::int64_t roll = random.between(0, 99);
  if (roll < 35) return random.between(1, 64);
  if (roll < 60) return 4 * random.between(1, 64);
  return random.mostly_small(1, kMaxBlock);
}

std::int64_t gap(Random& random) {
  return random.between(kLeastGap, kMaxGap);
}

LayoutPtr block(std::int64_t bytes) {
  return layout::contiguous(bytes, byte());
}

LayoutPtr far_vector(Random& random, std::int64_t most, const LayoutPtr& old) {
  const std::int64_t stride = old->true_extent + gap(random), count = random.between(2, most);
  return layout::hvector(count, 1, random.chance(80) ? stride : -stride, old);
}

// Blocks close together: several in one page, or one over a page's end.
LayoutPtr near_vector(Random& random) {
  const std::int64_t bytes = random.chance(80) ? random.between(1, 64) : 4 * random.between(1, 64);
  const std::int64_t stride = bytes + random.mostly_small(1, 64);
  return layout::hvector(random.between(2, 40), 1, stride, block(bytes));
}

// Places of blocks of these lengths, far from one another, ascending or shuffled.
Numbers places(Random& random, const Numbers& lengths) {
  Numbers at;
  std::int64_t end = 0;
  for (const std::int64_t length : lengths) {
    at.push_back(end);
    end += length + gap(random);
  }
  return at;
}

void shuffle(Random& random, Numbers& lengths, Numbers& at) {
  for (std::size_t i = at.size(); i > 1; --i) {
    const auto j = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1));
    std::swap(at[i - 1], at[j]);
    std::swap(lengths[i - 1], lengths[j]);
  }
}

LayoutPtr far_list(Random& random, bool equal) {
  const std::int64_t one = block_bytes(random);
  Numbers lengths(static_cast<std::size_t>(random.between(2, 40)), one);
  if (!equal)
    for (std::int64_t& length : lengths) length = block_bytes(random);
  Numbers at = places(random, lengths);
  if (random.chance(50)) shuffle(random, lengths, at);
  return layout::hindexed(lengths, at, byte());
}

// Two to four unlike runs and their repetition.
PageShape alternating(Random& random) {
  Numbers lengths(static_cast<std::size_t>(random.between(2, 4)));
  for (std::int64_t& length : lengths) length = block_bytes(random);
  const Numbers at = places(random, lengths);
  const LayoutPtr runs = layout::hindexed(lengths, at, byte());
  return {"alternating", layout::resized(0, runs->true_extent + gap(random), runs), random.between(1, 20)};
}

}  // namespace

PageShape page_shape(Random& random, int kind) {
  switch (kind) {
    case 0:
      return {"vector", far_vector(random, 40, block(block_bytes(random))), 1};
    case 1: {  // the message's count is the loop
      const std::int64_t bytes = block_bytes(random);
      return {"elements", layout::resized(0, bytes + gap(random), block(bytes)), random.between(2, 40)};
    }
    case 2:
      return alternating(random);
    case 3:
      return {"list", far_list(random, true), 1};
    case 4:
      return {"unlike runs", far_list(random, false), 1};
    case 5:
      return {"nest", far_vector(random, 24, near_vector(random)), 1};
    default: {  // elements that interleave: rows of a matrix sent column by column
      const std::int64_t bytes = random.chance(50) ? 8 : random.between(1, 64), columns = random.between(2, 20);
      const std::int64_t stride = columns * bytes + gap(random);
      const LayoutPtr column = layout::hvector(random.between(2, 24), 1, stride, block(bytes));
      return {"columns", layout::resized(0, bytes, column), random.between(1, columns)};
    }
  }
}

}  // namespace gapless::test
