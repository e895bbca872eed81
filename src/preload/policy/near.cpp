#include "preload/policy/near.hpp"

#include "mpi/abi/library.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/policy/shared_memory.hpp"

namespace gapless::preload {

namespace {

// Returns false if a member is not known to be on this node.
bool find_numbers(MPI_Comm comm, int size, std::vector<int>& numbers) {
  numbers.resize(static_cast<std::size_t>(size));
  std::vector<int> own(numbers.size());
  for (int k = 0; k < size; ++k) own[static_cast<std::size_t>(k)] = k;
  MPI_Group mine, whole;
  if (mpi::library.Comm_group(comm, &mine) != MPI_SUCCESS) return false;
  mpi::library.Comm_group(MPI_COMM_WORLD, &whole);
  const bool found = mpi::library.Group_translate_ranks(mine, size, own.data(), whole, numbers.data()) == MPI_SUCCESS;
  mpi::library.Group_free(&whole);
  mpi::library.Group_free(&mine);
  for (int& number : numbers) {
    number = number_on_node(number);
    if (number < 0) return false;
  }
  return found;
}

bool open(MPI_Comm comm, Near& near, int size, int rank, int number) noexcept {
  SharedMemory* const shared = shared_memory();
  if (shared == nullptr || number < 0) return false;
  try {
    if (!find_numbers(comm, size, near.numbers)) return false;
  } catch (...) {
    return false;
  }
  near.channel = wire::Channel::open(shared->segment, number, rank, size);
  return near.channel != nullptr;
}

}  // namespace

wire::Channel* channel_of(MPI_Comm comm, Near& near) noexcept {
  if (near.voted) [[likely]]
    return near.channel.get();
  int size = 0, rank = 0, number = -1;
  mpi::library.Comm_size(comm, &size);
  mpi::library.Comm_rank(comm, &rank);
  if (rank == 0 && shared_memory() != nullptr) number = wire::Channel::take(shared_memory()->segment, size);
  bool works = mpi::library.Bcast(&number, 1, MPI_INT, 0, comm) == MPI_SUCCESS;
  if (works && number >= 0) {
    const int fails = open(comm, near, size, rank, number) ? 0 : 1;
    int any_fails = 1;
    works = mpi::library.Allreduce(&fails, &any_fails, 1, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS && any_fails == 0;
  }
  if (!works) near.channel.reset();
  near.voted = true;
  return near.channel.get();
}

}  // namespace gapless::preload
