#include "property/type_check.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "plan/plan.hpp"
#include "property/expand.hpp"
#include "property/iov_check.hpp"
#include "property/message_check.hpp"
#include "property/sequence_check.hpp"
#include "support/oracle.hpp"

namespace gapless::test {
namespace {

using layout::Layout;

constexpr std::uint64_t kSequencesEvery = 8;  // types: re-descriptions and their oracles take long

void require_equal(const char* what, std::int64_t got, std::int64_t expected) {
  if (got != expected) {
    throw Wrong(std::string(what) + " is " + std::to_string(got) + ", not " + std::to_string(expected));
  }
}

void check_bounds(const Layout& type, const Oracle& oracle) {
  const Bounds& bounds = oracle.bounds();
  require_equal("size", type.size, bounds.size);
  require_equal("lb", type.lb, bounds.lb);
  require_equal("extent", type.extent, bounds.extent());
  require_equal("true_lb", type.true_lb, bounds.true_lb);
  require_equal("true_extent", type.true_extent, bounds.true_extent());
  require_equal("lb_is_set", type.lb_is_set, bounds.marked);
  require_equal("ub_is_set", type.ub_is_set, bounds.marked);
  // The oracle's entries were placed by other code than its bounds: they must agree as well.
  std::int64_t bytes = 0;
  for (const Entry& entry : oracle.entries()) bytes += entry.bytes;
  require_equal("size of the oracle's type map", bytes, bounds.size);
}

bool touches_a_byte_twice(const std::vector<std::int64_t>& displacements) {
  std::unordered_set<std::int64_t> seen;
  for (const std::int64_t displacement : displacements) {
    if (!seen.insert(displacement).second) return true;
  }
  return false;
}

void check_form(const normal::Form& form, const Oracle& oracle, Observed& observed) {
  const std::vector<Entry> runs = fused(oracle.entries());
  if (fused(expand(form)) != runs) throw Wrong("the normal form expands to another sequence: " + normal::text(form));
  if (!form.node) return;
  std::int64_t low = runs.front().displacement, high = low;
  for (const Entry& entry : runs) {
    low = std::min(low, entry.displacement);
    high = std::max(high, entry.displacement + entry.bytes);
  }
  require_equal("bytes of the normal form", form.node->bytes, oracle.bounds().size);
  require_equal("offset of the normal form", form.offset, runs.front().displacement);
  require_equal("low of the normal form", form.offset + form.node->low, low);
  require_equal("high of the normal form", form.offset + form.node->high, high);
  const auto count = static_cast<std::int64_t>(runs.size());
  if (form.node->runs < count) require_equal("runs of the normal form", form.node->runs, count);
  observed.runs_are_maximal = form.node->runs == count;
  if (form.node->disjoint && oracle.bounds().size <= 4096 && touches_a_byte_twice(oracle.byte_displacements(1))) {
    throw Wrong("the normal form claims to be disjoint: " + normal::text(form));
  }
}

void check_message(const plan::Plan& plan, const Oracle& oracle, std::int64_t count, Random& random) {
  MessageCheck check(plan, oracle, count, random);
  check.whole();
  check.nothing();
  if (count == 0 || plan.size() == 0) return;
  check.streamed();
  check.parts();
}

// contiguous(count, type) describes the same message as count times type.
void check_other_description(const layout::LayoutPtr& type, const Oracle& oracle, std::int64_t count, Random& random) {
  const layout::LayoutPtr folded = layout::contiguous(count, type);
  const Oracle folded_oracle(*folded);
  if (folded_oracle.entries() != oracle.entries(count)) throw Wrong("contiguous(count, type) has another type map");
  const plan::PlanPtr plan = plan::compile(*folded);
  MessageCheck(*plan, folded_oracle, 1, random).whole();
}

}  // namespace

Observed check_type(const layout::LayoutPtr& type, std::uint64_t seed) {
  Random random(mixed(seed, 1));
  Observed observed;
  const Oracle oracle(*type);
  check_bounds(*type, oracle);
  const normal::Form form = normal::normalise(*type, &observed.trace);
  check_form(form, oracle, observed);
  const plan::PlanPtr plan = seed % 2 == 0 ? plan::compile(*type) : plan::compile_one_first(type);
  // And others are never told of many elements.
  if (seed % 4 == 3) plan->prepare(2);
  require_equal("size of the plan", plan->size(), oracle.bounds().size);
  require_equal("extent of the plan", plan->extent(), oracle.bounds().extent());
  observed.kernels = plan->kernel_names();
  observed.bytes = plan->size();
  check_message(*plan, oracle, 1, random);
  std::int64_t count = random.between(0, 3);
  // Long messages of short types reach what only many repetitions reach.
  if (plan->size() <= 200 && random.chance(40)) count = random.between(4, 70);
  if (count != 1) check_message(*plan, oracle, count, random);
  check_other_description(type, oracle, count, random);
  // Draws of their own: a seed cuts and counts as it did before there were these checks.
  Random more(mixed(seed, 2));
  for (const std::int64_t elements : {std::int64_t{0}, std::int64_t{1}, std::max<std::int64_t>(count, 2)})
    check_iov(*plan, oracle, elements, more);
  Random places(mixed(seed, 3));
  for (const std::int64_t elements : {std::int64_t{1}, std::max<std::int64_t>(count, 2)})
    MessageCheck(*plan, oracle, elements, places).overlaps(places);
  if (seed % kSequencesEvery == 0) check_sequence(type, count, more);
  return observed;
}

}  // namespace gapless::test
