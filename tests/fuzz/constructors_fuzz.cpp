// Bytes as a program of constructors: each step makes a type out of earlier ones, with any arguments. A step that is
// refused (base::Error) leaves everything as it was; what is built must survive the judge.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "base/status.hpp"
#include "fuzz/input.hpp"
#include "fuzz/judge.hpp"
#include "layout/layout.hpp"

namespace gapless::test::fuzz {
namespace {

using layout::Combiner;
using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

constexpr int kMaxSteps = 10;  // types share their parts: work doubles with each step
constexpr std::size_t kMaxMembers = 4;

Numbers numbers(Input& input, std::size_t size) {
  Numbers list;
  for (std::size_t i = 0; i < size; ++i) list.push_back(input.number());
  return list;
}

// Lists that belong together are mostly of one length.
std::size_t length(Input& input, std::size_t usual) {
  const std::size_t roll = input.choice(64);
  return roll < 60 ? usual : roll - 60;
}

void make_inside(Numbers& sizes, Numbers& subsizes, Numbers& starts) {
  subsizes.resize(sizes.size(), 1);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    subsizes[d] = 1 + (subsizes[d] & 7);
    starts[d] &= 3;
    sizes[d] = starts[d] + subsizes[d] + (sizes[d] & 3);
  }
}

class Program {
 public:
  explicit Program(Input input) : input_(input) { types_.push_back(named()); }

  void run() {
    for (int step = 0; step < kMaxSteps && !input_.empty(); ++step) {
      try {
        types_.push_back(construct(static_cast<Combiner>(input_.choice(layout::kCombinerCount))));
      } catch (const base::Error& error) {
        if (error.what()[0] == '\0') finding("an error without a text", "");
        continue;
      }
      judge(types_.back());
    }
  }

 private:
  LayoutPtr named() {
    const auto all = layout::named_types();
    return layout::named(all[input_.choice(all.size())]);
  }

  // Mostly the newest, so that programs get deep.
  LayoutPtr old() {
    const std::size_t roll = input_.choice(16);
    if (roll == 15) return nullptr;
    if (roll == 14) return named();
    return roll < 10 ? types_.back() : types_[input_.choice(types_.size())];
  }

  LayoutPtr construct(Combiner combiner) {
    Input& in = input_;
    const std::size_t blocks = in.choice(12);
    const auto order = in.choice(2) == 0 ? layout::Order::kC : layout::Order::kFortran;
    const std::int64_t a = in.number(), b = in.number(), c = in.number();
    switch (combiner) {
      case Combiner::kNamed:
        return named();
      case Combiner::kContiguous:
        return layout::contiguous(a, old());
      case Combiner::kVector:
        return layout::vector(a, b, c, old());
      case Combiner::kHvector:
        return layout::hvector(a, b, c, old());
      case Combiner::kIndexed: {
        const Numbers lengths = numbers(in, blocks);
        return layout::indexed(lengths, numbers(in, length(in, blocks)), old());
      }
      case Combiner::kHindexed: {
        const Numbers lengths = numbers(in, blocks);
        return layout::hindexed(lengths, numbers(in, length(in, blocks)), old());
      }
      case Combiner::kIndexedBlock:
        return layout::indexed_block(a, numbers(in, blocks), old());
      case Combiner::kHindexedBlock:
        return layout::hindexed_block(a, numbers(in, blocks), old());
      case Combiner::kStruct: {
        const std::size_t members = blocks % kMaxMembers;
        const Numbers lengths = numbers(in, length(in, members)), displacements = numbers(in, members);
        std::vector<LayoutPtr> types;
        for (std::size_t i = 0; i < members; ++i) types.push_back(old());
        return layout::structure(lengths, displacements, types);
      }
      case Combiner::kSubarray: {
        const std::size_t dimensions = blocks % 5;
        Numbers sizes = numbers(in, dimensions), subsizes = numbers(in, length(in, dimensions));
        Numbers starts = numbers(in, dimensions);
        // Chance alone hardly ever finds a box that lies inside its array.
        if (in.choice(4) > 0) make_inside(sizes, subsizes, starts);
        return layout::subarray(sizes, subsizes, starts, order, old());
      }
      case Combiner::kResized:
        return layout::resized(a, b, old());
      case Combiner::kDup:
        return layout::dup(old());
      case Combiner::kDarray: {
        const std::size_t dimensions = blocks % 5;
        const Numbers sizes = numbers(in, dimensions), arguments = numbers(in, length(in, dimensions));
        std::vector<layout::Distribution> distributions;
        for (std::size_t i = 0; i < dimensions; ++i)
          distributions.push_back(static_cast<layout::Distribution>(in.choice(3)));
        const Numbers grid = numbers(in, dimensions);
        std::int64_t processes = a;
        if (in.choice(4) > 0 && std::all_of(grid.begin(), grid.end(), [](std::int64_t n) { return n > 0 && n < 64; }))
          processes = std::accumulate(grid.begin(), grid.end(), std::int64_t{1}, std::multiplies<>());
        return layout::darray(processes, b, sizes, distributions, arguments, grid, order, old());
      }
      case Combiner::kBoundedVector:
        return layout::bounded_vector(a, b, c, old());
      case Combiner::kCircularVector: {
        const std::int64_t d = in.number();
        return layout::circular_vector(a, b, c, d, in.number(), old());
      }
      case Combiner::kBucket:
        return layout::bucket(a, numbers(in, blocks), old());
    }
    return nullptr;
  }

  Input input_;
  std::vector<LayoutPtr> types_;
};

}  // namespace
}  // namespace gapless::test::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gapless::test::fuzz::Program(gapless::test::fuzz::Input(data, size)).run();
  return 0;
}
