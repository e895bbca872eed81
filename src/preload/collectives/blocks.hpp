// One side of a collective call: the blocks that this process sends, or those that it receives, as the program
// described them, and rewritten for the library as bytes, one block behind the other.
#pragma once

#include <climits>
#include <cstdint>

#include "mpi/abi/abi.hpp"
#include "mpi/abi/signatures.hpp"
#include "mpi/staging/reserve.hpp"
#include "mpi/types/datatype.hpp"
#include "preload/policy/strategy.hpp"
#include "preload/procedures.hpp"

namespace gapless::preload {

// The elements of blocks: their datatype.
struct Elements {
  Elements() = default;
  ~Elements();
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  // Drops the plan: the library packs. With `keep`, for an operation that outlasts its call, duplicates the type, which
  // the program may free.
  void leave_to_library(bool keep) noexcept;

  MPI_Datatype type{};
  bool owns_type = false;
  mpi::DatatypePtr facts;            // keeps the plan alive
  const plan::Plan* plan = nullptr;  // null: the library packs, by MPI_Pack
  MPI_Count size = 0, extent = 0;    // [bytes]
};

// A block, or several of equal elements that follow one another.
struct Piece {
  const char* address;
  MPI_Count count;  // of elements
  std::int64_t at;  // [bytes] in the packed blocks
  const Elements* elements;
  bool goes_out, comes_in;
  std::int64_t bytes() const noexcept { return count * elements->size; }
};

// The direction of the data: to the others, from them, or (MPI_IN_PLACE) both.
struct Direction {
  bool out = false, in = false;
};

class Blocks {
 public:
  // `outlasts`: the operation goes on when its call has returned.
  explicit Blocks(bool outlasts = false) noexcept : outlasts_(outlasts) {}
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // Set the blocks by the arguments of a plain, a v- or a w-collective. They return kNone, or the reason to leave the
  // call to the library; all arguments are checked before anything is reserved.
  //
  // `n` blocks of `count` elements, one behind the other. `own`: the block of this process, which goes in
  // `own_direction`; -1: none is special.
  Reason set_plain(const void* buffer, MPI_Count count, MPI_Datatype type, int n, Direction direction, int own = -1,
                   Direction own_direction = {}) noexcept;
  // The same, but each block is a piece of its own, so that some may be skipped.
  Reason set_plain_in_pieces(const void* buffer, MPI_Count count, MPI_Datatype type, int n,
                             Direction direction) noexcept;
  // Block k: counts[k] elements at displacements[k] extents.
  template <class Count>
  Reason set_v(const void* buffer, int n, const Count* counts, const mpi::DisplacementOf<Count>* displacements,
               MPI_Datatype type, Direction direction, int own = -1, Direction own_direction = {}) noexcept;
  // Block k: counts[k] elements of types[k] at displacements[k] bytes.
  template <class Count, class Displacement>
  Reason set_w(const void* buffer, int n, const Count* counts, const Displacement* displacements,
               const MPI_Datatype* types, Direction direction) noexcept;

  bool is_set() const noexcept { return n_ > 0 && !left_; }
  // This side is one end of the block that a process sends to itself; the other end lies among `many`, set with `own`.
  // The library gets MPI_IN_PLACE, and the block is moved from end to end when the call is packed: what the process
  // sends to itself by way of its staging among `many`, and on while it is in the cache; what it receives from itself
  // directly from the staging of what it sends. That saves the library a copy, and staging. Does nothing if the two
  // ends differ in size: an error that the library raises.
  void join(Blocks& many) noexcept;
  bool is_joined() const noexcept { return joined_ != nullptr; }
  // Block k, a piece of its own, is neither packed nor unpacked: the library does not touch it.
  void skip(int k) noexcept { pieces_[k].goes_out = pieces_[k].comes_in = false; }
  // Packs the data although they are contiguous.
  void stage() noexcept;
  // Leaves this side as the program described it.
  void leave() noexcept { left_ = true; }
  // The bytes of one block, of a plain side; of all blocks together.
  std::int64_t block_bytes() const noexcept { return block_bytes_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  // True if no staging is needed: each block is contiguous in the program's buffer.
  bool are_contiguous() const noexcept { return contiguous_; }
  // True if some type is not decoded or some data are in an accelerator's memory, so that the library must pack.
  bool needs_library() const noexcept { return needs_library_; }
  // True if packing is measured to be faster.
  bool are_worth(const Policy& policy, Operation operation) const noexcept;

  // Reserves the staging, if needed. Returns false if there is none.
  bool reserve() noexcept;
  bool is_staged() const noexcept { return staging_.data() != nullptr; }
  // The program may change its arrays of counts, displacements and types meanwhile.
  void pack(Procedure procedure) noexcept;
  void unpack(Procedure procedure) noexcept;

  // The library's arguments.
  void* buffer() const noexcept;
  // Of a v- or w-side: the bytes of each block, and where it begins.
  template <class Count, class Displacement>
  void tabulate() noexcept;
  template <class Count>
  const Count* counts() const noexcept {
    return static_cast<const Count*>(counts_);
  }
  template <class Displacement>
  const Displacement* displacements() const noexcept {
    return static_cast<const Displacement*>(displacements_);
  }
  const MPI_Datatype* types() const noexcept { return types_; }

 private:
  Reason read(Elements& elements, MPI_Datatype type) noexcept;
  Reason measure(MPI_Count count, MPI_Datatype type, int n, std::int64_t& elements) noexcept;
  bool add(Piece& piece, Elements& elements) noexcept;
  void move_own_block() noexcept;
  void send_own_block() noexcept;
  void receive_own_block() noexcept;
  void leave_device_data_to_library() noexcept;
  bool make_tables(int n, bool typed) noexcept;
  template <class Count, class Displacement>
  bool fits() noexcept;

  const bool outlasts_;
  static constexpr int kFew = 4;
  Elements elements_;
  Elements* each_ = nullptr;  // of a w-side, in tables_
  Piece few_[kFew];           // the first piece_count_ are set
  Piece* pieces_ = few_;
  int piece_count_ = 0;
  int own_ = -1;  // the piece that this process sends to itself
  Blocks* joined_ = nullptr;
  int n_ = 0;
  std::int64_t block_bytes_ = 0, bytes_ = 0, runs_ = 0;
  bool contiguous_ = false, needs_library_ = false, left_ = false;
  const char* first_ = nullptr;  // where contiguous bytes begin
  const char* base_ = nullptr;   // the program's buffer
  mpi::AssuredStaging staging_, tables_;
  void* counts_ = nullptr;
  void* displacements_ = nullptr;
  MPI_Datatype* types_ = nullptr;
};

}  // namespace gapless::preload
