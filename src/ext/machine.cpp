#include "ext/machine.hpp"

#include <cstdio>

#include "alltoall/measured.hpp"

namespace gapless::ext {

namespace {

using namespace alltoall;

const Machines& machines() {
  static const Machines measured = [] {
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(library, &length);
    const Measured found = measured_machines(library);
    if (!found.refused.empty())
      std::fprintf(stderr, "gapless: the default numbers of the all-to-all model are in force: %s\n",
                   found.refused.c_str());
    return found.machines;
  }();
  return measured;
}

int agree(const PrivateComm& comm, Machine& machine) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Info no_hints;  // not MPI_INFO_NULL: of some libraries that is a variable, which is not looked up
  int here = 0;
  if (const int code = MPI_Info_create(&no_hints); code != MPI_SUCCESS) return code;
  int code = MPI_Comm_split_type(comm.comm(), MPI_COMM_TYPE_SHARED, comm.rank, no_hints, &node);
  MPI_Info_free(&no_hints);
  if (code != MPI_SUCCESS) return code;
  if (node == MPI_COMM_NULL) return MPI_ERR_OTHER;  // some libraries say MPI_SUCCESS after a handler has come back
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  double numbers[7] = {};
  if (comm.rank == 0) {
    const Machine& mine = here == comm.size ? machines().near : machines().far;
    numbers[0] = mine.latency_s;
    numbers[1] = mine.bandwidth;
    numbers[2] = mine.pack_rate;
    numbers[3] = static_cast<double>(mine.calls.first);
    numbers[4] = static_cast<double>(mine.calls.last);
    numbers[5] = static_cast<double>(mine.in_place.first);
    numbers[6] = static_cast<double>(mine.in_place.last);
  }
  code = MPI_Bcast(numbers, 7, MPI_DOUBLE, 0, comm.comm());
  const auto range = [&](int k) {  // bytes to 2^40 are exact
    return Range{static_cast<std::int64_t>(numbers[k]), static_cast<std::int64_t>(numbers[k + 1])};
  };
  machine = {numbers[0], numbers[1], numbers[2], range(3), range(5)};
  return code;
}

}  // namespace

int machine_of(PrivateComm& comm, Machine& machine) {
  if (!comm.machine) {
    Machine agreed;
    if (const int code = agree(comm, agreed); code != MPI_SUCCESS) return code;
    comm.machine = agreed;
  }
  machine = *comm.machine;
  return MPI_SUCCESS;
}

}  // namespace gapless::ext
