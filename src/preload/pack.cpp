// MPI_Pack, MPI_Unpack: straight between the user's buffers.
#include "preload/lifecycle.hpp"
#include "preload/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// Whether `bytes` fit behind *position; if not, the library will say so in its own way.
bool has_room(const void* packed, int size, const int* position, std::int64_t bytes) noexcept {
  return packed != nullptr && position != nullptr && *position >= 0 &&
         static_cast<std::int64_t>(size) - *position >= bytes;
}

// What leaves the call to the library. kNone: nothing does.
Reason obstacle(const Side& side, const void* packed, int size, const int* position, MPI_Comm comm) noexcept {
  if (!side.converted()) return side.reason();
  if (comm == MPI_COMM_NULL || !has_room(packed, size, position, side.bytes())) return Reason::kArguments;
  return side.overlaps(static_cast<const char*>(packed) + *position) ? Reason::kOverlap : Reason::kNone;
}

// The built-in communicators exist while the world does. Any other is shown to the library with a single byte, which is
// overwritten afterwards, so that a wrong one is an error as ever, raised where it always was. What says whether it was
// one is the position: the return code may be MPI_SUCCESS where the program's error handler returned.
bool is_built_in(MPI_Comm comm) noexcept {
  return (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF) && world_is_up();
}

[[gnu::noinline]] int pack(const void* in, int count, MPI_Datatype type, void* out, int size, int* position,
                           MPI_Comm comm) {
  Side side(in, count, type);
  side.choose(Operation::kPack);
  const Reason reason = obstacle(side, out, size, position, comm);
  if (reason != Reason::kNone) {
    if (counting()) count_declined(Procedure::kPack, reason);
    return mpi::library.Pack(in, count, type, out, size, position, comm);
  }
  if (!is_built_in(comm)) {
    int moved = *position;
    const char byte = 0;
    const int code = mpi::library.Pack(&byte, 1, MPI_BYTE, out, size, &moved, comm);
    if (moved == *position) return code;
  }
  count_sides(Procedure::kPack, side);
  side.pack_to(static_cast<char*>(out) + *position);
  *position += static_cast<int>(side.bytes());
  return MPI_SUCCESS;
}

[[gnu::noinline]] int unpack(const void* in, int size, int* position, void* out, int count, MPI_Datatype type,
                             MPI_Comm comm) {
  Side side(out, count, type);
  side.choose(Operation::kUnpack);
  const Reason reason = obstacle(side, in, size, position, comm);
  if (reason != Reason::kNone) {
    if (counting()) count_declined(Procedure::kUnpack, reason);
    return mpi::library.Unpack(in, size, position, out, count, type, comm);
  }
  if (!is_built_in(comm)) {
    int moved = *position;
    char byte;
    const int code = mpi::library.Unpack(in, size, &moved, &byte, 1, MPI_BYTE, comm);
    if (moved == *position) return code;
  }
  count_sides(Procedure::kUnpack, side);
  side.unpack_from(static_cast<const char*>(in) + *position);
  *position += static_cast<int>(side.bytes());
  return MPI_SUCCESS;
}

}  // namespace

int wrap_Pack(const void* in, int count, MPI_Datatype type, void* out, int size, int* position, MPI_Comm comm) {
  if (passes_by(type)) [[likely]]
    return mpi::library.Pack(in, count, type, out, size, position, comm);
  return pack(in, count, type, out, size, position, comm);
}

int wrap_Unpack(const void* in, int size, int* position, void* out, int count, MPI_Datatype type, MPI_Comm comm) {
  if (passes_by(type)) [[likely]]
    return mpi::library.Unpack(in, size, position, out, count, type, comm);
  return unpack(in, size, position, out, count, type, comm);
}

}  // namespace gapless::preload
