// MPI_Pack, MPI_Unpack: straight between the user's buffers.
#include "mpi/staging/host_memory.hpp"
#include "preload/policy/world.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// True if `bytes` fit behind *position; if not, the library raises its own error.
template <class Count>
bool has_room(const void* packed, Count size, const Count* position, std::int64_t bytes) noexcept {
  return packed != nullptr && position != nullptr && *position >= 0 && size >= *position &&
         static_cast<std::int64_t>(size) - *position >= bytes;
}

// The reason to leave the call to the library; kNone if there is none.
template <class Count>
Reason reason_not_to_pack(const MessageBuffer& data, const void* packed, Count size, const Count* position,
                          MPI_Comm comm) noexcept {
  if (!data.converted()) return data.reason();
  if (comm == MPI_COMM_NULL || !has_room(packed, size, position, data.bytes())) return Reason::kArguments;
  const char* const at = static_cast<const char*>(packed) + *position;
  if (!mpi::is_host(at)) return Reason::kDevice;
  return data.overlaps(at) ? Reason::kOverlap : Reason::kNone;
}

// The built-in communicators exist while the world does. Any other is given to the library with a single byte, which is
// overwritten afterwards, so that the library raises its error for an invalid one. The position tells if it did: the
// return code may be MPI_SUCCESS where the program's error handler returned.
bool is_built_in(MPI_Comm comm) noexcept {
  return (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF) && world_is_up();
}

template <class Count, class Native>
[[gnu::noinline]] int pack(Procedure procedure, Native* native, const void* in, Count count, MPI_Datatype type,
                           void* out, Count size, Count* position, MPI_Comm comm) {
  MessageBuffer data(procedure, in, count, type);
  data.choose_path(Operation::kPack);
  const Reason reason = reason_not_to_pack(data, out, size, position, comm);
  if (reason != Reason::kNone) {
    data.stay_native(reason);
    count_transfer(data);
    return native(in, count, type, out, size, position, comm);
  }
  if (!is_built_in(comm)) {
    Count moved = *position;
    const char byte = 0;
    const int code = native(&byte, 1, MPI_BYTE, out, size, &moved, comm);
    if (moved == *position) return code;
  }
  count_transfer(data);
  data.pack_to(static_cast<char*>(out) + *position);
  *position += static_cast<Count>(data.bytes());
  return MPI_SUCCESS;
}

template <class Count, class Native>
[[gnu::noinline]] int unpack(Procedure procedure, Native* native, const void* in, Count size, Count* position,
                             void* out, Count count, MPI_Datatype type, MPI_Comm comm) {
  MessageBuffer data(procedure, out, count, type);
  data.choose_path(Operation::kUnpack);
  const Reason reason = reason_not_to_pack(data, in, size, position, comm);
  if (reason != Reason::kNone) {
    data.stay_native(reason);
    count_transfer(data);
    return native(in, size, position, out, count, type, comm);
  }
  if (!is_built_in(comm)) {
    Count moved = *position;
    char byte;
    const int code = native(in, size, &moved, &byte, 1, MPI_BYTE, comm);
    if (moved == *position) return code;
  }
  count_transfer(data);
  data.unpack_from(static_cast<const char*>(in) + *position);
  *position += static_cast<Count>(data.bytes());
  return MPI_SUCCESS;
}

}  // namespace

#define GAPLESS_PACK(name, Count)                                                                         \
  int wrap_##name(const void* in, Count count, MPI_Datatype type, void* out, Count size, Count* position, \
                  MPI_Comm comm) {                                                                        \
    if (takes_fast_path(type)) [[likely]]                                                                 \
      return mpi::library.name(in, count, type, out, size, position, comm);                               \
    return pack(Procedure::k##name, mpi::library.name, in, count, type, out, size, position, comm);       \
  }
GAPLESS_PACK(Pack, int)
GAPLESS_PACK(Pack_c, MPI_Count)
#undef GAPLESS_PACK

#define GAPLESS_UNPACK(name, Count)                                                                       \
  int wrap_##name(const void* in, Count size, Count* position, void* out, Count count, MPI_Datatype type, \
                  MPI_Comm comm) {                                                                        \
    if (takes_fast_path(type)) [[likely]]                                                                 \
      return mpi::library.name(in, size, position, out, count, type, comm);                               \
    return unpack(Procedure::k##name, mpi::library.name, in, size, position, out, count, type, comm);     \
  }
GAPLESS_UNPACK(Unpack, int)
GAPLESS_UNPACK(Unpack_c, MPI_Count)
#undef GAPLESS_UNPACK

}  // namespace gapless::preload
