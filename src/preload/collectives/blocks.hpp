// The description of one side of a collective call: the blocks that this process sends, or those that it receives. Made
// once, from the program's arguments, which may change when a nonblocking call has returned.
#pragma once

#include <cstdint>
#include <span>

#include "mpi/staging/reserve.hpp"
#include "preload/collectives/pieces.hpp"
#include "preload/collectives/views.hpp"

namespace gapless::preload {

inline constexpr Direction kOut{true, false}, kIn{false, true}, kOutAndIn{true, true}, kStays{};

// The direction of each block.
struct Directions {
  Direction most;
  int own = -1;  // the block of this process; -1: none is special
  Direction of_own{};
  // A bit for each block whose peer is MPI_PROC_NULL: the library does not touch it. Of more blocks than there are bits
  // none is absent.
  std::uint64_t absent = 0;
  Direction of(int k) const noexcept {
    if (absent != 0 && (absent >> k & 1) != 0) return kStays;
    return k == own ? of_own : most;
  }
};

class Blocks {
 public:
  // `outlasts`: the operation goes on when its call has returned.
  explicit Blocks(bool outlasts) noexcept : outlasts_(outlasts) {}
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // Describes `n` blocks. Returns kNone, or the reason to leave the call to the library; of a v-side that is described
  // all the same, and only has more bytes than the procedure can count, kLarge.
  Reason describe(const View& given, int n, const Directions& directions) noexcept;
  template <class Count, class Displacement, class Types>
  Reason describe(const Views<Count, Displacement, Types>& given, int n, const Directions& directions) noexcept;
  // [bytes] of the tables of a v-side.
  static std::int64_t table_bytes(int n, bool typed = false) noexcept;

  std::span<const Piece> pieces() const noexcept { return {pieces_, static_cast<std::size_t>(piece_count_)}; }
  // Takes blocks of a v-side, or a side's only one, out of what the library gets: marks one; closes the gaps that they
  // leave.
  void pair(const Piece& piece) noexcept { pieces_[&piece - pieces_].is_paired = true; }
  void close_gaps() noexcept;
  // Of a v-side that is staged: so many bytes of a header go in its place.
  void set_header(const Piece& piece, int bytes) noexcept { pieces_[&piece - pieces_].header_bytes = bytes; }
  // Block `k`: of a plain side several may be one piece.
  Piece block(int k) const noexcept;
  // The block of this process, a piece of its own.
  const Piece& own() const noexcept { return pieces_[own_]; }
  // The bytes of one block, of a plain side; of all blocks together; of the mean run.
  std::int64_t block_bytes() const noexcept { return block_bytes_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  std::int64_t mean_run_bytes() const noexcept { return runs_ > 0 ? bytes_ / runs_ : 0; }
  // True if no staging is needed: each block is contiguous in the program's buffer. False under GAPLESS_FORCE.
  bool are_contiguous() const noexcept { return contiguous_; }
  // True if some type is not decoded, so that the library must pack.
  bool needs_library() const noexcept;
  // Leaves the packing of data in an accelerator's memory to the library.
  void leave_device_data_to_library() noexcept;
  void leave_to_library(const Piece& piece) const noexcept { piece.elements->leave_to_library(outlasts_); }

  // The blocks as the program gave them, those that are paired empty.
  View unpaired(const View& given) const noexcept {
    return piece_count_ == 1 && pieces_[0].is_paired ? View{given.buffer, 0, given.type} : given;
  }
  template <class Count, class Displacement, class Types>
  Views<Count, Displacement, Types> unpaired(const Views<Count, Displacement, Types>& given) const noexcept;
  // The blocks as bytes, packed one behind the other at `staging`, or (null) where they lie.
  View as_bytes(const View&, void* staging) const noexcept;
  template <class Count, class Displacement, class Types>
  Views<Count, Displacement, Types> as_bytes(const Views<Count, Displacement, Types>&, void* staging) const noexcept;

 private:
  bool reserve_tables(int n, bool typed) noexcept;
  void add_runs(const Piece& piece) noexcept;
  bool add(const char* address, MPI_Count count, Elements& elements, Direction direction) noexcept;
  void* first_byte() const noexcept;

  const bool outlasts_;
  bool contiguous_ = false;
  Elements elements_;
  Piece few_[3];  // enough for blocks that follow one another; else in tables_
  Piece* pieces_ = few_;
  int piece_count_ = 0, own_ = 0;
  std::int64_t block_bytes_ = 0, bytes_ = 0, runs_ = 0;
  const char* base_ = nullptr;  // the program's buffer
  // For each block of a v- or w-side: its piece; of a w-side, its elements; and the library's arguments.
  mpi::AssuredStaging tables_;
  std::span<Elements> each_;
  void *counts_ = nullptr, *displacements_ = nullptr;
  MPI_Datatype* types_ = nullptr;
};

}  // namespace gapless::preload
