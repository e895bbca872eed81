// The constructors that are built from others: darray, and the three that MPI lacks. Exhaustive over small arguments,
// each against its definition written here once more; through the normal form and through a real pack.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "move/move.hpp"
#include "normal/normalise.hpp"
#include "plan/plan.hpp"
#include "property/expand.hpp"
#include "support/oracle.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

using layout::Distribution;
using layout::Order;

// [elements] All new types of up to so many; of 24, a million circular vectors, in the long tests.
const std::int64_t max_elements = [] {
  const char* const set = std::getenv("GAPLESS_TEST_ELEMENTS");
  return set == nullptr ? std::int64_t{13} : std::int64_t{std::atoi(set)};
}();
constexpr std::int64_t kExtent = 4;  // [bytes] of an element
constexpr std::int64_t kDefault = layout::kDefaultDistribution;

// An int16 in four bytes: no two elements touch, so that the normal form shows every one of them.
LayoutPtr element() {
  static const LayoutPtr apart = layout::resized(0, kExtent, type("int16"));
  return apart;
}

// Packs a buffer in which every element holds its own index.
Numbers packed_indices(const layout::Layout& made, std::int64_t elements) {
  std::vector<std::int16_t> buffer(static_cast<std::size_t>(elements) * kExtent / sizeof(std::int16_t), -1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i)
    buffer[i * kExtent / sizeof(std::int16_t)] = static_cast<std::int16_t>(i);
  std::vector<std::int16_t> packed(static_cast<std::size_t>(made.size) / sizeof(std::int16_t), -2);
  EXPECT_EQ(move::pack(*plan::compile(made), 1, buffer.data(), 0, packed.data(), made.size), made.size);
  return {packed.begin(), packed.end()};
}

// `indices`: the elements that the definition says, in order. Returns whether all agree.
bool agrees(const layout::Layout& made, const Numbers& indices, std::int64_t elements) {
  Numbers expanded;
  for (const Entry& entry : expand(normal::normalise(made))) {
    EXPECT_EQ(entry.bytes, 2);
    EXPECT_EQ(entry.displacement % kExtent, 0);
    expanded.push_back(entry.displacement / kExtent);
  }
  const Oracle oracle(made);
  const bool bounds = made.size == 2 * static_cast<std::int64_t>(indices.size()) && made.lb == oracle.bounds().lb &&
                      made.extent == oracle.bounds().extent() && made.true_lb == oracle.bounds().true_lb &&
                      made.true_extent == oracle.bounds().true_extent();
  return bounds && expanded == indices && packed_indices(made, elements) == indices;
}

TEST(NewTypes, BoundedVectorIsItsDefinition) {
  for (std::int64_t bound = 0; bound <= max_elements; ++bound)
    for (std::int64_t stride = 1; stride <= max_elements + 1; ++stride)
      for (std::int64_t length = 1; length <= stride; ++length) {
        Numbers indices;
        for (std::int64_t t = 0; t < bound; ++t)
          if (t % stride < length) indices.push_back(t);
        const LayoutPtr made = layout::bounded_vector(bound, length, stride, element());
        ASSERT_TRUE(agrees(*made, indices, bound)) << bound << ' ' << length << ' ' << stride;
        ASSERT_EQ(made->extent, indices.empty() ? 0 : (indices.back() + 1) * kExtent);
      }
}

TEST(NewTypes, CircularVectorIsItsDefinition) {
  for (std::int64_t total = 0; total <= max_elements; ++total)
    for (std::int64_t bound = 0; bound <= total; ++bound)
      for (std::int64_t stride = 1; stride <= total + 1; ++stride)
        for (std::int64_t length = 1; length <= stride; ++length)
          for (std::int64_t start = 0; start < std::max<std::int64_t>(total, 1); ++start) {
            Numbers indices;
            for (std::int64_t t = 0; t < bound; ++t)
              if (t % stride < length) indices.push_back((start + t) % total);
            const LayoutPtr made = layout::circular_vector(total, start, bound, length, stride, element());
            ASSERT_TRUE(agrees(*made, indices, total))
                << total << ' ' << start << ' ' << bound << ' ' << length << ' ' << stride;
            ASSERT_EQ(made->lb, 0);
            ASSERT_EQ(made->extent, total * kExtent);
          }
}

