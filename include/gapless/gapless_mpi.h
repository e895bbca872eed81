/** @file
 * What MPI lacks, on its own handles: types, typed copy, packing at a position, and all-to-all by zero-copy algorithms.
 *
 * Link with libgapless_mpi of the program's MPI ABI (pkg-config gapless-mpi-mpich, gapless-mpi-openmpi or
 * gapless-mpi-standard). Under the layer (`gapless run`) a program may look the functions up at run time instead:
 * dlsym(RTLD_DEFAULT, "GAPLESS_Copy").
 * Every function returns MPI_SUCCESS or an error that it has raised as MPI raises its own: by the error handler of the
 * communicator, or of MPI_COMM_SELF where there is none. Outputs are set on success only. Any thread may call them, as
 * far as the MPI library was initialised for threads. What they make of types needs no more than MPI 3.0; counts beyond
 * INT_MAX need a library with MPI 4's large counts.
 */
#ifndef GAPLESS_GAPLESS_MPI_H
#define GAPLESS_GAPLESS_MPI_H

#ifndef MPI_H_ABI /* mpi_abi.h, which declares the same, is there already */
#include <mpi.h>
#endif

#include "gapless/gapless_layer.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What libgapless_mpi exports. */
#define GAPLESS_MPI_API __attribute__((visibility("default")))

/* ---- Types. Ordinary datatypes of the MPI library: to be committed, used and freed by its own procedures. ---- */

/** The elements t in [0, bound) with t mod stride < blocklength, each at t extents of `oldtype`. 0 <= bound,
 * 1 <= blocklength <= stride. Extent: the natural one. Cost: O(1). Source: Träff et al., ICS 2014. */
GAPLESS_MPI_API int GAPLESS_Type_create_vector_bounded(MPI_Count bound, MPI_Count blocklength, MPI_Count stride,
                                                       MPI_Datatype oldtype, MPI_Datatype* newtype);
/** The elements of a bounded vector, in their order, each at (start + t) mod total. bound <= total,
 * 0 <= start < total (total 0: start 0). Extent: total extents of `oldtype`. Cost: O(1). */
GAPLESS_MPI_API int GAPLESS_Type_create_vector_circular(MPI_Count total, MPI_Count start, MPI_Count bound,
                                                        MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                                                        MPI_Datatype* newtype);
/** counts[b] elements from b * stride on, 0 <= counts[b] <= stride. Extent: count * stride extents of `oldtype`.
 * Cost: O(count). */
GAPLESS_MPI_API int GAPLESS_Type_create_bucket(MPI_Count count, MPI_Count stride, const MPI_Count counts[],
                                               MPI_Datatype oldtype, MPI_Datatype* newtype);
/** The basic types of `type`, in type-map order and without gaps: what allocates and receives its packed data with the
 * types that were sent. */
GAPLESS_MPI_API int GAPLESS_Type_signature(MPI_Datatype type, MPI_Datatype* newtype);
/** The same type map and bounds as `type`, described in the fewest constructors that Gapless knows for it. */
GAPLESS_MPI_API int GAPLESS_Type_normalize(MPI_Datatype type, MPI_Datatype* newtype);
/** equal = 1 if the two types have the same type map (basic types and displacements, in order) and the same lower bound
 * and extent, however they were constructed; else 0. */
GAPLESS_MPI_API int GAPLESS_Type_equal(MPI_Datatype type_a, MPI_Datatype type_b, int* equal);
/** The layout of `type` as bytes for gapless_type_deserialise() (gapless.h), here or in another process: bounds and
 * type map without the basic types. Writes all of it, or nothing where `capacity` [bytes] is too small; *needed is what
 * it takes, so that a first call may pass (NULL, 0). The type need not be committed. Cost: linear in the description.
 */
GAPLESS_MPI_API int GAPLESS_Type_serialise(MPI_Datatype type, void* buffer, MPI_Count capacity, MPI_Count* needed);

/* ---- Data within a process. ---- */

/** Copies between two layouts of one signature, as if sent by the first and received by the second. The two sizes in
 * bytes must be equal (else MPI_ERR_TRUNCATE or MPI_ERR_COUNT), the types committed, the memory apart. */
GAPLESS_MPI_API int GAPLESS_Copy(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 MPI_Count recvcount, MPI_Datatype recvtype);
/** Packs the bytes [position, position + outsize) of the packed data of `incount` elements, or as many as there are,
 * and says how many. Cost: O(log blocks) to find the position. */
GAPLESS_MPI_API int GAPLESS_Pack_at(const void* inbuf, MPI_Count incount, MPI_Datatype type, MPI_Count position,
                                    void* outbuf, MPI_Count outsize, MPI_Count* packed);
