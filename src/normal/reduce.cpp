#include "normal/reduce.hpp"

#include <array>
#include <iterator>
#include <utility>

#include "normal/rules.hpp"

namespace gapless::normal {
namespace {

// The order is only a matter of cost: cheap rules first, and lists are fused before they are compared.
constexpr Rule kRules[] = {
    {"single_loop", rules::single_loop},           {"dense_loop", rules::dense_loop},
    {"nested_loop", rules::nested_loop},           {"flatten_sequence", rules::flatten_sequence},
    {"fuse_adjacent", rules::fuse_adjacent},       {"single_part", rules::single_part},
    {"equal_parts", rules::equal_parts},           {"join_loops", rules::join_loops},
    {"arithmetic_table", rules::arithmetic_table},
};
constexpr std::size_t kRuleCount = std::size(kRules);

constexpr auto kNames = [] {
  std::array<const char*, kRuleCount> names{};
  for (std::size_t i = 0; i < kRuleCount; ++i) names[i] = kRules[i].name;
  return names;
}();

}  // namespace

std::span<const Rule> all_rules() noexcept {
  return kRules;
}
std::span<const char* const> rule_names() noexcept {
  return kNames;
}

Form reduce(Draft draft, Trace* trace) {
  if (trace) trace->hits.resize(kRuleCount);
  for (std::size_t i = 0; i < kRuleCount && !draft.ready;) {
    if (kRules[i].apply(draft)) {
      if (trace) ++trace->hits[i];
      i = 0;
    } else {
      ++i;
    }
  }
  if (draft.ready) return {draft.offset, std::move(draft.ready)};
  return {draft.offset, finish(std::move(draft.node))};
}

}  // namespace gapless::normal
