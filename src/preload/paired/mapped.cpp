#include "preload/paired/mapped.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "mpi/abi/library.hpp"
#include "preload/policy/members.hpp"
#include "preload/policy/shared_memory.hpp"

namespace gapless::preload {

namespace {

// A member's part of a window: where it has it, and where it is here.
struct Part {
  MPI_Win window{};
  int number = -1;  // of the member on the node
  std::uint64_t begin = 0;
  std::int64_t bytes = 0;
  char* here = nullptr;
  std::uint64_t own_begin = 0;  // of this process's part of the same window
  std::int64_t own_bytes = 0;
};

struct Windows {
  std::shared_mutex mutex;
  std::vector<Part> parts;
  std::atomic<bool> any{false};  // so that a message costs a load where there are none
};
// Never destroyed: MPI may be finalised in a static destructor.
Windows& windows() noexcept {
  static Windows* const the = new Windows;
  return *the;
}

bool has(std::uint64_t begin, std::int64_t room, std::uint64_t address, std::int64_t bytes) noexcept {
  return address >= begin && address - begin <= static_cast<std::uint64_t>(room) && bytes >= 0 &&
         bytes <= room - static_cast<std::int64_t>(address - begin);
}

// Calls found(part) for the first one of this process of the node that fits.
template <class Fits, class Found>
void look_for(int number, Fits fits, Found found) noexcept {
  Windows& all = windows();
  if (!all.any.load(std::memory_order_acquire)) return;
  const std::shared_lock lock(all.mutex);
  for (const Part& part : all.parts) {
    if (part.number != number || !fits(part)) continue;
    found(part);
    return;
  }
}

}  // namespace

void map_window(MPI_Win window, MPI_Comm comm, void* base, MPI_Aint bytes) noexcept {
  const SharedMemory* const shared = shared_memory();
  // The same on all members.
  const Members members = find_members(comm);
  if (!members.agreed || members.size < 2 || members.numbers == nullptr || !are_messages_wanted()) return;
  try {
    std::vector<Part> parts(static_cast<std::size_t>(members.size));
    std::vector<std::int64_t> begins(parts.size());
    const auto own = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base));
    if (mpi::library.Allgather(&own, sizeof own, MPI_BYTE, begins.data(), sizeof own, MPI_BYTE, comm) != MPI_SUCCESS ||
        shared == nullptr) {
      return;
    }
    Windows& all = windows();
    const std::unique_lock lock(all.mutex);
    for (int rank = 0; rank < members.size; ++rank) {
      MPI_Aint size = 0;
      int unit = 0;
      void* here = nullptr;
      if (rank == members.rank || members.numbers[rank] < 0 ||
          mpi::library.Win_shared_query(window, rank, &size, &unit, static_cast<void*>(&here)) != MPI_SUCCESS) {
        continue;
      }
      all.parts.push_back({.window = window,
                           .number = members.numbers[rank],
                           .begin = static_cast<std::uint64_t>(begins[static_cast<std::size_t>(rank)]),
                           .bytes = size,
                           .here = static_cast<char*>(here),
                           .own_begin = static_cast<std::uint64_t>(own),
                           .own_bytes = bytes});
    }
    all.any.store(!all.parts.empty(), std::memory_order_release);
  } catch (...) {
    // Without it messages go by another way.
  }
}

void unmap_window(MPI_Win window) noexcept {
  Windows& all = windows();
  if (!all.any.load(std::memory_order_acquire)) return;
  const std::unique_lock lock(all.mutex);
  std::erase_if(all.parts, [&](const Part& part) { return part.window == window; });
  all.any.store(!all.parts.empty(), std::memory_order_release);
}

void forget_windows() noexcept {
  Windows& all = windows();
  const std::unique_lock lock(all.mutex);
  all.parts.clear();
  all.any.store(false, std::memory_order_release);
}

void* mapped_here(int number, std::uint64_t address, std::int64_t bytes) noexcept {
  char* found = nullptr;
  look_for(
      number, [&](const Part& part) { return has(part.begin, part.bytes, address, bytes); },
      [&](const Part& part) { found = part.here + (address - part.begin); });
  return found;
}

bool is_mapped_there(int number, std::uint64_t address, std::int64_t bytes) noexcept {
  bool found = false;
  look_for(
      number, [&](const Part& part) { return has(part.own_begin, part.own_bytes, address, bytes); },
      [&](const Part&) { found = true; });
  return found;
}

}  // namespace gapless::preload
