// The runs of a normal form one after the other, for `explain`: the only place of the C interface that knows the kinds
// of nodes.
#pragma once

#include <cstdint>
#include <functional>

#include "normal/form.hpp"

namespace gapless::capi {

// Calls visit(displacement [bytes], bytes) for each maximally fused run in type-map order. Stops after `max_pieces`
// pieces of the form; returns true if it visited all. Cost: one call per piece.
bool for_each_run(const normal::Form& form, std::int64_t max_pieces,
                  const std::function<void(std::int64_t, std::int64_t)>& visit);

// How long a form is when it is written out, shared parts once for each place they stand in. Cost: linear in the form.
struct Written {
  double nodes = 0;    // a double: sharing makes numbers of any size
  double numbers = 0;  // entries of lists
};
Written written(const normal::Form& form);

}  // namespace gapless::capi
