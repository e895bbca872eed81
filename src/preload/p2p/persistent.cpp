// MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init, MPI_Recv_init, MPI_Start, MPI_Startall.
//
// The plan and the staging are bound when the request is made and stay until it is freed; the library's request is one
// on the staging. Each start packs; each completion unpacks (requests/request_entry.hpp).
#include <mutex>
#include <utility>

#include "preload/p2p/claimed.hpp"
#include "preload/paired/callers.hpp"
#include "preload/requests/held_entries.hpp"
#include "preload/requests/remembered.hpp"
#include "preload/requests/start.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

using SendInit = mpi::Signatures<int>::Send_init;
using LargeSendInit = mpi::Signatures<MPI_Count>::Send_init;

// After the program's own request is made, so that an error in the arguments is raised once.
void add_header_request(MPI_Request request, HeaderRequest header, SendInit* native, int dest, int tag,
                        MPI_Comm comm) noexcept {
  RequestEntry* const entry = requests.hold(request);
  if (entry == nullptr) return;
  native(header.bytes(), static_cast<int>(wire::kHeaderBytes), MPI_PACKED, dest, tag, comm, &header.request);
  if (header.request != MPI_REQUEST_NULL) entry->header.emplace(std::move(header));
  requests.release(entry);
}

[[gnu::noinline]] int send_init(Procedure procedure, May may, bool large, SendInit* native, LargeSendInit* native_large,
                                const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                                MPI_Comm comm, MPI_Request* request) {
  MessageBuffer data(procedure, buffer, count, type);
  data.choose_send_path(Operation::kIsend, dest, comm, May::kNotPair);
  const int receiver = data.prepare_rounds(dest, comm, may);
  Start start(procedure, request, nullptr, &data, Start::Lasts::kPersistent);
  count_transfer(data);
  const bool has_entry = data.has_end();
  const int code = start.end(call(large, native, native_large, data, dest, tag, comm, start.request()));
  if (receiver >= 0 && has_entry && code == MPI_SUCCESS) {
    HeaderRequest header(receiver);
    if (header.bytes() != nullptr) add_header_request(*request, std::move(header), native, dest, tag, comm);
  }
  return code;
}

[[gnu::noinline]] int receive_init(Procedure procedure, bool large, void* buffer, MPI_Count count, MPI_Datatype type,
                                   int source, int tag, MPI_Comm comm, MPI_Request* request) {
  MessageBuffer data(procedure, buffer, count, type);
  data.choose_receive_path(Operation::kIreceive, source, comm);
  Start start(procedure, request, &data, nullptr, Start::Lasts::kPersistent);
  start.raises_on(comm);
  start.matches(source, tag);
  count_transfer(data);
  const bool has_entry = data.has_end();
  const int code = start.end(
      call(large, mpi::library.Recv_init, mpi::library.Recv_init_c, data, source, tag, comm, start.request()));
  if (!has_entry && headers_may_come() && request != nullptr && code == MPI_SUCCESS) {
    remember_receive(*request, data, source, tag, comm);
  }
  return code;
}

// All are packed before the library's one call, which may start the transfer of each at once.
template <class Call>
[[gnu::noinline]] int begin(Procedure procedure, int n, MPI_Request* list, Call&& call) {
  std::unique_lock posting(claims_lock(), std::defer_lock);
  if (claiming()) [[unlikely]] {
    posting.lock();
    if (n == 1) entry_of_remembered(*list);
  }
  HeldEntries held(Requests::Use::kStarts, n, list);
  if (!held.any()) {
    if (counting()) count_declined(procedure, Reason::kContiguous);
    return call(list);
  }
  if (n == 1 && held[0]->is_own()) {
    if (held[0]->is_active()) return raise_error(MPI_ERR_REQUEST, held[0]->comm);
    held[0]->start();
    if (counting()) count_accelerated(procedure, 0);
    return MPI_SUCCESS;
  }
  // An error. The round that is on its way stays, and the library raises the error for the request in whose place it
  // is: that one is active, too.
  if (n == 1 && held[0]->stand_in != MPI_REQUEST_NULL && held[0]->is_active()) return call(&held[0]->stand_in);
  if (posting.owns_lock() && n == 1 && held[0]->persistent && start_persistent_claimed(*held[0])) {
    if (counting()) count_accelerated(procedure, 0);
    return MPI_SUCCESS;
  }
  RequestEntry::State before{};
  std::int64_t bytes = 0;
  bool begun = false;
  for (int k = 0; k < n; ++k) {
    // The library refuses what is not persistent.
    if (held[k] == nullptr || !held[k]->persistent) continue;
    begun = true;
    before = held[k]->start();
    if (held[k]->collective != nullptr) {
      bytes += held[k]->collective->sent_bytes();
    } else if (held[k]->partitions == nullptr) {
      bytes += held[k]->sent.bytes();
    }
  }
  // Those with a header are started one by one.
  const bool stands_in = n == 1 && begun && held[0]->sent.goes_through_memory();
  const int code = call(stands_in ? &held[0]->stand_in : list);
  for (int k = 0; k < n; ++k) {
    if (held[k] == nullptr || !held[k]->persistent) continue;
    if (!stands_in) requests.update_handle(held[k], list[k]);
    if (code == MPI_SUCCESS) {
      held[k]->follow_start();
    } else if (n == 1) {
      held[k]->undo_start(before);  // of several, some may have been started
    }
  }
  if (begun && tallying()) {
    count_accelerated(procedure, bytes);
  } else if (counting()) {
    count_declined(procedure, Reason::kContiguous);
  }
  return code;
}

