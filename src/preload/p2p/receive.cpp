// MPI_Recv, MPI_Mrecv.
//
// As many bytes are accepted as the user's type holds, so a longer message is truncated with the same error; a shorter
// one fills the type's first bytes. The user gets a copy of the library's status.
#include "preload/p2p/claimed.hpp"
#include "preload/requests/orphans.hpp"
#include "preload/transfer/repeated.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

[[gnu::noinline]] int receive(Procedure procedure, bool large, void* buffer, MPI_Count count, MPI_Datatype type,
                              int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const AfterReceive look_after_orphans;
  if (const Repeated* const like = find_repeated(Operation::kReceive, buffer, count, type, source, comm);
      like != nullptr) {
    if (headers_may_come()) accept_again();
    if (like->is_native()) {
      count_native(*like, procedure);
      return large ? mpi::library.Recv_c(buffer, count, type, source, tag, comm, status)
                   : mpi::library.Recv(buffer, static_cast<int>(count), type, source, tag, comm, status);
    }
    if (int code; receive_repeated(*like, procedure, buffer, tag, status, code)) return code;
  }
  MessageBuffer data(procedure, buffer, count, type);
  data.choose_receive_path(Operation::kReceive, source, comm);
  count_transfer(data);
  keep_repeated(Operation::kReceive, data, source, comm);
  const auto native = [&](MPI_Status* s) {
    return call(large, mpi::library.Recv, mpi::library.Recv_c, data, source, tag, comm, s);
  };
  if (claiming()) [[unlikely]]
    return receive_claiming(data, large, source, tag, comm, status);
  if (!data.has_end()) return native(status);
  OwnStatus own(status);
  const int code = native(own.get());
  return finish(data, own, code, comm);
}

[[gnu::noinline]] int matched_receive(Procedure procedure, bool large, void* buffer, MPI_Count count, MPI_Datatype type,
                                      MPI_Message* message, MPI_Status* status) {
  MessageBuffer data(procedure, buffer, count, type);
  choose_path_of_matched(data, Operation::kReceive, message);
  count_transfer(data);
  if (claiming()) [[unlikely]] {
    if (std::optional<Claim> claim = take_handed_out(message)) {
      return receive_claimed(data, large, *claim, MPI_COMM_NULL, status);
    }
  }
  const auto native = [&](MPI_Status* s) {
    return call(large, mpi::library.Mrecv, mpi::library.Mrecv_c, data, message, s);
  };
  const AfterReceive look_after_orphans;
  if (data.path() != Path::kPack) return native(status);
  OwnStatus own(status);
  const int code = native(own.get());
  return finish(data, own, code, MPI_COMM_NULL);
}

}  // namespace

int wrap_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (receive_takes_fast_path(count, type)) [[likely]]
    return mpi::library.Recv(buffer, count, type, source, tag, comm, status);
  return receive(Procedure::kRecv, false, buffer, count, type, source, tag, comm, status);
}

int wrap_Recv_c(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                MPI_Status* status) {
  if (receive_takes_fast_path(count, type)) [[likely]]
    return mpi::library.Recv_c(buffer, count, type, source, tag, comm, status);
  return receive(Procedure::kRecv_c, true, buffer, count, type, source, tag, comm, status);
}

int wrap_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  if (takes_fast_path(type)) [[likely]]
    return mpi::library.Mrecv(buffer, count, type, message, status);
  return matched_receive(Procedure::kMrecv, false, buffer, count, type, message, status);
}

int wrap_Mrecv_c(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  if (takes_fast_path(type)) [[likely]]
    return mpi::library.Mrecv_c(buffer, count, type, message, status);
  return matched_receive(Procedure::kMrecv_c, true, buffer, count, type, message, status);
}

}  // namespace gapless::preload
