// The memory that the processes of a node share: one file without a name, made by the first of them and handed to the
// others over a socket, mapped by each. It has records and a pool of chunks for each process, and room for channels.
// Chunks lie in groups, the first groups of all processes one after the other, then the second ones: who reads those of
// many others has few page tables for them.
//
// Nothing in it is memory until it is grown, with the kernel's promise that it is there (fallocate): a full node is an
// answer here, never SIGBUS later. What is not grown is mapped without access, so that mlockall cannot fill it.
// A child of fork does not have the mapping.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "wire/control.hpp"
#include "wire/memory_file.hpp"
#include "wire/stores.hpp"

namespace gapless::wire {

using Word = std::atomic<std::uint32_t>;

inline constexpr int kMaxProcesses = 1024;
inline constexpr std::int64_t kChunkBytes = 96 << 10;
inline constexpr std::uint32_t kRecords = 512;  // messages of a process that are under way

class Segment {
 public:
  Segment() = default;
  ~Segment() { detach(); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // To be called while the process has one thread, if it ever has: later attach() would wait for milliseconds until the
  // kernel has let go of the table of descriptors that it makes longer (expand_fdtable, which synchronises with readers
  // where threads share the table; UCX, below many an MPI library, starts threads in MPI_Init).
  static void make_room_for_descriptor() noexcept;
  // Makes the memory for so many processes. Returns its descriptor, or -1 and why not. `cap` [bytes]: what all of them
  // may use of it together.
  static int make(int processes, std::int64_t cap, std::string& why);
  // Maps it, as process `self` of those; takes the descriptor, whatever comes of it. Returns false and why not.
  bool attach(int descriptor, int self, std::string& why);
  void detach() noexcept;
  bool is_attached() const noexcept { return base_ != nullptr; }
  // False in a child of fork, which has not the mapping. Asks the kernel.
  bool is_mapped_here() const noexcept;

  int self() const noexcept { return self_; }
  int processes() const noexcept { return processes_; }
  std::uint32_t max_chunks() const noexcept { return max_chunks_; }
  // [bytes] in use on the node, and at most.
  std::int64_t used_bytes() const noexcept;
  std::int64_t cap_bytes() const noexcept;
  std::uint32_t chunks_of(int process) const noexcept;

  // Messages that come with a header of the MPI library's (preload/paired): whether `process` takes them now, and how
  // many were sent to it in all. Who sends one announces it first and asks then, who declines them does so first and
  // looks then what was announced: sequentially consistent, so one of both sees the other.
  void accept(bool on) noexcept;
  bool accepts(int process) const noexcept;
  void announce(int to) noexcept;
  void withdraw(int to) noexcept;
  std::uint64_t announced_here() const noexcept;
  // A random number of two words, the same for all processes.
  const std::uint64_t (&cookie() const noexcept)[2];

  // Grows this process's pool to `wanted` chunks, or somewhat more. Returns the number that it has then, which is less
  // than that where the cap or the system allows no more. One thread at a time.
  std::uint32_t grow(std::uint32_t wanted) noexcept;

  // Of any process; the caller has checked is_known(). Chunks are those with numbers below chunks_of().
  Control<Word>& record(int process, std::uint32_t number) noexcept {
    return reinterpret_cast<Control<Word>*>(base_ + records_of(process))[number];
  }
  Control<Word>& chunk(int process, std::uint32_t number) noexcept {
    return reinterpret_cast<Control<Word>*>(base_ + group_of(process, number))[number % group_];
  }
  char* data(int process, std::uint32_t number) noexcept {
    return base_ + group_of(process, number) + chunks_at_ + static_cast<std::int64_t>(number % group_) * kChunkBytes;
  }
  // True if another process's chunk exists, and may be accessed from now on.
  bool is_known(int process, std::uint32_t chunk) noexcept {
    return chunk < opened_[process].load(std::memory_order_acquire) || open_pool(process, chunk);
  }

  // How messages of a process are packed.
  Stores& stores(int process) noexcept;

  // False if the process has ended. Asks the kernel.
  bool is_running(int process) const noexcept;

  // True if this process may read another one's memory (reach.hpp), and that one knows it; asks the kernel once.
  // `refusal`: where that was now, and it may not, why (errno).
  bool reaches(int process, int* refusal = nullptr) noexcept;
  // True if the other one has said the same of this process's.
  bool is_reached_by(int process) const noexcept;
  std::int64_t pid_of(int process) const noexcept;

  // The heap of a process that others can map (heap.hpp), as it says itself; `end` 0: there is none.
  struct alignas(64) HeapOfProcess {
    std::atomic<std::int64_t> end;  // [bytes] of all that was ever handed out
    std::atomic<std::int64_t> reserved;
    std::atomic<std::uint64_t> begin, device, inode;
    std::atomic<std::int32_t> descriptor;
  };
  HeapOfProcess& heap_of(int process) noexcept;
  // [bytes] of the heap of `process` that this process has mapped, and of this one's that that one has.
  void set_heap_mapped(int process, std::int64_t bytes) noexcept;
  std::int64_t heap_mapped_by(int process) const noexcept;

  // Room for channels (channels.hpp): kChannels places, each for one of all processes.
  static constexpr int kChannels = 256;
  // The bits of those that are taken.
  std::atomic<std::uint64_t>* channels_taken() noexcept;
  // The first bytes of one, accessible; nullptr: no memory.
  char* open_channel(int number, std::int64_t bytes) noexcept;
  // Memory for them, within the cap; and gives it back.
  bool grow_channel(int number, std::int64_t bytes) noexcept;
  void shrink_channel(int number, std::int64_t bytes) noexcept;

 private:
  struct Header;
  struct Member;
  Header& header() const noexcept { return *reinterpret_cast<Header*>(base_); }
  Member& member(int process) const noexcept;
  // Where they lie: the records of a process, and the group of a chunk: the words of all its chunks, then their data.
  std::int64_t records_of(int process) const noexcept { return records_at_ + process * records_bytes_; }
  std::int64_t group_of(int process, std::uint32_t chunk) const noexcept {
    return groups_at_ + (static_cast<std::int64_t>(chunk / group_) * processes_ + process) * group_bytes_;
  }
  bool is_own_descriptor() const noexcept;
  bool commit(std::int64_t at, std::int64_t bytes) noexcept;
  bool use(std::int64_t bytes) noexcept;
  // Accessible from now on, from the beginning of a page to the end of one.
  bool open(std::int64_t at, std::int64_t bytes) noexcept;
  bool open_to_read(std::int64_t at, std::int64_t bytes) noexcept;
  // Calls each(at, bytes) for each group that has some of the chunks [from, to) of a process, while that returns true:
  // where the group begins, and the bytes from there to the end of the last of these chunks in it. Returns the first
  // chunk for which it did not, or `to`.
  template <class Each>
  std::uint32_t for_groups(int process, std::uint32_t from, std::uint32_t to, Each each) const noexcept;
  bool open_pool(int process, std::uint32_t chunk) noexcept;
  void set_layout(int processes, std::uint32_t max_chunks) noexcept;

  char* base_ = nullptr;
  int descriptor_ = -1, self_ = -1, processes_ = 0;
  std::int64_t pid_ = 0;  // who has mapped it
  FileIdentity file_;
  std::uint32_t max_chunks_ = 0, group_ = 0;  // a group's chunks are a power of two
  std::int64_t channels_at_ = 0, channel_bytes_ = 0, records_at_ = 0, records_bytes_ = 0, groups_at_ = 0,
               group_bytes_ = 0, chunks_at_ = 0, bytes_ = 0;
  std::atomic<std::uint32_t> opened_[kMaxProcesses] = {};  // chunks of each pool
  enum class Reach : std::uint8_t { kNotAsked, kYes, kNo };
  std::atomic<Reach> reach_[kMaxProcesses] = {};  // of each process's memory
  std::uint64_t probe_ = 0;                       // what others read to find out
};

}  // namespace gapless::wire
