#include "property/changed_type.hpp"

#include <utility>
#include <vector>

#include "base/status.hpp"
#include "support/random_type.hpp"

namespace gapless::test {
namespace {

using layout::Combiner;
using layout::Layout;
using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

struct Parameters {
  std::int64_t count, blocklength, stride, lb, extent;
  Numbers blocklengths, displacements, starts;
  std::vector<LayoutPtr> children;
};

LayoutPtr rebuilt(const Layout& type, const Parameters& with) {
  const LayoutPtr& old = with.children[0];
  switch (type.combiner) {
    case Combiner::kContiguous:
      return layout::contiguous(with.count, old);
    case Combiner::kVector:
      return layout::vector(with.count, with.blocklength, with.stride, old);
    case Combiner::kHvector:
      return layout::hvector(with.count, with.blocklength, with.stride, old);
    case Combiner::kIndexed:
      return layout::indexed(with.blocklengths, with.displacements, old);
    case Combiner::kHindexed:
      return layout::hindexed(with.blocklengths, with.displacements, old);
    case Combiner::kIndexedBlock:
      return layout::indexed_block(with.blocklength, with.displacements, old);
    case Combiner::kHindexedBlock:
      return layout::hindexed_block(with.blocklength, with.displacements, old);
    case Combiner::kStruct:
      return layout::structure(with.blocklengths, with.displacements, with.children);
    case Combiner::kSubarray:
      return layout::subarray(type.sizes, type.subsizes, with.starts, type.order, old);
    case Combiner::kResized:
      return layout::resized(with.lb, with.extent, old);
    case Combiner::kDup:
      return layout::dup(old);
    default:
      return nullptr;
  }
}

LayoutPtr changed(Random& random, const LayoutPtr& type) {
  if (type->combiner == Combiner::kNamed) {
    // One byte more, or one less.
    return random.chance(50)
               ? layout::structure(Numbers{1, 1}, Numbers{0, type->extent},
                                   std::vector<LayoutPtr>{type, layout::named(*layout::find_named("byte"))})
               : layout::resized(type->lb, type->extent,
                                 layout::contiguous(type->size - 1, layout::named(*layout::find_named("byte"))));
  }
  if (type->expansion) return changed(random, type->expansion);
  if (type->children.empty()) return nullptr;
  Parameters with{type->count,
                  type->blocklength,
                  type->stride,
                  type->lb,
                  type->extent,
                  type->blocklengths.to_vector(),
                  type->displacements.to_vector(),
                  type->starts,
                  type->children};
  std::vector<std::int64_t*> numbers;
  const auto any_of = [&](Numbers& list) {
    if (!list.empty())
      numbers.push_back(&list[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(list.size()) - 1))]);
  };
  switch (type->combiner) {
    case Combiner::kVector:
    case Combiner::kHvector:
      numbers = {&with.count, &with.blocklength, &with.stride};
      break;
    case Combiner::kContiguous:
      numbers = {&with.count};
      break;
    case Combiner::kResized:
      numbers = {&with.lb, &with.extent};
      break;
    default:
      break;
  }
  for (Numbers* list : {&with.blocklengths, &with.displacements, &with.starts}) any_of(*list);
  if (!numbers.empty() && random.chance(40)) {
    *random.pick(numbers) += random.chance(50) ? 1 : -1;
  } else {
    const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(with.children.size()) - 1));
    with.children[at] = changed(random, with.children[at]);
    if (!with.children[at]) return nullptr;
  }
  return rebuilt(*type, with);
}

}  // namespace

LayoutPtr changed_type(Random& random, const LayoutPtr& type) {
  try {
    LayoutPtr result = changed(random, type);
    return result && fits(*result) ? result : nullptr;
  } catch (const base::Error&) {
    return nullptr;
  }
}

}  // namespace gapless::test