// True if any is a collective operation, or has a header.
bool start_in_turn(int n, const MPI_Request* list) noexcept {
  for (int k = 0; list != nullptr && k < n; ++k) {
    HeldEntries held(Requests::Use::kLooks, 1, list + k);
    if (held.any() && (held[0]->collective != nullptr || held[0]->header)) return true;
  }
  return false;
}

}  // namespace

#define GAPLESS_SEND_INIT(name, may)                                                                              \
  int wrap_##name(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,             \
                  MPI_Request* request) {                                                                         \
    if (takes_fast_path(type)) [[likely]]                                                                         \
      return mpi::library.name(buffer, count, type, dest, tag, comm, request);                                    \
    return send_init(Procedure::k##name, may_pair(may, __builtin_return_address(0)), false, mpi::library.name,    \
                     mpi::library.name##_c, buffer, count, type, dest, tag, comm, request);                       \
  }                                                                                                               \
  int wrap_##name##_c(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,   \
                      MPI_Request* request) {                                                                     \
    if (takes_fast_path(type)) [[likely]]                                                                         \
      return mpi::library.name##_c(buffer, count, type, dest, tag, comm, request);                                \
    return send_init(Procedure::k##name##_c, may_pair(may, __builtin_return_address(0)), true, mpi::library.name, \
                     mpi::library.name##_c, buffer, count, type, dest, tag, comm, request);                       \
  }
GAPLESS_SEND_INIT(Send_init, May::kPairLater)
GAPLESS_SEND_INIT(Bsend_init, May::kNotPair)
GAPLESS_SEND_INIT(Ssend_init, May::kNotPair)
GAPLESS_SEND_INIT(Rsend_init, May::kPairLater)
#undef GAPLESS_SEND_INIT

int wrap_Recv_init(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  if (takes_fast_path(type) && !headers_may_come()) [[likely]]
    return mpi::library.Recv_init(buffer, count, type, source, tag, comm, request);
  return receive_init(Procedure::kRecv_init, false, buffer, count, type, source, tag, comm, request);
}

int wrap_Recv_init_c(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  if (takes_fast_path(type) && !headers_may_come()) [[likely]]
    return mpi::library.Recv_init_c(buffer, count, type, source, tag, comm, request);
  return receive_init(Procedure::kRecv_init_c, true, buffer, count, type, source, tag, comm, request);
}

int wrap_Start(MPI_Request* request) {
  if (request == nullptr || takes_fast_path(1, request)) [[likely]]
    return mpi::library.Start(request);
  return begin(Procedure::kStart, 1, request, mpi::library.Start);
}

int wrap_Startall(int n, MPI_Request* list) {
  if (takes_fast_path(n, list)) [[likely]]
    return mpi::library.Startall(n, list);
  if (n > 1 && (claiming() || start_in_turn(n, list))) {
    // One by one: those that an error keeps from being started must deliver nothing.
    for (int k = 0; k < n; ++k) {
      const int code = begin(Procedure::kStartall, 1, list + k, mpi::library.Start);
      if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
  }
  return or_no_memory([&] {
    return begin(Procedure::kStartall, n, list, [n](MPI_Request* of) { return mpi::library.Startall(n, of); });
  });
}

}  // namespace gapless::preload
