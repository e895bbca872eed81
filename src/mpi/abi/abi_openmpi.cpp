#include "mpi/abi/abi.hpp"

namespace gapless::mpi {

Predefined predefined;
BuiltinTypes builtin_types;

void BuiltinTypes::add(const void* type) noexcept {
  if (type == nullptr || has(type)) return;
  std::size_t k = slot(type);
  while (types_[k] != nullptr) k = (k + 1) % kSlots;
  types_[k] = type;
}

const char* load_predefined(void* (*find_data)(const char*)) noexcept {
  const char* missing = nullptr;
#define GAPLESS_HANDLE(name)          \
  predefined.name = find_data(#name); \
  if (predefined.name == nullptr) missing = #name;
#define GAPLESS_LATER(name) predefined.name = find_data(#name);
#define GAPLESS_BUILTIN(name)         \
  predefined.name = find_data(#name); \
  builtin_types.add(predefined.name);
#include "mpi/abi/openmpi_handles.def"
#undef GAPLESS_HANDLE
#undef GAPLESS_LATER
#undef GAPLESS_BUILTIN
  return missing;
}

}  // namespace gapless::mpi
