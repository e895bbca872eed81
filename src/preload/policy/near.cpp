#include "preload/policy/near.hpp"

#include <algorithm>
#include <vector>

#include "mpi/abi/library.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/policy/switches.hpp"
#include "preload/policy/world_ranks.hpp"

namespace gapless::preload {

namespace {

// Returns false if a member is not known to be on this node.
bool find_numbers(MPI_Comm comm, int size, std::vector<int>& numbers) {
  numbers.resize(static_cast<std::size_t>(size));
  return for_each_world_rank(comm, size, [&](int member, int rank) {
    int& number = numbers[static_cast<std::size_t>(member)];
    number = number_on_node(rank);
    return number >= 0;
  });
}

bool open_channel(MPI_Comm comm, Near& near, int size, int rank, int number) noexcept {
  SharedMemory* const shared = shared_memory();
  if (shared == nullptr || number < 0) return false;
  try {
    if (!find_numbers(comm, size, near.numbers)) return false;
    near.towards.resize(near.numbers.size());
    near.from.resize(near.numbers.size());
  } catch (...) {
    return false;
  }
  near.channel = wire::Channel::open(shared->segment, number, rank, size);
  return near.channel != nullptr;
}

// Of grids, and of graphs that all members know, MPI asks for it.
bool has_neighbours_both_ways(MPI_Comm comm) noexcept {
  int topology = MPI_UNDEFINED, in = 0, out = 0, weighted = 0;
  if (mpi::library.Topo_test(comm, &topology) != MPI_SUCCESS || topology != MPI_DIST_GRAPH) return true;
  try {
    mpi::library.Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    std::vector<int> sources(static_cast<std::size_t>(in)), targets(static_cast<std::size_t>(out));
    std::vector<int> weights(sources.size() + targets.size() + 1);
    const int code = mpi::library.Dist_graph_neighbors(comm, in, sources.data(), weights.data(), out, targets.data(),
                                                       weights.data());
    std::sort(sources.begin(), sources.end());
    std::sort(targets.begin(), targets.end());
    return code == MPI_SUCCESS && sources == targets;
  } catch (...) {
    return false;
  }
}

// True if no member has anything to gain by what it has seen.
bool puts_off(MPI_Comm comm) noexcept {
  const int gains = policy.force || !Gains::none_lately() ? 1 : 0;
  int any_gains = 1;
  const int code = mpi::library.Allreduce(&gains, &any_gains, 1, MPI_INT, MPI_MAX, comm);
  return code == MPI_SUCCESS && any_gains == 0;
}

}  // namespace

wire::Channel* channel_of(MPI_Comm comm, Near& near) noexcept {
  if (near.voted) [[likely]]
    return near.channel.get();
  if (near.calls_put_off > 0) {
    --near.calls_put_off;
    return nullptr;
  }
  int size = 0, rank = 0, number = -1;
  if (!near.is_put_off && puts_off(comm)) {
    near.is_put_off = true;
    near.calls_put_off = kPutOff - 1;
    return nullptr;
  }
  mpi::library.Comm_size(comm, &size);
  mpi::library.Comm_rank(comm, &rank);
  if (rank == 0 && shared_memory() != nullptr) number = wire::Channel::take(shared_memory()->segment, size);
  bool works = mpi::library.Bcast(&number, 1, MPI_INT, 0, comm) == MPI_SUCCESS;
  if (works && number >= 0) {
    const int fails[] = {open_channel(comm, near, size, rank, number) ? 0 : 1, has_neighbours_both_ways(comm) ? 0 : 1};
    int any_fails[] = {1, 1};
    works = mpi::library.Allreduce(fails, any_fails, 2, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS && any_fails[0] == 0;
    near.both_ways = any_fails[1] == 0;
  }
  if (!works) near.channel.reset();
  near.voted = true;
  return near.channel.get();
}

}  // namespace gapless::preload
