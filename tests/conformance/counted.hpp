// Programs that are compiled twice: with MPI's int counts, and (CONFORMANCE_LARGE) with MPI_Count and MPI_X_c.
#pragma once

#include <mpi.h>

#if defined(CONFORMANCE_LARGE)
#define COUNTED(procedure) procedure##_c
#define COUNTED_NAME(procedure) #procedure "_c"
using Count = MPI_Count;
#if MPI_VERSION >= 4
#define HAS_COUNTED 1
#else
#define HAS_COUNTED 0
#endif
#else
#define COUNTED(procedure) procedure
#define COUNTED_NAME(procedure) #procedure
using Count = int;
#define HAS_COUNTED 1
#endif

// MPI 4.0; Open MPI 5 has it and calls itself 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_SESSIONS 1
#else
#define HAS_SESSIONS 0
#endif
// Without any layer, MPICH 4.0's MPI_Isendrecv returns a request that is none, or crashes.
#if HAS_SESSIONS && !(defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000)
#define HAS_ISENDRECV 1
#else
#define HAS_ISENDRECV 0
#endif
// Without any layer, MPICH 5.0.2 and Intel MPI leave in the status of an MPI_Isendrecv what happens to be there, and
// their MPI_Isendrecv_replace delivers a strided type's data to the wrong places.
#if defined(OMPI_MAJOR_VERSION)
#define ISENDRECV_IS_SOUND 1
#else
#define ISENDRECV_IS_SOUND 0
#endif

// Without any layer, MPICH 5.0.2 and Intel MPI take a persistent operation that MPI_Request_get_status says has
// completed for inactive, so that nothing is left to complete.
#if defined(OMPI_MAJOR_VERSION)
#define ASKING_LEAVES_PERSISTENT 1
#else
#define ASKING_LEAVES_PERSISTENT 0
#endif

// Without any layer, Open MPI 5.0.11 takes partition p of a type whose extent is not its size from the wrong place, and
// where the two sides have unlike numbers of partitions, MPI_Parrived says of some that they have arrived before they
// have, or that they have not until the request is completed.
#if defined(OMPI_MAJOR_VERSION)
#define PARTITIONED_IS_SOUND 0
#else
#define PARTITIONED_IS_SOUND 1
#endif
// Persistent collectives: MPI 4.0, as the sessions.
#define HAS_PERSISTENT_COLLECTIVES HAS_SESSIONS
