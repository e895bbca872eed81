#include "support/random_type.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace gapless::test {
namespace {

using layout::Combiner;
using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

LayoutPtr random_named(Random& random) {
  return layout::named(random.pick(layout::named_types()));
}

// Short lengths and multiples of four have kernels of their own, some lengths also for lists: they get most of the
// types. Every length up to 64 occurs.
std::int64_t random_block_bytes(Random& random) {
  const std::int64_t roll = random.between(0, 99);
  if (roll < 48) return random.between(1, 16);
  if (roll < 81)
    return 4 * random.pick(std::initializer_list<std::int64_t>{5, 6, 7, 8, 9, 10, 11, 11, 12, 13, 13, 14, 15, 16});
  if (roll < 98)
    return random.pick(
        std::initializer_list<std::int64_t>{1, 2, 4, 8, 12, 16, 24, 24, 32, 32, 40, 40, 40, 48, 48, 48, 64, 64, 64});
  return random.between(1, 64);
}

LayoutPtr random_block(Random& random) {
  const std::int64_t bytes = random_block_bytes(random);
  for (const std::int64_t unit : {8, 4, 2}) {
    if (bytes % unit == 0 && random.chance(50)) {
      const char* name = unit == 8 ? "double" : unit == 4 ? "int32" : "int16";
      return layout::contiguous(bytes / unit, layout::named(*layout::find_named(name)));
    }
  }
  return layout::contiguous(bytes, layout::named(*layout::find_named("byte")));
}

LayoutPtr random_leaf(Random& random, int depth) {
  if (depth < 2 || random.chance(9)) return random_named(random);
  if (random.chance(3)) {
    const std::int64_t bytes =
        random.pick(std::initializer_list<std::int64_t>{96, 128, 192, 256, 320, 512, 1000, 1024, 3000});
    return layout::contiguous(bytes, layout::named(*layout::find_named("byte")));
  }
  return random_block(random);
}

Combiner random_combiner(Random& random) {
  if (random.chance(12)) return Combiner::kStruct;  // the richest one
  return static_cast<Combiner>(random.between(static_cast<int>(Combiner::kContiguous), layout::kCombinerCount - 1));
}

// The largest r with r^levels <= room: a nest that shares its copies fairly.
std::int64_t fair_share(std::int64_t room, int levels) {
  const auto power_fits = [&](std::int64_t r) {
    std::int64_t product = 1;
    for (int i = 0; i < levels; ++i) product *= r;
    return product <= room;
  };
  std::int64_t share = 1;
  while (share < 100 && power_fits(share + 1)) ++share;
  return share;
}

LayoutPtr random_of_depth(Random& random, int depth);

LayoutPtr small_sibling(Random& random) {
  return random_of_depth(random, static_cast<int>(random.between(1, 3)));
}

LayoutPtr wrapped(Random& random, LayoutPtr old, int levels) {
  const std::int64_t room = std::min(kMaxTypeEntries / std::max<std::int64_t>(1, entry_count(*old)),
                                     kMaxTypeBytes / std::max<std::int64_t>(1, old->size));
  std::int64_t repetitions = random.chance(25) ? std::min<std::int64_t>(room, 75) : fair_share(room, levels) * 2;
  // Seven tries, each with fewer copies; a dup always fits.
  for (int attempt = 0; attempt < 7; ++attempt, repetitions /= 2) {
    LayoutPtr type = wrap(random, random_combiner(random), old, std::max<std::int64_t>(1, repetitions), small_sibling);
    if (fits(*type)) return type;
  }
  return layout::dup(old);
}

// Equal blocks at places without any rule, most of them apart: what ends in a table.
LayoutPtr scattered(Random& random, LayoutPtr old) {
  std::vector<std::int64_t> displacements;
  std::int64_t at = 0;
  for (std::int64_t i = random.between(3, 30); i > 0; --i) {
    displacements.push_back(at);
    at += std::max<std::int64_t>(old->true_extent, 1) + random.between(1, 24);
  }
  if (random.chance(25)) std::swap(displacements.front(), displacements.back());
  return layout::hindexed_block(1, displacements, std::move(old));
}

// A matrix read by columns. Where the next element continues the columns, it runs into the rows below.
LayoutPtr transposed(Random& random, const LayoutPtr& old) {
  const std::int64_t width = std::max<std::int64_t>(1, old->true_extent), rows = random.between(2, 20);
  const std::int64_t columns = random.between(2, 40);
  const std::int64_t row_bytes = (columns + (random.chance(50) ? 0 : random.between(1, 5))) * width;
  const LayoutPtr column = layout::hvector(rows, 1, row_bytes, old);
  return layout::resized(0, columns * width, layout::hvector(columns, 1, width, column));
}

// Appends blocks to a list: irregular ones, or a stretch of them with one period that is worth a loop of its own.
void append_stretch(Random& random, std::int64_t pitch, bool equal, Numbers& lengths, Numbers& displacements) {
  const bool regular = random.chance(60);
  const std::int64_t period = random.chance(50) ? 1 : random.between(2, 5);
  Numbers gaps, period_lengths;
  for (std::int64_t i = 0; i < period; ++i) {
    gaps.push_back(random.mostly_small(random.chance(90) ? 1 : 0, 3 * pitch));
    period_lengths.push_back(equal ? lengths.empty() ? random.between(1, 3) : lengths.front() : random.between(0, 3));
  }
  const bool down = random.chance(10);
  std::int64_t at = displacements.empty() ? 0 : displacements.back() + 4 * pitch + random.between(0, 24);
  for (std::int64_t i = 0, count = regular ? random.between(40, 90) : random.between(1, 60); i < count; ++i) {
    const auto place = static_cast<std::size_t>(i % period);
    lengths.push_back(regular || equal ? period_lengths[place] : random.between(0, 3));
    displacements.push_back(at);
    const std::int64_t step = lengths.back() * pitch + (regular ? gaps[place] : random.mostly_small(0, 3 * pitch));
    at += down ? -step : step;
  }
}

// A list so long that it is looked at as an array: regular stretches between irregular ones, of one run each, of the
// same block of two runs, or of runs of unlike lengths.
LayoutPtr long_list(Random& random) {
  const bool two_runs = random.chance(25), equal = two_runs || random.chance(55), in_bytes = random.chance(60);
  LayoutPtr old = random.chance(50)
                      ? random_named(random)
                      : layout::contiguous(random.between(1, 12), layout::named(*layout::find_named("byte")));
  if (two_runs) old = layout::vector(2, 1, random.between(2, 3), old);
  Numbers lengths, displacements;
  for (const std::int64_t count = random.between(65, 150); static_cast<std::int64_t>(lengths.size()) < count;)
    append_stretch(random, in_bytes ? std::max<std::int64_t>(old->extent, 1) : 1, equal, lengths, displacements);
  if (equal && in_bytes) return layout::hindexed_block(lengths[0], displacements, old);
  if (equal) return layout::indexed_block(lengths[0], displacements, old);
  return in_bytes ? layout::hindexed(lengths, displacements, old) : layout::indexed(lengths, displacements, old);
}

// Runs of unlike lengths that never meet, too long to be cut: a plan reads the constructor's own lists, in elements.
LayoutPtr list_of_runs(Random& random) {
  LayoutPtr old = random.chance(50) ? random_named(random) : layout::named(*layout::find_named("double"));
  Numbers lengths, displacements;
  std::int64_t at = random.between(-20, 20);
  for (std::int64_t i = random.between(65, 150); i > 0; --i) {
    lengths.push_back(random.between(1, 12));
    displacements.push_back(at);
    at += lengths.back() + random.between(1, 9);
  }
  return layout::indexed(lengths, displacements, std::move(old));
}

LayoutPtr members(const Numbers& displacements, const std::vector<LayoutPtr>& types) {
  return layout::structure(Numbers(types.size(), 1), displacements, types);
}

// A loop over (a, x) with one more x where the copy before its first would have it: its body is (x, a) as well.
LayoutPtr rotated(Random& random, const LayoutPtr& x) {
  const LayoutPtr a = random_named(random);
  const std::int64_t at = a->true_extent + random.between(1, 16);
  const std::int64_t width = at + std::max<std::int64_t>(x->true_extent, 1), stride = width + random.between(1, 40);
  const LayoutPtr pair = members({0, at - x->true_lb}, {a, x});
  const std::int64_t count = random.between(4, 12);
  const LayoutPtr loop = layout::hvector(count, 1, stride, pair);
  if (random.chance(50)) return members({at - x->true_lb, stride}, {x, loop});
  const LayoutPtr last = random.chance(50) ? a : x;
  return members({at - x->true_lb, stride, (count + 1) * stride + random.between(0, 8)}, {x, loop, last});
}

// Matrices of the elements that have transpositions of their own.
LayoutPtr transposed_numbers(Random& random) {
  const char* name = random.pick(std::initializer_list<const char*>{"int32", "int32", "double", "double_complex"});
  return transposed(random, layout::named(*layout::find_named(name)));
}

LayoutPtr random_of_depth(Random& random, int depth) {
  LayoutPtr type = depth >= 4 && random.chance(10) ? transposed_numbers(random) : random_leaf(random, depth);
  if (depth >= 3 && random.chance(3)) {
    LayoutPtr list = random.chance(20) ? list_of_runs(random) : long_list(random);
    if (fits(*list) && depth_of(*list) <= depth) type = std::move(list);
  } else if (depth_of(*type) + 3 <= depth && random.chance(9)) {
    LayoutPtr nest = rotated(random, type);
    if (fits(*nest)) type = std::move(nest);
  }
  if (depth_of(*type) + 3 <= depth && random.chance(6)) {
    LayoutPtr matrix = transposed(random, type);
    if (fits(*matrix)) type = std::move(matrix);
  }
  if (depth_of(*type) < depth && random.chance(30)) {
    LayoutPtr list = scattered(random, type);
    if (fits(*list)) type = std::move(list);
  }
  while (depth_of(*type) < depth) {
    // Without a gap somewhere everything would melt into one run.
    if (depth_of(*type) + 1 < depth && random.chance(35)) {
      LayoutPtr apart = layout::resized(0, std::max<std::int64_t>(type->ub(), 1) + random.mostly_small(1, 40), type);
      if (fits(*apart)) type = std::move(apart);
    }
    const int levels = depth - depth_of(*type);
    type = wrapped(random, std::move(type), levels);
  }
  return type;
}

int random_depth(Random& random) {
  const std::int64_t roll = random.between(0, 99);
  return roll < 2 ? 1 : roll < 12 ? 2 : roll < 40 ? 3 : roll < 76 ? 4 : roll < 92 ? 5 : 6;
}

}  // namespace

