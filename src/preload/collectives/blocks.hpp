// One side of a collective call: the blocks that this process sends, or those that it receives, as the program
// described them and as the library gets to see them: bytes, one block behind the other.
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

// What blocks are made of.
struct Elements {
  Elements() = default;
  ~Elements();
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  // No plan from now on. With `keep`, for an operation that outlasts its call, the type is kept: the program may free
  // it.
  void leave_to_library(bool keep) noexcept;

  MPI_Datatype type{};
  bool owns_type = false;
  mpi::DatatypePtr facts;            // keeps the plan alive
  const plan::Plan* plan = nullptr;  // null: the library packs, by MPI_Pack
  MPI_Count size = 0, extent = 0;    // [bytes]
};

// Some blocks of equal elements that follow one another, or one block alone.
struct Piece {
  const char* address;
  MPI_Count count;  // of elements
  std::int64_t at;  // [bytes] in the packed blocks
  const Elements* elements;
  bool goes_out, comes_in;
  std::int64_t bytes() const noexcept { return count * elements->size; }
};

// Which way the data go: to the others, from them, or (MPI_IN_PLACE) both.
struct Way {
  bool out = false, in = false;
};

class Blocks {
 public:
  // `outlasts`: the operation goes on when its call has returned.
  explicit Blocks(bool outlasts = false) noexcept : outlasts_(outlasts) {}
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // The three ways of MPI to describe blocks. kNone, or what leaves the call to the library; what is given is judged
  // completely before anything is reserved.
  //
  // `n` blocks of `count` elements, one behind the other. `own` (with MPI_IN_PLACE): the block of this process, which
  // goes `own_way`; -1: none is special.
  Reason uniform(const void* buffer, MPI_Count count, MPI_Datatype type, int n, Way way, int own = -1,
                 Way own_way = {}) noexcept;
  // The same, but each block is a piece of its own, so that some may be spared.
  Reason uniform_in_pieces(const void* buffer, MPI_Count count, MPI_Datatype type, int n, Way way) noexcept;
  // Block k: counts[k] elements at places[k] extents.
  template <class Count>
  Reason varying(const void* buffer, int n, const Count* counts, const mpi::PlaceOf<Count>* places, MPI_Datatype type,
                 Way way, int own = -1, Way own_way = {}) noexcept;
  // Block k: counts[k] elements of types[k] at places[k] bytes.
  template <class Count, class Place>
  Reason individual(const void* buffer, int n, const Count* counts, const Place* places, const MPI_Datatype* types,
                    Way way) noexcept;

  bool is_set() const noexcept { return n_ > 0 && !left_; }
  // This side is one end of the block that a process gives to itself; the other end lies among `many`, described with
  // `own`. The library is told MPI_IN_PLACE, and the block goes from end to end when the call is packed: what is sent
  // to itself by way of the place where the library expects it, and on while it is warm; what it receives from itself
  // straight from among what it sends. That saves the library a copy, and staging. Not if the two ends do not fit: an
  // error that the library knows.
  void join(Blocks& many) noexcept;
  bool is_joined() const noexcept { return joined_ != nullptr; }
  // Block k, a piece of its own, is neither packed nor unpacked: the library will not look at it.
  void spare(int k) noexcept { pieces_[k].goes_out = pieces_[k].comes_in = false; }
  // The bytes go through staging although they lie ready.
  void stage() noexcept;
  // The library gets this side as the program gave it.
  void leave() noexcept { left_ = true; }
  // Of a uniform side, the bytes of one block; of all blocks together.
  std::int64_t block_bytes() const noexcept { return block_bytes_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  // No staging is needed: the bytes lie as the library is to see them.
  bool lie_ready() const noexcept { return ready_; }
  // Whether any type is not decoded or any byte not in this processor's memory, so that the library must pack.
  bool needs_library() const noexcept { return needs_library_; }
  // Whether packing is measured to be worth it.
  bool are_worth(const Policy& policy, Operation operation) const noexcept;

  // Gets the staging, if needed. False: there is none.
  bool reserve() noexcept;
  bool is_staged() const noexcept { return staging_.data() != nullptr; }
  // The program may change its own arrays meanwhile, for what is left to do is written down here.
  void pack(Procedure procedure) noexcept;
  void unpack(Procedure procedure) noexcept;

  // What the library gets to see.
  void* buffer() const noexcept;
  // Of varying and individual sides: bytes, and where each block begins.
  template <class Count, class Place>
  void tabulate() noexcept;
  template <class Count>
  const Count* counts() const noexcept {
    return static_cast<const Count*>(counts_);
  }
  template <class Place>
  const Place* places() const noexcept {
    return static_cast<const Place*>(places_);
  }
  const MPI_Datatype* types() const noexcept { return types_; }

 private:
  Reason read(Elements& elements, MPI_Datatype type) noexcept;
  Reason measure(MPI_Count count, MPI_Datatype type, int n, std::int64_t& elements) noexcept;
  bool add(Piece& piece, Elements& elements) noexcept;
  void pack_joined() noexcept;
  void give_itself() noexcept;
  void take_from_itself() noexcept;
  void settle() noexcept;
  bool make_tables(int n, bool individual) noexcept;
  template <class Count, class Place>
  bool fits() noexcept;

  const bool outlasts_;
  static constexpr int kFew = 4;
  Elements elements_;
  Elements* each_ = nullptr;  // of an individual side, in tables_
  Piece few_[kFew];           // piece_count_ of them mean something
  Piece* pieces_ = few_;
  int piece_count_ = 0;
  int own_ = -1;  // the piece that this process gives to itself
  Blocks* joined_ = nullptr;
  int n_ = 0;
  std::int64_t block_bytes_ = 0, bytes_ = 0, runs_ = 0;
  bool ready_ = false, needs_library_ = false, left_ = false;
  const char* first_ = nullptr;  // where ready bytes begin
  const char* base_ = nullptr;   // the program's buffer
  mpi::AssuredStaging staging_, tables_;
  void* counts_ = nullptr;
  void* places_ = nullptr;
  MPI_Datatype* types_ = nullptr;
};

}  // namespace gapless::preload
