#include "support/equal_trees.hpp"

#include <algorithm>
#include <tuple>

namespace gapless::test {
namespace {

using layout::Layout;

auto arguments(const Layout& type) {
  return std::tie(type.combiner, type.named, type.count, type.blocklength, type.stride, type.bound, type.total,
                  type.start, type.blocklengths, type.displacements, type.sizes, type.subsizes, type.starts, type.order,
                  type.process_count, type.rank, type.distributions, type.distribution_arguments, type.process_grid);
}

auto bounds(const Layout& type) {
  return std::tie(type.size, type.lb, type.extent, type.true_lb, type.true_extent, type.lb_is_set, type.ub_is_set,
                  type.alignment, type.depth);
}

}  // namespace

bool equal_trees(const Layout& a, const Layout& b) {
  return arguments(a) == arguments(b) && bounds(a) == bounds(b) &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    [](const auto& x, const auto& y) { return equal_trees(*x, *y); });
}

}  // namespace gapless::test
