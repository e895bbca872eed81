#include "layer_switch.hpp"

#include <dlfcn.h>

#include <initializer_list>

namespace gapless::lab {

LayerSwitch::LayerSwitch()
    : switch_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch"))),
      collectives_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch_collectives"))),
      paired_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch_paired"))),
      way_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch_way"))),
      count_(reinterpret_cast<int (*)(const char*, GAPLESS_Counters*)>(dlsym(RTLD_DEFAULT, "GAPLESS_Count"))) {}

std::optional<LayerSwitch::Counted> LayerSwitch::counted() const {
  Counted sum;
  for (const char* procedure : {"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv"}) {
    const std::optional<GAPLESS_Counters> counters = count(procedure);
    if (!counters) return std::nullopt;
    sum.converted += counters->accelerated;
    sum.paired += counters->paired;
  }
  return sum;
}

std::optional<LayerSwitch::Received> LayerSwitch::received() const {
  const std::optional<GAPLESS_Counters> kernel = count("kernel"), direct = count("direct");
  if (!kernel || !direct) return std::nullopt;
  return Received{kernel->calls, direct->calls};
}

std::optional<GAPLESS_Counters> LayerSwitch::count(const char* of) const {
  GAPLESS_Counters counters{};
  if (count_ == nullptr || count_(of, &counters) != 0) return std::nullopt;
  return counters;
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
