#include "ext/alltoall/choice.hpp"

#include "alltoall/model.hpp"
#include "ext/alltoallv/machine.hpp"

namespace gapless::ext::regular {

int choose(const PrivateComm& comm, std::int64_t bytes, bool is_in_place, bool is_persistent, Choice& choice) {
  alltoall::Machine machine;
  if (const int code = irregular::machine_of(comm, machine); code != MPI_SUCCESS) return code;
  choice = {&alltoall::choose({comm.size, bytes, is_in_place, is_persistent}, machine), Asked::kEither};
  return MPI_SUCCESS;
}

}  // namespace gapless::ext::regular
