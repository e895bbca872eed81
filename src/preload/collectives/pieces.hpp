// Pieces of the program's data, packed and unpacked here or, where the type is not decoded, by the library.
#pragma once

#include <cstdint>

#include "mpi/abi/abi.hpp"
#include "mpi/types/datatype.hpp"
#include "preload/policy/strategy.hpp"

namespace gapless::preload {

// The elements of blocks: their datatype.
struct Elements {
  Elements() = default;
  ~Elements();
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  // Returns kNone, or the reason to leave the call to the library. With `keep`, for an operation that outlasts its
  // call, a type that the library packs is held, for the program may free it.
  Reason read(MPI_Datatype of, bool keep) noexcept;
  // Drops the plan: the library packs. False if the type cannot be kept for want of memory.
  bool leave_to_library(bool keep) noexcept;

  MPI_Datatype type{};
  bool owns_type = false;
  mpi::DatatypePtr facts;            // keeps the plan alive
  const plan::Plan* plan = nullptr;  // null: the library packs, by MPI_Pack
  MPI_Count size = 0, extent = 0;    // [bytes]
};

// The direction of the data: to the others, from them, (MPI_IN_PLACE) both, or none: the library does not touch them.
struct Direction {
  bool out = false, in = false;
};

// A block, or several of equal elements that follow one another.
struct Piece {
  const char* address;
  MPI_Count count;  // of elements
  std::int64_t at;  // [bytes] in the packed blocks
  Elements* elements;
  Direction direction;
  bool is_absolute = false;  // its addresses are, from MPI_BOTTOM: they may name memory of several kinds
  bool is_paired = false;    // goes through shared memory (exchange.hpp): the library gets no data of it
  int header_bytes = 0;      // or, if not 0, the library gets so many bytes of a header (messages.hpp)

  std::int64_t bytes() const noexcept { return count * elements->size; }
  // Where its first byte lies in the program's buffer, of a type that is decoded.
  char* first_byte() const noexcept;
  // True unless it is known to touch an accelerator's memory.
  bool is_on_host() const noexcept;
  // True if it need not be left to the library: its type is decoded, and its data are the processor's to touch.
  bool is_moved_here() const noexcept { return elements->plan != nullptr && is_on_host(); }
  // True if it is one run of bytes. False under GAPLESS_FORCE.
  bool is_contiguous() const noexcept;
  void pack(char* packed) const noexcept;
  void unpack(char* packed) const noexcept;
  void unpack_by_library(char* packed) const noexcept;
  // Copies this one into `other`, of as many bytes and elsewhere in memory; both are decoded. `strip`: kStripBytes.
  static constexpr std::int64_t kStripBytes = 256 * 1024;
  void copy_to(const Piece& other, char* strip) const noexcept;
  // Packs this one by way of `packed`, and on into `other`, of as many bytes, while they are in the cache.
  void move(const Piece& other, char* packed) const noexcept;
};

// Of any addresses, null too: no pointer arithmetic beyond an object.
inline const char* moved(const char* address, std::int64_t bytes) noexcept {
  return reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(bytes));
}
inline char* Piece::first_byte() const noexcept {
  return const_cast<char*>(moved(address, elements->plan->first_byte()));
}

}  // namespace gapless::preload