// Every number of buckets and every stride up to so many elements; all lists of counts where there are not too many.
TEST(NewTypes, BucketIsItsDefinition) {
  for (std::int64_t buckets = 0; buckets <= max_elements; ++buckets)
    for (std::int64_t stride = 0; stride <= max_elements && stride * buckets <= max_elements; ++stride) {
      const std::int64_t step = std::pow(stride + 1, buckets) <= 20'000 ? 1 : std::max<std::int64_t>(1, stride);
      if (std::pow(stride / step + 1, buckets) > 20'000) continue;
      Numbers counts(static_cast<std::size_t>(buckets), 0);
      while (true) {
        Numbers indices;
        for (std::int64_t b = 0; b < buckets; ++b)
          for (std::int64_t j = 0; j < counts[static_cast<std::size_t>(b)]; ++j) indices.push_back(b * stride + j);
        const LayoutPtr made = layout::bucket(stride, counts, element());
        ASSERT_TRUE(agrees(*made, indices, buckets * stride)) << buckets << ' ' << stride;
        ASSERT_EQ(made->lb, 0);
        ASSERT_EQ(made->extent, buckets * stride * kExtent);
        std::size_t digit = 0;
        while (digit < counts.size() && (counts[digit] += step) > stride) counts[digit++] = 0;
        if (digit == counts.size()) break;
      }
    }
}

// The bounds of a bounded vector are those of its elements: no struct of pieces may round them up.
TEST(NewTypes, BoundedVectorIsNotRoundedUp) {
  const LayoutPtr nine = layout::hvector(2, 1, 5, type("int32"));  // 9 bytes, aligned to 4
  const LayoutPtr made = layout::bounded_vector(6, 2, 5, nine);
  EXPECT_EQ(made->extent, 6 * 9);
  EXPECT_EQ(layout::bounded_vector(7, 3, 5, nine)->extent, 7 * 9);
  EXPECT_EQ(made->extent, layout::indexed(Numbers{2, 1}, Numbers{0, 5}, nine)->extent);
  EXPECT_FALSE(made->lb_is_set);
}

struct Dimension {
  std::int64_t size, grid, argument;
  Distribution distribution;
  std::int64_t owner(std::int64_t index) const {
    if (distribution == Distribution::kNone) return 0;
    const bool block = distribution == Distribution::kBlock;
    const std::int64_t length = argument != kDefault ? argument : block ? (size + grid - 1) / grid : 1;
    return index / length % grid;
  }
};

// Every way to deal out up to `most` elements to up to `most_processes`.
std::vector<Dimension> dimensions(std::int64_t most, std::int64_t most_processes) {
  std::vector<Dimension> all;
  for (std::int64_t size = 1; size <= most; ++size) {
    all.push_back({size, 1, kDefault, Distribution::kNone});
    for (std::int64_t grid = 1; grid <= most_processes; ++grid)
      for (std::int64_t argument = kDefault; argument <= size + 1; ++argument) {
        if (argument == 0) continue;
        all.push_back({size, grid, argument, Distribution::kCyclic});
        if (argument == kDefault || argument * grid >= size)
          all.push_back({size, grid, argument, Distribution::kBlock});
      }
  }
  return all;
}

LayoutPtr part(const std::vector<Dimension>& of, std::int64_t rank, Order order) {
  Numbers sizes, arguments, grid;
  std::vector<Distribution> distributions;
  std::int64_t processes = 1;
  for (const Dimension& d : of) {
    sizes.push_back(d.size), arguments.push_back(d.argument), grid.push_back(d.grid);
    distributions.push_back(d.distribution);
    processes *= d.grid;
  }
  return layout::darray(processes, rank, sizes, distributions, arguments, grid, order, element());
}

// All ranks: each part is what its definition says, and together they own every element once.
void expect_dealt_out(const std::vector<Dimension>& of, Order order) {
  std::int64_t elements = 1, processes = 1;
  for (const Dimension& d : of) elements *= d.size, processes *= d.grid;
  std::vector<Numbers> parts(static_cast<std::size_t>(processes));
  for (std::int64_t at = 0; at < elements; ++at) {
    Numbers index(of.size());
    std::int64_t rest = at, rank = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const std::size_t d = order == Order::kC ? of.size() - 1 - i : i;
      index[d] = rest % of[d].size, rest /= of[d].size;
    }
    for (std::size_t d = 0; d < of.size(); ++d) rank = rank * of[d].grid + of[d].owner(index[d]);
    parts[static_cast<std::size_t>(rank)].push_back(at);
  }
  std::vector<int> owners(static_cast<std::size_t>(elements), 0);
  for (std::int64_t rank = 0; rank < processes; ++rank) {
    const LayoutPtr made = part(of, rank, order);
    ASSERT_TRUE(agrees(*made, parts[static_cast<std::size_t>(rank)], elements))
        << "rank " << rank << " of " << processes << ", sizes " << of[0].size << ".." << of.back().size;
    ASSERT_EQ(made->lb, 0);
    ASSERT_EQ(made->extent, elements * kExtent);
    for (const std::int64_t at : packed_indices(*made, elements)) ++owners[static_cast<std::size_t>(at)];
  }
  ASSERT_EQ(owners, std::vector<int>(owners.size(), 1));
}

