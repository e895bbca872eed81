// MPI_Isendrecv, MPI_Isendrecv_replace: one request for both messages.
//
// The status that MPICH and Intel MPI give for such a request does not tell how much came (MPICH 5.0.2: 4 or 64 bytes,
// whatever came). So the receive's staging is filled with the program's data first, and unpacked whole: a message that
// fills the type only in part leaves the rest as it was. The program may not touch that rest meanwhile.
#include <memory>
#include <mutex>
#include <utility>

#include "preload/p2p/claimed.hpp"
#include "preload/requests/start.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// Two messages that do not overlap.
int start_exchange(Start& start, bool large, MessageBuffer& sent, int dest, int send_tag, MessageBuffer& received,
                   int source, int receive_tag, MPI_Comm comm) {
  count_transfer(sent, received);
  sent.pack();
  received.pack();
  start.unpack_whole();
  return start.end(call_two(large, mpi::library.Isendrecv, mpi::library.Isendrecv_c, sent, dest, send_tag, received,
                            source, receive_tag, comm, start.request()));
}

[[gnu::noinline]] int send_receive(Procedure procedure, bool large, const void* out, MPI_Count out_count,
                                   MPI_Datatype out_type, int dest, int send_tag, void* in, MPI_Count in_count,
                                   MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm,
                                   MPI_Request* request) {
  MessageBuffer sent(procedure, out, out_count, out_type), received(procedure, in, in_count, in_type);
  sent.choose_path(Operation::kIsend, dest, comm);
  received.choose_receive_path(Operation::kIreceive, source, comm);
  std::unique_lock posting(claims_lock(), std::defer_lock);
  if (claiming()) [[unlikely]] {
    posting.lock();
    sent.pack();
    int code = MPI_SUCCESS;
    if (exchange_claimed(sent, dest, send_tag, received, source, receive_tag, comm, request, code)) return code;
  }
  Start start(procedure, request, &received, &sent);
  return start_exchange(start, large, sent, dest, send_tag, received, source, receive_tag, comm);
}

[[gnu::noinline]] int replace(Procedure procedure, bool large, void* buffer, MPI_Count count, MPI_Datatype type,
                              int dest, int send_tag, int source, int receive_tag, MPI_Comm comm,
                              MPI_Request* request) {
  MessageBuffer data(procedure, buffer, count, type);
  std::unique_lock posting(claims_lock(), std::defer_lock);
  if (claiming()) [[unlikely]] {
    posting.lock();
    std::unique_ptr<char[]> copy = data.packed_copy();
    MessageBuffer packed(procedure, copy.get(), copy == nullptr ? 0 : data.bytes(), MPI_PACKED);
    MessageBuffer received = data.as_given();
    int code = MPI_SUCCESS;
    if ((copy != nullptr || count == 0) &&
        exchange_claimed(packed, dest, send_tag, received, source, receive_tag, comm, request, code, std::move(copy))) {
      return code;
    }
  }
  MessageBuffer sent = data.as_given(), received = data.as_given();
  sent.choose_path(Operation::kIsend, dest, comm);
  received.choose_receive_path(Operation::kIreceive, source, comm);
  Start start(procedure, request, &received, &sent);
  // Where one of them is staged, they do not overlap.
  if (sent.path() == Path::kPack || received.path() == Path::kPack) {
    return start_exchange(start, large, sent, dest, send_tag, received, source, receive_tag, comm);
  }
  count_transfer(sent, received);
  start.unpack_whole();
  return start.end(call(large, mpi::library.Isendrecv_replace, mpi::library.Isendrecv_replace_c, received, dest,
                        send_tag, source, receive_tag, comm, start.request()));
}

}  // namespace

#define GAPLESS_ISENDRECV(name, Count)                                                                               \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, int dest, int send_tag, void* in,         \
                  Count in_count, MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm,                  \
                  MPI_Request* request) {                                                                            \
    if (takes_fast_path(out_type) && receive_takes_fast_path(in_count, in_type)) [[likely]] {                        \
      return mpi::library.name(out, out_count, out_type, dest, send_tag, in, in_count, in_type, source, receive_tag, \
                               comm, request);                                                                       \
    }                                                                                                                \
    return send_receive(Procedure::k##name, is_large<Count>, out, out_count, out_type, dest, send_tag, in, in_count, \
                        in_type, source, receive_tag, comm, request);                                                \
  }
GAPLESS_ISENDRECV(Isendrecv, int)
GAPLESS_ISENDRECV(Isendrecv_c, MPI_Count)
#undef GAPLESS_ISENDRECV

#define GAPLESS_IREPLACE(name, Count)                                                                                \
  int wrap_##name(void* buffer, Count count, MPI_Datatype type, int dest, int send_tag, int source, int receive_tag, \
                  MPI_Comm comm, MPI_Request* request) {                                                             \
    if (receive_takes_fast_path(count, type)) [[likely]] {                                                           \
      return mpi::library.name(buffer, count, type, dest, send_tag, source, receive_tag, comm, request);             \
    }                                                                                                                \
    return replace(Procedure::k##name, is_large<Count>, buffer, count, type, dest, send_tag, source, receive_tag,    \
                   comm, request);                                                                                   \
  }
GAPLESS_IREPLACE(Isendrecv_replace, int)
GAPLESS_IREPLACE(Isendrecv_replace_c, MPI_Count)
#undef GAPLESS_IREPLACE

}  // namespace gapless::preload
