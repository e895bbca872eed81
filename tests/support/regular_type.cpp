#include "support/regular_type.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "support/random_type.hpp"

namespace gapless::test {
namespace {

using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

LayoutPtr named(const char* name) {
  return layout::named(*layout::find_named(name));
}

LayoutPtr random_leaf(Random& random) {
  const std::int64_t roll = random.between(0, 99);
  if (roll < 45) return named("int32");
  if (roll < 70) return named("double");
  if (roll < 85) return named("byte");
  if (roll < 92) return named("int16");
  // Two runs with a hole between them, or a hole at the end.
  return named(random.pick(std::initializer_list<const char*>{"short_int", "double_int", "long_double_int"}));
}

// Copies still allowed around `type`.
std::int64_t room_around(const LayoutPtr& type) {
  return kMaxRegularEntries / std::max<std::int64_t>(1, entry_count(*type));
}

std::int64_t random_count(Random& random, std::int64_t room) {
  if (room >= 100 && random.chance(8)) return random.between(100, std::min<std::int64_t>(room, 2000));
  return random.between(2, std::max<std::int64_t>(2, std::min<std::int64_t>(room, random.chance(60) ? 5 : 12)));
}

std::int64_t pitch_of(const LayoutPtr& type) {
  return std::max<std::int64_t>({1, std::abs(type->extent), type->true_extent});
}

// Free space behind a block: none at all (what follows fuses), a few units, or a few bytes.
std::int64_t random_gap(Random& random, std::int64_t unit) {
  if (random.chance(15)) return 0;
  return random.chance(60) ? random.between(1, 4) * unit : random.between(1, 24);
}

LayoutPtr maybe_resized(Random& random, LayoutPtr type) {
  const std::int64_t roll = random.between(0, 99);
  if (roll < 70) return type;
  if (roll < 80) return layout::resized(type->true_lb, type->true_extent, type);
  const std::int64_t behind = std::max<std::int64_t>(type->ub(), 1) + random_gap(random, 8);
  return layout::resized(roll < 95 ? 0 : -4, behind, type);
}

LayoutPtr random_vector(Random& random, const LayoutPtr& old, bool in_bytes) {
  const std::int64_t blocklength = random.chance(50) ? 1 : random.between(2, 5);
  const std::int64_t count = random_count(random, room_around(old) / blocklength);
  const std::int64_t unit = in_bytes ? pitch_of(old) : 1;
  std::int64_t stride = blocklength * unit + random_gap(random, unit);
  if (random.chance(12)) stride = -stride;
  if (random.chance(2)) stride = random.between(-2, 2) * unit;  // on top of one another, but regularly
  return in_bytes ? layout::hvector(count, blocklength, stride, old) : layout::vector(count, blocklength, stride, old);
}

LayoutPtr random_subarray(Random& random, const LayoutPtr& old) {
  const std::int64_t dimensions = random.between(1, 3);
  std::int64_t room = room_around(old);
  Numbers sizes, subsizes, starts;
  for (std::int64_t i = 0; i < dimensions; ++i) {
    const std::int64_t subsize = random.chance(10) ? 1 : std::max<std::int64_t>(1, random_count(random, room));
    room = std::max<std::int64_t>(1, room / subsize);
    subsizes.push_back(subsize);
    sizes.push_back(subsize + (random.chance(30) ? 0 : random.between(1, 5)));
    starts.push_back(random.between(0, sizes.back() - subsize));
  }
  return layout::subarray(sizes, subsizes, starts, random.chance(70) ? layout::Order::kC : layout::Order::kFortran,
                          old);
}

// Displacements with one distance, or with a few that repeat.
Numbers regular_displacements(Random& random, std::int64_t count, const Numbers& lengths, std::int64_t unit) {
  Numbers gaps;
  for (std::int64_t i = random.chance(50) ? 1 : random.between(2, 4); i > 0; --i)
    gaps.push_back(random_gap(random, unit));
  Numbers displacements;
  std::int64_t at = random.chance(70) ? 0 : random.between(0, 5) * unit;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto block = static_cast<std::size_t>(i);
    displacements.push_back(at);
    at += lengths[block % lengths.size()] * unit + gaps[block % gaps.size()];
  }
  return displacements;
}

LayoutPtr random_list(Random& random, const LayoutPtr& old) {
  const bool in_bytes = random.chance(50), equal = random.chance(50);
  Numbers periodic_lengths;
  for (std::int64_t i = equal ? 1 : random.between(2, 3); i > 0; --i) periodic_lengths.push_back(random.between(1, 4));
  const std::int64_t count = random_count(random, room_around(old) / 4);
  const Numbers displacements = regular_displacements(random, count, periodic_lengths, in_bytes ? pitch_of(old) : 1);
  if (equal && in_bytes) return layout::hindexed_block(periodic_lengths[0], displacements, old);
  if (equal) return layout::indexed_block(periodic_lengths[0], displacements, old);
  Numbers lengths;
  for (std::size_t i = 0; i < displacements.size(); ++i)
    lengths.push_back(periodic_lengths[i % periodic_lengths.size()]);
  return in_bytes ? layout::hindexed(lengths, displacements, old) : layout::indexed(lengths, displacements, old);
}

// Two unlike blocks whose next copy continues the last block: alternating_repeated of the expectation tests.
LayoutPtr alternating(Random& random, const LayoutPtr& old) {
  const std::int64_t first = random.between(1, 4), second = random.between(1, 4);
  const std::int64_t at = first + random.between(1, 4);
  const LayoutPtr unit = layout::indexed(Numbers{first, second}, Numbers{0, at}, old);
  return layout::contiguous(random_count(random, room_around(unit)), unit);
}

// A matrix read by columns: the outer stride is one element, the inner one a row.
LayoutPtr transposed(Random& random, const LayoutPtr& old) {
  const std::int64_t width = std::max<std::int64_t>(1, old->true_extent);
  const std::int64_t rows = random_count(random, room_around(old) / 2);
  const std::int64_t columns = random_count(random, room_around(old) / rows);
  const std::int64_t row_bytes = (columns + (random.chance(50) ? 0 : random.between(1, 5))) * width;
  const LayoutPtr column = layout::hvector(rows, 1, row_bytes, old);
  return random.chance(50) ? layout::hvector(columns, 1, width, column)
                           : layout::contiguous(columns, layout::resized(0, width, column));
}

LayoutPtr nest(Random& random, int levels);

LayoutPtr random_struct(Random& random, const LayoutPtr& old, int levels) {
  const std::int64_t members = random.between(2, 3);
  const bool same = random.chance(40);
  Numbers lengths, displacements;
  std::vector<LayoutPtr> types;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < members; ++i) {
    const LayoutPtr member =
        same || i == 0 ? old : nest(random, static_cast<int>(random.between(0, std::min(levels, 2))));
    if (!types.empty() && room_around(member) < 4) continue;
    lengths.push_back(random.chance(70) ? 1 : random.between(2, 3));
    displacements.push_back(at);
    types.push_back(member);
    at += lengths.back() * pitch_of(member) + random_gap(random, 8);
  }
  return layout::structure(lengths, displacements, types);
}

