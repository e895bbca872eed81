#include "preload/policy/members.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "mpi/abi/library.hpp"
#include "mpi/per_thread.hpp"
#include "preload/policy/agreement.hpp"

namespace gapless::preload {

namespace {

// Never destroyed: a program may free communicators in its own static destructors.
struct Known {
  std::mutex mutex;  // never held across an MPI call, for the delete callback takes it
  std::unordered_map<std::uint64_t, Members> communicators;
  int keyval = MPI_KEYVAL_INVALID;
};

Known& known() noexcept {
  static Known* const the = new Known;
  return *the;
}

Members world;  // written before and after everything else

// Counts what was forgotten. What a thread remembers is valid for one value of this counter.
constinit std::atomic<std::uint64_t> generation{1};

struct Remembered {
  std::uint64_t key = 0, generation = 0;
  Members members;
};
using Memory = std::array<Remembered, 8>;

void forget() noexcept {
  generation.fetch_add(1, std::memory_order_release);
}

int freed(MPI_Comm comm, int, void*, void*) {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  all.communicators.erase(mpi::key_of(comm));
  forget();
  return MPI_SUCCESS;
}

int copy_nothing(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int keyval() {
  Known& all = known();
  {
    const std::lock_guard lock(all.mutex);
    if (all.keyval != MPI_KEYVAL_INVALID) return all.keyval;
  }
  int made = MPI_KEYVAL_INVALID;
  if (mpi::library.Comm_create_keyval(copy_nothing, freed, &made, nullptr) != MPI_SUCCESS) return MPI_KEYVAL_INVALID;
  int kept;
  {
    const std::lock_guard lock(all.mutex);
    if (all.keyval == MPI_KEYVAL_INVALID) all.keyval = made;
    kept = all.keyval;
  }
  if (kept != made) mpi::library.Comm_free_keyval(&made);  // another thread was faster
  return kept;
}

// Allocates nothing: a process without memory would answer otherwise than the others.
bool is_within_world(MPI_Comm comm, int size) {
  constexpr int kBatch = 256;
  int own[kBatch], in_world[kBatch];
  MPI_Group mine, whole;
  if (mpi::library.Comm_group(comm, &mine) != MPI_SUCCESS) return false;
  mpi::library.Comm_group(MPI_COMM_WORLD, &whole);
  bool within = true;
  for (int from = 0; within && from < size; from += kBatch) {
    const int n = std::min(kBatch, size - from);
    for (int k = 0; k < n; ++k) own[k] = from + k;
    within = mpi::library.Group_translate_ranks(mine, n, own, whole, in_world) == MPI_SUCCESS;
    for (int k = 0; k < n; ++k) within = within && in_world[k] != MPI_UNDEFINED;
  }
  mpi::library.Group_free(&whole);
  mpi::library.Group_free(&mine);
  return within;
}

Members describe(MPI_Comm comm) {
  Members members;
  int inter = 1;
  if (mpi::library.Comm_test_inter(comm, &inter) != MPI_SUCCESS) return members;
  members.inter = inter != 0;
  if (mpi::library.Comm_size(comm, &members.size) != MPI_SUCCESS) return members;
  mpi::library.Comm_rank(comm, &members.rank);
  members.agreed = inter == 0 && world_agreed() && is_within_world(comm, members.size);
  return members;
}

// The attribute is there before the facts are kept under the handle, and with it they go before the handle does. A
// second thread that does the same at the same time sets the same attribute again, and `freed` runs in between: then
// one of them keeps the facts after that, and the attribute is there again.
bool keep(MPI_Comm comm, const Members& members) {
  const int key = keyval();
  void* value = nullptr;
  int has = 0;
  if (key == MPI_KEYVAL_INVALID || mpi::library.Comm_set_attr(comm, key, nullptr) != MPI_SUCCESS ||
      mpi::library.Comm_get_attr(comm, key, &value, &has) != MPI_SUCCESS || has == 0) {
    return false;
  }
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  all.communicators[mpi::key_of(comm)] = members;
  return true;
}

[[gnu::noinline]] Members find_slowly(MPI_Comm comm, std::uint64_t key, std::uint64_t now, Remembered* mine) noexcept {
  Members members;
  bool is_kept = false;
  try {
    Known& all = known();
    {
      const std::lock_guard lock(all.mutex);
      if (const auto found = all.communicators.find(key); found != all.communicators.end()) {
        members = found->second;
        is_kept = true;
      }
    }
    if (!is_kept) {
      members = describe(comm);
      is_kept = keep(comm, members);
    }
  } catch (...) {
  }
  if (is_kept && mine != nullptr) *mine = {key, now, members};
  return members;
}

}  // namespace

Members find_members(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_WORLD) return world;
  const std::uint64_t key = mpi::key_of(comm);
  Memory* const memory = mpi::PerThread<Memory>::get();
  Remembered* const mine = memory == nullptr ? nullptr : &(*memory)[(key * 0x9e3779b97f4a7c15u) >> 61];
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (mine != nullptr && mine->key == key && mine->generation == now) [[likely]]
    return mine->members;
  return find_slowly(comm, key, now, mine);
}

// What was found of a session's communicators before the world came up holds no longer.
void learn_world() noexcept {
  forget_communicators();
  mpi::library.Comm_size(MPI_COMM_WORLD, &world.size);
  mpi::library.Comm_rank(MPI_COMM_WORLD, &world.rank);
  world.agreed = world_agreed();
}

void forget_world() noexcept {
  world = Members{};
}

void forget_communicators() noexcept {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  all.communicators.clear();
  forget();
}

void epoch_of_communicators_ends() noexcept {
  forget_communicators();
  Known& all = known();
  int key = MPI_KEYVAL_INVALID;
  {
    const std::lock_guard lock(all.mutex);
    std::swap(key, all.keyval);
  }
  if (key != MPI_KEYVAL_INVALID) mpi::library.Comm_free_keyval(&key);
}

}  // namespace gapless::preload
