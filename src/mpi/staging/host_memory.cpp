#include "mpi/staging/host_memory.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/ticks.hpp"

namespace gapless::mpi {

namespace {

// What is used of the runtimes' interfaces, which are stable and have no header here.

using CuPointerGetAttribute = int (*)(void* value, int attribute, unsigned long long address);
constexpr int kCuMemoryType = 2;
constexpr int kCuIsManaged = 8;
constexpr unsigned kCuHost = 1;
constexpr int kCuInvalidValue = 1;    // no memory of CUDA's
constexpr int kCuNotInitialized = 3;  // then there is none
constexpr int kCuDeinitialized = 4;
constexpr int kCuNoDevice = 100;

struct HsaPointerInfo {
  std::uint32_t size = sizeof(HsaPointerInfo);
  int type = 0;
  void* agent_base = nullptr;
  void* host_base = nullptr;
  std::size_t bytes = 0;
  void* user_data = nullptr;
  std::uint64_t owner = 0;
};
using HsaPointerInfoGet = int (*)(const void* address, HsaPointerInfo* info, void* (*allocate)(std::size_t),
                                  std::uint32_t* agent_count, std::uint64_t** agents);
using HsaAgentGetInfo = int (*)(std::uint64_t agent, int attribute, void* value);
constexpr int kHsaNotInitialized = 0x100b;
constexpr int kHsaUnknown = 0;  // types of pointers
constexpr int kHsaAllocated = 1;
constexpr int kHsaLocked = 2;  // the program's own memory, pinned
constexpr int kHsaAgentDevice = 17;
constexpr int kHsaProcessor = 0;

using ZeDriverGet = unsigned (*)(std::uint32_t* count, void** drivers);
constexpr unsigned kZeUninitialized = 0x78000001;
constexpr unsigned kZeUnsupported = 0x78000003;  // so says a loader before 1.9 that was not started

enum Runtime { kCuda, kHsa, kLevelZero, kRuntimes };
constexpr const char* kNames[kRuntimes] = {"libcuda.so", "libhsa-runtime64.so", "libze_loader.so"};

// Once set, constant: a runtime that was found is kept loaded.
constinit std::atomic<CuPointerGetAttribute> cu_pointer_get_attribute{nullptr};
constinit std::atomic<HsaPointerInfoGet> hsa_pointer_info{nullptr};
constinit std::atomic<HsaAgentGetInfo> hsa_agent_get_info{nullptr};
constinit std::atomic<ZeDriverGet> ze_driver_get{nullptr};
constinit std::atomic<bool> any_runtime{false};
// How many objects had ever been loaded when they were last looked through.
constinit std::atomic<unsigned long long> objects_seen{ULLONG_MAX};

// [ticks] Nobody opens a library, starts the runtime in it, and has memory from there in so short a time: opening one
// takes tens of microseconds, starting CUDA a hundred milliseconds. On x86 some microseconds; elsewhere the counter's
// pace differs between processors, and this is 5 microseconds of the slowest, 128 ns of the fastest.
#if defined(__x86_64__)
constexpr std::uint64_t kTooShortToStart = 16384;
#else
constexpr std::uint64_t kTooShortToStart = 128;
#endif
// When there was no runtime.
constinit std::atomic<std::int64_t> looked_at{INT64_MIN / 2};

bool cuda_says_host(const void* address) noexcept {
  const CuPointerGetAttribute get = cu_pointer_get_attribute.load(std::memory_order_relaxed);
  if (get == nullptr) return true;
  const auto pointer = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address));
  unsigned type = 0;
  switch (get(&type, kCuMemoryType, pointer)) {
    case 0:
      break;
    case kCuInvalidValue:
    case kCuNotInitialized:
    case kCuDeinitialized:
    case kCuNoDevice:
      return true;
    default:
      return false;
  }
  unsigned managed = 0;
  return type == kCuHost && get(&managed, kCuIsManaged, pointer) == 0 && managed == 0;
}