TEST(NewTypes, DarrayOfOneDimension) {
  for (const Dimension& d : dimensions(13, 5)) {
    expect_dealt_out({d}, Order::kC);
    expect_dealt_out({d}, Order::kFortran);
    if (HasFatalFailure()) return;
  }
}

TEST(NewTypes, DarrayOfTwoDimensions) {
  const std::vector<Dimension> all = dimensions(4, 3);
  for (const Dimension& a : all)
    for (const Dimension& b : all) {
      expect_dealt_out({a, b}, Order::kC);
      expect_dealt_out({a, b}, Order::kFortran);
      if (HasFatalFailure()) return;
    }
}

TEST(NewTypes, DarrayOfThreeDimensions) {
  const std::vector<Dimension> all = dimensions(3, 2);
  for (std::size_t k = 0; k < all.size() * all.size(); ++k) {
    const std::vector<Dimension> of{all[k % all.size()], all[k / all.size()], all[k * 7 % all.size()]};
    expect_dealt_out(of, Order::kC);
    expect_dealt_out(of, Order::kFortran);
    if (HasFatalFailure()) return;
  }
}

// Like the example of the MPI standard, smaller: (block, none, cyclic) on a 2 x 1 x 3 grid, in Fortran order.
TEST(NewTypes, DarrayRanksAreRowMajorInTheGrid) {
  const std::vector<Dimension> of{
      {8, 2, kDefault, Distribution::kBlock}, {3, 1, kDefault, Distribution::kNone}, {6, 3, 2, Distribution::kCyclic}};
  // Rank 4 is at (1, 0, 1): rows 4..7 of the fastest dimension, planes 2 and 3 of the slowest.
  const LayoutPtr made = part(of, 4, Order::kFortran);
  EXPECT_EQ(made->true_lb, (4 + 8 * 3 * 2) * kExtent);
  EXPECT_EQ(made->size, 2 * 4 * 3 * 2);
}

