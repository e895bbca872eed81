// Messages of known content from one process to another, to be checked to the last byte of the gaps, and what the layer
// counts of those that go through shared memory.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "../preload/support.hpp"

namespace conformance {

// A pair is a double and an int; one that is uneven, a double and a char: a header (3840 bytes) ends inside one of
// these.
enum class Basic { kInts, kDoubles, kPairs, kLongDoubles, kBytes, kUneven };
inline constexpr int kBasics = 6;
inline bool is_mixed(Basic basic) {
  return basic == Basic::kPairs || basic == Basic::kUneven;
}
enum class Layout {
  kColumn,      // one by one, each with a gap behind it
  kBlocks,      // some together
  kReversed,    // the last one first in memory, and the first before the buffer's address
  kMany,        // a count of types of one
  kPairType,    // a count of MPI_DOUBLE_INT; only for pairs
  kContiguous,  // without gaps
  kPacked,      // a count of MPI_PACKED
};

// [bytes] Of a basic element, or pair, among packed data.
int unit_bytes(Basic basic);
// True if the layer sends this through shared memory, by what it is.
bool is_pairable(Basic basic, Layout layout, int units);

using Bytes = std::pmr::vector<unsigned char>;
// Where buffers lie, by CONFORMANCE_MEMORY: in the heap; "window": in one of MPI_Win_allocate_shared, as long as there
// is room; "alloc": in memory of MPI_Alloc_mem.
class Memory {
 public:
  Memory();   // after MPI is initialised
  ~Memory();  // before it is finalised
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  // No buffer is left: there is all the room again.
  void release() {
    if (room_ != nullptr) room_->release();
  }

 private:
  class Allocated;
  MPI_Win window_ = MPI_WIN_NULL;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> room_;
  std::unique_ptr<Allocated> allocated_;
};

// `units` basic elements, or pairs, in memory with gaps and guards. The same content can be described in each layout.
class Buffer {
 public:
  Buffer(Basic basic, Layout layout, int units);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* address() { return bytes_.data() + origin_; }
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }
  // Before the messages are over: MPI keeps the type for them.
  void free_type();
  int units() const { return units_; }
  // Of its packed data.
  long long bytes() const { return static_cast<long long>(units_) * unit_bytes_; }

  void write(std::uint64_t seed) { draw(bytes_, seed, units_); }
  void clear();
  // Fails unless the first `units` are those of `seed`, and all else is as clear() left it.
  void expect(std::uint64_t seed, int units, const std::string& what) const;
  // Whether its first `units` are those of `seed`.
  bool has(std::uint64_t seed, int units) const;
  // Fails unless gaps and guards are: of data of which MPI says nothing.
  void expect_gaps(const std::string& what) const;
  // Fails unless the status counts `units`, by the type that this was received with.
  void expect_count(const MPI_Status& status, int units, const std::string& what) const;
  bool is_pairable() const { return conformance::is_pairable(basic_, layout_, units_); }

 private:
  struct Piece {
    std::int64_t at;
    int bytes, significant;
  };
  void describe();
  std::int64_t place(int unit) const;
  // Writes the content into an image of the memory.
  void draw(Bytes& image, std::uint64_t seed, int units) const;

  Basic basic_;
  Layout layout_;
  int units_, count_ = 1, unit_bytes_ = 0, block_ = 1;
  std::int64_t unit_extent_ = 0, stride_ = 0, origin_ = 0;
  std::vector<Piece> pieces_;
  Bytes bytes_{std::pmr::get_default_resource()};
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool owns_type_ = false;
};

// The status before a call; nothing may be left of its source and tag.
MPI_Status unset_status();
// Fails unless it is that of a message which was received without an error.
void expect_envelope(const MPI_Status& status, int source, int tag, const std::string& what);

// Whether this process shares memory with its node, and so messages are paired.
bool has_shared_memory();
// [bytes] The shortest message that is.
long long smallest_pairable();
bool is_forced();

// What this process has counted so far of a field ("paired_sent") over all procedures; -1 where it does not count into
// a file.
long long counted(const std::string& field);

// After MPI is initialised: the messages that should have gone through shared memory since the last look, against those
// that did.
class Tally {
 public:
  void sends(bool paired) { sent_ += paired ? 1 : 0; }
  void receives(bool paired) { received_ += paired ? 1 : 0; }
  // Fails unless all those were counted, and nothing else. Starts anew.
  void expect_all(const std::string& what);
  // Whatever should have: nothing was counted.
  void expect_none(const std::string& what);
  long long sent() const { return sent_; }
  long long received() const { return received_; }
  void restart();

 private:
  std::atomic<long long> sent_{0}, received_{0};  // by any thread
  long long sent_before_ = 0, received_before_ = 0;
};

// A communicator, and what rank each process of the world has in it.
struct Comm {
  MPI_Comm comm;
  std::vector<int> rank_of;
  explicit Comm(MPI_Comm of);
};
// The world, a duplicate of it, its ranks in reverse order, and a torus.
std::vector<Comm> some_comms();
void free_comms(std::vector<Comm>& comms);

}  // namespace conformance
