// MPI_Sendrecv, MPI_Sendrecv_replace. The two messages are decided separately: a contiguous one stays as the user gave
// it.
#include <memory>

#include "preload/p2p/claimed.hpp"
#include "preload/paired/callers.hpp"
#include "preload/requests/orphans.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// While messages may have been claimed. What is sent may not lie where what comes is received.
int exchange_claiming(MessageBuffer& sent, int dest, int send_tag, MessageBuffer& received, int source, int receive_tag,
                      MPI_Comm comm, MPI_Status* status) {
  sent.pack();
  MPI_Request send = MPI_REQUEST_NULL;
  int code = call(false, mpi::library.Isend, mpi::library.Isend_c, sent, dest, send_tag, comm, &send);
  if (send == MPI_REQUEST_NULL) {
    sent.withdraw();
    return code;
  }
  sent.pack_paired(false);
  code = receive_claiming(received, false, source, receive_tag, comm, status);
  sent.end_offer();
  const int sending = mpi::library.Wait(&send, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS ? sending : code;
}

// The two messages of a call that the library sends and receives. They do not overlap.
int exchange_local(MessageBuffer& sent, int dest, int send_tag, MessageBuffer& received, int source, int receive_tag,
                   bool large, MPI_Comm comm, MPI_Status* status) {
  const auto native = [&](MPI_Status* s) {
    return call_two(large, mpi::library.Sendrecv, mpi::library.Sendrecv_c, sent, dest, send_tag, received, source,
                    receive_tag, comm, s);
  };
  if (!received.has_end()) return native(status);
  OwnStatus own(status);
  const int code = native(own.get());
  return finish(received, own, code, comm);
}

// The two messages of a call that sends through shared memory. All is packed before anything that comes is unpacked:
// part by part in turn is slower (256 KB both ways: 2.1 times a contiguous exchange instead of 1.6), and what comes may
// replace what is sent. Where what is sent is offered, both ends copy what they receive at the same time.
int exchange_paired(MessageBuffer& sent, int dest, int send_tag, MessageBuffer& received, int source, int receive_tag,
                    MPI_Comm comm, MPI_Status* status) {
  MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
  int code = call(false, mpi::library.Irecv, mpi::library.Irecv_c, received, source, receive_tag, comm, &receive);
  if (receive != MPI_REQUEST_NULL) {
    code = call(false, mpi::library.Isend, mpi::library.Isend_c, sent, dest, send_tag, comm, &send);
  }
  if (send == MPI_REQUEST_NULL) {
    sent.withdraw();
    if (receive != MPI_REQUEST_NULL) {
      mpi::library.Cancel(&receive);
      mpi::library.Wait(&receive, MPI_STATUS_IGNORE);
    }
    return code;
  }
  sent.pack_paired(false);
  OwnStatus own(status);
  code = mpi::library.Wait(&receive, own.get());
  const int sending = mpi::library.Wait(&send, MPI_STATUS_IGNORE);
  code = finish(received, own, code, comm);
  sent.end_offer();
  return code == MPI_SUCCESS ? sending : code;
}

int exchange(MessageBuffer& sent, int dest, int send_tag, MessageBuffer& received, int source, int receive_tag,
             bool large, MPI_Comm comm, MPI_Status* status) {
  if (sent.path() == Path::kPaired) {
    return exchange_paired(sent, dest, send_tag, received, source, receive_tag, comm, status);
  }
  sent.pack();
  return exchange_local(sent, dest, send_tag, received, source, receive_tag, large, comm, status);
}

[[gnu::noinline]] int send_receive(Procedure procedure, May may, bool large, const void* out, MPI_Count out_count,
                                   MPI_Datatype out_type, int dest, int send_tag, void* in, MPI_Count in_count,
                                   MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm,
                                   MPI_Status* status) {
  MessageBuffer sent(procedure, out, out_count, out_type), received(procedure, in, in_count, in_type);
  sent.choose_send_path(Operation::kSend, dest, comm, is_tag(send_tag) ? may : May::kNotPair);
  received.choose_receive_path(Operation::kReceive, source, comm);
  count_transfer(sent, received);
  const AfterReceive look_after_orphans;
  if (claiming()) [[unlikely]]
    return exchange_claiming(sent, dest, send_tag, received, source, receive_tag, comm, status);
  return exchange(sent, dest, send_tag, received, source, receive_tag, large, comm, status);
}

// What stands for the library's MPI_Sendrecv_replace ends as that does.
int replaced(int code, MPI_Status* status) noexcept {
  if (policy.replace_sets_error && code == MPI_SUCCESS && status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
  return code;
}

[[gnu::noinline]] int replace(Procedure procedure, May may, bool large, void* buffer, MPI_Count count,
                              MPI_Datatype type, int dest, int send_tag, int source, int receive_tag, MPI_Comm comm,
                              MPI_Status* status) {
  const AfterReceive look_after_orphans;
  if (claiming()) [[unlikely]] {
    // What is sent is copied first. What cannot be copied is an error, which is the library's to raise.
    MessageBuffer data(procedure, buffer, count, type), received(procedure, buffer, count, type);
    const std::unique_ptr<char[]> copy = data.packed_copy();
    MessageBuffer packed(procedure, copy.get(), copy == nullptr ? 0 : data.bytes(), MPI_PACKED);
    received.choose_receive_path(Operation::kReceive, source, comm);
    count_transfer(packed, received);
    if (copy != nullptr || count == 0) {
      return replaced(exchange_claiming(packed, dest, send_tag, received, source, receive_tag, comm, status), status);
    }
  }
  MessageBuffer sent(procedure, buffer, count, type), received(procedure, buffer, count, type);
  sent.choose_send_path(Operation::kSend, dest, comm, is_tag(send_tag) ? may : May::kNotPair);
  received.choose_receive_path(Operation::kReceive, source, comm);
  // What goes through shared memory is packed when the receive is posted: what comes must go to staging.
  if (sent.path() == Path::kPaired && received.path() != Path::kPack && source != MPI_PROC_NULL) {
    sent.withdraw();
    sent = sent.as_given();
    sent.choose_path(Operation::kSend, dest, comm);
  }
  count_transfer(sent, received);
  // Where one of them is staged, they have buffers of their own. A library copies what MPI_Sendrecv_replace sends, and
  // need not.
  if (sent.path() == Path::kPaired || sent.path() == Path::kPack || received.path() == Path::kPack) {
    return replaced(exchange(sent, dest, send_tag, received, source, receive_tag, large, comm, status), status);
  }
  const auto native = [&](MPI_Status* s) {
    return call(large, mpi::library.Sendrecv_replace, mpi::library.Sendrecv_replace_c, received, dest, send_tag, source,
                receive_tag, comm, s);
  };
  if (!received.has_end()) return native(status);
  OwnStatus own(status);
  const int code = native(own.get());
  return finish(received, own, code, comm);
}

}  // namespace

#define GAPLESS_SENDRECV(name, Count)                                                                                \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, int dest, int send_tag, void* in,         \
                  Count in_count, MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm,                  \
                  MPI_Status* status) {                                                                              \
    if (takes_fast_path(out_type) && receive_takes_fast_path(in_count, in_type)) [[likely]] {                        \
      return mpi::library.name(out, out_count, out_type, dest, send_tag, in, in_count, in_type, source, receive_tag, \
                               comm, status);                                                                        \
    }                                                                                                                \
    return send_receive(Procedure::k##name, may_pair(May::kPairLater, __builtin_return_address(0)), is_large<Count>, \
                        out, out_count, out_type, dest, send_tag, in, in_count, in_type, source, receive_tag, comm,  \
                        status);                                                                                     \
  }
GAPLESS_SENDRECV(Sendrecv, int)
GAPLESS_SENDRECV(Sendrecv_c, MPI_Count)
#undef GAPLESS_SENDRECV

#define GAPLESS_REPLACE(name, Count)                                                                                 \
  int wrap_##name(void* buffer, Count count, MPI_Datatype type, int dest, int send_tag, int source, int receive_tag, \
                  MPI_Comm comm, MPI_Status* status) {                                                               \
    if (receive_takes_fast_path(count, type)) [[likely]] {                                                           \
      return mpi::library.name(buffer, count, type, dest, send_tag, source, receive_tag, comm, status);              \
    }                                                                                                                \
    return replace(Procedure::k##name, may_pair(May::kPairPacked, __builtin_return_address(0)), is_large<Count>,     \
                   buffer, count, type, dest, send_tag, source, receive_tag, comm, status);                          \
  }
GAPLESS_REPLACE(Sendrecv_replace, int)
GAPLESS_REPLACE(Sendrecv_replace_c, MPI_Count)
#undef GAPLESS_REPLACE

}  // namespace gapless::preload
