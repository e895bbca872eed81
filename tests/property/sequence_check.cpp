#include "property/sequence_check.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "normal/compare.hpp"
#include "normal/normalise.hpp"
#include "notation/print.hpp"
#include "property/changed_type.hpp"
#include "property/type_check.hpp"
#include "support/oracle.hpp"
#include "support/random_type.hpp"
#include "support/redescribe.hpp"

namespace gapless::test {
namespace {

using layout::LayoutPtr;

constexpr int kChanges = 3;

// `count` elements of a type, as both sides of the test see them.
struct Side {
  Side(const LayoutPtr& of, std::int64_t elements)
      : type(of), count(elements), form(normal::normalise(*of)), runs(fused(Oracle(*of).entries(elements))) {}
  LayoutPtr type;
  std::int64_t count;
  normal::Form form;
  std::vector<Entry> runs;

  normal::RepeatedForm elements() const { return {form, count, type->extent}; }
};

// The re-descriptions know MPI's own constructors, and darray is not one of the regular ones.
bool can_be_respelt(const layout::Layout& type) {
  return !type.expansion && std::all_of(type.children.begin(), type.children.end(),
                                        [](const LayoutPtr& child) { return can_be_respelt(*child); });
}

void compare(const Side& a, const Side& b) {
  const bool equal = a.runs == b.runs;
  if (normal::same_sequence(a.elements(), b.elements()) == equal &&
      normal::same_sequence(b.elements(), a.elements()) == equal)
    return;
  throw Wrong(std::string("same_sequence: ") + (equal ? "finds equal" : "takes unequal") + " messages " +
              (equal ? "unequal: " : "for equal: ") + std::to_string(a.count) + " times the type and " +
              std::to_string(b.count) + " times " + notation::print(*b.type));
}

}  // namespace

void check_sequence(const LayoutPtr& type, std::int64_t count, Random& random) {
  const Side message(type, count);
  compare(message, Side(layout::contiguous(count, type), 1));
  compare(message, Side(type, count + 1));
  const LayoutPtr respelt = can_be_respelt(*type) ? redescribe(random, Redescription::kMixed, type) : nullptr;
  if (respelt) compare(message, Side(respelt, count));
  for (int i = 0; i < kChanges; ++i) {
    const LayoutPtr other = changed_type(random, respelt && i > 0 && fits(*respelt) ? respelt : type);
    if (other) compare(message, Side(other, count));
  }
}

}  // namespace gapless::test
