// MPI_Alloc_mem, MPI_Free_mem: memory that the other processes of the node can map (wire/heap.hpp).
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "base/settings.hpp"
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

// The word in brackets in a file of /sys/kernel/mm/transparent_hugepage; empty if there is none.
std::string huge_pages_of(const char* name) {
  const std::string path = std::string("/sys/kernel/mm/transparent_hugepage/") + name;
  std::FILE* const file = std::fopen(path.c_str(), "re");
  char text[200] = "";
  if (file == nullptr) return "";
  const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  const std::string_view all(text, length);
  const std::size_t from = all.find('['), to = all.find(']');
  return from == all.npos || to == all.npos || to < from ? "" : std::string(all.substr(from + 1, to - from - 1));
}

bool loses_huge_pages() {
  const std::string shared = huge_pages_of("shmem_enabled");
  return huge_pages_of("enabled") == "always" && (shared.empty() || shared == "never" || shared == "deny");
}

enum class Wanted { kAuto, kShared, kLibrary };

Wanted wanted_by_setting() {
  constexpr const char* kKnown[] = {"auto", "shared", "library"};
  const char* const set = base::setting_text("GAPLESS_ALLOC_MEM");
  const std::string_view wanted = set == nullptr ? "auto" : set;
  if (wanted == "library") return Wanted::kLibrary;
  if (wanted == "shared") return Wanted::kShared;
  if (wanted != "auto") base::refuse_setting("GAPLESS_ALLOC_MEM", kKnown);
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

// True if memory of the program's own has huge pages here, and this has none, so that a program which walks through it
// in long strides would be slower.
bool loses_huge_pages_here() {
  static const bool loses = loses_huge_pages();
  return loses;
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

// nullptr: it is the library's to allocate.
void* allocate(MPI_Aint size, MPI_Info info) noexcept try {
  SharedMemory* const shared = shared_memory();
  if (size < kShortest || shared == nullptr || !world_is_up() || !switched_on() || !are_messages_wanted())
    return nullptr;
  static const Wanted by_setting = wanted_by_setting();
  const Wanted by_hint = wanted_by_hint(info);
  if (by_setting == Wanted::kLibrary || by_hint == Wanted::kLibrary) return nullptr;
  if (by_setting == Wanted::kAuto && by_hint == Wanted::kAuto && loses_huge_pages_here()) {
    static std::once_flag once;
    if (logging()) std::call_once(once, [] { log_heap("shared memory has no huge pages here, other memory has"); });
    return nullptr;
  }
  return allocate_shared(*shared, size);
} catch (...) {
  return nullptr;
}

}  // namespace

int wrap_Alloc_mem(MPI_Aint size, MPI_Info info, void* base) {
  if (counting()) count_call(Procedure::kAlloc_mem);
  void* const memory = base == nullptr ? nullptr : allocate(size, info);
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
