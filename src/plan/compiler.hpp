// From nodes of a normal form to steps.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "normal/form.hpp"
#include "plan/cost.hpp"
#include "plan/step.hpp"

namespace gapless::plan {

// One compilation. Nodes are shared within a form, and so are their steps. Nodes are identified by their addresses, so
// they must outlive the compiler.
class Compiler {
 public:
  std::shared_ptr<const Step> step_of(const normal::Node& node) { return made(node); }

  // A step that is repeated, with a pattern if that makes the repetitions one kernel call. A nest has the pattern of
  // its rows.
  std::shared_ptr<const Step> repeated(const normal::Node& node);

  // The smallest count for which the folded form takes less time than the elements one by one; 0 if there is none.
  std::int64_t min_folded_count(const Step& one, std::int64_t extent, const FoldedSteps& folded);

 private:
  std::shared_ptr<Step> made(const normal::Node& node);
  Step build(const normal::Node& node);
  Step of_loop(const normal::Node& node);
  Step of_table(const normal::Node& node);
  Step of_sequence(const normal::Node& node);

  std::unordered_map<const normal::Node*, std::shared_ptr<Step>> known_;
  Costs costs_{kRepeated};
};

}  // namespace gapless::plan
