// One constructor with random arguments.
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "support/random_type.hpp"

namespace gapless::test {
namespace {

using layout::Combiner;
using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

// Counts that take a kernel's unrolled body, its tail, and neither.
std::int64_t random_count(Random& random, std::int64_t most) {
  const std::int64_t roll = random.between(0, 99);
  if (roll < 2) return 0;
  if (roll < 8) return 1;
  return random.between(2, std::max<std::int64_t>(2, roll < 50 ? std::min<std::int64_t>(most, 9) : most));
}

std::int64_t random_blocklength(Random& random, std::int64_t most) {
  const std::int64_t roll = random.between(0, 99);
  if (roll < 3) return 0;
  if (roll < 60) return 1;
  return random.between(2, std::max<std::int64_t>(2, std::min<std::int64_t>(most, 6)));
}

// Bytes from one copy of `old` to the next, as a positive number to build sensible distances from.
std::int64_t pitch_of(const layout::Layout& old) {
  return std::max<std::int64_t>(1, old.extent > 0 ? old.extent : std::max(-old.extent, old.true_extent));
}

// In units; a block spans `block` of them.
std::int64_t random_stride(Random& random, std::int64_t block, std::int64_t unit) {
  const std::int64_t roll = random.between(0, 99);
  if (roll < 55) return block + random.mostly_small(1, 3 * unit);
  if (roll < 65) return block;
  if (roll < 80) return -block - random.mostly_small(0, 3 * unit);
  if (roll < 83) return 0;
  if (roll < 90) return random.mostly_small(1, 16);  // into the gaps of an element wider than that
  return random.between(-4 * block, 8 * block);
}

struct Blocks {
  Numbers lengths, displacements;
};

Numbers random_lengths(Random& random, std::size_t count, std::int64_t most) {
  Numbers lengths(count, random_blocklength(random, most));
  const std::int64_t style = random.between(0, 9), other = random_blocklength(random, most);
  for (std::size_t i = 0; i < count; ++i) {
    if (style == 7 && i % 2 == 1) lengths[i] = other;
    if (style == 8) lengths[i] = random.between(0, 4);
    if (style == 9 && random.chance(15)) lengths[i] = other;
  }
  return lengths;
}

// The free units before a block, per style: equal distances, periodic ones, irregular ones, none.
class Gaps {
 public:
  Gaps(Random& random, std::int64_t unit) : random_(random), unit_(unit), style_(random.between(0, 5)) {
    period_ = static_cast<std::size_t>(random.between(2, 4));
    for (std::int64_t& gap : gaps_) gap = random.mostly_small(style_ == 0 ? 1 : 0, 3 * unit);
  }
  std::int64_t before(std::size_t block) {
    switch (style_) {
      case 0:
        return gaps_[0];
      case 1:
        return gaps_[block % period_];
      case 2:
        return 0;
      case 3:
        return block % 5 == 0 ? gaps_[1] : 0;
      default:
        return random_.mostly_small(0, 3 * unit_);
    }
  }

 private:
  Random& random_;
  std::int64_t unit_;
  std::int64_t style_;
  std::size_t period_;
  std::int64_t gaps_[4];
};

void reorder(Random& random, Blocks& blocks, std::int64_t unit) {
  const std::size_t count = blocks.lengths.size();
  switch (random.between(0, 11)) {
    case 0:  // backwards
      std::reverse(blocks.lengths.begin(), blocks.lengths.end());
      std::reverse(blocks.displacements.begin(), blocks.displacements.end());
      break;
    case 1:  // below zero
      for (std::int64_t& displacement : blocks.displacements) displacement = -displacement;
      break;
    case 2:  // in no order
      for (std::size_t i = count; i > 1; --i) {
        const auto j = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1));
        std::swap(blocks.lengths[i - 1], blocks.lengths[j]);
        std::swap(blocks.displacements[i - 1], blocks.displacements[j]);
      }
      break;
    case 3:  // on top of one another
      for (std::int64_t& displacement : blocks.displacements) displacement = random.between(-5 * unit, 10 * unit);
      break;
    default:
      break;
  }
}

// `element`: units that one element spans.
Blocks random_blocks(Random& random, std::int64_t most, std::int64_t element, bool equal) {
  const auto count = static_cast<std::size_t>(random_count(random, most));
  const std::int64_t longest =
      std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, static_cast<std::int64_t>(count)));
  Blocks blocks;
  blocks.lengths = equal ? Numbers(count, random_blocklength(random, longest)) : random_lengths(random, count, longest);
  Gaps gaps(random, element);
  std::int64_t at = random.chance(60) ? 0 : random.between(-3 * element, 3 * element);
  for (std::size_t i = 0; i < count; ++i) {
    at += i == 0 ? 0 : gaps.before(i);
    blocks.displacements.push_back(at);
    at += blocks.lengths[i] * element;
  }
  reorder(random, blocks, element);
  return blocks;
}

