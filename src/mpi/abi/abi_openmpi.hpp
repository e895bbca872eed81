// Open MPI's own ABI. Handles are pointers; those of predefined objects are addresses of the library's variables, which
// mpi.h names. A backend is linked with no library, so they are looked up at run time and the names led there.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

namespace gapless::mpi {

inline constexpr const char* kAbiName = "openmpi";

// Between processes of a node the sender's whole message is copied (4.1.4, 5.0.11: btl sm and vader, single copy), and
// truncation is noticed after that.
inline constexpr bool kTruncationOverruns = true;
inline constexpr bool kCallbacksWaitForSessions = false;
// An error of one among several requests goes to the error handler of that one's communicator, with its own class.
inline constexpr bool kSeveralHaveNoComm = false;

// Not const up to 5.0.
template <class List>
List partition_list_of(int (*)(int, List, MPI_Request));
using PartitionList = decltype(partition_list_of(&MPI_Pready_list));

inline std::uint64_t key_of(const void* handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}

struct Predefined {
#define GAPLESS_HANDLE(name) void* name = nullptr;
#define GAPLESS_LATER(name) void* name = nullptr;
#define GAPLESS_BUILTIN(name) void* name = nullptr;
#include "mpi/abi/openmpi_handles.def"
#undef GAPLESS_HANDLE
#undef GAPLESS_LATER
#undef GAPLESS_BUILTIN
};
extern Predefined predefined;

// The contiguous built-in types by their address, open addressing: a look-up is a multiplication and one or two loads.
class BuiltinTypes {
 public:
  bool has(const void* type) const noexcept {
    for (std::size_t k = slot(type);; k = (k + 1) % kSlots) {
      if (types_[k] == type) return true;
      if (types_[k] == nullptr) return false;
    }
  }
  void add(const void* type) noexcept;

 private:
  static constexpr std::size_t kSlots = 256;
  static std::size_t slot(const void* type) noexcept {
    return static_cast<std::size_t>((key_of(type) * 0x9e3779b97f4a7c15u) >> 56);
  }
  std::array<const void*, kSlots> types_{};
};
extern BuiltinTypes builtin_types;

inline bool is_contiguous_builtin(MPI_Datatype type) noexcept {
  return type != nullptr && builtin_types.has(type);
}

const char* load_predefined(void* (*find_data)(const char*)) noexcept;

}  // namespace gapless::mpi

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) (static_cast<type>(::gapless::mpi::predefined.global))
