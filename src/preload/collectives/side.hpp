// One side of a collective call: its blocks, the decision what the library gets for them, and the execution of that.
#pragma once

#include <type_traits>

#include "preload/collectives/blocks.hpp"
#include "preload/collectives/messages.hpp"
#include "preload/procedures.hpp"

namespace gapless::preload {

// What the library gets for the blocks of a side.
enum class Route {
  kGiven,     // what the program gave: the side is not significant on this process, or MPI_IN_PLACE, or left as it is
  kWhereLie,  // the bytes in the program's buffer, which are contiguous
  kStaged,    // the bytes in staging
  kJoined,    // MPI_IN_PLACE: the block is moved to or from the other side here
};

class Side {
 public:
  explicit Side(bool outlasts) noexcept : blocks_(outlasts) {}

  // Describes the blocks, and decides by them alone. Returns kNone, or the reason to leave the call to the library.
  template <class Given>
  Reason describe(const Given& given, int n, const Directions& directions) noexcept {
    const Reason reason = blocks_.describe(given, n, directions);
    if (reason != Reason::kNone || n == 0) return reason;
    if constexpr (!kIsTyped<Given>) route_ = Route::kWhereLie;  // else each block begins where its own type says
    if (!blocks_.are_contiguous() && blocks_.bytes() > 0) stage();
    return reason;
  }
  const Blocks& blocks() const noexcept { return blocks_; }
  // Blocks of a v-side, or a side's only one, go through shared memory: each; when all are known. A side without any
  // other data is left.
  void pair(const Piece& piece) noexcept { blocks_.pair(piece); }
  void close_gaps() noexcept {
    blocks_.close_gaps();
    if (blocks_.bytes() == 0) leave();
  }
  // Decide otherwise: the data are packed although they are contiguous; the side is left as the program described it.
  void stage() noexcept;
  void leave() noexcept { route_ = Route::kGiven; }
  // Data in an accelerator's memory are the library's to read, too.
  void leave_device_data_to_library() noexcept { blocks_.leave_device_data_to_library(); }
  // This side is one end of the block that a process sends to itself; the other end is the own one of `many`. The
  // library gets MPI_IN_PLACE, and the block is moved from end to end when the call is packed: what the process sends
  // to itself by way of its staging among `many`, and on while it is in the cache; what it receives from itself
  // directly from the staging of what it sends. That saves the library a copy, and staging. Does nothing if the two
  // ends differ in size: an error that the library raises.
  void join(Side& many) noexcept;

  // True if packing is measured to be faster than what the library does with the types.
  bool is_worth(Operation operation) const noexcept;
  bool is_rewritten() const noexcept { return route_ != Route::kGiven; }
  bool is_staged() const noexcept { return route_ == Route::kStaged; }
  // True if packing saves the library work: not if all lies contiguous, or was left.
  bool is_packed() const noexcept {
    return route_ == Route::kStaged || (route_ == Route::kJoined && !blocks_.are_contiguous());
  }

  // Reserves the staging, if needed. Returns false if there is none.
  bool reserve() noexcept { return route_ != Route::kStaged || staging_.reserve(blocks_.bytes()); }
  // With messages, some of the blocks go, or have come, as such.
  void pack(Procedure procedure, BlockMessages* messages) noexcept;
  void unpack(Procedure procedure, BlockMessages* messages) noexcept;
  // The library's arguments.
  template <class Given>
  Given view(const Given& given) const noexcept {
    if (route_ == Route::kGiven) return blocks_.unpaired(given);
    if constexpr (std::is_same_v<Given, View>) {
      if (route_ == Route::kJoined) return {MPI_IN_PLACE, 0, MPI_BYTE};
    }
    return blocks_.as_bytes(given, staging_.data());
  }

 private:
  char* packed(const Piece& piece) const noexcept;
  void move_own_block() noexcept;

  Blocks blocks_;
  Route route_ = Route::kGiven;
  mpi::AssuredStaging staging_;
  Side* many_ = nullptr;             // kJoined
  const Piece* received_ = nullptr;  // among many, by a side that joined: not unpacked
};

}  // namespace gapless::preload