LayoutPtr random_subarray(Random& random, LayoutPtr old, std::int64_t repetitions) {
  const std::int64_t dimensions = random.between(1, 4);
  Numbers sizes, subsizes, starts;
  for (std::int64_t i = 0; i < dimensions; ++i) {
    const std::int64_t most =
        dimensions == 1 ? repetitions : std::max<std::int64_t>(2, std::min<std::int64_t>(12, repetitions));
    const std::int64_t subsize = random.between(1, most);
    repetitions = std::max<std::int64_t>(1, repetitions / subsize);
    subsizes.push_back(subsize);
    sizes.push_back(subsize + (random.chance(35) ? 0 : random.mostly_small(1, 6)));
    starts.push_back(random.between(0, sizes.back() - subsize));
  }
  return layout::subarray(sizes, subsizes, starts, random.chance(50) ? layout::Order::kC : layout::Order::kFortran,
                          std::move(old));
}

// About `repetitions` elements in blocks at a stride, up to a bound that may cut the last block or follow a gap.
struct Periodic {
  std::int64_t bound, blocklength, stride;
};

Periodic random_periodic(Random& random, std::int64_t repetitions) {
  const std::int64_t blocklength = random.chance(50) ? 1 : random.between(1, std::min<std::int64_t>(repetitions, 6));
  const std::int64_t stride = blocklength + (random.chance(10) ? 0 : random.mostly_small(1, 5));
  const std::int64_t periods = std::max<std::int64_t>(1, repetitions / blocklength);
  std::int64_t bound = random.between(1, periods) * stride + random.between(-stride, stride - 1);
  if (random.chance(3)) bound = 0;
  return {bound, blocklength, stride};
}

LayoutPtr random_circular_vector(Random& random, LayoutPtr old, std::int64_t repetitions) {
  const Periodic p = random_periodic(random, repetitions);
  const std::int64_t total = p.bound + (random.chance(40) ? 0 : random.mostly_small(0, 2 * p.stride));
  const std::int64_t start = random.chance(20) ? 0 : random.between(0, total - 1);
  return layout::circular_vector(total, total == 0 ? 0 : start, p.bound, p.blocklength, p.stride, std::move(old));
}

LayoutPtr random_bucket(Random& random, LayoutPtr old, std::int64_t repetitions) {
  const std::int64_t buckets = random_count(random, std::min<std::int64_t>(repetitions, 20));
  const std::int64_t most = std::clamp<std::int64_t>(repetitions / std::max<std::int64_t>(1, buckets), 1, 6);
  const std::int64_t stride = random.chance(3) ? 0 : most + random.mostly_small(0, 3);
  const std::int64_t same = random.between(0, std::min(most, stride)), style = random.between(0, 3);
  Numbers counts(static_cast<std::size_t>(buckets), same);
  for (std::int64_t& count : counts) {
    if (style == 0) count = random.between(0, stride);
    if (style == 1 && random.chance(30)) count = random.between(0, std::min(most, stride));
  }
  return layout::bucket(stride, counts, std::move(old));
}

LayoutPtr random_darray(Random& random, LayoutPtr old, std::int64_t repetitions) {
  using layout::Distribution;
  const auto dimensions = static_cast<std::size_t>(random.between(1, 3));
  Numbers sizes, arguments, grid;
  std::vector<Distribution> distributions;
  std::int64_t processes = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    distributions.push_back(random.pick(
        std::initializer_list<Distribution>{Distribution::kNone, Distribution::kBlock, Distribution::kCyclic}));
    grid.push_back(distributions[d] == Distribution::kNone ? 1 : random.between(1, 4));
    // The share of one process, times their number, and a rest.
    const std::int64_t share =
        random.between(1, dimensions == 1 ? repetitions : std::min<std::int64_t>(repetitions, 8));
    repetitions = std::max<std::int64_t>(1, repetitions / share);
    sizes.push_back(share * grid[d] + random.between(0, grid[d] - 1));
    const std::int64_t smallest = (sizes[d] + grid[d] - 1) / grid[d];
    const bool is_block = distributions[d] == Distribution::kBlock;
    const std::int64_t given = is_block ? smallest + random.mostly_small(0, 3) : random.mostly_small(1, sizes[d] + 2);
    arguments.push_back(random.chance(40) ? layout::kDefaultDistribution : given);
    processes *= grid[d];
  }
  const layout::Order order = random.chance(50) ? layout::Order::kC : layout::Order::kFortran;
  // Ranks may own nothing, but rank 0 does not.
  for (const std::int64_t rank : {random.between(0, processes - 1), std::int64_t{0}}) {
    LayoutPtr type = layout::darray(processes, rank, sizes, distributions, arguments, grid, order, old);
    if (type->size > 0 || rank == 0 || random.chance(15)) return type;
  }
  return old;
}

