// MPI_Allgather(v), MPI_Alltoall(v, w), in all forms.
#include "preload/collectives/all_to_all.hpp"

#include "preload/wrappers.hpp"

namespace gapless::preload {

#define GAPLESS_ALLGATHER(name, family, Count, FORM, Form_) \
  GAPLESS_PLAIN_EXCHANGE(name, family, Count, FORM, Form_, Among::kAll, DecisionScope::kAll, true)
GAPLESS_ALL_FORMS(GAPLESS_ALLGATHER, Allgather, Iallgather, Allgather_init)

#define GAPLESS_ALLTOALL(name, family, Count, FORM, Form_) \
  GAPLESS_PLAIN_EXCHANGE(name, family, Count, FORM, Form_, Among::kAll, DecisionScope::kAll, false)
GAPLESS_ALL_FORMS(GAPLESS_ALLTOALL, Alltoall, Ialltoall, Alltoall_init)

#define GAPLESS_ALLGATHERV(name, family, Count, FORM, Form_) \
  GAPLESS_V_GATHER(name, Count, FORM, Form_, Among::kAll, DecisionScope::kAll)
GAPLESS_ALL_FORMS(GAPLESS_ALLGATHERV, Allgatherv, Iallgatherv, Allgatherv_init)

#define GAPLESS_ALLTOALLV(name, family, Count, FORM, Form_) GAPLESS_V_EXCHANGE(name, Count, FORM, Form_, Among::kAll)
GAPLESS_ALL_FORMS(GAPLESS_ALLTOALLV, Alltoallv, Ialltoallv, Alltoallv_init)

#define GAPLESS_ALLTOALLW(name, family, Count, FORM, Form_) \
  GAPLESS_W_EXCHANGE(name, Count, mpi::DisplacementOf<Count>, FORM, Form_, Among::kAll)
GAPLESS_ALL_FORMS(GAPLESS_ALLTOALLW, Alltoallw, Ialltoallw, Alltoallw_init)

}  // namespace gapless::preload
