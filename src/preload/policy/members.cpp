#include "preload/policy/members.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "base/immortal.hpp"
#include "mpi/types/handle_cache.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/policy/world_ranks.hpp"

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
struct Kept {
  Members members;
  std::shared_ptr<Near> near;
  std::shared_ptr<std::vector<int>> numbers;
  std::shared_ptr<OwnAllToAll> own_alltoall;
};
using Communicators = mpi::HandleCache<CommHandles, Kept, 8>;

// Written before and after everything else.
Kept& world = base::immortal<Kept>();

// What the members of a communicator within the world have in common.
struct Places {
  bool in_world = true;
  bool here = true;  // on this node
};

Places places_of(MPI_Comm comm, int size) {
  Places places;
  places.in_world = for_each_world_rank(comm, size, [&](int, int rank) {
    places.here = places.here && location_of(rank) == Location::kHere;
    return rank != MPI_UNDEFINED;
  });
  return places;
}

// Without memory there are none.
void find_numbers(MPI_Comm comm, Kept& kept) noexcept {
  if (shared_memory() == nullptr || kept.members.inter || kept.members.size < 2) return;
  try {
    auto numbers = std::make_shared<std::vector<int>>(static_cast<std::size_t>(kept.members.size), -1);
    int here = 0;
    for_each_world_rank(comm, kept.members.size, [&](int member, int rank) {
      int& number = (*numbers)[static_cast<std::size_t>(member)];
      if (rank != MPI_UNDEFINED) number = number_on_node(rank);
      here += number >= 0 ? 1 : 0;
      return true;
    });
    if (here < 2) return;
    kept.members.numbers = numbers->data();
    kept.numbers = std::move(numbers);
  } catch (...) {
  }
}

// False if the library refuses the handle. Its error is raised then, and by the program's own call once more: to take
// the handlers away for so long would be seen by other threads, and by communicators that inherit them.
bool describe(MPI_Comm comm, Kept& kept) {
  Members& members = kept.members;
  constexpr int kUnset = -1;
  int inter = kUnset;
  const int code = mpi::library.Comm_test_inter(comm, &inter);
  members.inter = inter != 0;  // kUnset, too
  // Where a handler has come back, MPICH says MPI_SUCCESS.
  if (code != MPI_SUCCESS || inter == kUnset) return false;
  if (mpi::library.Comm_size(comm, &members.size) != MPI_SUCCESS) return false;
  mpi::library.Comm_rank(comm, &members.rank);
  find_numbers(comm, kept);
  if (inter != 0 || !world_agreed()) return true;
  const Places places = places_of(comm, members.size);
  members.agreed = places.in_world;
  if (places.in_world) {
    kept.own_alltoall = std::make_shared<OwnAllToAll>(members.size, places.here);
    members.own_alltoall = kept.own_alltoall.get();
  }
  if (places.in_world && places.here && members.size > 1 && is_pairing_wanted()) {
    kept.near = std::make_shared<Near>();
    members.near = kept.near.get();
  }
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
  if (!found.is_kept) {  // nobody keeps what these point to
    found.facts.members.near = nullptr;
    found.facts.members.numbers = nullptr;
    found.facts.members.own_alltoall = nullptr;
  }
  return found.facts.members;
}

}  // namespace

Members find_members(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_WORLD) return world.members;
  const std::uint64_t key = mpi::key_of(comm);
  const Communicators::Remembered mine = Communicators::remembered(key);
  if (mine.holds) [[likely]]
    return mine.slot->facts.members;
  return find_slowly(comm, key, mine);
}

int number_of(int peer, MPI_Comm comm) noexcept {
  const Members members = find_members(comm);
  return members.numbers == nullptr || peer < 0 || peer >= members.size ? -1 : members.numbers[peer];
}

DyingCommunicator::DyingCommunicator(MPI_Comm comm) noexcept : key_(mpi::key_of(comm)) {
  try {
    Communicators::begin_freeing(comm);
  } catch (...) {  // no memory
  }
}

DyingCommunicator::~DyingCommunicator() {
  Communicators::end_freeing(key_);
}

// What was found of a session's communicators before the world came up holds no longer.
void learn_world() noexcept {
  Communicators::clear();
  try {
    describe(MPI_COMM_WORLD, world);
  } catch (...) {  // no memory
  }
}

// Its blocks can still be described, to look at what comes in the program's delete callbacks where those are called
// later (mpi::kCallbacksWaitForSessions).
void forget_world() noexcept {
  const int size = world.members.size, rank = world.members.rank;
  world = Kept{};
  world.members.size = size;
  world.members.rank = rank;
}

void epoch_of_communicators_ends() noexcept {
  Communicators::clear();
  Communicators::epoch_ending();
}

void forget_communicators() noexcept {
  Communicators::epoch_ended();
}

}  // namespace gapless::preload
