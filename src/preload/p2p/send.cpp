// MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend.
//
// Packed bytes match any type at the receiver (MPI 4.1, 3.3.1), the envelope and the number of bytes are the same, and
// the call is over when it returns. A buffered send needs as much of the attached buffer as MPI_Pack_size returns, for
// either type.
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

using Send = mpi::Signatures<int>::Send;
using LargeSend = mpi::Signatures<MPI_Count>::Send;

[[gnu::noinline]] int send(Procedure procedure, bool large, Send* native, LargeSend* native_large, const void* buffer,
                           MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  MessageBuffer data(procedure, buffer, count, type);
  data.choose_path(Operation::kSend, dest, comm);
  count_transfer(data);
  data.pack();
  return call(large, native, native_large, data, dest, tag, comm);
}

}  // namespace

#define GAPLESS_SEND(name)                                                                                           \
  int wrap_##name(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {              \
    if (takes_fast_path(type)) [[likely]]                                                                            \
      return mpi::library.name(buffer, count, type, dest, tag, comm);                                                \
    return send(Procedure::k##name, false, mpi::library.name, mpi::library.name##_c, buffer, count, type, dest, tag, \
                comm);                                                                                               \
  }                                                                                                                  \
  int wrap_##name##_c(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {    \
    if (takes_fast_path(type)) [[likely]]                                                                            \
      return mpi::library.name##_c(buffer, count, type, dest, tag, comm);                                            \
    return send(Procedure::k##name##_c, true, mpi::library.name, mpi::library.name##_c, buffer, count, type, dest,   \
                tag, comm);                                                                                          \
  }
GAPLESS_SEND(Send)
GAPLESS_SEND(Ssend)
GAPLESS_SEND(Rsend)
GAPLESS_SEND(Bsend)
#undef GAPLESS_SEND

}  // namespace gapless::preload
