// MPI_Alloc_mem, MPI_Free_mem: memory that the other processes of the node can map (wire/heap.hpp).
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>

#include "base/settings.hpp"
#include "preload/paired/callers.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/policy/switches.hpp"
#include "preload/policy/world.hpp"
#include "preload/stats/counters.hpp"
#include "preload/stats/log.hpp"
#include "preload/stats/ways.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// [bytes] Shorter memory is the library's: it takes whole pages here, and messages in it gain little.
constexpr MPI_Aint kShortest = 64 << 10;

// True if memory from here on, which was touched, has huge pages: a program that walks through it in long strides is
// faster then (docs/results/adaptive.md).
bool has_huge_pages(const void* memory, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long from = 0, to = 0, kilobytes = 0;
    char name[40] = "";
    if (std::sscanf(line.c_str(), "%llx-%llx ", &from, &to) == 2) {
      is_here = from < first + bytes && first < to;
    } else if (is_here && std::sscanf(line.c_str(), "%39[^:]: %llu kB", name, &kilobytes) == 2 && kilobytes > 0) {
      for (const std::string_view huge :
           {"AnonHugePages", "ShmemPmdMapped", "FilePmdMapped", "Private_Hugetlb", "Shared_Hugetlb"}) {
        if (name == huge) return true;
      }
    }
  }
  return false;
}

enum class Wanted { kAuto, kShared, kLibrary };

Wanted wanted_by_setting() {
  constexpr const char* kKnown[] = {"auto", "shared", "library"};
  const char* const set = base::setting_text("GAPLESS_ALLOC_MEM");
  const std::string_view wanted = set == nullptr ? "auto" : set;
  if (wanted == "library") return Wanted::kLibrary;
  if (wanted == "shared") return Wanted::kShared;
  if (wanted != "auto") {
    base::refuse_setting("GAPLESS_ALLOC_MEM", kKnown);
    if (logging()) log_refused();
  }
  return Wanted::kAuto;
}

// The program's word.
Wanted wanted_by_hint(MPI_Info info) noexcept {
  char value[8] = "";
  int is_set = 0;
  if (info == MPI_INFO_NULL) return Wanted::kAuto;
  mpi::library.Info_get(info, "gapless_shared", sizeof value - 1, value, &is_set);
  // Other hints may ask for a kind of memory.
  return is_set != 0 && std::string_view(value) == "true" ? Wanted::kShared : Wanted::kLibrary;
}

// Memory for a program that wants it to be shared; the log says once why there is none.
void* allocate_shared(SharedMemory& shared, MPI_Aint size) {
  static std::once_flag once;
  static bool is_made = false;
  std::call_once(once, [&] {
    std::string why;
    is_made = shared.heap.make(shared.segment, why);
    if (logging()) log_heap(why);
  });
  return is_made ? shared.heap.allocate(size) : nullptr;
}

// True if the library's memory has huge pages here, and this has none: by a piece of either that has room for one.
bool loses_huge_pages(SharedMemory& shared) {
  static const bool loses = [&] {
    constexpr std::size_t kBytes = 4 << 20;
    void* theirs = nullptr;
    if (mpi::library.Alloc_mem(kBytes, MPI_INFO_NULL, &theirs) != MPI_SUCCESS || theirs == nullptr) return false;
    std::memset(theirs, 1, kBytes);
    bool is_lost = has_huge_pages(theirs, kBytes);
    mpi::library.Free_mem(theirs);
    if (void* const ours = is_lost ? allocate_shared(shared, kBytes) : nullptr; ours != nullptr) {
      std::memset(ours, 1, kBytes);
      is_lost = !has_huge_pages(ours, kBytes);
      shared.heap.release(ours);
    }
    if (is_lost && logging()) log_heap("its memory has huge pages, shared memory has none");
    return is_lost;
  }();
  return loses;
}

// nullptr: it is the library's to allocate.
void* allocate(MPI_Aint size, MPI_Info info) noexcept try {
  SharedMemory* const shared = shared_memory();
  if (size < kShortest || shared == nullptr || !world_is_up() || !switched_on() || !are_messages_wanted())
    return nullptr;
  static const Wanted by_setting = wanted_by_setting();
  const Wanted by_hint = wanted_by_hint(info);
  if (by_setting == Wanted::kLibrary || by_hint == Wanted::kLibrary) return nullptr;
  const bool is_asked_for = by_setting == Wanted::kShared || by_hint == Wanted::kShared;
  return is_asked_for || !loses_huge_pages(*shared) ? allocate_shared(*shared, size) : nullptr;
} catch (...) {
  return nullptr;
}

}  // namespace

int wrap_Alloc_mem(MPI_Aint size, MPI_Info info, void* base) {
  if (counting()) count_call(Procedure::kAlloc_mem);
  // What the library allocates for itself it may free in ways of its own.
  const bool is_of_program = base != nullptr && !is_library_code(__builtin_return_address(0));
  void* const memory = is_of_program ? allocate(size, info) : nullptr;
  if (memory == nullptr) return mpi::library.Alloc_mem(size, info, base);
  count_way(WayEvent::kAllocated);
  *static_cast<void**>(base) = memory;
  return MPI_SUCCESS;
}

int wrap_Free_mem(void* base) {
  if (counting()) count_call(Procedure::kFree_mem);
  SharedMemory* const shared = shared_memory();
  if (shared != nullptr && shared->heap.release(base)) return MPI_SUCCESS;
  return mpi::library.Free_mem(base);
}

}  // namespace gapless::preload
