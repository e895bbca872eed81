#include "layer_switch.hpp"

#include <dlfcn.h>

namespace gapless::lab {

LayerSwitch::LayerSwitch() : switch_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch"))) {}

void LayerSwitch::set(bool on) const {
  if (switch_ != nullptr) switch_(on ? 1 : 0);
}

}  // namespace gapless::lab
