// MPI_Isend, MPI_Issend, MPI_Irsend, MPI_Ibsend: as send.cpp, and staging is kept until the request completes.
#include "preload/paired/callers.hpp"
#include "preload/requests/requests.hpp"
#include "preload/requests/start.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

using Isend = mpi::Signatures<int>::Isend;
using LargeIsend = mpi::Signatures<MPI_Count>::Isend;

[[gnu::noinline]] int isend(Procedure procedure, May may, bool large, Isend* native, LargeIsend* native_large,
                            const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                            MPI_Request* request) {
  MessageBuffer data(procedure, buffer, count, type);
  data.choose_send_path(Operation::kIsend, dest, comm, may);
  Start start(procedure, request, nullptr, &data);
  count_transfer(data);
  data.pack();
  const int code = call(large, native, native_large, data, dest, tag, comm, start.request());
  data.pack_paired(false);
  if (data.is_offered() && !start.take_from_library()) data.take_back_offer();
  return start.end(code);
}

}  // namespace

#define GAPLESS_ISEND(name, may)                                                                                   \
  int wrap_##name(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,              \
                  MPI_Request* request) {                                                                          \
    if (takes_fast_path(type)) [[likely]]                                                                          \
      return mpi::library.name(buffer, count, type, dest, tag, comm, request);                                     \
    return isend(Procedure::k##name, may_pair(May::may, __builtin_return_address(0)), false, mpi::library.name,    \
                 mpi::library.name##_c, buffer, count, type, dest, tag, comm, request);                            \
  }                                                                                                                \
  int wrap_##name##_c(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,    \
                      MPI_Request* request) {                                                                      \
    if (takes_fast_path(type)) [[likely]]                                                                          \
      return mpi::library.name##_c(buffer, count, type, dest, tag, comm, request);                                 \
    return isend(Procedure::k##name##_c, may_pair(May::may, __builtin_return_address(0)), true, mpi::library.name, \
                 mpi::library.name##_c, buffer, count, type, dest, tag, comm, request);                            \
  }
GAPLESS_ISEND(Isend, kPairLater)
GAPLESS_ISEND(Issend, kNotPair)
GAPLESS_ISEND(Irsend, kPairLater)
GAPLESS_ISEND(Ibsend, kNotPair)
#undef GAPLESS_ISEND

}  // namespace gapless::preload
