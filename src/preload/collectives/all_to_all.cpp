// MPI_Allgather(v), MPI_Alltoall(v, w), in all forms.
#include "preload/collectives/all_to_all.hpp"

namespace gapless::preload {

GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Allgather, Iallgather, Allgather_init, ROOTLESS, plain_exchange, Among::kAll,
              true)
GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Alltoall, Ialltoall, Alltoall_init, ROOTLESS, plain_exchange, Among::kAll,
              false)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Allgatherv, Iallgatherv, Allgatherv_init, PLAIN, V, ROOTLESS, v_gather)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Alltoallv, Ialltoallv, Alltoallv_init, V, V, ROOTLESS, v_exchange, Among::kAll)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Alltoallw, Ialltoallw, Alltoallw_init, W, W, ROOTLESS, w_exchange, Among::kAll)

}  // namespace gapless::preload
