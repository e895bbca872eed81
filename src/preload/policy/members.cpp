#include "preload/policy/members.hpp"

#include <algorithm>

#include "mpi/types/handle_cache.hpp"
#include "preload/policy/agreement.hpp"

namespace gapless::preload {

namespace {

struct CommHandles {
  using Handle = MPI_Comm;
  static constexpr auto create_keyval = &mpi::Library::Comm_create_keyval;
  static constexpr auto free_keyval = &mpi::Library::Comm_free_keyval;
  static constexpr auto set_attr = &mpi::Library::Comm_set_attr;
  static constexpr auto get_attr = &mpi::Library::Comm_get_attr;
  static void freed(std::uint64_t) noexcept {}
};
using Communicators = mpi::HandleCache<CommHandles, Members, 8>;

Members world;  // written before and after everything else

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

// False if the library refuses the handle.
bool describe(MPI_Comm comm, Members& members) {
  int inter = 1;
  if (mpi::library.Comm_test_inter(comm, &inter) != MPI_SUCCESS) return false;
  members.inter = inter != 0;
  if (mpi::library.Comm_size(comm, &members.size) != MPI_SUCCESS) return false;
  mpi::library.Comm_rank(comm, &members.rank);
  members.agreed = inter == 0 && world_agreed() && is_within_world(comm, members.size);
  return true;
}

[[gnu::noinline]] Members find_slowly(MPI_Comm comm, std::uint64_t key, Communicators::Remembered mine) noexcept {
  Communicators::Found found;
  try {
    found = Communicators::find(key);
    if (!found.is_kept && describe(comm, found.facts)) found = Communicators::keep(comm, found.facts);
  } catch (...) {  // no memory: asked for again at the next use
  }
  if (found.is_kept && mine.slot != nullptr) *mine.slot = {key, mine.generation, found.facts};
  return found.facts;
}

}  // namespace

Members find_members(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_WORLD) return world;
  const std::uint64_t key = mpi::key_of(comm);
  const Communicators::Remembered mine = Communicators::remembered(key);
  if (mine.holds) [[likely]]
    return mine.slot->facts;
  return find_slowly(comm, key, mine);
}

// What was found of a session's communicators before the world came up holds no longer.
void learn_world() noexcept {
  Communicators::clear();
  mpi::library.Comm_size(MPI_COMM_WORLD, &world.size);
  mpi::library.Comm_rank(MPI_COMM_WORLD, &world.rank);
  world.agreed = world_agreed();
}

void forget_world() noexcept {
  world = Members{};
}

void epoch_of_communicators_ends() noexcept {
  Communicators::clear();
  Communicators::epoch_ending();
}

void forget_communicators() noexcept {
  Communicators::epoch_ended();
}

}  // namespace gapless::preload