std::int64_t entry_count(const layout::Layout& type) {
  if (type.combiner == Combiner::kNamed) return type.named->run_count;
  std::int64_t entries = 0;
  if (type.combiner == Combiner::kStruct) {
    for (std::size_t i = 0; i < type.children.size(); ++i) {
      entries += type.blocklengths[i] * entry_count(*type.children[i]);
    }
    return entries;
  }
  const std::int64_t each = entry_count(*type.children[0]);
  // Types are literal, so entries without data count as well: divide bytes only where there are some.
  if (type.children[0]->size > 0) return each * (type.size / type.children[0]->size);
  return each;
}

int depth_of(const layout::Layout& type) {
  int deepest = 0;
  for (const LayoutPtr& child : type.children) deepest = std::max(deepest, depth_of(*child));
  return deepest + 1;
}

bool fits(const layout::Layout& type) {
  const auto near = [](std::int64_t value) { return std::abs(value) <= kMaxTypeReach; };
  return type.size <= kMaxTypeBytes && entry_count(type) <= kMaxTypeEntries && near(type.lb) && near(type.ub()) &&
         near(type.extent) && near(type.true_lb) && near(type.true_lb + type.true_extent);
}

LayoutPtr random_type(std::uint64_t seed) {
  Random random(seed);
  return random_of_depth(random, random_depth(random));
}

}  // namespace gapless::test
