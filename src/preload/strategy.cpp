#include "preload/strategy.hpp"

#include "base/settings.hpp"

namespace gapless::preload {

Rule rule_for_this_library() {
  Rule rule;
  rule.force = base::setting_on("GAPLESS_FORCE");
  return rule;
}

}  // namespace gapless::preload
