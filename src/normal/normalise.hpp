// Layout -> normal form, bottom-up, by local rules (normal/rules.hpp), without ever flattening what is regular.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/layout.hpp"
#include "normal/form.hpp"

namespace gapless::normal {

// Which rules fired how often, by position in rule_names(). For tests and `explain`.
struct Trace {
  std::vector<std::int64_t> hits;
};
std::span<const char* const> rule_names() noexcept;

// Cost: linear in the size of the description (the lists that the constructors were given). Growth:
// bounded by normal/rules.hpp.
Form normalise(const layout::Layout& type, Trace* trace = nullptr);

}  // namespace gapless::normal
