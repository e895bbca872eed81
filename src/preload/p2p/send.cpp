// MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend.
//
// Packed bytes match any type at the receiver (MPI 4.1, 3.3.1), the envelope and the number of bytes are the same, and
// the call is over when it returns. A buffered send needs as much of the attached buffer as MPI_Pack_size returns, for
// either type.
#include "preload/paired/callers.hpp"
#include "preload/transfer/repeated.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

using Send = mpi::Signatures<int>::Send;
using LargeSend = mpi::Signatures<MPI_Count>::Send;

[[gnu::noinline]] int send(Procedure procedure, May may, bool large, Send* native, LargeSend* native_large,
                           const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (const Repeated* const like = find_repeated(Operation::kSend, buffer, count, type, dest, comm); like != nullptr) {
    if (like->is_native()) {
      count_native(*like, procedure);
      return large ? native_large(buffer, count, type, dest, tag, comm)
                   : native(buffer, static_cast<int>(count), type, dest, tag, comm);
    }
    if (int code; send_repeated(*like, procedure, native, buffer, tag, code)) return code;
  }
  MessageBuffer data(procedure, buffer, count, type);
  // Where a handler of the program's returns, MPICH returns MPI_SUCCESS: a header that did not go would stay announced.
  data.choose_send_path(Operation::kSend, dest, comm, is_tag(tag) ? may : May::kNotPair);
  count_transfer(data);
  keep_repeated(Operation::kSend, data, dest, comm);
  data.pack();
  const int code = call(large, native, native_large, data, dest, tag, comm);
  if (code == MPI_SUCCESS) {
    data.pack_paired(true);
  } else {
    data.withdraw();
  }
  return code;
}

}  // namespace

#define GAPLESS_SEND(name, may)                                                                                   \
  int wrap_##name(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {           \
    if (takes_fast_path(type)) [[likely]]                                                                         \
      return mpi::library.name(buffer, count, type, dest, tag, comm);                                             \
    return send(Procedure::k##name, may_pair(May::may, __builtin_return_address(0)), false, mpi::library.name,    \
                mpi::library.name##_c, buffer, count, type, dest, tag, comm);                                     \
  }                                                                                                               \
  int wrap_##name##_c(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) { \
    if (takes_fast_path(type)) [[likely]]                                                                         \
      return mpi::library.name##_c(buffer, count, type, dest, tag, comm);                                         \
    return send(Procedure::k##name##_c, may_pair(May::may, __builtin_return_address(0)), true, mpi::library.name, \
                mpi::library.name##_c, buffer, count, type, dest, tag, comm);                                     \
  }
GAPLESS_SEND(Send, kPair)
GAPLESS_SEND(Ssend, kNotPair)
GAPLESS_SEND(Rsend, kPair)
GAPLESS_SEND(Bsend, kNotPair)
#undef GAPLESS_SEND

}  // namespace gapless::preload
