// MPI_Recv, MPI_Mrecv.
//
// As many bytes are accepted as the user's type holds, so a longer message is truncated with the same error; a shorter
// one fills the type's first bytes. The status is the library's own, except that nobody else sees ours.
#include "preload/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

[[gnu::noinline]] int receive(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                              MPI_Status* status) {
  Side side(buffer, count, type);
  side.choose(Operation::kReceive, source, comm);
  count_sides(Procedure::kRecv, side);
  if (side.path() != Path::kPack) {
    return mpi::library.Recv(side.buffer(), side.count(), side.type(), source, tag, comm, status);
  }
  OwnStatus own(status);
  const int code = mpi::library.Recv(side.buffer(), side.count(), side.type(), source, tag, comm, own.get());
  finish(side, own, code);
  return code;
}

[[gnu::noinline]] int matched_receive(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                                      MPI_Status* status) {
  Side side(buffer, count, type);
  // No communicator is given, and the message says whether it has a source.
  const bool real = message != nullptr && *message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC;
  side.choose(Operation::kReceive, real ? 0 : MPI_PROC_NULL, MPI_COMM_SELF);
  count_sides(Procedure::kMrecv, side);
  if (side.path() != Path::kPack) {
    return mpi::library.Mrecv(side.buffer(), side.count(), side.type(), message, status);
  }
  OwnStatus own(status);
  const int code = mpi::library.Mrecv(side.buffer(), side.count(), side.type(), message, own.get());
  finish(side, own, code);
  return code;
}

}  // namespace

int wrap_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (passes_by(type)) [[likely]]
    return mpi::library.Recv(buffer, count, type, source, tag, comm, status);
  return receive(buffer, count, type, source, tag, comm, status);
}

int wrap_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  if (passes_by(type)) [[likely]]
    return mpi::library.Mrecv(buffer, count, type, message, status);
  return matched_receive(buffer, count, type, message, status);
}

}  // namespace gapless::preload
