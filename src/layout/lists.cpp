// Constructors that take lists of blocks: indexed, hindexed, indexed_block, hindexed_block, struct.
#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "layout/bounds.hpp"
#include "layout/layout.hpp"

namespace gapless::layout {
namespace {

using NumberSpan = std::span<const std::int64_t>;

void require_equal_lengths(std::size_t a, std::size_t b, const char* what) {
  if (a != b)
    throw base::Error(base::Status::kInvalidArgument, std::string("lists of unequal lengths: ") + what + ": " +
                                                          std::to_string(a) + " and " + std::to_string(b));
}

using base::NumberRange;

void require_blocklengths(NumberSpan blocklengths, const NumberRange& range) {
  if (range.low >= 0) return;
  for (const std::int64_t blocklength : blocklengths)
    require(blocklength >= 0, "every blocklength must be at least 0", blocklength);
}

bool stays_small(const NumberRange& range, std::int64_t factor) {
  constexpr std::int64_t kMax = std::int64_t{1} << 61;
  std::int64_t product;
  for (const std::int64_t value : {range.low, range.high})
    if (__builtin_mul_overflow(value, factor, &product) || product > kMax || product < -kMax) return false;
  return true;
}

// Bounds of a long list, from its outermost elements: the smallest and the largest displacement of a first element and
// of a last element of a block. Returns false if some number is so large that each block must be checked for overflow.
bool outermost_bounds(Bounds& bounds, const Layout& type, NumberRange displacement_range, std::int64_t unit,
                      NumberRange lengths, const Layout& old) {
  const auto count = static_cast<std::size_t>(type.count);
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  if (count < 2 || lengths.low == 0 || !stays_small(displacement_range, unit) || !stays_small(lengths, old.extent) ||
      lengths.high > kMany || count > static_cast<std::size_t>(kMany))
    return false;
  const NumberRange firsts{std::min(displacement_range.low * unit, displacement_range.high * unit),
                           std::max(displacement_range.low * unit, displacement_range.high * unit)};
  NumberRange lasts = firsts;
  std::int64_t elements = 0;  // at most kMany blocks of at most kMany: the sum does not wrap
  if (lengths.low == lengths.high) {
    lasts.low += (lengths.low - 1) * old.extent;
    lasts.high += (lengths.low - 1) * old.extent;
    elements = base::checked_mul(lengths.low, type.count, "count * blocklength");
  } else {
    type.displacements.with_raw([&](const auto* displacement) {
      type.blocklengths.with_raw([&](const auto* length) {
        lasts.low = lasts.high = displacement[0] * unit + (length[0] - 1) * old.extent;
        for (std::size_t i = 0; i < count; ++i) {
          const std::int64_t last = displacement[i] * unit + (length[i] - 1) * old.extent;
          lasts.low = last < lasts.low ? last : lasts.low;
          lasts.high = last > lasts.high ? last : lasts.high;
          elements += length[i];
        }
      });
    });
  }
  for (const std::int64_t displacement : {firsts.low, firsts.high, lasts.low, lasts.high})
    bounds.add_block(1, displacement, old);
  bounds.set_size(base::checked_mul(elements, old.size, "blocklength * size"));
  return true;
}

// `unit`: bytes in a displacement of 1. Block lengths: a list and its range, or no list and the one length of all.
LayoutPtr list(Combiner combiner, NumberSpan displacements, std::int64_t unit, NumberSpan blocklengths,
               NumberRange lengths, LayoutPtr old, std::shared_ptr<Layout> type) {
  type->combiner = combiner;
  type->count = static_cast<std::int64_t>(displacements.size());
  NumberRange displacement_range;
  type->displacements =
      base::Numbers(displacements, 4, &displacement_range);  // at least 4 bytes each, as kernels can read them
  Bounds bounds;
  bounds.add_block(0, 0, *old);  // the depth counts even if no block does
  if (!outermost_bounds(bounds, *type, displacement_range, unit, lengths, *old)) {
    for (std::size_t i = 0; i < displacements.size(); ++i) {
      const std::int64_t length = blocklengths.empty() ? lengths.low : blocklengths[i];
      if (length > 0)
        bounds.add_block(length, base::checked_mul(displacements[i], unit, "displacement * extent"), *old);
    }
  }
  bounds.finish(*type);
  type->children.push_back(std::move(old));
  return type;
}

LayoutPtr with_blocklengths(Combiner combiner, NumberSpan blocklengths, NumberSpan displacements, bool in_bytes,
                            LayoutPtr old) {
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  require_equal_lengths(blocklengths.size(), displacements.size(), "blocklengths and displacements");
  NumberRange lengths;
  auto type = std::make_shared<Layout>();
  type->blocklengths = base::Numbers(blocklengths, 1, &lengths);
  require_blocklengths(blocklengths, lengths);
  const std::int64_t unit = in_bytes ? 1 : old->extent;
  return list(combiner, displacements, unit, blocklengths, lengths, std::move(old), type);
}

LayoutPtr with_blocklength(Combiner combiner, std::int64_t blocklength, NumberSpan displacements, bool in_bytes,
                           LayoutPtr old) {
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  require(blocklength >= 0, "the blocklength must be at least 0", blocklength);
  auto type = std::make_shared<Layout>();
  type->blocklength = blocklength;
  const std::int64_t unit = in_bytes ? 1 : old->extent;
  return list(combiner, displacements, unit, {}, {blocklength, blocklength}, std::move(old), type);
}

}  // namespace

LayoutPtr indexed(NumberSpan blocklengths, NumberSpan displacements, LayoutPtr old) {
  return with_blocklengths(Combiner::kIndexed, blocklengths, displacements, false, std::move(old));
}

LayoutPtr hindexed(NumberSpan blocklengths, NumberSpan displacements, LayoutPtr old) {
  return with_blocklengths(Combiner::kHindexed, blocklengths, displacements, true, std::move(old));
}

LayoutPtr indexed_block(std::int64_t blocklength, NumberSpan displacements, LayoutPtr old) {
  return with_blocklength(Combiner::kIndexedBlock, blocklength, displacements, false, std::move(old));
}

LayoutPtr hindexed_block(std::int64_t blocklength, NumberSpan displacements, LayoutPtr old) {
  return with_blocklength(Combiner::kHindexedBlock, blocklength, displacements, true, std::move(old));
}

LayoutPtr structure(NumberSpan blocklengths, NumberSpan displacements, std::span<const LayoutPtr> types) {
  require_equal_lengths(blocklengths.size(), displacements.size(), "blocklengths and displacements");
  require_equal_lengths(blocklengths.size(), types.size(), "blocklengths and types");
  require_blocklengths(blocklengths, base::range_of(blocklengths));
  auto type = std::make_shared<Layout>();
  type->combiner = Combiner::kStruct;
  type->count = static_cast<std::int64_t>(types.size());
  type->blocklengths = base::Numbers(blocklengths);
  type->displacements = base::Numbers(displacements, 4);
  Bounds bounds;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!types[i])
      throw base::Error(base::Status::kInvalidArgument, "type " + std::to_string(i) + " of the struct is null");
    bounds.add_block(blocklengths[i], displacements[i], *types[i]);
    type->children.push_back(types[i]);
  }
  bounds.finish(*type, true);
  return type;
}

}  // namespace gapless::layout
