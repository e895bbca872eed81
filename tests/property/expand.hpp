// What a normal form says, written out.
#pragma once

#include <vector>

#include "normal/form.hpp"
#include "support/oracle.hpp"

namespace gapless::test {

std::vector<Entry> expand(const normal::Form& form);

}  // namespace gapless::test
