// GAPLESS_Alltoall_algorithm, which needs no MPI.
#include <iterator>

#include "alltoall/catalogue.hpp"
#include "alltoall/irregular_model.hpp"
#include "gapless/gapless_mpi.h"

using namespace gapless;

const char* GAPLESS_Alltoall_algorithm(int irregular, int k) {
  if (irregular == 0) {
    const alltoall::Algorithm* const found = alltoall::algorithm_at(k);
    return found == nullptr ? nullptr : found->name;
  }
  const auto& all = alltoall::irregular::kAlgorithms;
  return k >= 0 && k < static_cast<int>(std::size(all)) ? alltoall::irregular::name_of(all[k]) : nullptr;
}
