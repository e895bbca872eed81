// The functions of gapless_mpi.h with Fortran's handles, for the module gapless_mpi (gapless_mpi.f90). A handle of
// Fortran is an integer in every ABI; which handle of C it is only the library can say.
#include <vector>

#include "ext/error.hpp"
#include "ext/library.hpp"
#include "gapless/gapless_mpi.h"

#define GAPLESS_FORTRAN extern "C" GAPLESS_MPI_API

extern "C" {

// Fortran's MPI_IN_PLACE and MPI_BOTTOM are places in a common block of the MPI library's own Fortran part, which the
// module need not be linked with: it has places of its own.
GAPLESS_MPI_API int gapless_f_in_place = 0;
GAPLESS_MPI_API int gapless_f_bottom = 0;
}

namespace {

template <class Pointer>
Pointer place(Pointer given) {
  if (given == &gapless_f_in_place) return static_cast<Pointer>(MPI_IN_PLACE);
  if (given == &gapless_f_bottom) return static_cast<Pointer>(MPI_BOTTOM);
  return given;
}

MPI_Datatype type_of(MPI_Fint handle) {
  return MPI_Type_f2c(handle);
}

// Handles are the library's to translate, so it is looked for first.
template <class Call>
int with_library(const char* function, Call&& call) {
  return gapless::ext::ready(function) ? call() : MPI_ERR_OTHER;
}

// Calls `make(&type)` and hands its handle over.
template <class Make>
int make_type(const char* function, MPI_Fint* newtype, Make&& make) {
  if (!gapless::ext::ready(function)) return MPI_ERR_OTHER;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int code = make(&made);
  if (code == MPI_SUCCESS) *newtype = MPI_Type_c2f(made);
  return code;
}

}  // namespace

GAPLESS_FORTRAN int gapless_f_type_create_vector_bounded(MPI_Count bound, MPI_Count blocklength, MPI_Count stride,
                                                         MPI_Fint oldtype, MPI_Fint* newtype) {
  return make_type("GAPLESS_Type_create_vector_bounded", newtype, [&](MPI_Datatype* made) {
    return GAPLESS_Type_create_vector_bounded(bound, blocklength, stride, type_of(oldtype), made);
  });
}

GAPLESS_FORTRAN int gapless_f_type_create_vector_circular(MPI_Count total, MPI_Count start, MPI_Count bound,
                                                          MPI_Count blocklength, MPI_Count stride, MPI_Fint oldtype,
                                                          MPI_Fint* newtype) {
  return make_type("GAPLESS_Type_create_vector_circular", newtype, [&](MPI_Datatype* made) {
    return GAPLESS_Type_create_vector_circular(total, start, bound, blocklength, stride, type_of(oldtype), made);
  });
}

GAPLESS_FORTRAN int gapless_f_type_create_bucket(MPI_Count count, MPI_Count stride, const MPI_Count counts[],
                                                 MPI_Fint oldtype, MPI_Fint* newtype) {
  return make_type("GAPLESS_Type_create_bucket", newtype, [&](MPI_Datatype* made) {
    return GAPLESS_Type_create_bucket(count, stride, counts, type_of(oldtype), made);
  });
}

GAPLESS_FORTRAN int gapless_f_type_signature(MPI_Fint type, MPI_Fint* newtype) {
  return make_type("GAPLESS_Type_signature", newtype,
                   [&](MPI_Datatype* made) { return GAPLESS_Type_signature(type_of(type), made); });
}

GAPLESS_FORTRAN int gapless_f_type_normalize(MPI_Fint type, MPI_Fint* newtype) {
  return make_type("GAPLESS_Type_normalize", newtype,
                   [&](MPI_Datatype* made) { return GAPLESS_Type_normalize(type_of(type), made); });
}

GAPLESS_FORTRAN int gapless_f_type_equal(MPI_Fint type_a, MPI_Fint type_b, int* equal) {
  return with_library("GAPLESS_Type_equal",
                      [&] { return GAPLESS_Type_equal(type_of(type_a), type_of(type_b), equal); });
}

GAPLESS_FORTRAN int gapless_f_type_serialise(MPI_Fint type, void* buffer, MPI_Count capacity, MPI_Count* needed) {
  return with_library("GAPLESS_Type_serialise",
                      [&] { return GAPLESS_Type_serialise(type_of(type), buffer, capacity, needed); });
}