LayoutPtr wrapped(Random& random, const LayoutPtr& old, int levels) {
  const std::int64_t roll = random.between(0, 99);
  if (roll < 18) return layout::contiguous(random_count(random, room_around(old)), old);
  if (roll < 34) return random_vector(random, old, false);
  if (roll < 50) return random_vector(random, old, true);
  if (roll < 62) return random_subarray(random, old);
  if (roll < 74) return random_struct(random, old, levels);
  if (roll < 86) return random_list(random, old);
  if (roll < 93) return alternating(random, old);
  return transposed(random, old);
}

bool small_enough(const LayoutPtr& type) {
  constexpr std::int64_t kMaxReach = std::int64_t{1} << 40;  // [bytes] far from any overflow
  return entry_count(*type) <= kMaxRegularEntries && type->true_extent < kMaxReach &&
         std::abs(type->extent) < kMaxReach;
}

LayoutPtr nest(Random& random, int levels) {
  LayoutPtr type = random_leaf(random);
  for (int level = 0; level < levels; ++level) {
    type = maybe_resized(random, std::move(type));
    for (int attempt = 0; attempt < 5; ++attempt) {
      if (room_around(type) < 2) return type;
      LayoutPtr next = wrapped(random, type, level);
      if (!small_enough(next)) continue;
      type = std::move(next);
      break;
    }
  }
  return type;
}

}  // namespace

LayoutPtr regular_type(std::uint64_t seed) {
  Random random(seed);
  return nest(random, static_cast<int>(random.between(1, 5)));
}

}  // namespace gapless::test
