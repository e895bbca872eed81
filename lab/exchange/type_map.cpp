#include "type_map.hpp"

#include <algorithm>
#include <cfloat>
#include <memory>

#include "base/checked.hpp"

namespace gapless::lab::exchange {
namespace {

using base::checked_add;
using base::checked_mul;
using layout::Combiner;
using layout::Layout;
using layout::LayoutPtr;
using layout::Named;

bool has_long_double(const Layout& type) {
  if (type.combiner == Combiner::kNamed) return std::string(type.named->name).find("long_double") != std::string::npos;
  return std::any_of(type.children.begin(), type.children.end(),
                     [](const LayoutPtr& child) { return has_long_double(*child); });
}

// The type whose data are the padding bytes of another named type.
const Named& padding_of(const Named& type) {
  // x86's 80-bit format; other long doubles fill their memory.
  constexpr std::int64_t kValue = 10, kWhole = sizeof(long double), kRest = LDBL_MANT_DIG == 64 ? kWhole - kValue : 0;
  static const std::vector<std::unique_ptr<const Named>> all = [] {
    std::vector<std::unique_ptr<const Named>> made;
    for (const Named& of : layout::named_types()) {
      Named padding{of.name, 0, of.extent, of.alignment, 0, {{0, 0}, {0, 0}}, 0};
      const std::string name = of.name;
      if (kRest > 0 && name.starts_with("long_double")) {
        padding.runs[padding.run_count++] = {kValue, kRest};
        if (name == "long_double_complex") padding.runs[padding.run_count++] = {kWhole + kValue, kRest};
        padding.size = padding.run_count * kRest;
      }
      made.push_back(std::make_unique<const Named>(padding));
    }
    return made;
  }();
  return *all[static_cast<std::size_t>(&type - layout::named_types().data())];
}

// The same tree over the padding bytes. Its derived fields are those of the original; the oracle reads none of them.
LayoutPtr padding_tree(const Layout& type) {
  auto copy = std::make_shared<Layout>(type);
  if (type.combiner == Combiner::kNamed) copy->named = &padding_of(*type.named);
  for (LayoutPtr& child : copy->children) child = padding_tree(*child);
  return copy;
}

std::int64_t product(const std::vector<std::int64_t>& factors) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) result = checked_mul(result, factor, "elements of the array");
  return result;
}

std::int64_t sum(const base::Numbers& numbers) {
  std::int64_t result = 0;
  for (const std::int64_t number : numbers) result = checked_add(result, number, "elements");
  return result;
}

// How many copies of its old type (of all, for a struct) a constructor makes.
std::int64_t copies(const Layout& type) {
  switch (type.combiner) {
    case Combiner::kNamed:
      return 0;
    case Combiner::kContiguous:
      return type.count;
    case Combiner::kVector:
    case Combiner::kHvector:
      return checked_mul(type.count, type.blocklength, "elements");
    case Combiner::kIndexed:
    case Combiner::kHindexed:
    case Combiner::kStruct:
    case Combiner::kBucket:
      return sum(type.blocklengths);
    case Combiner::kIndexedBlock:
    case Combiner::kHindexedBlock:
      return checked_mul(type.count, type.blocklength, "elements");
    case Combiner::kSubarray:
      return product(type.subsizes);
    case Combiner::kDarray:
      return product(type.sizes);
    case Combiner::kBoundedVector:
    case Combiner::kCircularVector:
      return type.bound;
    case Combiner::kResized:
    case Combiner::kDup:
      break;
  }
  return 1;
}

// Entries of the type map, at most; and of all lists of copies and entries that are made on the way to it.
struct Cost {
  std::int64_t entries = 0;
  std::int64_t all = 0;
};

Cost cost_of(const Layout& type) {
  if (type.combiner == Combiner::kNamed) return {type.named->run_count, type.named->run_count};
  Cost cost;
  std::int64_t made = copies(type);
  cost.all = made;
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    const Cost child = cost_of(*type.children[i]);
    const std::int64_t times = type.combiner == Combiner::kStruct ? type.blocklengths[i] : made;
    cost.entries = checked_add(cost.entries, checked_mul(times, child.entries, "entries"), "entries");
    cost.all = checked_add(cost.all, child.all, "entries");
  }
  cost.all = checked_add(cost.all, cost.entries, "entries");
  return cost;
}

}  // namespace

Runs type_map(const Layout& type, std::int64_t count) {
  const test::Oracle oracle(type);
  Runs runs;
  if (oracle.entries().empty()) return runs;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const test::Entry& entry : oracle.entries()) {
      const std::int64_t displacement = i * oracle.bounds().extent() + entry.displacement;
      if (entry.bytes == 0) continue;
      if (!runs.empty() && runs.back().displacement + runs.back().bytes == displacement)
        runs.back().bytes += entry.bytes;
      else
        runs.push_back({displacement, entry.bytes});
    }
  }
  return runs;
}

Runs padding_bytes(const Layout& type, std::int64_t count) {
  if (LDBL_MANT_DIG != 64 || !has_long_double(type)) return {};
  return type_map(*padding_tree(type), count);
}

std::int64_t type_map_cost_bytes(const Layout& type, std::int64_t count) {
  const Cost cost = cost_of(type);
  const std::int64_t fused = checked_mul(count, cost.entries, "entries");
  // A list that grows is there twice for a moment, the second time twice as large.
  return checked_mul(checked_add(cost.all, fused, "entries"), 3 * std::int64_t{sizeof(test::Entry)}, "entries");
}

std::optional<std::string> difference(const Runs& expected, const Runs& found) {
  const auto at = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
  if (at.first == expected.end() && at.second == found.end()) return std::nullopt;
  const auto shown = [](const Runs& runs, Runs::const_iterator run) {
    return run == runs.end() ? std::string("its end")
                             : std::to_string(run->bytes) + " bytes at " + std::to_string(run->displacement);
  };
  return "type maps differ at run " + std::to_string(at.first - expected.begin()) + ": " + shown(found, at.second) +
         ", not " + shown(expected, at.first);
}

Span span_of(const Layout& type, std::int64_t count) {
  if (count == 0 || type.size == 0) return {};
  const std::int64_t last = checked_mul(count - 1, type.extent, "count * extent");
  const std::int64_t low = checked_add(std::min<std::int64_t>(0, last), type.true_lb, "lowest byte");
  const std::int64_t high = checked_add(checked_add(std::max<std::int64_t>(0, last), type.true_lb, "highest byte"),
                                        type.true_extent, "highest byte");
  base::checked_sub(high, low, "bytes of memory");
  return {low, high};
}

}  // namespace gapless::lab::exchange
