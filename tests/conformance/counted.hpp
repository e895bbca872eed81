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
#define HAS_ISENDRECV 1
#define HAS_SESSIONS 1
#else
#define HAS_ISENDRECV 0
#define HAS_SESSIONS 0
#endif
