// GAPLESS_Alltoallv, GAPLESS_Alltoallw, GAPLESS_Alltoallv_init.
#include "ext/alltoallv/bind.hpp"
#include "gapless/gapless_mpi.h"

using namespace gapless::ext;
using namespace gapless::ext::irregular;

int GAPLESS_Alltoallv(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                      MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm) {
  if (!ready()) return kNotReady;
  return run({{sendbuf, sendcounts, sdispls, sendtype, nullptr}, {recvbuf, recvcounts, rdispls, recvtype, nullptr}},
             comm, algorithm);
}

int GAPLESS_Alltoallw(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, const char* algorithm) {
  if (!ready()) return kNotReady;
  return run({{sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
              {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes},
              true},
             comm, algorithm);
}

int GAPLESS_Alltoallv_init(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm, GAPLESS_Request* request) {
  if (!ready()) return kNotReady;
  return bind({{sendbuf, sendcounts, sdispls, sendtype, nullptr}, {recvbuf, recvcounts, rdispls, recvtype, nullptr}},
              comm, algorithm, request);
}
