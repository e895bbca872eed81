#include "preload/policy/switches.hpp"

namespace gapless::preload {

Rule rule;
bool receives_stay_native = false;
std::atomic<int> closer_looks{0};

}  // namespace gapless::preload