// The description does not grow with the counts.
TEST(NewTypes, CountsBeyond32Bits) {
  constexpr std::int64_t kBig = (std::int64_t{1} << 40) + 3;
  const auto form_of = [](const LayoutPtr& made) { return normal::normalise(*made); };
  const LayoutPtr bounded = layout::bounded_vector(kBig, 2, 4, element());
  EXPECT_EQ(bounded->size, (kBig / 4 * 2 + 2) * 2);
  EXPECT_EQ(form_of(bounded).node->runs, kBig / 4 * 2 + 2);
  const LayoutPtr circular = layout::circular_vector(kBig, kBig - 1, kBig, 2, 4, element());
  EXPECT_EQ(circular->size, bounded->size);
  EXPECT_EQ(circular->extent, kBig * kExtent);
  EXPECT_EQ(form_of(circular).offset, (kBig - 1) * kExtent);
  const LayoutPtr buckets = layout::bucket(kBig, Numbers{kBig, 1, 0}, element());
  EXPECT_EQ(buckets->size, (kBig + 1) * 2);
  EXPECT_EQ(buckets->extent, 3 * kBig * kExtent);
  const LayoutPtr dealt =
      part({{kBig, 3, 2, Distribution::kCyclic}, {5, 2, kDefault, Distribution::kBlock}}, 3, Order::kC);
  EXPECT_EQ(dealt->extent, kBig * 5 * kExtent);
  // Rank 3 is at (1, 1): the element that is left over of the first dimension belongs to (0, *).
  EXPECT_EQ(dealt->size, kBig / 6 * 2 * 2 * 2);
}

// Elements that all lie in one place: messages beyond any memory whose end can be packed all the same.
TEST(NewTypes, PacksTheEndOfCountsBeyond32Bits) {
  constexpr std::int64_t kBig = (std::int64_t{1} << 33) + 1;
  const LayoutPtr same = layout::resized(0, 0, type("int32"));
  const std::vector<LayoutPtr> all{
      layout::contiguous(kBig, same),
      layout::vector(kBig, 3, kBig, same),
      layout::hvector(3, kBig, 0, same),
      layout::indexed(Numbers{kBig, 7, kBig}, Numbers{kBig, -kBig, 0}, same),
      layout::hindexed(Numbers{kBig, 2}, Numbers{0, 0}, same),
      layout::indexed_block(kBig, Numbers{5, kBig, 0}, same),
      layout::hindexed_block(kBig, Numbers{0, 0}, same),
      structure({3, kBig}, {0, 0}, {same, same}),
      layout::subarray(Numbers{kBig, 9}, Numbers{kBig - 1, 2}, Numbers{1, 3}, Order::kFortran, same),
      layout::resized(-kBig, kBig, layout::contiguous(kBig, same)),
      layout::dup(layout::contiguous(kBig, same)),
      layout::darray(2, 1, Numbers{kBig}, std::vector{Distribution::kCyclic}, Numbers{3}, Numbers{2}, Order::kC, same),
      layout::bounded_vector(kBig, 2, 3, same),
      layout::circular_vector(kBig, kBig / 2, kBig - 1, 2, 3, same),
      layout::bucket(kBig, Numbers{kBig, 3, kBig - 1}, same),
  };
  for (const LayoutPtr& made : all) {
    SCOPED_TRACE(layout::combiner_name(made->combiner));
    EXPECT_GT(made->size, std::int64_t{1} << 32);
    const std::int32_t value = 0x01020304;
    std::int32_t packed[3] = {};
    const plan::PlanPtr plan = plan::compile(*made);
    // The end, asked for more than there is.
    EXPECT_EQ(move::pack(*plan, 1, &value, made->size - 12, packed, 1000), 12);
    EXPECT_EQ(std::vector<std::int32_t>(packed, packed + 3), (std::vector<std::int32_t>(3, value)));
    char last = 0;
    EXPECT_EQ(move::pack(*plan, 1, &value, made->size - 1, &last, 8), 1);
    EXPECT_EQ(last, reinterpret_cast<const char*>(&value)[3]);
    EXPECT_EQ(move::pack(*plan, 1, &value, made->size, &last, 1), 0);
  }
}

}  // namespace
}  // namespace gapless::test
