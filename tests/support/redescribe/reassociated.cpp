#include <utility>

#include "support/redescribe/rewrites.hpp"

namespace gapless::test::redescribe_detail {
namespace {

using layout::Combiner;
using layout::Layout;

// A divisor of n other than 1 and n; 0 if there is none.
std::int64_t random_factor(Random& random, std::int64_t n) {
  Numbers factors;
  for (std::int64_t f = 2; f * f <= n && f < 100; ++f) {
    if (n % f != 0) continue;
    factors.push_back(f);
    factors.push_back(n / f);
  }
  return factors.empty() ? 0 : random.pick(factors);
}

bool is_strided(const Layout& type) {
  return type.combiner == Combiner::kVector || type.combiner == Combiner::kHvector;
}

LayoutPtr at(std::int64_t displacement, LayoutPtr type) {
  return displacement == 0 ? type : layout::hindexed_block(1, Numbers{displacement}, std::move(type));
}

LayoutPtr contiguous(Random& random, const Layout& type) {
  const LayoutPtr& old = type.children[0];
  const std::int64_t n = type.count, extent = old->extent, factor = random_factor(random, n);
  switch (random.between(0, 7)) {
    case 0:
    case 1:  // n = n/f * f
      if (factor == 0) return nullptr;
      if (random.chance(40)) return layout::vector(n / factor, factor, factor, old);
      return layout::hvector(n / factor, 1, factor * extent, layout::contiguous(factor, old));
    case 2:
      return random.chance(50) ? layout::vector(n, 1, 1, old) : layout::hvector(n, 1, extent, old);
    case 3:
      return layout::subarray(Numbers{n}, Numbers{n}, Numbers{0}, layout::Order::kC, old);
    case 4:  // the padding of the old type as a stride
      if (old->combiner == Combiner::kResized) return layout::hvector(n, 1, extent, old->children[0]);
      return nullptr;
    case 5:
    case 6:  // one repetition instead of two
      if (old->combiner == Combiner::kContiguous && extent == old->count * old->children[0]->extent)
        return layout::contiguous(n * old->count, old->children[0]);
      if (is_strided(*old) && extent == old->count * stride_bytes(*old))
        return layout::hvector(n * old->count, old->blocklength, stride_bytes(*old), old->children[0]);
      return nullptr;
    default:
      return layout::contiguous(n, layout::resized(random.between(-8, 8), extent, old));
  }
}

LayoutPtr strided(Random& random, const Layout& type) {
  const LayoutPtr& old = type.children[0];
  const std::int64_t n = type.count, length = type.blocklength, stride = stride_bytes(type), extent = old->extent;
  const std::int64_t factor = random_factor(random, n);
  switch (random.between(0, 8)) {
    case 0:  // bytes for elements, elements for bytes
      if (type.combiner == Combiner::kVector) return layout::hvector(n, length, stride, old);
      return extent != 0 && stride % extent == 0 ? layout::vector(n, length, stride / extent, old) : nullptr;
    case 1:  // the block length into the child
      return length > 1 ? layout::hvector(n, 1, stride, layout::contiguous(length, old)) : nullptr;
    case 2: {  // a part of it
      const std::int64_t part = random_factor(random, length);
      return part > 0 ? layout::hvector(n, length / part, stride, layout::contiguous(part, old)) : nullptr;
    }
    case 3:  // out of the child
      if (length == 1 && old->combiner == Combiner::kContiguous)
        return layout::hvector(n, old->count, stride, old->children[0]);
      return nullptr;
    case 4:
    case 5: {  // two nested repetitions
      if (factor == 0) return nullptr;
      return layout::hvector(n / factor, 1, factor * stride, layout::hvector(factor, length, stride, old));
    }
    case 6:  // one for two
      if (length == 1 && is_strided(*old) && stride == old->count * stride_bytes(*old))
        return layout::hvector(n * old->count, old->blocklength, stride_bytes(*old), old->children[0]);
      return nullptr;
    case 7: {  // the stride as an extent
      const LayoutPtr block = length == 1 ? old : layout::contiguous(length, old);
      return layout::contiguous(n, layout::resized(0, stride, block));
    }
    default: {  // part of an array whose rows are the stride
      if (extent <= 0 || stride % extent != 0 || stride / extent < length) return nullptr;
      const Numbers sizes{n, stride / extent}, subsizes{n, length};
      return layout::subarray(sizes, subsizes, Numbers{0, 0}, layout::Order::kC, old);
    }
  }
}

// Nested hvectors, from the fastest dimension outwards.
LayoutPtr subarray(Random& random, const LayoutPtr& shared) {
  const Layout& type = *shared;
  const std::size_t dimensions = type.sizes.size();
  if (random.chance(25)) {  // the other order, with the dimensions reversed
    const auto reversed = [](const Numbers& numbers) { return Numbers(numbers.rbegin(), numbers.rend()); };
    const auto order = type.order == layout::Order::kC ? layout::Order::kFortran : layout::Order::kC;
    return layout::subarray(reversed(type.sizes), reversed(type.subsizes), reversed(type.starts), order,
                            type.children[0]);
  }
  LayoutPtr box = type.children[0];
  std::int64_t step = box->extent, start = 0;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = type.order == layout::Order::kC ? dimensions - 1 - i : i;
    box = i == 0 && random.chance(50) ? layout::contiguous(type.subsizes[d], box)
                                      : layout::hvector(type.subsizes[d], 1, step, box);
    start += type.starts[d] * step;
    step *= type.sizes[d];
  }
  return at(start, box);
}

// A list with one distance is a repetition.
LayoutPtr list(const Layout& type) {
  const std::vector<Block> blocks = blocks_of(type);
  if (blocks.size() < 2) return nullptr;
  const std::int64_t stride = blocks[1].displacement - blocks[0].displacement;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool regular = blocks[i].length == blocks[0].length &&
                         blocks[i].displacement == blocks[0].displacement + static_cast<std::int64_t>(i) * stride;
    if (!regular) return nullptr;
  }
  return at(blocks[0].displacement,
            layout::hvector(static_cast<std::int64_t>(blocks.size()), blocks[0].length, stride, type.children[0]));
}

// The same bytes by smaller elements.
LayoutPtr smaller_elements(Random& random, const layout::Named& named) {
  const auto bytes = [&](std::int64_t count) {
    const bool halves = count % 2 == 0 && random.chance(50);
    return layout::contiguous(halves ? count / 2 : count,
                              layout::named(*layout::find_named(halves ? "int16" : "byte")));
  };
  if (named.run_count == 1) return bytes(named.runs[0].bytes);
  return layout::structure(Numbers{1, 1}, Numbers{named.runs[0].displacement, named.runs[1].displacement},
                           std::vector<LayoutPtr>{bytes(named.runs[0].bytes), bytes(named.runs[1].bytes)});
}

}  // namespace

LayoutPtr reassociated(Random& random, const LayoutPtr& type) {
  if (type->size == 0) return nullptr;
  switch (type->combiner) {
    case Combiner::kNamed:
      return random.chance(30) && type->size > 1 ? smaller_elements(random, *type->named) : nullptr;
    case Combiner::kContiguous:
      return contiguous(random, *type);
    case Combiner::kVector:
    case Combiner::kHvector:
      return strided(random, *type);
    case Combiner::kSubarray:
      return subarray(random, type);
    case Combiner::kIndexed:
    case Combiner::kHindexed:
    case Combiner::kIndexedBlock:
    case Combiner::kHindexedBlock:
      return list(*type);
    default:
      return nullptr;
  }
}

}  // namespace gapless::test::redescribe_detail
