// Making nodes: drafts, which the rules may change, and finished nodes, which nobody may.
#pragma once

#include <cstdint>
#include <vector>

#include "normal/form.hpp"
#include "normal/normalise.hpp"

namespace gapless::normal {

// A form under construction. The offset moves with the origin when a rule drops leading parts.
struct Draft {
  std::int64_t offset = 0;
  Node node;
  NodePtr ready;  // set by a rule whose result is an already finished node; `node` is then unused
};

// Each takes children in normal form and returns a form in normal form. Empty children vanish.
Form loop(std::int64_t count, std::int64_t stride, const Form& body, Trace* trace);
Form sequence(std::vector<Part> parts, Trace* trace);

// Computes the derived fields.
NodePtr finish(Node node);
NodePtr make_run(std::int64_t bytes);

}  // namespace gapless::normal
