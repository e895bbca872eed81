#include "support/redescribe.hpp"

#include <utility>
#include <vector>

#include "support/random_type.hpp"
#include "support/redescribe/rewrites.hpp"
#include "support/regular_type.hpp"

namespace gapless::test {
namespace {

using layout::Combiner;
using layout::Layout;
using layout::LayoutPtr;

constexpr std::size_t kMaxPlaces = 200;
constexpr int kTries = 20;

// Which child to go down to, from the root.
using Place = std::vector<std::size_t>;

void collect(const Layout& type, Place& here, std::vector<Place>& places) {
  if (places.size() >= kMaxPlaces) return;
  places.push_back(here);
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    here.push_back(i);
    collect(*type.children[i], here, places);
    here.pop_back();
  }
}

LayoutPtr with_child(const Layout& type, std::size_t index, LayoutPtr child) {
  const auto list = [](const base::Numbers& numbers) { return numbers.to_vector(); };
  switch (type.combiner) {
    case Combiner::kContiguous:
      return layout::contiguous(type.count, std::move(child));
    case Combiner::kVector:
      return layout::vector(type.count, type.blocklength, type.stride, std::move(child));
    case Combiner::kHvector:
      return layout::hvector(type.count, type.blocklength, type.stride, std::move(child));
    case Combiner::kIndexed:
      return layout::indexed(list(type.blocklengths), list(type.displacements), std::move(child));
    case Combiner::kHindexed:
      return layout::hindexed(list(type.blocklengths), list(type.displacements), std::move(child));
    case Combiner::kIndexedBlock:
      return layout::indexed_block(type.blocklength, list(type.displacements), std::move(child));
    case Combiner::kHindexedBlock:
      return layout::hindexed_block(type.blocklength, list(type.displacements), std::move(child));
    case Combiner::kStruct: {
      std::vector<LayoutPtr> types = type.children;
      types[index] = std::move(child);
      return layout::structure(list(type.blocklengths), list(type.displacements), types);
    }
    case Combiner::kSubarray:
      return layout::subarray(type.sizes, type.subsizes, type.starts, type.order, std::move(child));
    case Combiner::kResized:
      return layout::resized(type.lb, type.extent, std::move(child));
    case Combiner::kDup:
      return layout::dup(std::move(child));
    default:
      return nullptr;
  }
}

// What is placed by extents must not notice that its parts were respelt.
LayoutPtr with_bounds_of(const Layout& original, LayoutPtr type) {
  if (type->lb == original.lb && type->extent == original.extent) return type;
  return layout::resized(original.lb, original.extent, std::move(type));
}

LayoutPtr rewritten(Random& random, Redescription kind, const LayoutPtr& type) {
  using namespace redescribe_detail;
  switch (kind) {
    case Redescription::kSplit:
      return split(random, type);
    case Redescription::kIndexed:
      return indexed(random, type);
    case Redescription::kNoise:
      return noise(random, type);
    case Redescription::kReassociated:
      return reassociated(random, type);
    case Redescription::kRotated:
      return rotated(random, type);
    case Redescription::kMixed:
      break;
  }
  return nullptr;
}

LayoutPtr rewritten_at(Random& random, Redescription kind, const LayoutPtr& type, const Place& place,
                       std::size_t level = 0) {
  if (level == place.size()) {
    LayoutPtr result = rewritten(random, kind, type);
    return result ? with_bounds_of(*type, std::move(result)) : nullptr;
  }
  LayoutPtr child = rewritten_at(random, kind, type->children[place[level]], place, level + 1);
  return child ? with_bounds_of(*type, with_child(*type, place[level], std::move(child))) : nullptr;
}

LayoutPtr one_step(Random& random, Redescription kind, const LayoutPtr& type) {
  std::vector<Place> places;
  Place root;
  collect(*type, root, places);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    LayoutPtr result = rewritten_at(random, kind, type, random.pick(places));
    if (result && entry_count(*result) <= 4 * kMaxRegularEntries) return result;
  }
  return nullptr;
}

}  // namespace

const char* redescription_name(Redescription kind) noexcept {
  static constexpr const char* kNames[kRedescriptionCount] = {"split",        "indexed", "noise",
                                                              "reassociated", "rotated", "mixed"};
  return kNames[static_cast<int>(kind)];
}

LayoutPtr redescribe(Random& random, Redescription kind, const LayoutPtr& type) {
  if (kind != Redescription::kMixed) return one_step(random, kind, type);
  LayoutPtr result = type;
  for (std::int64_t steps = random.between(1, 4); steps > 0; --steps) {
    const auto step = static_cast<Redescription>(random.between(0, kRedescriptionCount - 2));
    if (LayoutPtr next = one_step(random, step, result)) result = std::move(next);
  }
  return result == type ? nullptr : result;
}

}  // namespace gapless::test
