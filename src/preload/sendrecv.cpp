// MPI_Sendrecv, MPI_Sendrecv_replace. Each side for itself: a contiguous one stays as the user gave it.
#include "preload/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

[[gnu::noinline]] int send_receive(const void* out, int out_count, MPI_Datatype out_type, int dest, int send_tag,
                                   void* in, int in_count, MPI_Datatype in_type, int source, int receive_tag,
                                   MPI_Comm comm, MPI_Status* status) {
  Side sent(out, out_count, out_type), received(in, in_count, in_type);
  sent.choose(Operation::kSend, dest, comm);
  received.choose(Operation::kReceive, source, comm);
  count_sides(Procedure::kSendrecv, sent, received);
  sent.pack();
  const bool unpacks = received.path() == Path::kPack;
  OwnStatus own(unpacks ? status : MPI_STATUS_IGNORE);
  const int code =
      mpi::library.Sendrecv(sent.buffer(), sent.count(), sent.type(), dest, send_tag, received.buffer(),
                            received.count(), received.type(), source, receive_tag, comm, unpacks ? own.get() : status);
  if (unpacks) finish(received, own, code);
  return code;
}

[[gnu::noinline]] int replace(void* buffer, int count, MPI_Datatype type, int dest, int send_tag, int source,
                              int receive_tag, MPI_Comm comm, MPI_Status* status) {
  // With one peer missing the exchange is still one; with both, nothing moves.
  Side side(buffer, count, type);
  side.choose(Operation::kSend, dest == MPI_PROC_NULL ? source : dest, comm);
  count_sides(Procedure::kSendrecv_replace, side);
  if (side.path() != Path::kPack) {
    return mpi::library.Sendrecv_replace(side.buffer(), side.count(), side.type(), dest, send_tag, source, receive_tag,
                                         comm, status);
  }
  // One type and one count for both directions: what comes in fits where what went out was.
  side.pack();
  OwnStatus own(status);
  const int code = mpi::library.Sendrecv_replace(side.buffer(), side.count(), side.type(), dest, send_tag, source,
                                                 receive_tag, comm, own.get());
  finish(side, own, code);
  return code;
}

}  // namespace

int wrap_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int dest, int send_tag, void* in, int in_count,
                  MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  if (passes_by(out_type) && passes_by(in_type)) [[likely]] {
    return mpi::library.Sendrecv(out, out_count, out_type, dest, send_tag, in, in_count, in_type, source, receive_tag,
                                 comm, status);
  }
  return send_receive(out, out_count, out_type, dest, send_tag, in, in_count, in_type, source, receive_tag, comm,
                      status);
}

int wrap_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int dest, int send_tag, int source,
                          int receive_tag, MPI_Comm comm, MPI_Status* status) {
  if (passes_by(type)) [[likely]] {
    return mpi::library.Sendrecv_replace(buffer, count, type, dest, send_tag, source, receive_tag, comm, status);
  }
  return replace(buffer, count, type, dest, send_tag, source, receive_tag, comm, status);
}

}  // namespace gapless::preload