bool hsa_says_host(const void* address) noexcept {
  const HsaPointerInfoGet get = hsa_pointer_info.load(std::memory_order_relaxed);
  if (get == nullptr) return true;
  HsaPointerInfo info;
  const int status = get(address, &info, nullptr, nullptr, nullptr);
  if (status == kHsaNotInitialized) return true;
  if (status != 0) return false;
  if (info.type == kHsaUnknown || info.type == kHsaLocked) return true;
  const HsaAgentGetInfo get_agent = hsa_agent_get_info.load(std::memory_order_relaxed);
  int device = -1;
  return info.type == kHsaAllocated && get_agent != nullptr && get_agent(info.owner, kHsaAgentDevice, &device) == 0 &&
         device == kHsaProcessor;
}

bool level_zero_is_idle() noexcept {
  const ZeDriverGet get = ze_driver_get.load(std::memory_order_relaxed);
  if (get == nullptr) return true;
  std::uint32_t count = 0;
  const unsigned status = get(&count, nullptr);
  return status == kZeUninitialized || status == kZeUnsupported || (status == 0 && count == 0);
}

struct Found {
  unsigned long long objects = 0;
  char paths[kRuntimes][PATH_MAX];
};

int count_objects(dl_phdr_info* info, std::size_t, void* count) noexcept {
  *static_cast<unsigned long long*>(count) = info->dlpi_adds;
  return 1;
}

int note_runtime(dl_phdr_info* info, std::size_t, void* data) noexcept {
  Found& found = *static_cast<Found*>(data);
  found.objects = info->dlpi_adds;
  const char* const slash = std::strrchr(info->dlpi_name, '/');
  const char* const name = slash != nullptr ? slash + 1 : info->dlpi_name;
  for (int k = 0; k < kRuntimes; ++k) {
    if (std::strncmp(name, kNames[k], std::strlen(kNames[k])) != 0) continue;
    if (std::strlen(info->dlpi_name) < PATH_MAX) std::strcpy(found.paths[k], info->dlpi_name);
  }
  return 0;
}

template <class Function>
void look_up(void* library, const char* name, std::atomic<Function>& function) noexcept {
  function.store(reinterpret_cast<Function>(dlsym(library, name)), std::memory_order_relaxed);
}

// dlopen waits for whoever is opening something, so it is called only where a runtime is there indeed; and not from
// within the walk, which holds a lock that dlopen takes after its own.
void look_for_runtimes() noexcept {
  Found found;
  for (char* const path : found.paths) path[0] = '\0';
  dl_iterate_phdr(note_runtime, &found);
  for (int k = 0; k < kRuntimes; ++k) {
    if (found.paths[k][0] == '\0') continue;
    void* const library = dlopen(found.paths[k], RTLD_NOLOAD | RTLD_LAZY);
    if (library == nullptr) continue;
    switch (k) {
      case kCuda:
        look_up(library, "cuPointerGetAttribute", cu_pointer_get_attribute);
        break;
      case kHsa:
        look_up(library, "hsa_agent_get_info", hsa_agent_get_info);
        look_up(library, "hsa_amd_pointer_info", hsa_pointer_info);
        break;
      default:
        look_up(library, "zeDriverGet", ze_driver_get);
        break;
    }
    any_runtime.store(true, std::memory_order_relaxed);
  }
  objects_seen.store(found.objects, std::memory_order_release);
}

}  // namespace

bool has_gpu_runtime() noexcept {
  const bool may_rest = base::has_steady_counter && !any_runtime.load(std::memory_order_relaxed);
  const std::int64_t now = may_rest ? base::ticks() : 0;
  if (may_rest && static_cast<std::uint64_t>(now - looked_at.load(std::memory_order_relaxed)) < kTooShortToStart)
    return false;
  unsigned long long objects = 0;
  dl_iterate_phdr(count_objects, &objects);
  if (objects != objects_seen.load(std::memory_order_acquire)) look_for_runtimes();
  if (may_rest) looked_at.store(now, std::memory_order_relaxed);
  return any_runtime.load(std::memory_order_relaxed);
}

bool is_host(const void* address) noexcept {
  if (!has_gpu_runtime()) return true;
  return cuda_says_host(address) && hsa_says_host(address) && level_zero_is_idle();
}

}  // namespace gapless::mpi
