#include "ext/alltoall/choice.hpp"

#include "ext/alltoall/recent.hpp"
#include "ext/machine.hpp"

namespace gapless::ext::regular {

int choose(PrivateComm& comm, std::int64_t bytes, bool is_in_place, bool is_persistent, Choice& choice) {
  std::optional<alltoall::Range>& ours = kept_of(comm).ranges[is_in_place][is_persistent];
  if (!ours) {
    alltoall::Machine machine;
    if (const int code = machine_of(comm, machine); code != MPI_SUCCESS) return code;
    ours = alltoall::range_of_ours(comm.size, is_in_place, is_persistent, machine);
  }
  choice = {alltoall::find_algorithm(ours->has(bytes) ? "least-slots" : "library"), Asked::kEither};
  return MPI_SUCCESS;
}

}  // namespace gapless::ext::regular
