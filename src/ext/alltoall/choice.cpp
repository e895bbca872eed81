#include "ext/alltoall/choice.hpp"

#include "ext/alltoall/recent.hpp"
#include "ext/machine.hpp"

namespace gapless::ext::regular {

int range_of_ours(PrivateComm& comm, bool is_in_place, bool is_persistent, alltoall::Range& range) {
  std::optional<alltoall::Range>& ours = kept_of(comm).ranges[is_in_place][is_persistent];
  if (!ours) {
    alltoall::Machine machine;
    if (const int code = machine_of(comm, machine); code != MPI_SUCCESS) return code;
    ours = alltoall::range_of_ours(comm.size, is_in_place, is_persistent, machine);
  }
  range = *ours;
  return MPI_SUCCESS;
}

}  // namespace gapless::ext::regular
