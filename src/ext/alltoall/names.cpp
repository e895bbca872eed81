// GAPLESS_Alltoall_algorithm, which needs no MPI.
#include "alltoall/catalogue.hpp"
#include "gapless/gapless_mpi.h"

using namespace gapless;

const char* GAPLESS_Alltoall_algorithm(int irregular, int k) {
  if (irregular != 0) return nullptr;
  const alltoall::Algorithm* const algorithm = alltoall::algorithm_at(k);
  return algorithm != nullptr ? algorithm->name : nullptr;
}
