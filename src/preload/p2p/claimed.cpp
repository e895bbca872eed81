#include "preload/p2p/claimed.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace gapless::preload {

namespace {

std::optional<Claim> take(int source, int tag, MPI_Comm comm) noexcept {
  try {
    if (source != MPI_PROC_NULL && comm != MPI_COMM_NULL) return take_claim(source, tag, comm);
  } catch (...) {  // no memory, which nothing here takes
  }
  return std::nullopt;
}

// Of one that the library does not have any more. Returns the error class; the status is then the program's.
int deliver(MessageBuffer& data, Claim& claim) noexcept {
  data.describe();
  std::int64_t bytes = wire::kHeaderBytes;
  bool all = true;
  if (claim.paired) {
    bytes = claim.paired->bytes();
    data.begin_pull(*claim.paired);
    all = data.pull_all();
  } else {
    data.unpack_part_of(claim.data.get(), wire::kHeaderBytes);
  }
  if (bytes > data.bytes()) mpi::set_bytes(claim.status, policy.broken.counted(bytes, data.bytes()));
  return !all ? MPI_ERR_OTHER : bytes > data.bytes() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

}  // namespace

int receive_claimed(MessageBuffer& data, bool large, Claim& claim, MPI_Comm comm, MPI_Status* status) noexcept {
  if (!claim.is_of_library()) {
    const int error = deliver(data, claim);
    mpi::give_status(claim.status, status);
    return error == MPI_SUCCESS ? error : raise_error(error, comm);
  }
  const auto native = [&](MPI_Status* s) {
    return call(large, mpi::library.Mrecv, mpi::library.Mrecv_c, data, &claim.message, s);
  };
  if (!data.has_end()) return native(status);
  OwnStatus own(status);
  const int code = native(own.get());
  return finish(data, own, code, comm);
}

int receive_claiming(MessageBuffer& data, bool large, int source, int tag, MPI_Comm comm, MPI_Status* status) noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  std::unique_lock lock(claims_lock());
  if (std::optional<Claim> claim = take(source, tag, comm)) {
    lock.unlock();
    return receive_claimed(data, large, *claim, comm, status);
  }
  int code = call(large, mpi::library.Irecv, mpi::library.Irecv_c, data, source, tag, comm, &request);
  lock.unlock();
  if (request == MPI_REQUEST_NULL) return code;
  OwnStatus own(status);
  code = mpi::library.Wait(&request, own.get());
  if (data.has_end()) return finish(data, own, code, comm);
  own.give();
  return code;
}

int start_claimed(MessageBuffer& data, bool large, Claim& claim, MPI_Comm comm, MPI_Request* request) noexcept {
  const Procedure procedure = data.procedure();
  if (claim.is_of_library()) {
    Start start(procedure, request, &data, nullptr);
    start.raises_on(comm);
    return start.end(call(large, mpi::library.Imrecv, mpi::library.Imrecv_c, data, &claim.message, start.request()));
  }
  const int error = deliver(data, claim);
  *request = completed_request();
  RequestEntry* const entry = *request == MPI_REQUEST_NULL ? nullptr : requests.make(procedure);
  if (entry == nullptr) return raise_error(MPI_ERR_NO_MEM, comm);
  entry->comm = comm;
  entry->set_claimed(claim.status, error);
  requests.add(*request, entry);
  return MPI_SUCCESS;
}

int start_claiming(MessageBuffer& data, bool large, int source, int tag, MPI_Comm comm, MPI_Request* request) noexcept {
  std::unique_lock lock(claims_lock());
  if (std::optional<Claim> claim = request == nullptr ? std::nullopt : take(source, tag, comm)) {
    lock.unlock();
    return start_claimed(data, large, *claim, comm, request);
  }
  Start start(data.procedure(), request, &data, nullptr);
  start.raises_on(comm);
  return start.end(call(large, mpi::library.Irecv, mpi::library.Irecv_c, data, source, tag, comm, start.request()));
}

bool exchange_claimed(MessageBuffer& sent, int dest, int send_tag, MessageBuffer& received, int source, int receive_tag,
                      MPI_Comm comm, MPI_Request* request, int& code, std::unique_ptr<char[]> copy) noexcept {
  std::optional<Claim> claim = request == nullptr ? std::nullopt : take(source, receive_tag, comm);
  if (!claim) return false;
  MPI_Request made = MPI_REQUEST_NULL;
  code = call(false, mpi::library.Isend, mpi::library.Isend_c, sent, dest, send_tag, comm, &made);
  RequestEntry* const entry = made == MPI_REQUEST_NULL ? nullptr : requests.make(sent.procedure());
  MPI_Status status = claim->status;
  // The message has come; what the library has still to move of it waits for nothing that this process does later.
  const int error = receive_claimed(received, false, *claim, comm, &status);
  if (made == MPI_REQUEST_NULL) return true;
  *request = made;
  if (entry == nullptr) return true;
  entry->comm = comm;
  entry->sent = std::move(sent);
  entry->copy = std::move(copy);
  entry->set_claimed(status, error);
  requests.add(made, entry);
  return true;
}

bool start_persistent_claimed(RequestEntry& entry) noexcept {
  if (!entry.receives || entry.partitions != nullptr || entry.collective != nullptr || entry.is_active()) return false;
  const std::lock_guard lock(claims_lock());
  std::optional<Claim> claim = take(entry.source, entry.tag, entry.comm);
  if (!claim) return false;
  entry.start();
  if (claim->is_of_library()) {
    call(false, mpi::library.Imrecv, mpi::library.Imrecv_c, entry.received, &claim->message, &entry.stand_in);
  } else {
    const int error = deliver(entry.received, *claim);
    entry.stand_in = completed_request();
    entry.set_claimed(claim->status, error);
  }
  return true;
}

}  // namespace gapless::preload
