// What one thread notes: which entry of the book a buffer of a call belongs to, found without a lock and without a call
// of MPI once it was seen.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/per_thread.hpp"
#include "mpi/abi/abi.hpp"
#include "preload/watch/book.hpp"
#include "preload/watch/call_site.hpp"
#include "preload/watch/shares.hpp"

namespace gapless::preload {

// A buffer of the call.
struct Part {
  Entry* entry;
  std::int64_t bytes;
};

// A request that a call is given; `part.entry`: nullptr if it is not known.
struct Request {
  Part part;
  std::uint64_t key;
};

class Index;  // entries by what distinguishes them; goes from a thread that ends to one that begins

class Notes {
 public:
  Notes();
  ~Notes();
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

  // This thread's; nullptr if there is no memory, or inside of another watched call: the library calls itself.
  static Notes* begin() noexcept {
    Notes* const notes = base::PerThread<Notes>::get();
    if (notes == nullptr || notes->inside_ || notes->index_ == nullptr) return nullptr;
    notes->inside_ = true;
    return notes;
  }
  void end() noexcept { inside_ = false; }

  // Each adds a part, before the call. May throw bad_alloc.
  void add(Procedure procedure, Role role, MPI_Count count, MPI_Datatype type, std::int64_t blocks, std::int32_t peer,
           const void* caller);
  // Of a persistent request that is started, whose entry is that of the call that made it.
  Part add_start(Procedure procedure, const Entry& made, std::int64_t bytes, const void* caller);
  // A call without data.
  void add_call(Procedure procedure, const void* caller);
  // To be called when the library has returned.
  void called() noexcept;
  // Writes the parts down: the time is divided among them by their bytes.
  void write(std::int64_t ticks, std::int64_t now) noexcept;
  // The entry of its request: the first part with a derived type, or the first one.
  Part main_part() const noexcept;
  void forget_bytes() noexcept {
    for (Part& part : parts_) part.bytes = 0;
  }
  bool is_empty() const noexcept { return parts_.empty(); }
  void clear() noexcept { parts_.clear(); }

  // The rank in MPI_COMM_WORLD of a rank in `comm`.
  std::int32_t peer(int rank, MPI_Comm comm) noexcept;
  // True if the library may be asked of `comm` although it may be none: the error would be seen by nobody.
  bool may_ask_of(MPI_Comm comm) noexcept;
  // blocks_of, asked of the library once for each communicator.
  Blocks blocks(Kind kind, MPI_Comm comm, int root) noexcept;

  std::vector<Request> pending;  // the requests of a call on several, before it
  CallSites call_sites;

 private:
  struct Translated {
    std::uint64_t comm = 0;
    std::uint64_t epoch = 0;
    int rank = -1;
    std::int32_t peer = 0;
  };
  struct KnownBlocks {
    std::uint64_t comm = 0;
    std::uint64_t epoch = 0;
    Kind kind{};
    int root = -1;
    Blocks blocks;
  };
  // More than the layer remembers of a thread, for a program with many types pays for each that it does not.
  struct Seen {
    std::uint64_t key = 0;
    std::uint64_t generation = UINT64_MAX;
    const mpi::Datatype* facts = nullptr;
  };
  static constexpr std::size_t kPlaces = 4;  // of a handle in seen_
  const mpi::Datatype* facts_of(MPI_Datatype type, mpi::DatatypePtr& keeps);
  Entry* find(Procedure procedure, Role role, const void* type, std::int64_t count, std::int32_t peer,
              const void* caller, MPI_Datatype handle, bool is_decoded, mpi::DatatypePtr facts = {}) noexcept;

  bool inside_ = false;
  Index* index_ = nullptr;
  std::vector<Part> parts_;
  std::vector<MPI_Datatype> first_uses_;
  std::array<Translated, 64> translated_{};
  std::array<KnownBlocks, 32> known_blocks_{};
  std::array<Seen, 1024> seen_{};
};

// A communicator was freed: its handle may become another one's.
void forget_translations() noexcept;

// Adds to an entry, from any thread.
void add_later(Entry& entry, std::int64_t ticks) noexcept;

}  // namespace gapless::preload