LayoutPtr random_struct(Random& random, LayoutPtr old, std::int64_t repetitions, Sibling sibling) {
  const std::int64_t count = random.chance(4) ? 0 : random.between(1, 6);
  Numbers lengths, displacements;
  std::vector<LayoutPtr> types;
  Gaps gaps(random, random.between(1, 24));
  const bool same = random.chance(35);  // one type throughout: pieces that may fuse, or join into one loop
  std::int64_t at = random.chance(70) ? 0 : random.between(-40, 40);
  for (std::int64_t i = 0; i < count; ++i) {
    types.push_back(same || i == count / 2 || random.chance(30) ? old : sibling(random));
    lengths.push_back(random_blocklength(random, repetitions));
    const std::int64_t pitch = pitch_of(*types.back());
    // With bounds of its own a type may start anywhere.
    displacements.push_back(at - (random.chance(50) ? types.back()->true_lb : 0));
    at += lengths.back() * pitch + gaps.before(static_cast<std::size_t>(i));
  }
  if (random.chance(12)) {
    std::reverse(displacements.begin(), displacements.end());
  }
  return layout::structure(lengths, displacements, types);
}

LayoutPtr random_resized(Random& random, LayoutPtr old) {
  const std::int64_t end = old->true_lb + old->true_extent;
  const std::int64_t before = random.between(1, 20);
  const bool repeats = old->combiner == Combiner::kHvector || old->combiner == Combiner::kVector ||
                       old->combiner == Combiner::kContiguous;
  if (repeats && random.chance(25)) {  // the next element continues the loop
    const std::int64_t unit = old->combiner == Combiner::kHvector ? 1 : old->children[0]->extent;
    const std::int64_t stride = old->combiner == Combiner::kContiguous ? 1 : old->stride;
    return layout::resized(0, old->count * stride * unit, old);
  }
  switch (random.between(0, 7)) {
    case 0:  // dense
      return layout::resized(old->true_lb, old->true_extent, old);
    case 1:  // smaller: the next one overlaps or interleaves
      return layout::resized(0, random.between(0, std::max<std::int64_t>(1, old->true_extent)), old);
    case 2:
      return layout::resized(-before, old->extent + random.between(0, 40), old);
    case 3:
      return layout::resized(before - 10, random.between(-30, 60), old);
    case 4:  // one array element: the type may be sent by columns
      return layout::resized(0, random.pick(std::initializer_list<std::int64_t>{1, 4, 8, 16}), old);
    default:
      return layout::resized(0, std::max<std::int64_t>(end, 1) + random.mostly_small(1, 40), old);
  }
}

}  // namespace

LayoutPtr wrap(Random& random, Combiner combiner, LayoutPtr old, std::int64_t repetitions, Sibling sibling) {
  const std::int64_t pitch = pitch_of(*old);
  const std::int64_t count = random_count(random, repetitions);
  const std::int64_t blocklength =
      random_blocklength(random, std::max<std::int64_t>(1, repetitions / std::max<std::int64_t>(1, count)));
  switch (combiner) {
    case Combiner::kNamed:
      return old;
    case Combiner::kContiguous:
      return layout::contiguous(count, std::move(old));
    case Combiner::kVector:
      return layout::vector(count, blocklength, random_stride(random, blocklength, 1), std::move(old));
    case Combiner::kHvector:
      return layout::hvector(count, blocklength, random_stride(random, blocklength * pitch, pitch), std::move(old));
    case Combiner::kIndexed: {
      const Blocks blocks = random_blocks(random, repetitions, 1, false);
      return layout::indexed(blocks.lengths, blocks.displacements, std::move(old));
    }
    case Combiner::kHindexed: {
      const Blocks blocks = random_blocks(random, repetitions, pitch, false);
      return layout::hindexed(blocks.lengths, blocks.displacements, std::move(old));
    }
    case Combiner::kIndexedBlock: {
      const Blocks blocks = random_blocks(random, repetitions, 1, true);
      return layout::indexed_block(blocks.lengths.empty() ? 1 : blocks.lengths[0], blocks.displacements,
                                   std::move(old));
    }
    case Combiner::kHindexedBlock: {
      const Blocks blocks = random_blocks(random, repetitions, pitch, true);
      return layout::hindexed_block(blocks.lengths.empty() ? 1 : blocks.lengths[0], blocks.displacements,
                                    std::move(old));
    }
    case Combiner::kStruct:
      return random_struct(random, std::move(old), repetitions, sibling);
    case Combiner::kSubarray:
      return random_subarray(random, std::move(old), repetitions);
    case Combiner::kResized:
      return random_resized(random, std::move(old));
    case Combiner::kDup:
      return layout::dup(std::move(old));
    case Combiner::kDarray:
      return random_darray(random, std::move(old), repetitions);
    case Combiner::kBoundedVector: {
      const Periodic p = random_periodic(random, repetitions);
      return layout::bounded_vector(p.bound, p.blocklength, p.stride, std::move(old));
    }
    case Combiner::kCircularVector:
      return random_circular_vector(random, std::move(old), repetitions);
    case Combiner::kBucket:
      return random_bucket(random, std::move(old), repetitions);
  }
  return old;
}

}  // namespace gapless::test
