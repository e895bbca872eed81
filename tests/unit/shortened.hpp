// What a failed comparison shows: enough to recognise a description by, not a list of 100 000 entries.
#pragma once

#include <string>

#include "notation/print.hpp"
#include "unit/types.hpp"

namespace gapless::test {

inline std::string shortened(std::string text) {
  constexpr std::size_t kMax = 400;
  if (text.size() > kMax) text = text.substr(0, kMax) + " ...";
  return text;
}

inline std::string shortened(const LayoutPtr& type) {
  return shortened(notation::print(*type));
}

}  // namespace gapless::test
