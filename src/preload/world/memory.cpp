// MPI_Alloc_mem, MPI_Free_mem: memory that the other processes of the node can map (wire/heap.hpp).
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "base/settings.hpp"
#include "preload/policy/shared_memory.hpp"
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

// True if memory of the program's own has huge pages here, and shared memory has none: a program that walks through it
// in long strides would be slower.
bool loses_huge_pages() {
  const std::string shared = huge_pages_of("shmem_enabled");
  return huge_pages_of("enabled") == "always" && (shared.empty() || shared == "never" || shared == "deny");
}

// Why not, or nothing.
const char* reason_against() {
  constexpr const char* kKnown[] = {"auto", "shared", "library"};
  const char* const set = base::setting_text("GAPLESS_ALLOC_MEM");
  const std::string_view wanted = set == nullptr ? "auto" : set;
  if (wanted == "library") return "GAPLESS_ALLOC_MEM=library";
  if (wanted != "shared") {
    if (wanted != "auto") base::refuse_setting("GAPLESS_ALLOC_MEM", kKnown);
    if (loses_huge_pages())
      return "shared memory has no huge pages here (GAPLESS_ALLOC_MEM=shared takes it all the same)";
  }
  return nullptr;
}

// This process's heap; nullptr: it is to have none.
wire::Heap* heap() noexcept {
  SharedMemory* const shared = shared_memory();
  if (shared == nullptr || !are_messages_wanted()) return nullptr;
  static std::once_flag once;
  static bool is_made = false;
  try {
    std::call_once(once, [shared] {
      std::string why;
      const char* const reason = reason_against();
      is_made = reason == nullptr && shared->heap.make(shared->segment, why);
      if (reason != nullptr) why = reason;
      if (logging()) log_heap(why);
    });
  } catch (...) {
    return nullptr;
  }
  return is_made ? &shared->heap : nullptr;
}

}  // namespace

int wrap_Alloc_mem(MPI_Aint size, MPI_Info info, void* base) {
  if (counting()) count_call(Procedure::kAlloc_mem);
  // Hints may ask for a kind of memory.
  wire::Heap* const own = size >= kShortest && info == MPI_INFO_NULL && base != nullptr ? heap() : nullptr;
  void* const memory = own == nullptr ? nullptr : own->allocate(size);
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
