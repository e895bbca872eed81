// The one place that knows which MPI ABI this is compiled for: MPI's header, and what the header does not say. The
// build chooses by GAPLESS_ABI_MPICH, GAPLESS_ABI_OPENMPI or GAPLESS_ABI_STANDARD.
//
//   kAbiName            as in the backend's file name
//   is_contiguous_builtin(type)  a named type without holes: nothing can be gained on it
//   key_of(type), key_of(request)
//   PartitionList       what MPI_Pready_list takes
//   kTruncationOverruns  a contiguous receive that is too small may be written past its end
//   kCallbacksWaitForSessions  the attributes of MPI_COMM_SELF are deleted when the last session ends, if one is open
//                        in MPI_Finalize
//   load_predefined(find_data)   called once; returns the name of what is missing, or nullptr
#pragma once

#if defined(GAPLESS_ABI_OPENMPI)
#include "mpi/abi/abi_openmpi.hpp"
#elif defined(GAPLESS_ABI_STANDARD)
#include "mpi/abi/abi_standard.hpp"
#else
#include "mpi/abi/abi_mpich.hpp"
#endif
