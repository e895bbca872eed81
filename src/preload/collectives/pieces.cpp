#include "preload/collectives/pieces.hpp"

#include <algorithm>
#include <climits>

#include "move/move.hpp"
#include "mpi/abi/library.hpp"
#include "mpi/staging/host_memory.hpp"
#include "mpi/types/held_type.hpp"
#include "preload/policy/own_comm.hpp"
#include "preload/policy/switches.hpp"

namespace gapless::preload {

namespace {

// The library's own packing, in portions that an int can count. From MPI_BOTTOM element by element as long as the
// address is null, because MPICH 5.0.2 and Intel MPI refuse a null buffer for more than one element. On MPI_COMM_SELF,
// for the program may have freed the operation's communicator meanwhile.
template <class Move>
void by_portions(const Piece& piece, char* packed, Move&& move) noexcept {
  const MPI_Count size = piece.elements->size;
  const MPI_Count most = size < INT_MAX ? INT_MAX / size : 1;
  for (MPI_Count done = 0, count; done < piece.count; done += count) {
    auto* const address = const_cast<char*>(moved(piece.address, done * piece.elements->extent));
    count = address == nullptr ? 1 : std::min(piece.count - done, most);
    move(address, count, packed + done * size, count * size);
  }
}

}  // namespace

Elements::~Elements() {
  // The entry of a persistent request may be destroyed after MPI was finalised, which freed its types.
  if (owns_type && mpi::has_epoch()) mpi::library.Type_free(&type);
}

Reason Elements::read(MPI_Datatype of, bool keep) noexcept {
  if (of == MPI_DATATYPE_NULL) return Reason::kArguments;
  type = of;
  facts = mpi::find_type(type, true);
  if (facts == nullptr && refuses_type(type)) return Reason::kUnregistered;
  plan = facts == nullptr ? nullptr : facts->plan();
  if (plan != nullptr) {
    size = plan->size();
    extent = plan->extent();
    return Reason::kNone;
  }
  MPI_Count lb = 0;
  if (mpi::library.Type_size_x(type, &size) != MPI_SUCCESS || size < 0 ||
      mpi::library.Type_get_extent_x(type, &lb, &extent) != MPI_SUCCESS) {
    return Reason::kArguments;
  }
  return leave_to_library(keep) ? Reason::kNone : Reason::kUnregistered;
}

bool Elements::leave_to_library(bool keep) noexcept {
  plan = nullptr;
  if (keep && !owns_type) owns_type = mpi::hold_type(type, type) == MPI_SUCCESS;
  return !keep || owns_type;
}

bool Piece::is_on_host() const noexcept {
  return bytes() == 0 || elements->plan == nullptr ||
         (mpi::is_host(first_byte()) && (!is_absolute || !mpi::has_gpu_runtime()));
}

bool Piece::is_contiguous() const noexcept {
  return !policy.force && elements->plan != nullptr && elements->plan->is_run(count);
}

void Piece::pack(char* packed) const noexcept {
  if (elements->plan != nullptr) {
    move::pack(*elements->plan, count, address, 0, packed, bytes());
    return;
  }
  by_portions(*this, packed, [this](char* from, MPI_Count some, char* to, MPI_Count room) {
    if (room > INT_MAX) {  // one element; a library without MPI_Pack_c never comes here (largest_message)
      MPI_Count position = 0;
      mpi::library.Pack_c(from, some, elements->type, to, room, &position, MPI_COMM_SELF);
      return;
    }
    int position = 0;
    mpi::library.Pack(from, static_cast<int>(some), elements->type, to, static_cast<int>(room), &position,
                      MPI_COMM_SELF);
  });
}

void Piece::unpack(char* packed) const noexcept {
  if (elements->plan != nullptr) {
    move::unpack(*elements->plan, count, const_cast<char*>(address), 0, packed, bytes());
  } else {
    unpack_by_library(packed);
  }
}

void Piece::unpack_by_library(char* packed) const noexcept {
  by_portions(*this, packed, [this](char* to, MPI_Count some, char* from, MPI_Count room) {
    if (room > INT_MAX) {
      MPI_Count position = 0;
      mpi::library.Unpack_c(from, room, &position, to, some, elements->type, MPI_COMM_SELF);
      return;
    }
    int position = 0;
    mpi::library.Unpack(from, static_cast<int>(room), &position, to, static_cast<int>(some), elements->type,
                        MPI_COMM_SELF);
  });
}

void Piece::move(const Piece& other, char* packed) const noexcept {
  const plan::Plan *const from = elements->plan, *const to = other.elements->plan;
  if (from == nullptr || to == nullptr) {
    pack(packed);
    return other.unpack(packed);
  }
  // In portions that stay in the second cache.
  for (std::int64_t done = 0; done < bytes(); done += kStripBytes) {
    move::pack(*from, count, address, done, packed + done, kStripBytes);
    const std::int64_t portion = std::min(bytes() - done, kStripBytes);
    move::unpack(*to, other.count, const_cast<char*>(other.address), done, packed + done, portion);
  }
}

void Piece::copy_to(const Piece& other, char* strip) const noexcept {
  for (std::int64_t done = 0; done < bytes(); done += kStripBytes) {
    move::pack_near(*elements->plan, count, address, done, strip, kStripBytes);
    const std::int64_t portion = std::min(bytes() - done, kStripBytes);
    move::unpack(*other.elements->plan, other.count, const_cast<char*>(other.address), done, strip, portion);
  }
}

}  // namespace gapless::preload
