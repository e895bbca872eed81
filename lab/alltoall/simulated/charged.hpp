// Included before every source of src/ext that the simulation runs, and before what times them. SimGrid knows what
// messages cost, but nothing of what processes do between them (its measuring of this machine is off). So what the
// all-to-alls copy is charged to the simulated processor here: bytes that are copied, or packed and unpacked by the
// library for a derived type, by a rate, and each contiguous piece of them a little more. The charge is settled at the
// next message, or when the clock is read: a simulated execution for each piece would take a thousand times as long to
// simulate. docs/methods/alltoall.md has the numbers.
#pragma once

#include <cstring>
#include <ctime>

#include <mpi.h>

namespace gapless::simulated {

void* charged_copy(void* to, const void* from, std::size_t bytes);
int charged_hindexed(int count, const int lengths[], const MPI_Aint places[], MPI_Datatype old, MPI_Datatype* made);
int charged_struct(int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype old[],
                   MPI_Datatype* made);
int charged_free(MPI_Datatype* type);
int charged_isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request);
int charged_irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request);
int charged_send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request* request);
int charged_recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request);
int charged_startall(int count, MPI_Request requests[]);
// Reads the simulated clock.
int charged_clock(clockid_t clock, struct timespec* time);
int charged_sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* in, int in_count,
                     MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status);

}  // namespace gapless::simulated

namespace std {
using gapless::simulated::charged_copy;
}

// An enumerator there, and an int in every other library: lambdas return both.
#define MPI_SUCCESS static_cast<int>(MPI_SUCCESS)

#ifndef GAPLESS_SIMULATED_UNCHARGED
#define memcpy charged_copy
#undef MPI_Type_create_hindexed
#define MPI_Type_create_hindexed gapless::simulated::charged_hindexed
#undef MPI_Type_create_struct
#define MPI_Type_create_struct gapless::simulated::charged_struct
#undef MPI_Type_free
#define MPI_Type_free gapless::simulated::charged_free
#undef MPI_Isend
#define MPI_Isend gapless::simulated::charged_isend
#undef MPI_Irecv
#define MPI_Irecv gapless::simulated::charged_irecv
#undef MPI_Send_init
#define MPI_Send_init gapless::simulated::charged_send_init
#undef MPI_Recv_init
#define MPI_Recv_init gapless::simulated::charged_recv_init
#undef MPI_Startall
#define MPI_Startall gapless::simulated::charged_startall
#undef clock_gettime
#define clock_gettime gapless::simulated::charged_clock
#undef MPI_Sendrecv
#define MPI_Sendrecv gapless::simulated::charged_sendrecv
#endif
