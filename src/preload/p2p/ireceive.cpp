// MPI_Irecv, MPI_Imrecv: into staging; unpacked by whichever procedure completes the request.
#include "preload/p2p/claimed.hpp"
#include "preload/requests/start.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

[[gnu::noinline]] int ireceive(Procedure procedure, bool large, void* buffer, MPI_Count count, MPI_Datatype type,
                               int source, int tag, MPI_Comm comm, MPI_Request* request) {
  MessageBuffer data(procedure, buffer, count, type);
  data.choose_receive_path(Operation::kIreceive, source, comm);
  if (claiming()) [[unlikely]] {
    count_transfer(data);
    return start_claiming(data, large, source, tag, comm, request);
  }
  Start start(procedure, request, &data, nullptr);
  start.raises_on(comm);
  count_transfer(data);
  return start.end(call(large, mpi::library.Irecv, mpi::library.Irecv_c, data, source, tag, comm, start.request()));
}

[[gnu::noinline]] int matched_ireceive(Procedure procedure, bool large, void* buffer, MPI_Count count,
                                       MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  MessageBuffer data(procedure, buffer, count, type);
  choose_path_of_matched(data, Operation::kIreceive, message);
  if (claiming()) [[unlikely]] {
    if (std::optional<Claim> claim = take_handed_out(message)) {
      count_transfer(data);
      return start_claimed(data, large, *claim, MPI_COMM_NULL, request);
    }
  }
  Start start(procedure, request, &data, nullptr);
  count_transfer(data);
  return start.end(call(large, mpi::library.Imrecv, mpi::library.Imrecv_c, data, message, start.request()));
}

}  // namespace

int wrap_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  if (receive_takes_fast_path(count, type)) [[likely]]
    return mpi::library.Irecv(buffer, count, type, source, tag, comm, request);
  return ireceive(Procedure::kIrecv, false, buffer, count, type, source, tag, comm, request);
}

int wrap_Irecv_c(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  if (receive_takes_fast_path(count, type)) [[likely]]
    return mpi::library.Irecv_c(buffer, count, type, source, tag, comm, request);
  return ireceive(Procedure::kIrecv_c, true, buffer, count, type, source, tag, comm, request);
}

int wrap_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  if (takes_fast_path(type)) [[likely]]
    return mpi::library.Imrecv(buffer, count, type, message, request);
  return matched_ireceive(Procedure::kImrecv, false, buffer, count, type, message, request);
}

int wrap_Imrecv_c(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  if (takes_fast_path(type)) [[likely]]
    return mpi::library.Imrecv_c(buffer, count, type, message, request);
  return matched_ireceive(Procedure::kImrecv_c, true, buffer, count, type, message, request);
}

}  // namespace gapless::preload