/** The counterpart of GAPLESS_Pack_at: stores `insize` bytes that stand at `position` of the packed data. */
GAPLESS_MPI_API int GAPLESS_Unpack_at(const void* inbuf, MPI_Count insize, MPI_Count position, void* outbuf,
                                      MPI_Count outcount, MPI_Datatype type, MPI_Count* unpacked);

/* ---- Memory for messages. ---- */

/** As MPI_Alloc_mem, *baseptr being the memory: under the layer, and for 64 KiB or more, of whole pages, zeroed, and such
 * that the other processes of the node can map it. A message between two layouts that both lie in such memory, or in a
 * shared window, is then copied once, from one layout to the other. What is allocated after the process has forked is
 * the library's. Freed by GAPLESS_Free or MPI_Free_mem. The same by MPI alone: MPI_Alloc_mem with the hint
 * "gapless_shared" = "true". */
GAPLESS_MPI_API int GAPLESS_Alloc(MPI_Aint size, void* baseptr);
/** As MPI_Free_mem. */
GAPLESS_MPI_API int GAPLESS_Free(void* base);

/* ---- All-to-all. `algorithm` names one (GAPLESS_Alltoall_algorithm lists them); NULL leaves the choice to the model.
 * It must be the same on all processes of the communicator. Intracommunicators only. ---- */

/** MPI_Alltoall by an algorithm of one's choice: `sendcount` elements for each process, `recvcount` from each. The
 * types may differ, also between processes, as long as the signatures are equal. MPI_IN_PLACE as there. */
GAPLESS_MPI_API int GAPLESS_Alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm);
/** MPI_Alltoallv likewise: counts and displacements [extents] for each process. */
GAPLESS_MPI_API int GAPLESS_Alltoallv(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                      const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                      const char* algorithm);
/** MPI_Alltoallw likewise: displacements [bytes] and a type for each process. */
GAPLESS_MPI_API int GAPLESS_Alltoallw(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                      const char* algorithm);

/** A persistent all-to-all: arguments, types, plans and the choice are bound once. */
typedef struct gapless_mpi_request* GAPLESS_Request;
/** No request. */
#define GAPLESS_REQUEST_NULL ((GAPLESS_Request)0)

/** Binds the arguments of GAPLESS_Alltoall, which may be freed or changed afterwards; not the data. Collective. */
GAPLESS_MPI_API int GAPLESS_Alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                          const char* algorithm, GAPLESS_Request* request);
/** Binds those of GAPLESS_Alltoallv. */
GAPLESS_MPI_API int GAPLESS_Alltoallv_init(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                           MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                           const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                           const char* algorithm, GAPLESS_Request* request);
/** Begins what was bound; the rounds run in this call and in GAPLESS_Wait. Each start is followed by one wait, in the
 * same order on all processes. */
GAPLESS_MPI_API int GAPLESS_Start(GAPLESS_Request request);
/** Ends what GAPLESS_Start began. */
GAPLESS_MPI_API int GAPLESS_Wait(GAPLESS_Request request);
/** Frees a request that is not started, and sets it to GAPLESS_REQUEST_NULL. Local, as long as the communicator has not
 * been freed; after that, the last request of it is freed by all processes. */
GAPLESS_MPI_API int GAPLESS_Request_free(GAPLESS_Request* request);

/** The name of the k-th algorithm, or NULL beyond the last. `irregular`: of those for GAPLESS_Alltoallv and _w. */
GAPLESS_MPI_API const char* GAPLESS_Alltoall_algorithm(int irregular, int k);

/** What an algorithm does on one process, counted from its schedule; "block": what one process has for one other. */
typedef struct GAPLESS_Alltoall_counts {
  long long rounds;        /**< one after the other */
  long long messages;      /**< sent */
  long long blocks_sent;   /**< in all of them */
  long long blocks_copied; /**< within the process, its own block left out */
  long long slots;         /**< blocks of memory besides the two buffers */
} GAPLESS_Alltoall_counts;

/** Returns MPI_SUCCESS and fills `counts`, or MPI_ERR_ARG: no such algorithm, or `library`, of
 * which nothing is counted, or not 1 to 2^20 processes. Needs no MPI_Init. Regular algorithms
 * only. `in_place`: for MPI_IN_PLACE. */
GAPLESS_MPI_API int GAPLESS_Alltoall_count(const char* algorithm, int processes, int in_place,
                                           GAPLESS_Alltoall_counts* counts);

#ifdef __cplusplus
}
#endif

#endif
