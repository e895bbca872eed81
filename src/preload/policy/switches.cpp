#include "preload/policy/switches.hpp"

namespace gapless::preload {

Policy policy;
bool receives_stay_native = false;
bool native_only = false;
std::atomic<int> slow_path_reasons{0};

}  // namespace gapless::preload