GAPLESS_FORTRAN int gapless_f_copy(const void* sendbuf, MPI_Count sendcount, MPI_Fint sendtype, void* recvbuf,
                                   MPI_Count recvcount, MPI_Fint recvtype) {
  return with_library("GAPLESS_Copy", [&] {
    return GAPLESS_Copy(place(sendbuf), sendcount, type_of(sendtype), place(recvbuf), recvcount, type_of(recvtype));
  });
}

GAPLESS_FORTRAN int gapless_f_pack_at(const void* inbuf, MPI_Count incount, MPI_Fint type, MPI_Count position,
                                      void* outbuf, MPI_Count outsize, MPI_Count* packed) {
  return with_library("GAPLESS_Pack_at", [&] {
    return GAPLESS_Pack_at(place(inbuf), incount, type_of(type), position, outbuf, outsize, packed);
  });
}

GAPLESS_FORTRAN int gapless_f_unpack_at(const void* inbuf, MPI_Count insize, MPI_Count position, void* outbuf,
                                        MPI_Count outcount, MPI_Fint type, MPI_Count* unpacked) {
  return with_library("GAPLESS_Unpack_at", [&] {
    return GAPLESS_Unpack_at(inbuf, insize, position, place(outbuf), outcount, type_of(type), unpacked);
  });
}

GAPLESS_FORTRAN int gapless_f_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Fint sendtype, void* recvbuf,
                                       MPI_Count recvcount, MPI_Fint recvtype, MPI_Fint comm, const char* algorithm) {
  return with_library("GAPLESS_Alltoall", [&] {
    return GAPLESS_Alltoall(place(sendbuf), sendcount, type_of(sendtype), place(recvbuf), recvcount, type_of(recvtype),
                            MPI_Comm_f2c(comm), algorithm);
  });
}

GAPLESS_FORTRAN int gapless_f_alltoallv(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                        MPI_Fint sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                        const MPI_Aint rdispls[], MPI_Fint recvtype, MPI_Fint comm,
                                        const char* algorithm) {
  return with_library("GAPLESS_Alltoallv", [&] {
    return GAPLESS_Alltoallv(place(sendbuf), sendcounts, sdispls, type_of(sendtype), place(recvbuf), recvcounts,
                             rdispls, type_of(recvtype), MPI_Comm_f2c(comm), algorithm);
  });
}

GAPLESS_FORTRAN int gapless_f_alltoallw(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                        const MPI_Fint sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                                        const MPI_Aint rdispls[], const MPI_Fint recvtypes[], MPI_Fint comm,
                                        const char* algorithm) {
  if (!gapless::ext::ready("GAPLESS_Alltoallw")) return MPI_ERR_OTHER;
  const MPI_Comm members = MPI_Comm_f2c(comm);
  const bool in_place = place(sendbuf) == MPI_IN_PLACE;
  int size = 0;
  if (const int code = MPI_Comm_size(members, &size); code != MPI_SUCCESS) return code;
  return gapless::ext::guard(members, [&] {
    std::vector<MPI_Datatype> sent(in_place ? 0 : size), received(size);
    for (int i = 0; i < size; ++i) {
      if (!in_place) sent[i] = type_of(sendtypes[i]);
      received[i] = type_of(recvtypes[i]);
    }
    return GAPLESS_Alltoallw(place(sendbuf), sendcounts, sdispls, sent.data(), place(recvbuf), recvcounts, rdispls,
                             received.data(), members, algorithm);
  });
}

GAPLESS_FORTRAN int gapless_f_alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Fint sendtype, void* recvbuf,
                                            MPI_Count recvcount, MPI_Fint recvtype, MPI_Fint comm,
                                            const char* algorithm, GAPLESS_Request* request) {
  return with_library("GAPLESS_Alltoall_init", [&] {
    return GAPLESS_Alltoall_init(place(sendbuf), sendcount, type_of(sendtype), place(recvbuf), recvcount,
                                 type_of(recvtype), MPI_Comm_f2c(comm), algorithm, request);
  });
}

GAPLESS_FORTRAN int gapless_f_alltoallv_init(const void* sendbuf, const MPI_Count sendcounts[],
                                             const MPI_Aint sdispls[], MPI_Fint sendtype, void* recvbuf,
                                             const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Fint recvtype,
                                             MPI_Fint comm, const char* algorithm, GAPLESS_Request* request) {
  return with_library("GAPLESS_Alltoallv_init", [&] {
    return GAPLESS_Alltoallv_init(place(sendbuf), sendcounts, sdispls, type_of(sendtype), place(recvbuf), recvcounts,
                                  rdispls, type_of(recvtype), MPI_Comm_f2c(comm), algorithm, request);
  });
}

#undef GAPLESS_FORTRAN
