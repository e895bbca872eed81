#include "preload/paired/mapped.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <list>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "base/immortal.hpp"
#include "move/direction.hpp"
#include "move/overlap.hpp"
#include "mpi/abi/library.hpp"
#include "preload/policy/agreement.hpp"
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
  std::array<std::list<Part>, wire::kMaxProcesses> parts;  // of each process of the node
  std::atomic<bool> any{false};                            // so that a message costs a load where there are none
};
Windows& windows() noexcept {
  return base::immortal<Windows>();
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
  for (const Part& part : all.parts[static_cast<std::size_t>(number)]) {
    if (!fits(part)) continue;
    found(part);
    return;
  }
}

// Takes out the parts of which `gone` is true.
template <class Gone>
void erase_parts(Gone gone) noexcept {
  Windows& all = windows();
  const std::unique_lock lock(all.mutex);
  bool any = false;
  for (std::list<Part>& parts : all.parts) {
    std::erase_if(parts, gone);
    any = any || !parts.empty();
  }
  all.any.store(any, std::memory_order_release);
}

// What a member tells the others of its part.
struct Told {
  std::uint64_t begin;
  std::int64_t bytes;  // -1: it shares no memory with the others, and will take no such message
};

// Takes as many of the parts made beforehand as members share their memory. Asks the library, so without the lock.
std::list<Part> parts_of(MPI_Win window, const Members& members, const std::vector<Told>& told,
                         std::list<Part> made) noexcept {
  std::list<Part> parts;
  const Told& own = told[static_cast<std::size_t>(members.rank)];
  for (int rank = 0; rank < members.size; ++rank) {
    const Told& other = told[static_cast<std::size_t>(rank)];
    MPI_Aint size = 0;
    int unit = 0;
    void* here = nullptr;
    if (rank == members.rank || members.numbers[rank] < 0 || other.bytes < 0 ||
        mpi::library.Win_shared_query(window, rank, &size, &unit, static_cast<void*>(&here)) != MPI_SUCCESS) {
      continue;
    }
    parts.splice(parts.end(), made, made.begin());
    parts.back() = {.window = window,
                    .number = members.numbers[rank],
                    .begin = other.begin,
                    .bytes = std::min<std::int64_t>(size, other.bytes),
                    .here = static_cast<char*>(here),
                    .own_begin = own.begin,
                    .own_bytes = own.bytes};
  }
  return parts;
}

void keep_parts(std::list<Part> parts) noexcept {
  Windows& all = windows();
  const std::unique_lock lock(all.mutex);
  all.any.store(true, std::memory_order_release);
  while (!parts.empty()) {
    std::list<Part>& of = all.parts[static_cast<std::size_t>(parts.front().number)];
    of.splice(of.end(), parts, parts.begin());
  }
}

}  // namespace

void map_window(MPI_Win window, MPI_Comm comm, void* base, MPI_Aint bytes) noexcept {
  // The same on all members, whatever memory each has: nothing else decides whether they tell each other.
  const Members members = find_members(comm);
  if (!members.agreed || members.size < 2 || !are_messages_wanted()) return;
  // A member may have called MPI_Win_allocate_shared_c, of which the front hears nothing.
  if (mpi::library.Win_allocate_shared_c != nullptr && !serves_large_counts()) return;
  bool shares = shared_memory() != nullptr && shared_memory()->spare.is_kept() && members.numbers != nullptr;
  // A process without memory for so little ends, as it would in the library.
  std::vector<Told> told(static_cast<std::size_t>(members.size));
  // What a process says that it shares it must find afterwards: a message there may not be refused.
  std::list<Part> made;
  try {
    made.resize(shares ? told.size() : 0);
  } catch (...) {
    shares = false;
  }
  const Told own{reinterpret_cast<std::uintptr_t>(base), shares ? bytes : -1};
  if (mpi::library.Allgather(&own, sizeof own, MPI_BYTE, told.data(), sizeof own, MPI_BYTE, comm) != MPI_SUCCESS)
    return;
  if (shares) keep_parts(parts_of(window, members, told, std::move(made)));
  // A member that sends from the window next finds that all others have its part, whichever thread of theirs receives.
  mpi::library.Barrier(comm);
}

void map_heap(SharedMemory& shared, int number) noexcept {
  if (shared.spare.is_kept()) shared.heaps.look_at(shared.segment, number);
}

void unmap_window(MPI_Win window) noexcept {
  if (!windows().any.load(std::memory_order_acquire)) return;
  erase_parts([&](const Part& part) { return part.window == window; });
}

void forget_mapped() noexcept {
  erase_parts([](const Part&) { return true; });
  if (SharedMemory* const shared = shared_memory(); shared != nullptr) shared->heaps.unmap(shared->segment);
}

void* mapped_here(int number, const plan::Message& message, std::uint64_t address) noexcept {
  std::int64_t low = 0, high = 0;
  if (!move::bounds_of(message.plan, message.count, low, high)) return nullptr;
  const std::uint64_t first = address + static_cast<std::uint64_t>(low);
  SharedMemory* const shared = shared_memory();
  char* found = shared == nullptr ? nullptr : shared->heaps.find(shared->segment, number, first, high - low);
  if (found != nullptr) return move::at(found, -low);
  look_for(
      number, [&](const Part& part) { return has(part.begin, part.bytes, first, high - low); },
      [&](const Part& part) { found = move::at(part.here + (first - part.begin), -low); });
  return found;
}

bool is_private_here(const plan::Message& message, const void* buffer) noexcept {
  std::int64_t low = 0, high = 0;
  const SharedMemory* const shared = shared_memory();
  return shared != nullptr && shared->heap.has_forked() && move::bounds_of(message.plan, message.count, low, high) &&
         shared->heap.is_private(reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uint64_t>(low));
}

bool is_mapped_there(int number, const plan::Message& message, const void* buffer) noexcept {
  std::int64_t low = 0, high = 0;
  if (!move::bounds_of(message.plan, message.count, low, high)) return false;
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uint64_t>(low);
  const SharedMemory* const shared = shared_memory();
  bool found = shared != nullptr && shared->heap.is_mapped_by(number, first, high - low);
  if (found) return true;
  look_for(
      number, [&](const Part& part) { return has(part.own_begin, part.own_bytes, first, high - low); },
      [&](const Part&) { found = true; });
  return found;
}

}  // namespace gapless::preload
