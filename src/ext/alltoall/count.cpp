// GAPLESS_Alltoall_count, which needs no MPI.
#include <new>

#include "base/status.hpp"
#include "ext/alltoall/arguments.hpp"
#include "gapless/gapless_mpi.h"

using namespace gapless;

int GAPLESS_Alltoall_count(const char* algorithm, int processes, int in_place, GAPLESS_Alltoall_counts* counts) {
  ext::regular::Choice choice{};
  if (algorithm == nullptr || counts == nullptr || !ext::regular::find_choice(algorithm, choice)) return MPI_ERR_ARG;
  try {
    const alltoall::Counts found = count(*schedule_of(*choice.algorithm, processes, in_place != 0));
    *counts = {found.rounds, found.messages, found.blocks_sent, found.blocks_copied, found.slots};
    return MPI_SUCCESS;
  } catch (const base::Error&) {
    return MPI_ERR_ARG;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}
