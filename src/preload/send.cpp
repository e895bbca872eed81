// MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend.
//
// Packed bytes match any type at the receiver (MPI 4.1, 3.3.1), the envelope and the number of bytes are the same, and
// the call is over when it returns. A buffered send needs the room in the user's buffer that MPI_Pack_size says for
// either description.
#include "preload/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

using Send = decltype(mpi::Library::Send);

[[gnu::noinline]] int send(Procedure procedure, Send native, const void* buffer, int count, MPI_Datatype type, int dest,
                           int tag, MPI_Comm comm) {
  Side side(buffer, count, type);
  side.choose(Operation::kSend, dest, comm);
  count_sides(procedure, side);
  side.pack();
  return native(side.buffer(), side.count(), side.type(), dest, tag, comm);
}

}  // namespace

int wrap_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (passes_by(type)) [[likely]]
    return mpi::library.Send(buffer, count, type, dest, tag, comm);
  return send(Procedure::kSend, mpi::library.Send, buffer, count, type, dest, tag, comm);
}

int wrap_Ssend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (passes_by(type)) [[likely]]
    return mpi::library.Ssend(buffer, count, type, dest, tag, comm);
  return send(Procedure::kSsend, mpi::library.Ssend, buffer, count, type, dest, tag, comm);
}

int wrap_Rsend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (passes_by(type)) [[likely]]
    return mpi::library.Rsend(buffer, count, type, dest, tag, comm);
  return send(Procedure::kRsend, mpi::library.Rsend, buffer, count, type, dest, tag, comm);
}

int wrap_Bsend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (passes_by(type)) [[likely]]
    return mpi::library.Bsend(buffer, count, type, dest, tag, comm);
  return send(Procedure::kBsend, mpi::library.Bsend, buffer, count, type, dest, tag, comm);
}

}  // namespace gapless::preload
