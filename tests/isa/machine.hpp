// Which kernels this machine can run, by what the system says of it: the engine asks the processor itself.
#pragma once

#include <string>
#include <vector>

namespace gapless::test {

// By ascending width, "baseline" first.
std::vector<std::string> machine_isas();

}  // namespace gapless::test
