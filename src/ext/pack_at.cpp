// GAPLESS_Pack_at, GAPLESS_Unpack_at.
#include <algorithm>
#include <cstring>
#include <memory>

#include "ext/datatype.hpp"
#include "ext/error.hpp"
#include "ext/memory.hpp"
#include "ext/packed_by_library.hpp"
#include "gapless/gapless_mpi.h"
#include "move/move.hpp"
#include "move/overlap.hpp"

using namespace gapless;
using namespace gapless::ext;

namespace {

// A part of the packed data of a message.
struct Part {
  const void* buffer;  // not written where the part is packed
  MPI_Count count;
  MPI_Datatype type;
  MPI_Count position;  // [bytes]
  const void* packed;
  MPI_Count size;  // [bytes] at `packed`
};

enum class Way { kPack, kUnpack };

int wrong_argument(const Part& part, const MPI_Count* moved) noexcept {
  if (part.count < 0 || part.size < 0) return MPI_ERR_COUNT;
  if (part.position < 0 || moved == nullptr) return MPI_ERR_ARG;
  return MPI_SUCCESS;
}

void* written(const void* memory) noexcept {
  return const_cast<void*>(memory);
}

// All of the message is packed, also for an unpacking: what lies around the part is unpacked as it was.
template <Way way>
int move_by_library(const Part& part, MPI_Count* moved) {
  PackedByLibrary all(part.type, part.count);
  if (const int code = all.make_room(); code != MPI_SUCCESS) return code;
  const MPI_Count bytes = std::clamp<MPI_Count>(all.size() - part.position, 0, part.size);
  if (bytes > 0) {
    if (part.packed == nullptr) return MPI_ERR_BUFFER;
    if (const int code = all.pack(part.buffer); code != MPI_SUCCESS) return code;
    char* const at = all.data() + part.position;
    if constexpr (way == Way::kPack) {
      std::memcpy(written(part.packed), at, static_cast<std::size_t>(bytes));
    } else {
      std::memcpy(at, part.packed, static_cast<std::size_t>(bytes));
      if (const int code = all.unpack(written(part.buffer)); code != MPI_SUCCESS) return code;
    }
  }
  *moved = bytes;
  return MPI_SUCCESS;
}

template <Way way>
std::int64_t move_bytes(const plan::Plan& plan, const Part& part, const void* packed, std::int64_t bytes) noexcept {
  if constexpr (way == Way::kPack) {
    return move::pack(plan, part.count, part.buffer, part.position, written(packed), bytes);
  } else {
    return move::unpack(plan, part.count, written(part.buffer), part.position, packed, bytes);
  }
}

// Returns MPI_SUCCESS or a code, not raised yet.
template <Way way>
int move_part(const mpi::Datatype& type, const Part& part, MPI_Count* moved) {
  const plan::Plan* const plan = type.plan();
  if (plan == nullptr) return move_by_library<way>(part, moved);
  const std::int64_t bytes = move::bytes_to_move(*plan, part.count, part.position, part.size);
  if (bytes > 0) {
    if (part.packed == nullptr || !is_buffer(part.buffer, *plan)) return MPI_ERR_BUFFER;
    if (!is_host(part.buffer, *plan) || !mpi::is_host(part.packed)) return move_by_library<way>(part, moved);
    plan->prepare(part.count);
    if (!move::overlap(*plan, part.count, part.buffer, part.packed, bytes)) [[likely]] {
      move_bytes<way>(*plan, part, part.packed, bytes);
    } else {
      // All is read before anything is written.
      const auto room = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
      if (way == Way::kUnpack) std::memcpy(room.get(), part.packed, static_cast<std::size_t>(bytes));
      move_bytes<way>(*plan, part, room.get(), bytes);
      if (way == Way::kPack) std::memcpy(written(part.packed), room.get(), static_cast<std::size_t>(bytes));
    }
  }
  *moved = bytes;
  return MPI_SUCCESS;
}

template <Way way>
int move_at(const Part& part, MPI_Count* moved) noexcept {
  if (const int wrong = wrong_argument(part, moved); wrong != MPI_SUCCESS) return raise(wrong);
  if (const mpi::Datatype* const known = remembered(part.type); known != nullptr) [[likely]]
    return guard([&] { return raised(move_part<way>(*known, part, moved)); });
  mpi::DatatypePtr type;
  if (const int code = find_committed(part.type, type); code != MPI_SUCCESS) return code;
  return guard([&] { return raised(move_part<way>(*type, part, moved)); });
}

}  // namespace

int GAPLESS_Pack_at(const void* inbuf, MPI_Count incount, MPI_Datatype type, MPI_Count position, void* outbuf,
                    MPI_Count outsize, MPI_Count* packed) {
  if (!ready()) return kNotReady;
  return move_at<Way::kPack>({inbuf, incount, type, position, outbuf, outsize}, packed);
}

int GAPLESS_Unpack_at(const void* inbuf, MPI_Count insize, MPI_Count position, void* outbuf, MPI_Count outcount,
                      MPI_Datatype type, MPI_Count* unpacked) {
  if (!ready()) return kNotReady;
  return move_at<Way::kUnpack>({outbuf, outcount, type, position, inbuf, insize}, unpacked);
}
