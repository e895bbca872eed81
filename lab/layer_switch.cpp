#include "layer_switch.hpp"

#include "gapless/gapless_layer.h"

#include <dlfcn.h>

#include <initializer_list>

namespace gapless::lab {

LayerSwitch::LayerSwitch()
    : switch_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch"))),
      collectives_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch_collectives"))),
      paired_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch_paired"))),
      way_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch_way"))) {}

std::optional<LayerSwitch::Counted> LayerSwitch::counted() const {
  static const auto count =
      reinterpret_cast<int (*)(const char*, GAPLESS_Counters*)>(dlsym(RTLD_DEFAULT, "GAPLESS_Count"));
  Counted sum;
  for (const char* procedure : {"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv"}) {
    GAPLESS_Counters counters{};
    if (count == nullptr || count(procedure, &counters) != 0) return std::nullopt;
    sum.converted += counters.accelerated;
    sum.paired += counters.paired;
  }
  return sum;
}

void LayerSwitch::set(bool on) const {
  if (switch_ != nullptr) switch_(on ? 1 : 0);
}

void LayerSwitch::set_past() const {
  if (switch_ != nullptr) switch_(2);
}

void LayerSwitch::set_all(bool on) const {
  set(on);
  if (collectives_ != nullptr) collectives_(on ? 1 : 0);
}

void LayerSwitch::set_own_alltoall(bool on) const {
  if (collectives_ != nullptr) collectives_(on ? 1 : 2);
}

void LayerSwitch::set_paired(bool on) const {
  if (paired_ != nullptr) paired_(on ? 1 : 0);
}

void LayerSwitch::set_way(int way) const {
  if (way_ != nullptr) way_(way);
}

}  // namespace gapless::lab
