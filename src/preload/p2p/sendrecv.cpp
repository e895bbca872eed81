// MPI_Sendrecv, MPI_Sendrecv_replace. The two messages are decided separately: a contiguous one stays as the user gave
// it.
#include "preload/requests/orphans.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

[[gnu::noinline]] int send_receive(Procedure procedure, bool large, const void* out, MPI_Count out_count,
                                   MPI_Datatype out_type, int dest, int send_tag, void* in, MPI_Count in_count,
                                   MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm,
                                   MPI_Status* status) {
  MessageBuffer sent(procedure, out, out_count, out_type), received(procedure, in, in_count, in_type);
  sent.choose_path(Operation::kSend, dest, comm);
  received.choose_path(Operation::kReceive, source, comm);
  count_transfer(sent, received);
  sent.pack();
  const AfterReceive look_after_orphans;
  const auto native = [&](MPI_Status* s) {
    return call_two(large, mpi::library.Sendrecv, mpi::library.Sendrecv_c, sent, dest, send_tag, received, source,
                    receive_tag, comm, s);
  };
  if (received.path() != Path::kPack) return native(status);
  OwnStatus own(status);
  const int code = native(own.get());
  return finish(received, own, code, comm);
}

[[gnu::noinline]] int replace(Procedure procedure, bool large, void* buffer, MPI_Count count, MPI_Datatype type,
                              int dest, int send_tag, int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  // With one peer missing the exchange is still one; with both, nothing moves.
  MessageBuffer data(procedure, buffer, count, type);
  data.choose_path(Operation::kReplace, dest == MPI_PROC_NULL ? source : dest, comm);
  count_transfer(data);
  const auto native = [&](MPI_Status* s) {
    return call(large, mpi::library.Sendrecv_replace, mpi::library.Sendrecv_replace_c, data, dest, send_tag, source,
                receive_tag, comm, s);
  };
  const AfterReceive look_after_orphans;
  if (data.path() != Path::kPack) return native(status);
  // One type and one count for both directions: what comes in fits where what went out was.
  data.pack();
  OwnStatus own(status);
  const int code = native(own.get());
  return finish(data, own, code, comm);
}

}  // namespace

#define GAPLESS_SENDRECV(name, Count)                                                                                \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, int dest, int send_tag, void* in,         \
                  Count in_count, MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm,                  \
                  MPI_Status* status) {                                                                              \
    if (takes_fast_path(out_type, in_type)) [[likely]] {                                                             \
      return mpi::library.name(out, out_count, out_type, dest, send_tag, in, in_count, in_type, source, receive_tag, \
                               comm, status);                                                                        \
    }                                                                                                                \
    return send_receive(Procedure::k##name, is_large<Count>, out, out_count, out_type, dest, send_tag, in, in_count, \
                        in_type, source, receive_tag, comm, status);                                                 \
  }
GAPLESS_SENDRECV(Sendrecv, int)
GAPLESS_SENDRECV(Sendrecv_c, MPI_Count)
#undef GAPLESS_SENDRECV

#define GAPLESS_REPLACE(name, Count)                                                                                 \
  int wrap_##name(void* buffer, Count count, MPI_Datatype type, int dest, int send_tag, int source, int receive_tag, \
                  MPI_Comm comm, MPI_Status* status) {                                                               \
    if (takes_fast_path(type)) [[likely]] {                                                                          \
      return mpi::library.name(buffer, count, type, dest, send_tag, source, receive_tag, comm, status);              \
    }                                                                                                                \
    return replace(Procedure::k##name, is_large<Count>, buffer, count, type, dest, send_tag, source, receive_tag,    \
                   comm, status);                                                                                    \
  }
GAPLESS_REPLACE(Sendrecv_replace, int)
GAPLESS_REPLACE(Sendrecv_replace_c, MPI_Count)
#undef GAPLESS_REPLACE

}  // namespace gapless::preload
