#include "cases.hpp"

#include <initializer_list>

namespace gapless::lab::one_sided {
namespace {

using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kInt = 4;
constexpr std::int64_t kGroup = 8;  // units that descriptions of units in groups put together

LayoutPtr int32() {
  return layout::named(*layout::find_named("int32"));
}

// The blocks of a message, in ints.
struct Blocks {
  Numbers lengths, displacements;
};

Numbers in_bytes(Numbers elements) {
  for (std::int64_t& one : elements) one *= kInt;
  return elements;
}

// Those that write every block down: list by list, and int by int.
void add_lists(std::vector<Description>& all, const Blocks& blocks) {
  all.push_back({"hindexed", 1, layout::hindexed(blocks.lengths, in_bytes(blocks.displacements), int32())});
  Numbers each;
  for (std::size_t i = 0; i < blocks.lengths.size(); ++i)
    for (std::int64_t k = 0; k < blocks.lengths[i]; ++k) each.push_back(blocks.displacements[i] + k);
  all.push_back({"by_element", 1, layout::indexed_block(1, each, int32())});
}

// A struct of the first `members` blocks, again and again: `count` times, `extent` ints apart.
LayoutPtr structs(const Blocks& blocks, std::size_t members, std::int64_t count, std::int64_t extent) {
  const auto first = [&](const Numbers& numbers) { return Numbers(numbers.begin(), numbers.begin() + members); };
  const std::vector<LayoutPtr> types(members, int32());
  const LayoutPtr one = layout::structure(first(blocks.lengths), in_bytes(first(blocks.displacements)), types);
  return layout::contiguous(count, layout::resized(0, extent * kInt, one));
}

std::vector<Description> tiled(std::int64_t n, std::int64_t a) {
  const std::int64_t extent = 2 * a;
  Blocks blocks;
  for (std::int64_t i = 0; i < n; ++i) {
    blocks.lengths.push_back(a);
    blocks.displacements.push_back(i * extent);
  }
  const LayoutPtr unit = layout::resized(0, extent * kInt, layout::contiguous(a, int32()));
  const LayoutPtr rows = layout::resized(0, 4 * extent * kInt, layout::vector(4, a, extent, int32()));
  const Numbers size{n / 4}, none{0};
  std::vector<Description> all{
      {"vector", 1, layout::vector(n, a, extent, int32())},
      {"resized", n, unit},
      {"nested", 1, layout::contiguous(n / kGroup, layout::contiguous(2, layout::contiguous(4, unit)))},
      {"subarray_of_vector", 1, layout::subarray(size, size, none, layout::Order::kC, rows)},
      {"struct", 1, structs(blocks, kGroup, n / kGroup, kGroup * extent)},
  };
  add_lists(all, blocks);
  return all;
}

std::vector<Description> alternating(std::int64_t n, std::int64_t a) {
  const std::int64_t extent = 4 * a;
  Blocks blocks;
  for (std::int64_t i = 0; i < n; ++i) {
    for (const std::int64_t length : {a, a / 2}) blocks.lengths.push_back(length);
    for (const std::int64_t start : {std::int64_t{0}, 2 * a}) blocks.displacements.push_back(i * extent + start);
  }
  const Numbers lengths{a, a / 2}, starts{0, 2 * a};
  const LayoutPtr pair = layout::indexed(lengths, starts, int32());
  std::vector<Description> all{
      {"hvector", 1, layout::hvector(n, 1, extent * kInt, pair)},
      {"resized", n, layout::resized(0, extent * kInt, pair)},
      {"struct", 1, structs(blocks, 2 * kGroup, n / kGroup, kGroup * extent)},
  };
  add_lists(all, blocks);
  return all;
}

std::vector<Description> irregular(std::int64_t n, std::int64_t a) {
  Blocks blocks;
  std::uint64_t state = 12345;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    blocks.lengths.push_back(a);
    blocks.displacements.push_back(at);
    state = state * 6364136223846793005u + 1442695040888963407u;
    at += a + 1 + static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(a));
  }
  std::vector<Description> all{{"indexed_block", 1, layout::indexed_block(a, blocks.displacements, int32())}};
  add_lists(all, blocks);
  return all;
}

const char* family_name(Family family) {
  switch (family) {
    case Family::kTiled:
      return "tiled";
    case Family::kAlternating:
      return "alternating";
    case Family::kIrregular:
      return "irregular";
  }
  return "";
}

}  // namespace

std::string Case::name() const {
  return std::string(family_name(family)) + "/A=" + std::to_string(a) + "/" + std::to_string(bytes);
}

std::vector<Description> Case::descriptions() const {
  const std::int64_t unit = (family == Family::kAlternating ? a + a / 2 : a) * kInt;
  const std::int64_t n = bytes / unit / kGroup * kGroup;
  if (family == Family::kTiled) return tiled(n, a);
  return family == Family::kAlternating ? alternating(n, a) : irregular(n, a);
}

std::vector<Case> make_cases(bool quick) {
  std::vector<Case> cases;
  const std::vector<std::int64_t> sizes = quick ? Numbers{3200, 2'560'000} : Numbers{3200, 64'000, 2'560'000};
  for (const std::int64_t bytes : sizes) {
    for (const std::int64_t a : quick ? Numbers{10} : Numbers{2, 10, 100, 1000})
      if (a * kInt * kGroup <= bytes) cases.push_back({Family::kTiled, a, bytes});
    cases.push_back({Family::kAlternating, 10, bytes});
    cases.push_back({Family::kIrregular, 10, bytes});
  }
  return cases;
}

std::vector<OperationSpec> operations() {
  std::vector<OperationSpec> all;
  for (const bool out : {true, false}) {
    const std::string verb = out ? "put" : "get";
    for (const Carrier carrier : {Carrier::kAllocatedWindow, Carrier::kCreatedWindow}) {
      const std::string name = verb + (carrier == Carrier::kAllocatedWindow ? "/allocate" : "/create");
      all.push_back({name + "/local", carrier, out, Derived::kLocal});
      all.push_back({name + "/remote", carrier, out, Derived::kRemote});
      all.push_back({name + "/both", carrier, out, Derived::kBoth});
    }
    all.push_back({verb + "/allocate/both/fence", Carrier::kAllocatedWindow, out, Derived::kBoth, Epoch::kFence});
  }
  for (const bool out : {true, false}) {
    const std::string verb = out ? "write" : "read";
    all.push_back({verb + "/file/local", Carrier::kFile, out, Derived::kLocal});
    all.push_back({verb + "/file/view", Carrier::kFile, out, Derived::kRemote});
    all.push_back({verb + "/file/new_view", Carrier::kFile, out, Derived::kRemote, Epoch::kFlush, true});
  }
  return all;
}

}  // namespace gapless::lab::one_sided
